import type { ScorePayloadInput, StepInput, StepType } from '../../../generated/resolvers.js'
import { ENVIRONMENTS, type Environment } from '../../kernel/caller.js'
import { parseInstant } from '../../kernel/instant.js'
import { type Attributes, FAILED } from '../encoding/schema.js'
import { type Copied, metadataOf } from '../keeping/metadata.js'
import { isSpanId, isTraceId, type Span } from '../span.js'
import { beginningOf, firstText, toPayload } from './attributes.js'
import { tagsOf } from './conversations.js'
import { errorOfLangfuse } from './dialects/langfuse.js'
import { RUN_TYPE } from './dialects/langsmith.js'
import { startOf } from './dialects/logfire.js'
import { copiedStep, isCopy } from './dialects/stepwell.js'
import { scoresOf, scoresOfAttributes } from './evaluations.js'
import { payloadsOfEvents } from './events.js'
import { toGeneration } from './generation.js'
import { typeOf } from './kinds.js'
import { payloadOf } from './payloads.js'
import { Taken } from './taken.js'

/** Returns the id of a span's step. Ids of spans are unique within their trace only. */
export const stepId = (traceId: string, spanId: string): string => `${traceId}-${spanId}`

/** Returns the reason why a span cannot be a step; undefined when it can. */
export const flawOf = ({ traceId, spanId, parentSpanId }: Span): string | undefined => {
  if (!isTraceId(traceId)) return 'traceId: expected 32 hexadecimal digits, not all of them 0'
  if (!isSpanId(spanId)) return 'spanId: expected 16 hexadecimal digits, not all of them 0'
  if (parentSpanId !== '' && !isSpanId(parentSpanId))
    return 'parentSpanId: expected 16 hexadecimal digits, or nothing'
  return undefined
}

const WHOLE: Copied = { named: true, rest: true }

/** Converts a span to a step of a thread. A copy of a step has a thread of its own, or none. */
export const toStep = (span: Span, threadId: string, copied = WHOLE): StepInput => {
  if (isCopy(span)) return copiedStep(span)
  const { attributes, traceId } = span
  const type = typeOf(span)
  const isCall = type === 'llm' || type === 'embedding'
  const taken = new Taken()
  const told = isCall ? undefined : payloadsOfEvents(span.events)
  const input = payloadOf(attributes, 'input', isCall, taken) ?? toPayload(told?.input)
  const output = payloadOf(attributes, 'output', isCall, taken) ?? toPayload(told?.output)
  const environment = environmentOf(span.origin.resource.attributes)
  const error = errorOf(span)
  const start = isCall ? startOf(span) : span.startTimeUnixNano
  const generation = isCall ? toGeneration({ ...span, startTimeUnixNano: start }, taken) : undefined
  const name = nameOf(span, type)
  const scores = scoresOfSpan(span)
  const tags = tagsOf(attributes)
  return {
    id: stepId(traceId, span.spanId),
    threadId,
    ...(span.parentSpanId === '' ? {} : { parentId: stepId(traceId, span.parentSpanId) }),
    type,
    name,
    ...moment('startTime', start),
    ...moment('endTime', span.endTimeUnixNano),
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    ...(environment === undefined ? {} : { environment }),
    ...(tags.length === 0 ? {} : { tags }),
    metadata: metadataOf(span, name, taken, copied),
    ...(generation === undefined ? {} : { generation }),
    ...(scores.length === 0 ? {} : { scores }),
  }
}

/** Events may be written in any order; their times say which came last. */
const scoresOfSpan = ({ attributes, events }: Span): ScorePayloadInput[] => [
  ...scoresOf(events.toSorted((a, b) => Number(a.timeUnixNano - b.timeUnixNano))),
  ...scoresOfAttributes(attributes),
]

/** A longer name of a span is in the metadata in whole. */
const MAX_NAME_CHARACTERS = 1000

export const shortName = (name: string): string => beginningOf(name, MAX_NAME_CHARACTERS)

const nameOf = ({ attributes, name }: Span, type: StepType): string =>
  shortName(
    (type === 'tool'
      ? firstText(attributes, 'gen_ai.tool.name', 'tool.name', 'ai.toolCall.name')
      : // Logfire names spans by their templates.
        attributes.get('logfire.msg_template') === name
        ? firstText(attributes, 'logfire.msg')
        : undefined) ?? name,
  )

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

const errorOf = ({ attributes, status, events }: Span): string | undefined => {
  const raised = events.find(({ name }) => name === 'exception')?.attributes
  // LangSmith says that a run is well when it begins, which no exporter lets it take back.
  const isFailed = status?.code === FAILED || (raised !== undefined && attributes.has(RUN_TYPE))
  if (!isFailed) return errorOfLangfuse(attributes)
  const exception = raised ?? new Map()
  return (
    firstText(exception, 'exception.stacktrace') ??
    ([firstText(exception, 'exception.type'), firstText(exception, 'exception.message')]
      .filter(Boolean)
      .join(': ') ||
      status?.message ||
      'failed')
  )
}

const SHORT: ReadonlyMap<string, Environment> = new Map([
  ['production', 'prod'],
  ['development', 'dev'],
  ['stage', 'staging'],
])

export const environmentOf = (resource: Attributes): Environment | undefined => {
  const said = firstText(resource, 'deployment.environment.name', 'deployment.environment')
  if (said === undefined) return undefined
  const short = said.toLowerCase()
  return SHORT.get(short) ?? ENVIRONMENTS.find((known) => known === short)
}
