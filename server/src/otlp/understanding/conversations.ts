// The conversation and the user that spans name for their trace, and the tags that they name for themselves.
import type { TraceClaim, TraceUser } from '../../domain/traces/traces.js'
import type { Attributes } from '../encoding/schema.js'
import type { Span } from '../span.js'
import { firstId, structure } from './attributes.js'
import { tagsOfLangSmith } from './dialects/langsmith.js'

/**
 * Beginnings of the attributes that hold what an application says of its calls: the telemetry metadata of the AI SDK,
 * its runtime context since version 7, the association properties of OpenLLMetry, and the metadata of LangSmith and Mastra.
 */
const OF_APPLICATIONS = [
  'ai.telemetry.metadata.',
  'ai.settings.context.',
  'traceloop.association.properties.',
  'langsmith.metadata.',
  'mastra.metadata.',
]
const below = (...names: string[]): string[] =>
  OF_APPLICATIONS.flatMap((beginning) => names.map((name) => `${beginning}${name}`))

/** Attributes that hold the id of a conversation, by convention. */
const CONVERSATION = [
  'gen_ai.conversation.id',
  'session.id',
  'langfuse.session.id',
  'gcp.vertex.agent.session_id',
  ...below(
    'sessionId',
    'session_id',
    'session.id',
    'conversationId',
    'conversation_id',
    'threadId',
    'thread_id',
    'chatId',
    'chat_id',
  ),
]

/**
 * Returns the conversation of each trace, as far as the request names it: one span may name it for the others. Of
 * several, a first span decides, or else the one that started first, whatever order they come in. Leaves out those too
 * long for an id.
 */
export const claimsOf = (spans: readonly Span[], mostBytes: number): TraceClaim[] => {
  const claims = new Map<string, TraceClaim>()
  for (const span of spans) {
    const threadId = firstId(span.attributes, ...CONVERSATION)
    if (threadId === undefined || Buffer.byteLength(threadId) > mostBytes) continue
    const { traceId: id } = span
    const rank = rankOf(span)
    if (rank < (claims.get(id)?.rank ?? '~')) claims.set(id, { id, threadId, rank })
  }
  return [...claims.values()]
}

const LATEST = 2n ** 64n - 1n

/** Returns a text whose order is that of spans: first spans, then by their start and id. */
const rankOf = ({ parentSpanId, startTimeUnixNano: start, spanId }: Span): string =>
  `${parentSpanId === '' ? 0 : 1} ${String(start === 0n ? LATEST : start).padStart(20, '0')} ${spanId}`

/** Attributes that hold the user's identifier, by convention. */
const USER = ['user.id', 'enduser.id', 'langfuse.user.id', ...below('userId', 'user_id', 'user.id')]

/**
 * Returns the user of each trace, as far as the request names it. Of several, a first span decides, or else the one that
 * started first, whatever order they come in. Notes those too long to be a user's identifier.
 */
export const usersOf = (
  spans: readonly Span[],
  mostBytes: number,
  note: (note: string) => void,
): TraceUser[] => {
  const users = new Map<string, TraceUser>()
  for (const span of spans) {
    const identifier = firstId(span.attributes, ...USER)
    if (identifier === undefined) continue
    if (Buffer.byteLength(identifier) > mostBytes) {
      note(`user: expected at most ${mostBytes} bytes; the step is stored without`)
      continue
    }
    const { traceId: id, startTimeUnixNano: start } = span
    const rank = rankOf(span)
    if (rank < (users.get(id)?.rank ?? '~')) users.set(id, { id, identifier, rank, start })
  }
  return [...users.values()]
}

/** Lists of words, by the conventions of OpenInference and Langfuse, and as applications say them. */
const TAGS = ['tag.tags', 'langfuse.trace.tags', ...below('tags')]

/** More or longer ones are no tags; the attribute is in the metadata in any case. */
const MAX_TAGS = 100
const MAX_TAG_CHARACTERS = 200

export const tagsOf = (attributes: Attributes): string[] => {
  const lists = TAGS.map((name) => structure(attributes.get(name)))
  const words = lists.flatMap((list) => (Array.isArray(list) ? list : []))
  words.push(...tagsOfLangSmith(attributes))
  const sound = words.filter(
    (word): word is string =>
      typeof word === 'string' && word !== '' && word.length <= MAX_TAG_CHARACTERS,
  )
  return [...new Set(sound)].slice(0, MAX_TAGS)
}
