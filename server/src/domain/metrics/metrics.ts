import type { QueryFacetsArgs, QueryMetricsArgs } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { encodeText } from '../../database/text.js'
import type { Caller } from '../../kernel/caller.js'
import { DomainError, invalid, within } from '../../kernel/errors.js'
import type { Limits } from '../../kernel/limits.js'
import type { Listing } from '../../lists/listing.js'
import { matching } from '../../lists/matching.js'
import { askedFields, onlyEquality } from '../../lists/query.js'
import { generationListing } from '../../storage/generations.js'
import {
  findFacets,
  findLargest,
  isMoreThan,
  type MeasurementRow,
  measure,
  type Range,
  SUBJECTS,
  TOLD_CHARACTERS,
} from '../../storage/metrics.js'
import { hasKept } from '../../storage/rollups/kept.js'
import type { RolledSubject } from '../../storage/rollups/spans.js'
import { scoreListing } from '../../storage/scores/scores.js'
import { stepListing } from '../../storage/steps.js'
import type { Pricer } from '../prices/pricer.js'
import { isMeasured, measureRolled, type Question } from '../rollups/measure.js'
import type { Threads } from '../threads/threads.js'
import { rangeOf, tooMany } from './range.js'
import { measureScores } from './scores.js'
import { MAX_SERIES, type Series, toMeasurement, toSeries } from './series.js'

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
      const { searchRows } = this.#limits
      const series = await measureScores(this.#db, caller.projectId, range, args, {
        mostRows: searchRows,
      })
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
}

/** Returns the value of a property that a query asks for, when it asks for nothing else. */
const onlyValue = ({ subject, query }: QueryMetricsArgs) => {
  if (query == null || subject === 'scores') return undefined
  const list = subject === 'runs' ? 'steps' : subject
  const found = onlyEquality(list, query)
  if (found === undefined || encodeText(found.value).length >= TOLD_CHARACTERS) return undefined
  return { dimension: found.field, value: found.value }
}
