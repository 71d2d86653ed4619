import { readable } from '../../values/readable.js'

export interface TemplateMessage {
  role: string
  text: string
}

/** Returns the messages of a template as texts; contents that are no texts as JSON. */
export const messagesOf = (template: unknown): TemplateMessage[] =>
  (Array.isArray(template) ? template : []).map((message: unknown) => {
    const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown }
    return {
      role: String(role ?? 'no role'),
      text: typeof content === 'string' ? content : readable(content ?? null),
    }
  })
