import type { GenerationPayloadInput } from '../../generated/schema.js'

/** The origin of a formatted message. */
export interface PromptLink {
  promptId: string
  /** The id of the template's message. */
  uuid: string
  variables: Record<string, unknown>
}

/**
 * The key under which a formatted message holds its origin. A symbol, as models' APIs reject unknown fields; it is
 * copied when the message is spread, and left out of JSON.
 */
export const LINK: unique symbol = Symbol.for('stepwell.prompt')

const linkOf = (message: unknown): PromptLink | undefined =>
  (message as { [LINK]?: PromptLink } | null | undefined)?.[LINK]

/**
 * Links a generation to the prompt that its messages were formatted from, if there is one. Fields that are set already
 * stay.
 */
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
