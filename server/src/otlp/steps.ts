import type { StepInput, StepType } from '../../generated/resolvers.js'
import { ENVIRONMENTS, type Environment } from '../kernel/caller.js'
import { parseInstant } from '../kernel/instant.js'
import { firstOf, firstText, structure, toPayload } from './attributes.js'
import { toGeneration } from './generation.js'
import { type Copied, metadataOf } from './metadata.js'
import { type Attributes, FAILED } from './schema.js'
import { isSpanId, isTraceId, type Span } from './span.js'
import { holdsAll, Taken } from './taken.js'

/** Returns the id of a span's step. Ids of spans are unique within their trace only. */
export const stepId = (traceId: string, spanId: string): string => `${traceId}-${spanId}`

/** Returns the trace of a step's id. */
export const traceOf = (id: string): string => id.slice(0, id.indexOf('-'))

/** Attributes that hold the id of a conversation, by convention. */
const CONVERSATION = [
  'gen_ai.conversation.id',
  'session.id',
  'langfuse.session.id',
  'traceloop.association.properties.session_id',
]

/**
 * Returns the conversation of each trace, as far as the request names it: one span may name it for the others. Leaves
 * out those too long for an id.
 */
export const conversationsOf = (
  spans: readonly Span[],
  mostBytes: number,
): ReadonlyMap<string, string> => {
  const conversations = new Map<string, string>()
  for (const { traceId, attributes } of spans) {
    const conversation = firstText(attributes, ...CONVERSATION)
    if (conversation !== undefined && Buffer.byteLength(conversation) <= mostBytes)
      conversations.set(traceId, conversation)
  }
  return conversations
}

/** Returns the reason why a span cannot be a step; undefined when it can. */
export const flawOf = ({ traceId, spanId, parentSpanId }: Span): string | undefined => {
  if (!isTraceId(traceId)) return 'traceId: expected 32 hexadecimal digits, not all of them 0'
  if (!isSpanId(spanId)) return 'spanId: expected 16 hexadecimal digits, not all of them 0'
  if (parentSpanId !== '' && !isSpanId(parentSpanId))
    return 'parentSpanId: expected 16 hexadecimal digits, or nothing'
  return undefined
}

const WHOLE: Copied = { named: true, rest: true }

/** Converts a span to a step of a thread. */
export const toStep = (span: Span, threadId: string, copied = WHOLE): StepInput => {
  const { attributes, traceId } = span
  const type = typeOf(span)
  const isCall = type === 'llm' || type === 'embedding'
  const taken = new Taken()
  const input = payloadOf(attributes, 'input', isCall, taken)
  const output = payloadOf(attributes, 'output', isCall, taken)
  const environment = environmentOf(span.origin.resource.attributes)
  const error = errorOf(span)
  const generation = isCall ? toGeneration(span, taken) : undefined
  const name = nameOf(span, type)
  const tags = tagsOf(attributes)
  return {
    id: stepId(traceId, span.spanId),
    threadId,
    ...(span.parentSpanId === '' ? {} : { parentId: stepId(traceId, span.parentSpanId) }),
    type,
    name,
    ...moment('startTime', span.startTimeUnixNano),
    ...moment('endTime', span.endTimeUnixNano),
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    ...(environment === undefined ? {} : { environment }),
    ...(tags.length === 0 ? {} : { tags }),
    metadata: metadataOf(span, name, taken, copied),
    ...(generation === undefined ? {} : { generation }),
  }
}

const PAYLOADS = {
  input: ['input.value', 'gen_ai.tool.call.arguments', 'traceloop.entity.input'],
  output: ['output.value', 'gen_ai.tool.call.result', 'traceloop.entity.output'],
}
/** The same of spans around model calls, which have no generation to hold them. */
const MESSAGES = { input: 'gen_ai.input.messages', output: 'gen_ai.output.messages' }

const payloadOf = (
  attributes: Attributes,
  field: 'input' | 'output',
  isCall: boolean,
  taken: Taken,
): Record<string, unknown> | undefined => {
  const names = isCall ? PAYLOADS[field] : [...PAYLOADS[field], MESSAGES[field]]
  const found = firstOf(attributes, names)
  if (found === undefined) return undefined
  const value = structure(found.value)
  if (isHeld(found.value, value)) taken.add(found.name, field)
  return toPayload(value)
}

/** Returns true when a payload of this structure shows what the attribute was. */
const isHeld = (attribute: unknown, value: unknown): boolean => {
  if (typeof attribute === 'object') return false
  if (typeof attribute !== 'string' || typeof value !== 'object' || value === null) return true
  const isOnlyContent =
    !Array.isArray(value) && Object.keys(value).length === 1 && 'content' in value
  return !isOnlyContent && holdsAll(attribute, value)
}

/** Lists of words, by the conventions of OpenInference and Langfuse. */
const TAGS = ['tag.tags', 'langfuse.trace.tags']

/** More or longer ones are no tags; the attribute is in the metadata in any case. */
const MAX_TAGS = 100
const MAX_TAG_CHARACTERS = 200

const tagsOf = (attributes: Attributes): string[] => {
  const lists = TAGS.map((name) => structure(attributes.get(name)))
  const words = lists.flatMap((list) => (Array.isArray(list) ? list : []))
  const sound = words.filter(
    (word): word is string =>
      typeof word === 'string' && word !== '' && word.length <= MAX_TAG_CHARACTERS,
  )
  return [...new Set(sound)].slice(0, MAX_TAGS)
}

/** Attributes that hold the user's identifier, by convention. */
const USER = [
  'user.id',
  'enduser.id',
  'langfuse.user.id',
  'traceloop.association.properties.user_id',
]

/** Returns the user of each thread, as far as the request names it: the one of a first span, or else of any. */
export const usersOf = (
  spans: readonly Span[],
  threadOf: (span: Span) => string,
): ReadonlyMap<string, string> => {
  const users = new Map<string, string>()
  for (const isFirst of [false, true])
    for (const span of spans) {
      const user = firstText(span.attributes, ...USER)
      if (user !== undefined && (span.parentSpanId === '') === isFirst)
        users.set(threadOf(span), user)
    }
  return users
}

/** A map, as spans may contain any word: `constructor` is a member of every object. */
const OPERATIONS: ReadonlyMap<string, StepType> = new Map(
  Object.entries<StepType>({
    chat: 'llm',
    text_completion: 'llm',
    generate_content: 'llm',
    completion: 'llm',
    embeddings: 'embedding',
    execute_tool: 'tool',
    invoke_agent: 'run',
    create_agent: 'run',
    // OpenInference and OpenLLMetry.
    llm: 'llm',
    embedding: 'embedding',
    tool: 'tool',
    retriever: 'retrieval',
    reranker: 'rerank',
    rerank: 'rerank',
    agent: 'run',
    workflow: 'run',
  }),
)

const typeOf = ({ attributes, parentSpanId }: Span): StepType => {
  const said = firstText(
    attributes,
    'gen_ai.operation.name',
    'openinference.span.kind',
    'traceloop.span.kind',
    'llm.request.type',
  )
  const known = OPERATIONS.get(said?.toLowerCase() ?? '')
  return known ?? (parentSpanId === '' ? 'run' : 'undefined')
}

const nameOf = ({ attributes, name }: Span, type: StepType): string =>
  (type === 'tool' ? firstText(attributes, 'gen_ai.tool.name', 'tool.name') : undefined) ?? name

const NANOSECONDS_IN_MS = 1_000_000n
/** The end of the service's calendar. */
const LAST_MS = BigInt(Date.UTC(9999, 11, 31))

/** With microseconds, in which steps of one millisecond keep their order. */
const moment = (field: 'startTime' | 'endTime', nanoseconds: bigint): Partial<StepInput> => {
  const ms = nanoseconds / NANOSECONDS_IN_MS
  if (nanoseconds === 0n || ms > LAST_MS) return {}
  const micros = String((nanoseconds / 1000n) % 1000n).padStart(3, '0')
  const text = new Date(Number(ms)).toISOString().replace('Z', `${micros}Z`)
  return { [field]: parseInstant(field, text) }
}

const errorOf = ({ status, events }: Span): string | undefined => {
  if (status?.code !== FAILED) return undefined
  const exception = events.find(({ name }) => name === 'exception')?.attributes ?? new Map()
  return (
    firstText(exception, 'exception.stacktrace') ??
    ([firstText(exception, 'exception.type'), firstText(exception, 'exception.message')]
      .filter(Boolean)
      .join(': ') ||
      status.message ||
      'failed')
  )
}

const SHORT: ReadonlyMap<string, Environment> = new Map([
  ['production', 'prod'],
  ['development', 'dev'],
  ['stage', 'staging'],
])

const environmentOf = (resource: Attributes): Environment | undefined => {
  const said = firstText(resource, 'deployment.environment.name', 'deployment.environment')
  if (said === undefined) return undefined
  const short = said.toLowerCase()
  return SHORT.get(short) ?? ENVIRONMENTS.find((known) => known === short)
}
