// Requests with log records: each kind in both encodings, and requests to steps that have many records already.
import { copies, field } from './bodies.js'

const EVENT = 'gen_ai.user.message'
const traceOf = (number) => number.toString(16).padStart(32, '1')
const SPAN = '1'.repeat(16)

/** A record as both encodings need it. */
const record = (trace, text, name = EVENT) => ({ trace, text, name })
const asJson = (records) =>
  JSON.stringify({
    resourceLogs: [
      {
        scopeLogs: [
          {
            logRecords: records.map(({ trace, text, name }) => ({
              traceId: traceOf(trace),
              spanId: SPAN,
              eventName: name,
              body: { stringValue: text },
            })),
          },
        ],
      },
    ],
  })
const asProtobuf = (records) =>
  field(
    1,
    field(
      2,
      ...records.map(({ trace, text, name }) =>
        field(
          2,
          field(5, field(1, Buffer.from(text))),
          field(9, Buffer.from(traceOf(trace), 'hex')),
          field(10, Buffer.from(SPAN, 'hex')),
          field(12, Buffer.from(name)),
        ),
      ),
    ),
  )
/** Makes records of about so many bytes in all, each with a text of `size`. */
const list = (bytes, size, make) =>
  Array.from({ length: Math.max(1, Math.floor(bytes / (size + 60))) }, (_, at) => make(at))
const text = (at, size) => `${at} `.padEnd(size, 'x')

const both = (make) => ({
  json: (bytes) => asJson(make(bytes * 0.4)),
  protobuf: (bytes) => asProtobuf(make(bytes)),
})

let steps = 1000
const next = () => ++steps

export const LOGS = {
  'empty records': {
    json: (bytes) =>
      `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${'{},'.repeat(bytes / 3)}{}]}]}]}`,
    protobuf: (bytes) => field(1, field(2, copies(field(2), bytes))),
  },
  'records of other events': both((bytes) => list(bytes, 1, (at) => record(at, 'x', 'other'))),
  'a step each': both((bytes) => {
    const first = next()
    steps += bytes
    return list(bytes, 1, (at) => record(first + at, 'x'))
  }),
  'many records of one step': both((bytes) => {
    const step = next()
    return list(Math.min(bytes, 600_000), 8, (at) => record(step, text(at, 8)))
  }),
  'records of one step with large bodies': both((bytes) => {
    const step = next()
    return list(bytes, 10_000, (at) => record(step, text(at, 10_000)))
  }),
  'a large body': both((bytes) => [record(next(), 'x'.repeat(bytes))]),
  'structure in a body': both((bytes) => [record(next(), `[${'[],'.repeat(bytes / 3)}0]`)]),
  'steps with large bodies': both((bytes) =>
    list(bytes, 100_000, () => record(next(), text(0, 100_000))),
  ),
}

/** The records of a step up to its limits: 500, and two megabytes. */
const full = (step, count = 500, size = 3800) =>
  asJson(Array.from({ length: count }, (_, at) => record(step, text(at, size))))
const FULL_STEPS = 20
const TIMES = 200
const LOGS_PATH = '/v1/logs'

/** Creates a case with steps of its own, which it keeps when it is repeated. */
const prepared = (make) => {
  steps += 1000
  return make(steps)
}

/** Requests after others, which are not measured. */
export const PREPARED_LOGS = {
  'a new record to a full step, 200 requests': prepared((step) => ({
    prepare: () => [full(step)],
    path: LOGS_PATH,
    bodies: () => Array.from({ length: TIMES }, (_, at) => asJson([record(step, `new ${at}`)])),
  })),
  'a known record to a full step, 200 requests': prepared((step) => ({
    prepare: () => [full(step)],
    path: LOGS_PATH,
    bodies: () => Array.from({ length: TIMES }, () => asJson([record(step, text(0, 3800))])),
  })),
  'a record to each of many full steps': prepared((step) => ({
    prepare: () => Array.from({ length: FULL_STEPS }, (_, at) => full(step + at, 100, 18_000)),
    path: LOGS_PATH,
    bodies: () => [
      asJson(Array.from({ length: FULL_STEPS }, (_, at) => record(step + at, `new ${at}`))),
    ],
  })),
  'the span of a full step, 200 requests': prepared((step) => ({
    prepare: () => [full(step)],
    path: '/v1/traces',
    bodies: () =>
      Array.from(
        { length: TIMES },
        (_, at) =>
          `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"${traceOf(step)}","spanId":"${SPAN}","name":"n${at}"}]}]}]}`,
      ),
  })),
}
