import type { GenerationPayloadInput } from '../../generated/schema.js'

/** Where a formatted message comes from. */
export interface PromptLink {
  promptId: string
  /** The template's message. */
  uuid: string
  variables: Record<string, unknown>
}

/**
 * Under which a formatted message says where it comes from. A symbol, as whoever runs the model takes no fields that it
 * doesn't know; it is copied when the message is spread, and left out of JSON.
 */
export const LINK: unique symbol = Symbol.for('stepwell.prompt')

const linkOf = (message: unknown): PromptLink | undefined =>
  (message as { [LINK]?: PromptLink } | null | undefined)?.[LINK]

/** A generation that knows the prompt of its messages, where they were formatted from one. What it says itself stays. */
export const withPrompt = <
  Generation extends Pick<GenerationPayloadInput, 'promptId' | 'variables'> & {
    messages?: unknown
  },
>(
  generation: Generation,
): Generation => {
  const messages = generation?.messages
  const link = Array.isArray(messages) ? messages.map(linkOf).find(Boolean) : undefined
  if (link === undefined) return generation
  return {
    ...generation,
    promptId: generation.promptId ?? link.promptId,
    variables: generation.variables ?? link.variables,
    messages: (messages as object[]).map((message) => {
      const { promptId, uuid } = linkOf(message) ?? {}
      // The uuids of another prompt would refer to messages that this one does not have.
      return promptId === link.promptId ? { uuid, templated: true, ...message } : message
    }),
  }
}
