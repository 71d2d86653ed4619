import type { MetricDimension, MetricSubject } from '../../../generated/schema.js'
import { MeasureDocument, type MeasureQuery } from '../../generated/operations.js'
import { useData } from '../data/use-data.js'

const BUCKETS = 48

export type Series = MeasureQuery['now']['series'][number]
export type Measurement = Series['total']

/** The range of a measurement, its filters and its split. */
export interface Extent {
  from: string
  to: string
  /** The number of buckets; 48 when absent. */
  buckets?: number
  environment?: string | null
  participantId?: string
  by?: string | undefined
}

/** Returns the split of a subject that has it; other subjects are shown whole. */
const splitFor = (subject: MetricSubject, by: string | undefined): MetricDimension | null => {
  if (by === undefined) return null
  const isOfCalls = by === 'model' || by === 'promptVersion'
  return isOfCalls && subject !== 'generations' && subject !== 'scores'
    ? null
    : (by as MetricDimension)
}

/** Measures a subject over a range, and over the range before it. */
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
