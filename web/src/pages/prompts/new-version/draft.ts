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

const EMPTY: Draft = {
  messages: [{ role: 'system', content: '' }],
  settings: '{}',
  tools: '',
  description: '',
}

/** The versions of a prompt, as far as the page has read them. */
interface Known {
  versions: readonly ({ version: number } & Parameters<typeof draftOf>[0])[] | undefined
  /** False while newer versions than these may be on their way. */
  isCurrent: boolean
}

/**
 * Returns the beginning of a new version: a copy of its base, or an empty one if it has none. The base may be missing, or
 * awaited: a page knows at first what it read some time ago.
 */
export const beginningOf = (
  from: string | undefined,
  { versions, isCurrent }: Known,
): { is: 'there'; draft: Draft } | { is: 'awaited' } | { is: 'missing' } => {
  if (versions === undefined) return { is: 'awaited' }
  if (from === undefined) return { is: 'there', draft: EMPTY }
  const base = versions.find(({ version }) => String(version) === from)
  if (base !== undefined) return { is: 'there', draft: draftOf(base) }
  return { is: isCurrent ? 'missing' : 'awaited' }
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
