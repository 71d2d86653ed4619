import type { QueryMetricsArgs } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { invalid } from '../../kernel/errors.js'
import type { Range } from '../../storage/metrics.js'
import {
  type Dimensions,
  findDimensions,
  findMeasuredScores,
  findOfExperiments,
  findThreadDimensions,
  hasMoreScores,
  type MeasuredScore,
  type MeasuredScores,
  type Moments,
  sumScores,
} from '../../storage/scores/measured.js'
import { addMoments, NO_MOMENTS } from './moments.js'
import { startOf, tooMany } from './range.js'
import { finite, MAX_SERIES, type Measurement, type Series } from './series.js'

export interface ScoreSizes {
  /** Scores that may be read. */
  mostRows: number
  /** Scores whose steps and threads are looked up at once. */
  lookedUpAtOnce?: number
  /** Steps, or threads, of experiments that a statement leaves out by their ids. */
  mostLeftOut?: number
}

/** The moments of each bucket of a series. */
type Buckets = Map<number, Moments>

/** Measures scores, by properties of their steps or threads. */
export const measureScores = async (
  db: Database,
  projectId: string,
  range: Range,
  { by, name = null }: Pick<QueryMetricsArgs, 'by' | 'name'>,
  { mostRows, lookedUpAtOnce = 5000, mostLeftOut = 5000 }: ScoreSizes,
): Promise<Series[]> => {
  if (by === 'type' || by === 'provider' || by === 'user')
    throw invalid(`by: scores can be split by all but type, provider and user, not by ${by}`)
  const scores = { range, name }
  if (await hasMoreScores(db, projectId, scores, mostRows)) throw tooMany(mostRows)
  const groups =
    (await summed(db, projectId, scores, by ?? undefined, mostLeftOut)) ??
    (await lookedUp(db, projectId, scores, by ?? undefined, lookedUpAtOnce))
  // Of equal counts by their keys, so that the same ones are named whenever this is asked.
  const sorted = [...groups].sort(
    ([key, a], [other, b]) => totalOf(b).count - totalOf(a).count || inOrder(key, other),
  )
  const rest = sorted.slice(MAX_SERIES)
  return [
    ...sorted.slice(0, MAX_SERIES).map(([key, buckets]) => seriesOf(key, false, buckets, range)),
    ...(rest.length > 0
      ? [
          seriesOf(
            null,
            true,
            rest.reduce<Buckets>((all, [, buckets]) => {
              for (const [bucket, moments] of buckets) addTo(all, bucket, moments)
              return all
            }, new Map()),
            range,
          ),
        ]
      : []),
  ]
}

const inOrder = (key: string | null, other: string | null): number =>
  key === other ? 0 : key !== null && (other === null || key < other) ? -1 : 1

/** Sums up in the database; undefined if that takes properties of steps and threads, which no statement joins with scores. */
const summed = async (
  db: Database,
  projectId: string,
  scores: MeasuredScores,
  by: string | undefined,
  mostLeftOut: number,
): Promise<Map<string | null, Buckets> | undefined> => {
  const { environment, participantId, excludeExperiments } = scores.range
  if (environment !== null || participantId !== null || (by !== undefined && by !== 'name'))
    return undefined
  const leftOut = excludeExperiments
    ? await findOfExperiments(db, projectId, mostLeftOut)
    : undefined
  if (excludeExperiments && leftOut === undefined) return undefined
  const groups = new Map<string | null, Buckets>()
  for (const { key, bucket, ...moments } of await sumScores(
    db,
    projectId,
    scores,
    by === 'name',
    leftOut,
  ))
    addTo(bucketsOf(groups, key), bucket, moments)
  return groups
}

/** Reads all scores in portions, and looks up what they belong to. */
const lookedUp = async (
  db: Database,
  projectId: string,
  scores: MeasuredScores,
  by: string | undefined,
  atOnce: number,
): Promise<Map<string | null, Buckets>> => {
  const { range } = scores
  const begin = Date.parse(range.from)
  const groups = new Map<string | null, Buckets>()
  let last: MeasuredScore | undefined
  do {
    const portion = await findMeasuredScores(db, projectId, scores, last, atOnce)
    const keyOf = await keysOf(db, projectId, portion, range, by)
    for (const score of portion) {
      const key = keyOf(score)
      if (key === undefined) continue
      const seconds = (Date.parse(score.createdAt) - begin) / 1000
      const bucket = Math.floor(seconds / range.bucketSeconds)
      addTo(bucketsOf(groups, key), bucket, { count: 1, mean: score.value, squares: 0 })
    }
    last = portion.length < atOnce ? undefined : portion.at(-1)
  } while (last !== undefined)
  return groups
}

/** Returns the series of each score; undefined for scores of another environment or user. */
const keysOf = async (
  db: Database,
  projectId: string,
  scores: readonly MeasuredScore[],
  { environment, participantId, excludeExperiments }: Range,
  by: string | undefined,
): Promise<(score: MeasuredScore) => string | null | undefined> => {
  const look = async (find: typeof findDimensions, all: readonly (string | null)[]) => {
    const ids = [...new Set(all)].filter((id) => id !== null)
    const rows = ids.length === 0 ? [] : await find(db, projectId, ids, by ?? 'environment')
    return new Map<string, Dimensions>(rows.map((row) => [row.id, row]))
  }
  const steps = await look(
    findDimensions,
    scores.map(({ stepId }) => stepId),
  )
  const threads = await look(
    findThreadDimensions,
    scores.map(({ threadId }) => threadId),
  )
  return (score) => {
    const judged =
      score.threadId === null ? steps.get(score.stepId ?? '') : threads.get(score.threadId)
    if (environment !== null && judged?.environment !== environment) return undefined
    if (participantId !== null && judged?.participantId !== participantId) return undefined
    const isOfExperiment =
      score.datasetExperimentItemId !== null || judged?.environment === 'experiment'
    if (excludeExperiments && isOfExperiment) return undefined
    if (by === undefined) return null
    return by === 'name' ? score.name : (judged?.key ?? null)
  }
}

const bucketsOf = (groups: Map<string | null, Buckets>, key: string | null): Buckets => {
  const known = groups.get(key)
  if (known !== undefined) return known
  const buckets: Buckets = new Map()
  groups.set(key, buckets)
  return buckets
}

const addTo = (buckets: Buckets, bucket: number, moments: Moments): void => {
  buckets.set(bucket, addMoments(buckets.get(bucket) ?? NO_MOMENTS, moments))
}

const totalOf = (buckets: Buckets): Moments => [...buckets.values()].reduce(addMoments, NO_MOMENTS)

const seriesOf = (key: string | null, isRest: boolean, buckets: Buckets, range: Range): Series => ({
  key,
  isRest,
  total: { ...measurementOf(totalOf(buckets)), start: null },
  buckets: [...buckets]
    .sort(([a], [b]) => a - b)
    .map(([bucket, moments]) => ({ ...measurementOf(moments), start: startOf(bucket, range) })),
})

const measurementOf = ({ count, mean, squares }: Moments): Omit<Measurement, 'start'> => ({
  count,
  errorCount: 0,
  p50: null,
  p95: null,
  p99: null,
  inputTokens: null,
  outputTokens: null,
  tokens: null,
  cost: null,
  unpricedCount: 0,
  mean: finite(mean),
  deviation: count < 2 ? null : finite(Math.sqrt(squares / (count - 1))),
})
