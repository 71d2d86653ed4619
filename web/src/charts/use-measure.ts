import type { MetricDimension, MetricSubject } from '../../../generated/schema.js'
import { MeasureDocument, type MeasureQuery } from '../../generated/operations.js'
import { useData } from '../data/use-data.js'

const BUCKETS = 48

export type Series = MeasureQuery['now']['series'][number]
export type Measurement = Series['total']

/** What is measured: from when to when, of what part, and split by what. */
export interface Extent {
  from: string
  to: string
  /** How many parts the range is cut into; 48 without. */
  buckets?: number
  environment?: string | null
  participantId?: string
  by?: string | undefined
}

/** Which splits a subject has; the others are shown whole. */
const splitFor = (subject: MetricSubject, by: string | undefined): MetricDimension | null => {
  if (by === undefined) return null
  const isOfCalls = by === 'model' || by === 'promptVersion'
  return isOfCalls && subject !== 'generations' && subject !== 'scores'
    ? null
    : (by as MetricDimension)
}

/** A subject over a range, and in the range of the same length before it. */
export const useMeasure = (
  subject: MetricSubject,
  { from, to, buckets = BUCKETS, environment = null, participantId, by }: Extent,
  name?: string,
) => {
  const bucketSeconds = (Date.parse(to) - Date.parse(from)) / 1000 / buckets
  const loaded = useData(MeasureDocument, {
    subject,
    from,
    to,
    before: new Date(2 * Date.parse(from) - Date.parse(to)).toISOString(),
    buckets,
    by: splitFor(subject, by),
    environment,
    name: name ?? null,
    participantId: participantId ?? null,
  })
  return { ...loaded, buckets, bucketSeconds }
}
