import type { Work } from '../source.js'
import type { SentScore, SentThread } from '../target.js'
import { type Fields, isFields, numberOf, present, textOf } from '../values.js'

/** The same verdicts that the service reads as numbers when they come by OpenTelemetry. */
const VERDICTS: ReadonlyMap<string, number> = new Map([
  ...['pass', 'passed', 'true', 'correct', 'relevant'].map((word): [string, number] => [word, 1]),
  ...['fail', 'failed', 'false', 'incorrect', 'not_relevant', 'irrelevant'].map(
    (word): [string, number] => [word, 0],
  ),
])

/** Returns true for an annotation, as the REST API and data frames write it. */
export const isAnnotation = (record: Fields): boolean =>
  'annotator_kind' in record &&
  ('span_id' in record || 'trace_id' in record || 'session_id' in record)

/** The id of a span's step in the service. */
const spanStepId = (traceId: string, spanId: string): string => `${traceId}-${spanId}`

/**
 * Returns the score of an annotation: of the step of a span, or of a thread for a trace or session. Undefined, and noted as
 * dropped, when it has no number or its span is not in the source.
 */
export const toScore = (
  annotation: Fields,
  { report }: Pick<Work, 'report'>,
  places: {
    traceOf: (spanId: string) => string | undefined
    threadOf: (traceId: string) => string
  },
): SentScore | SentThread | undefined => {
  report.read('annotations')
  const result = isFields(annotation.result) ? annotation.result : annotation
  const name = textOf(annotation.name) ?? textOf(annotation.annotation_name)
  const spanId = textOf(annotation.span_id)
  const traceId = textOf(annotation.trace_id)
  const sessionId = textOf(annotation.session_id)
  const identifier = textOf(annotation.identifier)
  const subject = spanId ?? traceId ?? sessionId
  const id = textOf(annotation.id) ?? [subject, name, identifier].filter(Boolean).join(' ')
  const drop = (why: string) => {
    report.dropped('annotations', why, id)
    return undefined
  }
  if (name === undefined || subject === undefined) return drop('name, span_id: expected texts')
  const label = textOf(result.label) ?? textOf(result['result.label'])
  const score = numberOf(result.score) ?? numberOf(result['result.score'])
  const value = score ?? VERDICTS.get(label?.toLowerCase() ?? '')
  if (value === undefined)
    return drop('no score, and a label that is no verdict: a score has a number')
  const metadata = isFields(annotation.metadata) ? annotation.metadata : {}
  if (Object.keys(metadata).length > 0)
    report.changed('annotations', 'metadata: left out, as scores have none', id)
  report.changed('annotations', 'created_at: the service notes the time of the import', id)
  const kind = textOf(annotation.annotator_kind)?.toUpperCase()
  const input = {
    // Ids of Phoenix are of their table.
    id: `phoenix ${id}`,
    name,
    type:
      kind === 'HUMAN' ? ('HUMAN' as const) : kind === 'CODE' ? ('CODE' as const) : ('AI' as const),
    value,
    ...present({
      label,
      comment: textOf(result.explanation) ?? textOf(result['result.explanation']),
      scorer: textOf(annotation.user_id),
    }),
  }
  if (spanId !== undefined) {
    const of = places.traceOf(spanId)
    if (of === undefined) return drop('its span is not in the source')
    return { kind: 'annotations', id, stepId: spanStepId(of, spanId), input }
  }
  const threadId = sessionId ?? places.threadOf(traceId ?? '')
  if (sessionId === undefined && threadId !== traceId) {
    report.changed(
      'annotations',
      'of a trace in a session: a score of the thread of the session',
      id,
    )
  }
  return { kind: 'annotations', id, input: { id: threadId, scores: [input] } }
}
