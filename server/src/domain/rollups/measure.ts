import type { Database } from '../../database/database.js'
import { Turn } from '../../kernel/sharing/turn.js'
import { isMoreThan, type MeasurementRow, SUBJECTS } from '../../storage/metrics.js'
import type { SeriesItem } from '../../storage/rollups/cells.js'
import { countRows, measureRows } from '../../storage/rollups/read.js'
import { dimensionsOf } from '../../storage/rollups/series.js'
import type { Span } from '../../storage/rollups/spans.js'
import { findKeptParts } from './kept.js'
import { type Asked, findParts, type Part } from './parts.js'
import { Totals } from './totals.js'

/** Ranges with fewer rows are measured from these, with percentiles that are exact. */
const FEW_ROWS = 10_000

export interface Question extends Asked {
  mostRows: number
  mostSeries: number
  /** Ranges with fewer rows are measured from these. Default: 10,000. */
  fewRows?: number
}

/**
 * Measures a range from spans that are measured ahead, from the rows of all others, and from the kept figures of what was
 * deleted, in one snapshot. Returns undefined when it is to be measured from rows alone, and 'tooMany' when rows that have to be read are more than may be.
 */
export const measureRolled = async (
  db: Database,
  asked: Question,
): Promise<MeasurementRow[] | 'tooMany' | undefined> => {
  const { projectId, subject, by, range, mostRows } = asked
  if (!isMeasured(asked)) return undefined
  const kind = SUBJECTS[subject]
  const parts = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot): Promise<Part[] | 'tooMany' | undefined> => {
      const kept = await findKeptParts(snapshot, asked)
      const { parts, gaps, isCovered } = await findParts(snapshot, asked)
      const isFromParts = isCovered && (await isLarge(snapshot, asked, parts, gaps))
      if (!kept.isAny && !isFromParts) return undefined
      const rows = await countRows(snapshot, projectId, kind, range, gaps, mostRows + 1)
      if (rows > mostRows) return 'tooMany'
      if (rows === 0) return [...kept.parts, ...parts]
      const key = by === undefined ? undefined : kind.dimensions[by]
      const read = await measureRows(snapshot, projectId, kind, range, key, gaps)
      return [...kept.parts, ...parts, ...read]
    })
  return parts === undefined || parts === 'tooMany' ? parts : seriesOf(parts, asked)
}

/** Returns true if a range has more rows than are measured from these. A condition, which no index has, is left aside. */
const isLarge = async (
  db: Database,
  { projectId, subject, range, mostRows, fewRows = FEW_ROWS, only }: Question,
  parts: readonly Part[],
  gaps: readonly Span[],
): Promise<boolean> => {
  const kind = SUBJECTS[subject]
  const few = Math.min(fewRows, mostRows)
  if (few <= 0) return true
  if (only !== undefined)
    return isMoreThan(db, projectId, kind, { ...range, matching: undefined }, few)
  const ahead = parts.reduce((sum, { item }) => sum + item[2], 0)
  if (ahead > few) return true
  return ahead + (await countRows(db, projectId, kind, range, gaps, few - ahead + 1)) > few
}

/** Returns true if there are series that answer a question: a condition is one only if it has a single value of a property. */
export const isMeasured = ({ subject, by, range, only }: Question): boolean => {
  if (range.participantId !== null) return false
  const properties = dimensionsOf(subject)
  if (only === undefined && range.matching !== undefined) return false
  if (by === undefined || by === 'environment' || by === only?.dimension)
    return only === undefined || properties.includes(only.dimension)
  return only === undefined && properties.includes(by)
}

const seriesOf = async (
  parts: readonly Part[],
  { by, mostSeries }: Question,
): Promise<MeasurementRow[]> => {
  const turn = new Turn()
  const counts = new Map<string | null, number>()
  for (const { item, isRest } of parts)
    if (isRest !== true) counts.set(item[1], (counts.get(item[1]) ?? 0) + item[2])
  const largest = [...counts]
    .sort(([a, m], [b, n]) => n - m || compareKeys(a, b))
    .slice(0, mostSeries)
    .map(([key]) => key)
  const shown = new Set(by === undefined ? [null] : largest)
  const groups = new Map<string | null, Group>()
  const rest = new Group(null, true)
  for (const { bucket, item, isRest } of parts) {
    let group = isRest !== true && shown.has(item[1]) ? groups.get(item[1]) : rest
    if (group === undefined) {
      group = new Group(item[1], false)
      groups.set(item[1], group)
    }
    group.add(bucket, item)
    if (turn.isOver()) await turn.next()
  }
  const rows: MeasurementRow[] = []
  for (const group of rest.total.count > 0 ? [...groups.values(), rest] : groups.values()) {
    const { key, isRest } = group
    for (const [bucket, totals] of group.places()) {
      rows.push({ key, isRest, bucket, ...totals.measured() })
      if (turn.isOver()) await turn.next()
    }
  }
  return rows.sort((a, b) => (a.bucket ?? -1) - (b.bucket ?? -1))
}

/** A series of an answer: the sums of a range and of its buckets. */
class Group {
  readonly key: string | null
  readonly isRest: boolean
  readonly total = new Totals()
  readonly #buckets = new Map<number, Totals>()

  constructor(key: string | null, isRest: boolean) {
    this.key = key
    this.isRest = isRest
  }

  add(bucket: number, item: SeriesItem): void {
    this.total.add(item)
    let totals = this.#buckets.get(bucket)
    if (totals === undefined) {
      totals = new Totals()
      this.#buckets.set(bucket, totals)
    }
    totals.add(item)
  }

  /** Returns the sums with the bucket that each is of, null for the range. */
  places(): Iterable<[number | null, Totals]> {
    return [[null, this.total], ...this.#buckets]
  }
}

/** The order of the database: null comes last. */
const compareKeys = (a: string | null, b: string | null): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return a < b ? -1 : 1
}
