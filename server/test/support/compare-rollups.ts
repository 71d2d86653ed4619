import { expect } from 'vitest'
import type { Database } from '../../src/database/database.js'
import { measureRolled } from '../../src/domain/rollups/measure.js'
import { parseInstant } from '../../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../../src/kernel/limits.js'
import { matching } from '../../src/lists/matching.js'
import { generationListing } from '../../src/storage/generations.js'
import {
  findLargest,
  type MeasurementRow,
  measure,
  type Range,
  SUBJECTS,
} from '../../src/storage/metrics.js'
import type { RolledSubject } from '../../src/storage/rollups/spans.js'
import { stepListing } from '../../src/storage/steps.js'
import { threadListing } from '../../src/storage/threads.js'

export interface Question {
  subject: RolledSubject
  by: string | undefined
  fromMs: number
  toMs: number
  buckets: number
  environment: string | null
  excludeExperiments: boolean
  /** A condition of one value. */
  only?: { dimension: string; value: string } | undefined
  /** Rows outside of measured spans that may be read; a million when absent. */
  mostRows?: number
}

const MOST_SERIES = 2
/** The lists whose language says the condition. */
const LISTINGS = {
  steps: stepListing,
  runs: stepListing,
  generations: generationListing,
  threads: threadListing,
}

/** Compares metrics from measured spans with those from rows. Returns false when no measured span was used. */
export const compareRollups = async (
  db: Database,
  projectId: string,
  {
    subject,
    by,
    fromMs,
    toMs,
    buckets,
    environment,
    excludeExperiments,
    only,
    mostRows = 1_000_000,
  }: Question,
): Promise<boolean> => {
  const kind = SUBJECTS[subject]
  const range: Range = {
    from: parseInstant('from', new Date(fromMs).toISOString()),
    to: parseInstant('to', new Date(toMs).toISOString()),
    bucketSeconds: (toMs - fromMs) / 1000 / buckets,
    environment,
    participantId: null,
    excludeExperiments,
  }
  if (only !== undefined)
    range.matching = await matching(
      db,
      projectId,
      LISTINGS[subject](projectId),
      {
        time: 'startedAt',
        from: range.from,
        to: range.to,
        query: `${only.dimension}=${JSON.stringify(only.value)}`,
      },
      DEFAULT_LIMITS,
    )
  const dimension = by === undefined ? undefined : kind.dimensions[by]
  const rolled = await measureRolled(db, {
    projectId,
    subject,
    by,
    range,
    only,
    mostRows,
    mostSeries: MOST_SERIES,
    fewRows: 0,
  })
  if (rolled === undefined) return false
  const split =
    dimension === undefined
      ? undefined
      : {
          dimension,
          largest: await findLargest(db, projectId, kind, range, dimension, MOST_SERIES),
        }
  const plain = await measure(db, projectId, kind, range, split)
  if (rolled === 'tooMany') throw new Error('rows had to be read')
  expect(rolled.map(exact).sort(byPlace)).toEqual(plain.map(exact).sort(byPlace))
  const byName = new Map(rolled.map((row) => [placeOf(row), row]))
  for (const row of plain)
    for (const [index, value] of (row.percentiles ?? []).entries()) {
      const found = byName.get(placeOf(row))?.percentiles?.[index]
      if (value === null) expect(found ?? null).toBeNull()
      else expect(Math.abs((found ?? Number.NaN) - value)).toBeLessThanOrEqual(0.01 * value)
    }
  return true
}

const exact = ({ percentiles, ...row }: MeasurementRow) => ({
  ...row,
  hasPercentiles: percentiles?.some((value) => value !== null) ?? false,
})

const placeOf = ({ key, isRest, bucket }: Pick<MeasurementRow, 'key' | 'isRest' | 'bucket'>) =>
  JSON.stringify([key, isRest, bucket])

const byPlace = (
  a: Pick<MeasurementRow, 'key' | 'isRest' | 'bucket'>,
  b: Pick<MeasurementRow, 'key' | 'isRest' | 'bucket'>,
) => (placeOf(a) < placeOf(b) ? -1 : 1)
