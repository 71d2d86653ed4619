import type { QueryMetricsArgs } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { invalid } from '../../kernel/errors.js'
import { Turn } from '../../kernel/sharing/turn.js'
import type { Range } from '../../storage/metrics.js'
import { SCORED_PROPERTIES } from '../../storage/rollups/scores.js'
import { UNSPLIT } from '../../storage/rollups/series.js'
import type { Span } from '../../storage/rollups/spans.js'
import {
  findOfExperiments,
  hasMoreScores,
  type MeasuredScores,
  type Moments,
  sumScores,
} from '../../storage/scores/measured.js'
import { findScoreParts } from '../rollups/scores/find-score-parts.js'
import { addMoments, NO_MOMENTS } from '../rollups/scores/moments.js'
import { readScored, type Scored } from '../rollups/scores/read-scored.js'
import { momentsOf } from '../rollups/scores/score-sums.js'
import { startOf, tooMany } from './range.js'
import { finite, MAX_SERIES, type Measurement, type Series } from './series.js'

export interface ScoreSizes {
  /** Scores that may be read. */
  mostRows: number
  /** Ranges with fewer scores are measured from these. */
  fewRows?: number
  /** Scores that cost as much as a gap between measured spans: ranges with fewer for each are measured from these. */
  rowsPerGap?: number
  /** Scores whose steps and threads are looked up at once. */
  lookedUpAtOnce?: number
  /** Steps, or threads, of experiments that a statement leaves out by their ids. */
  mostLeftOut?: number
}

const FEW_ROWS = 2000
const ROWS_PER_GAP = 50
const LOOKED_UP_AT_ONCE = 5000

/** The scores of a range that a question is about. */
type WholeRange = MeasuredScores & { range: Range }
/** The moments of each bucket of a series. */
type Buckets = Map<number, Moments>
/** The series by their keys. */
type Groups = Map<string | null, Buckets>

/** Measures scores, by properties of their steps or threads. */
export const measureScores = async (
  db: Database,
  projectId: string,
  range: Range,
  { by, name = null }: Pick<QueryMetricsArgs, 'by' | 'name'>,
  sizes: ScoreSizes,
): Promise<Series[]> => {
  if (by === 'type' || by === 'provider' || by === 'user')
    throw invalid(`by: scores can be split by all but type, provider and user, not by ${by}`)
  const groups =
    (await rolled(db, projectId, { range, name }, by ?? undefined, sizes)) ??
    (await fromScores(db, projectId, { range, name }, by ?? undefined, sizes))
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

const fromScores = async (
  db: Database,
  projectId: string,
  scores: WholeRange,
  by: string | undefined,
  { mostRows, lookedUpAtOnce = LOOKED_UP_AT_ONCE, mostLeftOut = 5000 }: ScoreSizes,
): Promise<Groups> => {
  if (await hasMoreScores(db, projectId, scores, mostRows)) throw tooMany(mostRows)
  return (
    (await summed(db, projectId, scores, by, mostLeftOut)) ??
    (await lookedUp(db, projectId, scores, [scores.range], by, lookedUpAtOnce))
  )
}

/** Sums up in the database; undefined if that takes properties of steps and threads, which no statement joins with scores. */
const summed = async (
  db: Database,
  projectId: string,
  scores: WholeRange,
  by: string | undefined,
  mostLeftOut: number,
): Promise<Groups | undefined> => {
  const { environment, participantId, excludeExperiments } = scores.range
  if (environment !== null || participantId !== null || (by !== undefined && by !== 'name'))
    return undefined
  const leftOut = excludeExperiments
    ? await findOfExperiments(db, projectId, mostLeftOut)
    : undefined
  if (excludeExperiments && leftOut === undefined) return undefined
  const groups: Groups = new Map()
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

/**
 * Adds up scores that are measured ahead, and those of the gaps that these leave. Undefined if nothing is measured, too few scores
 * are asked for, or by something else than is measured.
 */
const rolled = async (
  db: Database,
  projectId: string,
  scores: WholeRange,
  by: string | undefined,
  {
    mostRows,
    fewRows = FEW_ROWS,
    rowsPerGap = ROWS_PER_GAP,
    lookedUpAtOnce = LOOKED_UP_AT_ONCE,
  }: ScoreSizes,
): Promise<Groups | undefined> => {
  const { range, name } = scores
  if (range.matching !== undefined || range.participantId !== null) return undefined
  if (!(await hasMoreScores(db, projectId, scores, fewRows))) return undefined
  const dimension = SCORED_PROPERTIES.find((property) => property === by) ?? UNSPLIT
  const { parts, gaps, isCovered } = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((snapshot) => findScoreParts(snapshot, projectId, dimension, range))
  if (!isCovered) return undefined
  const few = Math.min(gaps.length * rowsPerGap, mostRows)
  if (few > fewRows && !(await hasMoreScores(db, projectId, scores, few))) return undefined
  if (await hasMoreScores(db, projectId, scores, mostRows, gaps)) throw tooMany(mostRows)
  // Each score is in one of them, whatever happens in between: the moment of its creation stays.
  const groups = await lookedUp(db, projectId, scores, gaps, by, lookedUpAtOnce)
  const turn = new Turn()
  for (const { bucket, item } of parts) {
    if (turn.isOver()) await turn.next()
    const [environment, isOfExperiment, ofName, value] = item
    if (name !== null && ofName !== name) continue
    if (!isAsked({ environment, participantId: null, isOfExperiment }, range)) continue
    addTo(
      bucketsOf(groups, keyOf(by, { name: ofName, environment, value })),
      bucket,
      momentsOf(item),
    )
  }
  return groups
}

/** Reads scores of parts of a range in portions, with what they belong to. */
const lookedUp = async (
  db: Database,
  projectId: string,
  scores: WholeRange,
  spans: readonly Span[],
  by: string | undefined,
  atOnce: number,
): Promise<Groups> => {
  const { range } = scores
  const begin = Date.parse(range.from)
  const groups: Groups = new Map()
  const dimensions = SCORED_PROPERTIES.filter((property) => property === by)
  const nameCharacters = by === 'name' ? undefined : 0
  const parts = { scores, spans, dimensions, atOnce, nameCharacters }
  for await (const portion of readScored(db, projectId, parts))
    for (const scored of portion) {
      if (!isAsked(scored, range)) continue
      const { score, environment, values } = scored
      const key = keyOf(by, { name: score.name, environment, value: values[0] ?? null })
      const seconds = (Date.parse(score.createdAt) - begin) / 1000
      const bucket = Math.floor(seconds / range.bucketSeconds)
      addTo(bucketsOf(groups, key), bucket, { count: 1, mean: score.value, squares: 0 })
    }
  return groups
}

/** Returns true for scores of the environment and the user that a range is of. */
const isAsked = (
  scored: Pick<Scored, 'environment' | 'participantId' | 'isOfExperiment'>,
  { environment, participantId, excludeExperiments }: Range,
): boolean =>
  (environment === null || scored.environment === environment) &&
  (participantId === null || scored.participantId === participantId) &&
  !(excludeExperiments && scored.isOfExperiment)

/** Returns the key of the series of a score. `value` is that of the property by which they are told apart. */
const keyOf = (
  by: string | undefined,
  of: { name: string; environment: string | null; value: string | null },
): string | null => {
  if (by === undefined) return null
  return by === 'name' || by === 'environment' ? of[by] : of.value
}

const bucketsOf = (groups: Groups, key: string | null): Buckets => {
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
