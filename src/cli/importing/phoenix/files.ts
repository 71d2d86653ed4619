import { readFileSource } from '../file-source.js'
import type { Source } from '../source.js'
import { type Fields, isFields, textOf } from '../values.js'
import { isAnnotation, toScore } from './annotations.js'
import { isSpan, sendRequest, sendSpans, toOtlp } from './spans.js'

const AT_ONCE = 200

/** Tells whether a record is a saved request of OTLP. */
const isRequest = (record: Fields): boolean => Array.isArray(record.resourceSpans)

/** Reads data frames of spans and annotations that were written as JSON, answers of the REST API, and requests of OTLP. */
export const phoenixFiles =
  (path: string): Source =>
  (work) => {
    const { report, target } = work
    const read = readFileSource(path, report)
    /** The traces of spans that are annotated, and the sessions of traces. */
    const wanted = new Set<string>()
    const traces = new Map<string, string>()
    const wantedTraces = new Set<string>()
    const sessions = new Map<string, string>()
    const note = (record: Fields) => {
      if (!isSpan(record)) return
      const context = isFields(record.context) ? record.context : {}
      const spanId = textOf(context.span_id) ?? textOf(record['context.span_id']) ?? ''
      const traceId = textOf(context.trace_id) ?? textOf(record['context.trace_id']) ?? ''
      if (wanted.has(spanId)) traces.set(spanId, traceId)
      if (!wantedTraces.has(traceId)) return
      const attributes = isFields(record.attributes) ? record.attributes : {}
      const column = record['attributes.session.id'] ?? attributes['session.id']
      const session =
        textOf(column) ?? (isFields(attributes.session) ? textOf(attributes.session.id) : undefined)
      if (session !== undefined) sessions.set(traceId, session)
    }
    return [
      {
        name: 'places of annotations',
        isAlways: true,
        run: async function* () {
          for await (const { record, place } of read.first()) {
            if (isAnnotation(record)) {
              const spanId = textOf(record.span_id)
              const traceId = textOf(record.trace_id)
              if (spanId !== undefined) wanted.add(spanId)
              else if (traceId !== undefined) wantedTraces.add(traceId)
            } else if (!isSpan(record) && !isRequest(record)) {
              report.read('other records')
              report.dropped('other records', 'no record of Phoenix that is known', place)
            }
            yield undefined
          }
          if (wanted.size + wantedTraces.size > 0)
            for await (const { record } of read.again()) note(record)
        },
      },
      {
        name: 'spans',
        run: async function* (from) {
          const start = typeof from === 'number' ? from : 0
          let spans: ReturnType<typeof toOtlp>[] = []
          let at = 0
          for await (const { record } of read.again()) {
            at++
            if (at <= start) continue
            if (isRequest(record)) await sendRequest(work, record)
            else if (isSpan(record)) {
              report.read('spans')
              spans.push(toOtlp(record, work))
            }
            if (spans.length < AT_ONCE) continue
            await sendSpans(work, spans)
            spans = []
            yield at
          }
          await sendSpans(work, spans)
        },
      },
      {
        name: 'annotations',
        run: async function* (from) {
          const start = typeof from === 'number' ? from : 0
          let scores: NonNullable<ReturnType<typeof toScore>>[] = []
          let at = 0
          for await (const { record } of read.again()) {
            at++
            if (at <= start || !isAnnotation(record)) continue
            const score = toScore(record, work, {
              traceOf: (spanId) => traces.get(spanId),
              threadOf: (traceId) => sessions.get(traceId) ?? traceId,
            })
            if (score !== undefined) scores.push(score)
            if (scores.length < AT_ONCE) continue
            await target.sendScores(scores)
            scores = []
            yield at
          }
          await target.sendScores(scores)
        },
      },
    ]
  }
