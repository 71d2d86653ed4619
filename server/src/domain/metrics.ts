import type { QueryFacetsArgs, QueryMetricsArgs } from '../../generated/resolvers.js'
import type { Database } from '../database/database.js'
import { encodeText } from '../database/text.js'
import { type Caller, ENVIRONMENTS } from '../kernel/caller.js'
import { DomainError, invalid, within } from '../kernel/errors.js'
import { type Instant, parseInstant } from '../kernel/instant.js'
import type { Limits } from '../kernel/limits.js'
import type { Listing } from '../lists/listing.js'
import { matching } from '../lists/matching.js'
import { askedFields, onlyEquality } from '../lists/query.js'
import { generationListing } from '../storage/generations.js'
import {
  type Dimensions,
  findDimensions,
  findFacets,
  findLargest,
  findMeasuredScores,
  findThreadDimensions,
  isMoreThan,
  type MeasuredScore,
  type MeasurementRow,
  measure,
  type Range,
  SUBJECTS,
} from '../storage/metrics.js'
import { hasKept } from '../storage/rollups/kept.js'
import type { RolledSubject } from '../storage/rollups/spans.js'
import { scoreListing } from '../storage/scores/scores.js'
import { stepListing } from '../storage/steps.js'
import type { Pricer } from './prices/pricer.js'
import { isMeasured, measureRolled, type Question } from './rollups/measure.js'
import type { Threads } from './threads/threads.js'

const MAX_BUCKETS = 500
const BUCKETS = 48
/** Series that are shown separately; the others are summed into one. */
const MAX_SERIES = 5
const MAX_SCORES = 100_000
const LOOKED_AT_ONCE = 5000
const MAX_FACETS = 100
const FACETS = 20
const FACET_ROWS = 5000
/** Time in which calls that wait for their costs get them before a measurement. */
const PRICING_MS = 1000

/** The lists whose queries the subjects take; that of threads is {@link Threads}'. */
const LISTINGS = {
  runs: stepListing,
  steps: stepListing,
  generations: generationListing,
  scores: scoreListing,
} satisfies Record<string, (projectId: string) => Listing>

/** The subjects whose rows are scored. */
const RECORDED = ['steps', 'threads'] as const

interface Measurement {
  start: Instant | null
  count: number
  errorCount: number
  p50: number | null
  p95: number | null
  p99: number | null
  inputTokens: number | null
  outputTokens: number | null
  tokens: number | null
  cost: number | null
  unpricedCount: number
  mean: number | null
  deviation: number | null
}

export interface Series {
  key: string | null
  isRest: boolean
  total: Measurement
  buckets: Measurement[]
}

/** Aggregates over time. */
export class Metrics {
  readonly #db: Database
  readonly #limits: Limits
  readonly #threads: Threads
  readonly #pricer: Pricer

  constructor(db: Database, limits: Limits, threads: Threads, pricer: Pricer) {
    this.#pricer = pricer
    this.#db = db
    this.#limits = limits
    this.#threads = threads
  }

  async measure(
    caller: Caller,
    args: QueryMetricsArgs,
  ): Promise<{ bucketSeconds: number; series: Series[]; leavesOutDeleted: boolean }> {
    const asked = rangeOf(args)
    const { bucketSeconds } = asked
    const { subject, by } = args
    if (subject === 'scores') {
      const range = await this.#narrowed(caller, asked, args)
      const series = await this.#measureScores(caller, range, args)
      return {
        bucketSeconds,
        series,
        leavesOutDeleted: await this.#hasKept(caller, asked, RECORDED),
      }
    }
    const { dimensions } = SUBJECTS[subject]
    if (by != null && dimensions[by] === undefined)
      throw invalid(
        `by: ${subject} can be split by ${Object.keys(dimensions).join(', ')}, not by ${by}`,
      )
    // Those that are left count as without a price.
    await this.#pricer.priceWaiting(caller.projectId, performance.now() + PRICING_MS)
    // Tokens of calls in one another are told apart with the sums of their threads.
    await this.#threads.sumUpAll({ projectId: caller.projectId })
    const range = await this.#narrowed(caller, asked, args)
    const { rows, leavesOutDeleted } = await this.#measured({
      projectId: caller.projectId,
      subject,
      by: by ?? undefined,
      range,
      only: onlyValue(args),
      mostRows: this.#limits.searchRows,
      mostSeries: MAX_SERIES,
    })
    const series = toSeries(rows, (row) => toMeasurement(row, range))
    return { bucketSeconds, series, leavesOutDeleted }
  }

  /** Measures from what is measured ahead or kept, or else from rows. */
  async #measured(asked: Question): Promise<{ rows: MeasurementRow[]; leavesOutDeleted: boolean }> {
    const rolled = await this.#rolled(asked)
    if (rolled !== undefined) return { rows: rolled, leavesOutDeleted: false }
    const rows = await this.#measuredFromRows(asked)
    const leavesOutDeleted = await this.#hasKept(asked, asked.range, [asked.subject])
    // Rows may have been deleted since the first look: the kept figures have them. Asked once more only, as figures that were
    // kept by fewer properties never answer.
    const again = leavesOutDeleted && isMeasured(asked) ? await this.#rolled(asked) : undefined
    return again === undefined
      ? { rows, leavesOutDeleted }
      : { rows: again, leavesOutDeleted: false }
  }

  async #rolled(asked: Question): Promise<MeasurementRow[] | undefined> {
    const rolled = await measureRolled(this.#db, asked)
    if (rolled === 'tooMany') throw tooMany(asked.mostRows)
    return rolled
  }

  async #measuredFromRows({
    projectId,
    subject,
    by,
    range,
    mostRows,
  }: Question): Promise<MeasurementRow[]> {
    const kind = SUBJECTS[subject]
    if (await isMoreThan(this.#db, projectId, kind, range, mostRows)) throw tooMany(mostRows)
    const dimension = by === undefined ? undefined : kind.dimensions[by]
    const split =
      dimension === undefined
        ? undefined
        : {
            dimension,
            largest: await findLargest(this.#db, projectId, kind, range, dimension, MAX_SERIES),
          }
    return measure(this.#db, projectId, kind, range, split)
  }

  /** Returns true when there are kept figures of deleted rows in a range. */
  async #hasKept(
    { projectId }: { projectId: string },
    range: Range,
    subjects: readonly RolledSubject[],
  ): Promise<boolean> {
    for (const subject of subjects)
      if (await hasKept(this.#db, projectId, subject, range)) return true
    return false
  }

  async facets(
    { projectId }: Caller,
    { field, prefix, first }: QueryFacetsArgs,
  ): Promise<{ value: string; count: number }[]> {
    const most = within('first', first ?? FACETS, 1, MAX_FACETS)
    return findFacets(this.#db, projectId, field, {
      prefix: prefix ?? '',
      first: most,
      most: FACET_ROWS,
    })
  }

  /** Returns a range with the conditions of a query. */
  async #narrowed(
    caller: Caller,
    range: Range,
    { subject, query }: QueryMetricsArgs,
  ): Promise<Range> {
    if (query == null) return range
    const { projectId } = caller
    const { from, to } = range
    const time = subject === 'scores' ? 'createdAt' : 'startedAt'
    const wanted = { time, from, to, query } as const
    const listing =
      subject === 'threads'
        ? await this.#threads.listing(caller, askedFields('threads', { query }))
        : LISTINGS[subject](projectId)
    const matchingRows = await matching(this.#db, projectId, listing, wanted, this.#limits)
    if (matchingRows === undefined)
      throw new DomainError(
        'TOO_LARGE',
        'query: too many rows of this range pass, or have to be read; choose a shorter range, or fewer conditions',
      )
    return { ...range, matching: matchingRows }
  }

  /** Scores are grouped by properties of their steps or threads. Those are looked up by id, as no statement joins the two. */
  async #measureScores(
    { projectId }: Caller,
    range: Range,
    { by, name }: QueryMetricsArgs,
  ): Promise<Series[]> {
    if (by === 'type' || by === 'provider' || by === 'user')
      throw invalid(`by: scores can be split by all but type, provider and user, not by ${by}`)
    const most = Math.min(MAX_SCORES, this.#limits.searchRows)
    const scores = await findMeasuredScores(this.#db, projectId, range, name ?? null, most + 1)
    if (scores.length > most) throw tooMany(most)
    const keyOf = await this.#keysOf(projectId, scores, range, by ?? undefined)
    const groups = new Map<string | null, MeasuredScore[]>()
    for (const score of scores) {
      const key = keyOf(score)
      if (key === undefined) continue
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [score])
      else group.push(score)
    }
    const sorted = [...groups].sort(([, a], [, b]) => b.length - a.length)
    const rest = sorted.slice(MAX_SERIES).flatMap(([, group]) => group)
    return [
      ...sorted.slice(0, MAX_SERIES).map(([key, group]) => scoreSeries(key, false, group, range)),
      ...(rest.length > 0 ? [scoreSeries(null, true, rest, range)] : []),
    ]
  }

  /** Returns the series of each score; undefined for scores of another environment or user. */
  async #keysOf(
    projectId: string,
    scores: readonly MeasuredScore[],
    { environment, participantId, excludeExperiments }: Range,
    by: string | undefined,
  ): Promise<(score: MeasuredScore) => string | null | undefined> {
    const plain = (score: MeasuredScore) => (by === 'name' ? score.name : null)
    const isOfAll = environment === null && participantId === null && !excludeExperiments
    if (isOfAll && (by === undefined || by === 'name')) return plain
    const look = async (find: typeof findDimensions, all: readonly (string | null)[]) => {
      const ids = [...new Set(all)].filter((id) => id !== null)
      const found = new Map<string, Dimensions>()
      for (let from = 0; from < ids.length; from += LOOKED_AT_ONCE) {
        const some = ids.slice(from, from + LOOKED_AT_ONCE)
        for (const row of await find(this.#db, projectId, some, by ?? 'environment'))
          found.set(row.id, row)
      }
      return found
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
      if (
        excludeExperiments &&
        (score.datasetExperimentItemId !== null || judged?.environment === 'experiment')
      )
        return undefined
      return by === undefined || by === 'name' ? plain(score) : (judged?.key ?? null)
    }
  }
}

/** Metrics tell values apart by their first characters, of the text that is stored: shorter values are whole. */
const TOLD_CHARACTERS = 200

/** Returns the value of a property that a query asks for, when it asks for nothing else. */
const onlyValue = ({ subject, query }: QueryMetricsArgs) => {
  if (query == null || subject === 'scores') return undefined
  const list = subject === 'runs' ? 'steps' : subject
  const found = onlyEquality(list, query)
  if (found === undefined || encodeText(found.value).length >= TOLD_CHARACTERS) return undefined
  return { dimension: found.field, value: found.value }
}

const tooMany = (most: number) =>
  new DomainError(
    'TOO_LARGE',
    `from, to: the range has more than ${most} rows; choose a shorter one`,
  )

const rangeOf = ({
  from,
  to,
  buckets,
  environment,
  participantId,
  excludeExperiments,
}: QueryMetricsArgs): Range => {
  const parts = within('buckets', buckets ?? BUCKETS, 1, MAX_BUCKETS)
  const [begin, end] = [parseInstant('from', from), parseInstant('to', to)]
  const seconds = (Date.parse(end) - Date.parse(begin)) / 1000
  if (!(seconds > 0)) throw invalid('from, to: expected a range that ends after it begins')
  if (environment != null && !ENVIRONMENTS.some((known) => known === environment))
    throw invalid(`environment: expected one of ${ENVIRONMENTS.join(', ')}`)
  return {
    from: begin,
    to: end,
    bucketSeconds: seconds / parts,
    environment: environment ?? null,
    participantId: participantId ?? null,
    excludeExperiments: excludeExperiments ?? false,
  }
}

const startOf = (bucket: number, { from, bucketSeconds }: Range): Instant =>
  parseInstant('start', new Date(Date.parse(from) + bucket * bucketSeconds * 1000).toISOString())

/** Replaces numbers that GraphQL cannot represent by null. */
const finite = (value: number | null | undefined): number | null =>
  value != null && Number.isFinite(value) ? value : null

const toMeasurement = (row: MeasurementRow, range: Range): Measurement => ({
  start: row.bucket === null ? null : startOf(row.bucket, range),
  count: row.count,
  errorCount: row.errorCount,
  p50: finite(row.percentiles?.[0]),
  p95: finite(row.percentiles?.[1]),
  p99: finite(row.percentiles?.[2]),
  inputTokens: row.inputTokens,
  outputTokens: row.outputTokens,
  tokens: row.tokens,
  cost: row.cost,
  unpricedCount: row.unpriced,
  mean: null,
  deviation: null,
})

const toSeries = (
  rows: readonly MeasurementRow[],
  measurementOf: (row: MeasurementRow) => Measurement,
): Series[] =>
  rows
    .filter(({ bucket }) => bucket === null)
    .sort(
      (a, b) =>
        Number(a.isRest) - Number(b.isRest) ||
        b.count - a.count ||
        ((a.key ?? '') < (b.key ?? '') ? -1 : 1),
    )
    .map((total) => ({
      key: total.key,
      isRest: total.isRest,
      total: measurementOf(total),
      buckets: rows
        .filter(
          (row) => row.bucket !== null && row.key === total.key && row.isRest === total.isRest,
        )
        .map(measurementOf),
    }))

const scoreSeries = (
  key: string | null,
  isRest: boolean,
  scores: readonly MeasuredScore[],
  range: Range,
): Series => {
  const buckets = new Map<number, number[]>()
  const begin = Date.parse(range.from)
  for (const { createdAt, value } of scores) {
    const bucket = Math.floor((Date.parse(createdAt) - begin) / 1000 / range.bucketSeconds)
    const values = buckets.get(bucket)
    if (values === undefined) buckets.set(bucket, [value])
    else values.push(value)
  }
  return {
    key,
    isRest,
    total: scoreMeasurement(
      null,
      scores.map(({ value }) => value),
    ),
    buckets: [...buckets]
      .sort(([a], [b]) => a - b)
      .map(([bucket, values]) => scoreMeasurement(startOf(bucket, range), values)),
  }
}

const scoreMeasurement = (start: Instant | null, values: readonly number[]): Measurement => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return {
    start,
    count: values.length,
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
    deviation: values.length < 2 ? null : finite(Math.sqrt(squares / (values.length - 1))),
  }
}
