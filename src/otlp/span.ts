import { isJson, type Json, objectsOf } from '../model-calls/json.js'
import { digitsOf } from '../tracing/trace-ids.js'
import { generationAttributes } from './generation.js'
import { attributesOf, type KeyValue } from './values.js'

/** A step as it is in the body of a batch, with what only the exporter knows. */
export interface ExportedStep extends Json {
  readonly id: string
  readonly traceId?: string
  readonly userId?: string
}

export interface SpanEvent {
  name: string
  timeUnixNano: string
  attributes: KeyValue[]
}

export interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: KeyValue[]
  events: SpanEvent[]
  status: { code?: number; message?: string }
}

const INTERNAL = 1
const CLIENT = 3
const FAILED = 2

/** The operation of each type of step; other types have none in the conventions. */
const OPERATIONS: ReadonlyMap<unknown, string> = new Map([
  ['llm', 'chat'],
  ['embedding', 'embeddings'],
  ['tool', 'execute_tool'],
  ['retrieval', 'retrieval'],
  ['run', 'invoke_agent'],
])

/** Returns the span of a step. Without content it has no text of the application but names and tags. */
export const toSpan = (step: ExportedStep, hasContent: boolean): Span => {
  const { id, parentId, type, name, error } = step
  const start = nanoseconds(step.startTime) ?? '0'
  const end = nanoseconds(step.endTime) ?? start
  const isCall = type === 'llm' || type === 'embedding'
  return {
    traceId: step.traceId ?? digitsOf(String(step.rootRunId ?? id), 32),
    spanId: digitsOf(id, 16),
    ...(typeof parentId === 'string' ? { parentSpanId: digitsOf(parentId, 16) } : {}),
    name: String(name ?? type ?? 'step'),
    kind: isCall ? CLIENT : INTERNAL,
    startTimeUnixNano: start,
    endTimeUnixNano: end,
    attributes: attributesOf({
      ...ownAttributes(step),
      ...(isJson(step.generation) ? generationAttributes(step.generation, hasContent) : {}),
      ...(hasContent ? contentOf(step) : {}),
    }),
    events: objectsOf(step.scores).map((score) => evaluation(score, end, hasContent)),
    status:
      typeof error === 'string' ? { code: FAILED, ...(hasContent ? { message: error } : {}) } : {},
  }
}

const ownAttributes = (step: ExportedStep): Json => {
  const { id, type, generation, parentId, rootRunId, threadId, environment, tags } = step
  const isCompletion = isJson(generation) && generation.type === 'COMPLETION' && type === 'llm'
  return {
    'gen_ai.operation.name': isCompletion ? 'text_completion' : OPERATIONS.get(type),
    'gen_ai.conversation.id': threadId,
    'user.id': step.userId,
    'gen_ai.tool.name': type === 'tool' ? step.name : undefined,
    'gen_ai.agent.name': type === 'run' ? step.name : undefined,
    'deployment.environment.name': environment,
    'tag.tags': tags,
    'stepwell.step.id': id,
    'stepwell.step.type': type,
    'stepwell.parent.id': parentId,
    'stepwell.root_run.id': rootRunId,
  }
}

const contentOf = ({ type, input, output, metadata, attachments }: ExportedStep): Json => {
  const isTool = type === 'tool'
  return {
    ...payload(isTool ? 'gen_ai.tool.call.arguments' : 'input.value', input),
    ...payload(isTool ? 'gen_ai.tool.call.result' : 'output.value', output),
    metadata: isJson(metadata) ? JSON.stringify(metadata) : undefined,
    'stepwell.attachments': Array.isArray(attachments) ? JSON.stringify(attachments) : undefined,
  }
}

const payload = (name: string, value: unknown): Json => ({
  [name]: value === undefined || value === null ? undefined : JSON.stringify(value),
  ...(name.endsWith('.value') && isJson(value)
    ? { [name.replace('value', 'mime_type')]: 'application/json' }
    : {}),
})

const evaluation = (score: Json, timeUnixNano: string, hasContent: boolean): SpanEvent => ({
  name: 'gen_ai.evaluation.result',
  timeUnixNano,
  attributes: attributesOf({
    'gen_ai.evaluation.name': score.name,
    'gen_ai.evaluation.score.value': score.value,
    'gen_ai.evaluation.score.label': score.label,
    'gen_ai.evaluation.explanation': hasContent ? score.comment : undefined,
  }),
})

const FRACTION = /\.(\d{1,9})(?=\D*$|[+-])/
const SECOND_MS = 1000

/** Returns the nanoseconds since 1970 of a moment in ISO 8601, which a Date has to the millisecond only. */
const nanoseconds = (moment: unknown): string | undefined => {
  if (typeof moment !== 'string') return undefined
  const seconds = Date.parse(moment.replace(FRACTION, '')) / SECOND_MS
  if (!(seconds > 0)) return undefined
  return `${seconds}${(FRACTION.exec(moment)?.[1] ?? '').padEnd(9, '0')}`
}
