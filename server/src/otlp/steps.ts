import type { StepInput, StepType } from '../../generated/resolvers.js'
import { ENVIRONMENTS, type Environment } from '../kernel/caller.js'
import { parseInstant } from '../kernel/instant.js'
import { firstText, firstValue, toPayload } from './attributes.js'
import { toGeneration } from './generation.js'
import { type Attributes, FAILED } from './schema.js'
import { isSpanId, isTraceId, type Span } from './span.js'

/** Returns the id of a span's step. Ids of spans are unique within their trace only. */
const stepId = (traceId: string, spanId: string): string => `${traceId}-${spanId}`

/** Attributes that hold the id of a conversation, by convention. */
const CONVERSATION = [
  'gen_ai.conversation.id',
  'session.id',
  'traceloop.association.properties.session_id',
]

/** Returns the conversation of each trace, as far as the request names it: one span may name it for the others. */
export const conversationsOf = (spans: readonly Span[]): ReadonlyMap<string, string> => {
  const conversations = new Map<string, string>()
  for (const { traceId, attributes } of spans) {
    const conversation = firstText(attributes, ...CONVERSATION)
    if (conversation !== undefined) conversations.set(traceId, conversation)
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

/** Converts a span to a step of a thread. */
export const toStep = (span: Span, threadId: string): StepInput => {
  const { attributes, resource, traceId } = span
  const type = typeOf(span)
  const isCall = type === 'llm' || type === 'embedding'
  const input = toPayload(firstValue(attributes, ...INPUT))
  const output = toPayload(firstValue(attributes, ...OUTPUT))
  const environment = environmentOf(resource)
  const error = errorOf(span)
  return {
    id: stepId(traceId, span.spanId),
    threadId,
    ...(span.parentSpanId === '' ? {} : { parentId: stepId(traceId, span.parentSpanId) }),
    type,
    name: nameOf(span, type),
    ...moment('startTime', span.startTimeUnixNano),
    ...moment('endTime', span.endTimeUnixNano),
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    ...(environment === undefined ? {} : { environment }),
    metadata: metadataOf(span),
    ...(isCall ? { generation: toGeneration(span) } : {}),
  }
}

const INPUT = ['input.value', 'gen_ai.tool.call.arguments', 'traceloop.entity.input']
const OUTPUT = ['output.value', 'gen_ai.tool.call.result', 'traceloop.entity.output']

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

/** Attributes that have a field in steps, so that metadata need not repeat them. */
const PLACED =
  /^(?:(?:input|output)\.(?:value|mime_type)|gen_ai\.(?:input\.messages|output\.messages|system_instructions|tool\.(?:definitions|call\.(?:arguments|result)))|traceloop\.entity\.(?:input|output)|(?:llm\.(?:input|output)_messages|gen_ai\.(?:prompt|completion))\.\d+\..*)$/

const metadataOf = ({ attributes, resource, scope }: Span): Record<string, unknown> => {
  const release = firstText(resource, 'service.version')
  return Object.fromEntries([
    ...[...attributes].filter(([name]) => !PLACED.test(name)),
    ...(release === undefined ? [] : [['release', release] as const]),
    ...[...resource].filter(([name]) => name === 'service.name' || name === 'service.version'),
    ...(scope === '' ? [] : [['otel.scope.name', scope] as const]),
  ])
}
