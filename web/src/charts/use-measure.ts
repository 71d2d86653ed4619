import { useMemo } from 'react'
import type { MetricDimension, MetricSubject } from '../../../generated/schema.js'
import { MeasureDocument, type MeasureQuery } from '../../generated/operations.js'
import { useData } from '../data/use-data.js'
import { periodBefore } from '../format/period-before.js'
import { isSplit } from './dimensions.js'

const BUCKETS = 48

export type Series = MeasureQuery['now']['series'][number]
export type Measurement = Series['total']

/** Returns the measurement of the whole range, which is asked for separately where series divide it; undefined without rows. */
export const totalOf = ({ all, now }: MeasureQuery): Measurement | undefined =>
  (all ?? now).series[0]?.total

/** The range of a measurement, its filters and its split. */
export interface Extent {
  from: string
  to: string
  /** The number of buckets; 48 when absent. */
  buckets?: number
  environment?: string | null
  /** Leaves out experiments and their scores. */
  excludeExperiments?: boolean
  participantId?: string
  /** Conditions as text. */
  query?: string | undefined
  /** Subjects that can't be split by it are measured whole. */
  by?: MetricDimension | undefined
}

/** Measures a subject over a range, and over the range before it. */
export const useMeasure = (
  subject: MetricSubject,
  { from, to, buckets = BUCKETS, environment = null, participantId, by, ...more }: Extent,
  name?: string,
  options?: { pause?: boolean },
) => {
  const bucketSeconds = (Date.parse(to) - Date.parse(from)) / 1000 / buckets
  // Not at each look, as the answer to the same question is kept.
  const earlier = useMemo(() => periodBefore({ from, to }), [from, to])
  const split = isSplit(subject, by) ? by : null
  const loaded = useData(
    MeasureDocument,
    {
      subject,
      from,
      to,
      ...earlier,
      buckets,
      by: split,
      isSplit: split !== null,
      environment,
      name: name ?? null,
      participantId: participantId ?? null,
      query: more.query ?? null,
      excludeExperiments: more.excludeExperiments ?? false,
    },
    options,
  )
  return { ...loaded, buckets, bucketSeconds }
}
