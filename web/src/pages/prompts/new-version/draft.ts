interface DraftMessage {
  role: string
  /** JSON if the content is not a text. */
  content: string
  /** The original message, whose other members are kept. */
  original?: Record<string, unknown> | undefined
}

export interface Draft {
  messages: DraftMessage[]
  settings: string
  tools: string
  description: string
}

export const EMPTY: Draft = {
  messages: [{ role: 'system', content: '' }],
  settings: '{}',
  tools: '',
  description: '',
}

const draftMessage = (original: Record<string, unknown>): DraftMessage => ({
  role: String(original.role ?? 'user'),
  content:
    typeof original.content === 'string'
      ? original.content
      : JSON.stringify(original.content ?? null, null, 2),
  original,
})

export const draftOf = (version: {
  templateMessages: unknown
  settings: unknown
  tools: unknown
}): Draft => ({
  messages: (Array.isArray(version.templateMessages) ? version.templateMessages : []).map(
    draftMessage,
  ),
  settings: JSON.stringify(version.settings ?? {}, null, 2),
  tools: version.tools == null ? '' : JSON.stringify(version.tools, null, 2),
  description: '',
})

/** Returns a message as it is stored: unedited parts stay as they were. */
export const messageOf = ({ role, content, original }: DraftMessage): Record<string, unknown> => {
  if (original === undefined) return { role, content }
  const before = draftMessage(original)
  return {
    ...original,
    ...(role === before.role ? {} : { role }),
    ...(content === before.content
      ? {}
      : { content: typeof original.content === 'string' ? content : readJson('content', content) }),
  }
}

/** @throws Error that names the field. */
export const readJson = (field: string, text: string): unknown => {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${field}: expected JSON, ${(error as Error).message}`)
  }
}
