// Joins the log records of a span with its step, and keeps them there.
import { createHash } from 'node:crypto'
import type { Join, Joined, SizedSpanLog, SpanLog } from '../../domain/span-logs.js'
import { isObject } from '../../domain/values.js'
import type { Attributes } from '../encoding/schema.js'
import { fromMembers } from '../encoding/values.js'
import type { Copied } from '../keeping/metadata.js'
import { moment, withinLimit } from '../keeping/metadata.js'
import { said } from '../keeping/said.js'
import type { Log } from '../log.js'
import { isSpanId, isTraceId } from '../span.js'
import { listedEvents } from './dialects/listed-events.js'
import { scoresOf } from './evaluations.js'
import { type CallEvent, detailsOf, isCallEvent } from './events.js'
import { generationOf } from './generation.js'
import { stepId } from './steps.js'
import { Taken } from './taken.js'
import { usageOf } from './usage.js'

/** Returns true for an event of generative AI. */
export const isOfModels = ({ name }: Log): boolean => name.startsWith('gen_ai.')

/** Returns the reason why a log record belongs to no step; undefined when it does. */
export const flawOfLog = (log: Log): string | undefined => {
  const { traceId, spanId } = log
  if (!isOfModels(log))
    return 'eventName: expected an event of generative AI, gen_ai.…, as other log records are not stored'
  if (!isTraceId(traceId) || !isSpanId(spanId))
    return 'traceId, spanId: expected those of a span, as a log record is stored with its step'
  return undefined
}

/** Returns a function that converts the log records of a request, one after the other, to the form in which they are stored. */
export const spanLogsOf = (copiedOf: (log: Log) => Copied): ((log: Log) => SizedSpanLog) => {
  const times = new Map<string, number>()
  let place = 0
  return (log) => {
    const record = recordOf(log, copiedOf(log))
    const step = stepId(log.traceId, log.spanId)
    const text = JSON.stringify(record)
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 32)
    const key = `${step} ${digest}`
    const time = (times.get(key) ?? 0) + 1
    times.set(key, time)
    // Equal records of one request are several; the same ones in a request that comes again are not.
    const id = time === 1 ? digest : `${digest}-${time}`
    return { stepId: step, id, place: place++, record, bytes: Buffer.byteLength(text) }
  }
}

const recordOf = (log: Log, copied: Copied): Record<string, unknown> => ({
  ...said({
    name: log.name,
    time: log.timeUnixNano === 0n ? undefined : moment(log.timeUnixNano),
    observed_time: log.observedTimeUnixNano === 0n ? undefined : moment(log.observedTimeUnixNano),
    severity_number: log.severityNumber,
    severity_text: log.severityText,
    body: log.body ?? undefined,
    attributes: log.attributes.size === 0 ? undefined : fromMembers(log.attributes),
    dropped_attributes_count: log.droppedAttributesCount,
    flags: log.flags,
    withheld: log.withheld,
  }),
  ...(copied.named ? log.origin.named.metadata : {}),
  ...(copied.rest ? log.origin.rest.metadata : {}),
})

/**
 * Returns a function that says what follows from all log records of a step. Messages of the span itself come first. Scores
 * are those of steps of which a record has just come: they may have been corrected since an earlier one.
 */
export const joinLogs =
  (metadataBytes: number, judged: ReadonlySet<string> = new Set()): Join =>
  (metadata, logs) => {
    const records = logs.toSorted(inOrder).map(({ record }) => record)
    const events = records.map(toEvent)
    const generation = events.some(isCallEvent) ? callOf(metadata, events) : undefined
    const isJudged = logs.some(({ stepId: id }) => judged.has(id))
    return {
      generation,
      scores: isJudged ? scoresOf(events) : [],
      metadata: (leftOut) => {
        const { 'otel.omitted': omitted, 'otel.omitted_count': _, ...others } = metadata
        const again = new Set([
          'otel.logs',
          ...(isJudged ? ['scores'] : []),
          ...Object.keys(generation ?? {}).map((name) => `generation.${name}`),
        ])
        const before = Array.isArray(omitted) ? omitted.filter((name) => !again.has(name)) : []
        const left = [...before, ...leftOut]
        const own = left.length === 0 ? others : { ...others, 'otel.omitted': left }
        return fitting({ ...own, 'otel.logs': records }, metadataBytes)
      },
    }
  }

/** Returns metadata as they are if they are short enough. */
const fitting = (metadata: Record<string, unknown>, mostBytes: number) =>
  Buffer.byteLength(JSON.stringify(metadata)) <= mostBytes
    ? metadata
    : withinLimit(metadata, mostBytes)

const inOrder = (one: SpanLog, other: SpanLog): number =>
  compare(timeOf(one.record), timeOf(other.record)) ||
  one.place - other.place ||
  compare(one.id, other.id)

const timeOf = ({ time, observed_time: observed }: Record<string, unknown>): string =>
  String(time ?? observed ?? '')
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const toEvent = ({ name, attributes, body }: Record<string, unknown>): CallEvent => ({
  name: String(name ?? ''),
  attributes: toAttributes(attributes),
  body,
})

/** Reads attributes as they are stored: an object, or a list where a name came twice. */
const toAttributes = (stored: unknown): Attributes => {
  if (!isObject(stored)) return new Map()
  const { kvlistValue: listed } = stored
  return Array.isArray(listed)
    ? new Map(listed.filter(isObject).map(({ key, value }) => [String(key), value]))
    : new Map(Object.entries(stored))
}

const callOf = (
  metadata: Record<string, unknown>,
  events: readonly CallEvent[],
): Joined['generation'] => {
  const details = detailsOf(events) ?? new Map()
  const { messages, messageCompletion, ...generation } = generationOf(
    { attributes: details, events },
    new Taken(),
  )
  const names = namesOf(metadata)
  return {
    ...generation,
    // Of the span's attributes and the records' together, so that parts and sums agree whichever of them tell some.
    ...usageOf(new Map([...details, ...Object.entries(metadata)])),
    ...(messages === undefined || names.some((name) => ASKED.test(name)) ? {} : { messages }),
    ...(messageCompletion === undefined || names.some((name) => ANSWERED.test(name))
      ? {}
      : { messageCompletion }),
  }
}

/** Attributes and events by which a span says itself what a model was asked, and what it answered. */
const ASKED =
  /^(?:gen_ai\.input\.messages|gen_ai\.system_instructions|gen_ai\.prompt|gen_ai\.prompt\.\d.*|llm\.input_messages(?:\..*)?|llm\.prompts.*|ai\.prompt\.messages|gen_ai\.(?:system|user|assistant|tool)\.message|gen_ai\.content\.prompt|gen_ai\.client\.inference\.operation\.details)$/
const ANSWERED =
  /^(?:gen_ai\.output\.messages|gen_ai\.completion|gen_ai\.completion\.\d.*|llm\.output_messages(?:\..*)?|llm\.choices.*|ai\.response\.(?:text|object|toolCalls|reasoning)|gen_ai\.choice|gen_ai\.content\.completion|gen_ai\.client\.inference\.operation\.details)$/

/** Returns the names of all attributes and events of the span. */
const namesOf = (metadata: Record<string, unknown>): string[] => {
  const { 'otel.fields': fields, 'otel.events': events, 'otel.omitted': omitted } = metadata
  return [
    ...listedEvents(new Map(Object.entries(metadata))).map(({ name }) => name),
    ...Object.keys(metadata),
    ...Object.keys(isObject(fields) ? fields : {}),
    ...(Array.isArray(omitted) ? omitted.map(String) : []),
    ...(Array.isArray(events) ? events.filter(isObject).map(({ name }) => String(name)) : []),
  ]
}
