/** A request for an answer: formatted messages, and the settings and tools of a prompt version. */
export interface ModelRequest {
  model: string
  messages: readonly Record<string, unknown>[]
  settings: Record<string, unknown>
  tools: readonly unknown[]
}

/** A piece of an answer as it arrives. */
export type ModelEvent =
  | { type: 'text'; text: string }
  /** A piece of a call of a tool: its name comes first, its arguments as JSON in pieces. */
  | { type: 'tool'; index: number; name?: string; arguments?: string }
  | { type: 'usage'; inputTokens?: number; outputTokens?: number }
  | { type: 'end'; reason: string | null }
  | { type: 'error'; message: string }

export interface Protocol {
  /** Returns the address of a base URL that answers. */
  address: (baseUrl: string) => string
  headers: (key: string) => Record<string, string>
  body: (request: ModelRequest) => unknown
  /** Returns what an event of the stream says. */
  read: (event: Record<string, unknown>) => ModelEvent[]
}

/** Members of messages and settings that are the service's, and not the model's. */
const OWN_OF_MESSAGES = ['uuid', 'templated']
const OWN_OF_SETTINGS = ['provider', 'model', 'stream', 'stream_options', 'messages', 'tools']

const without = (
  value: Record<string, unknown>,
  names: readonly string[],
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

export const plainMessages = (messages: ModelRequest['messages']): Record<string, unknown>[] =>
  messages.map((message) => without(message, OWN_OF_MESSAGES))

export const plainSettings = (settings: ModelRequest['settings']): Record<string, unknown> =>
  without(settings, OWN_OF_SETTINGS)

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
