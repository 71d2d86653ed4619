import type { Database } from '../../database/database.js'
import { isMoreThan, type MeasurementRow, type Range, SUBJECTS } from '../../storage/metrics.js'
import type { SeriesItem } from '../../storage/rollups/cells.js'
import {
  countRows,
  findMarks,
  findRolled,
  measureRows,
  type RolledSpan,
} from '../../storage/rollups/read.js'
import { HOUR, MINUTE, type RolledSubject, type Span } from '../../storage/rollups/spans.js'
import { dimensionsOf, UNSPLIT } from '../../storage/rollups/write.js'
import { bucketOf, cleanOf, gapsOf } from './cover.js'
import { Totals } from './sketch.js'

/** Ranges with fewer rows are measured from these, with percentiles that are exact. */
const FEW_ROWS = 10_000
/** Measured spans that are read for one answer. The rest of a range is read from its rows. */
const MAX_SPANS = 5000
const MAX_MARKS = 20_000

interface Asked {
  projectId: string
  subject: RolledSubject
  by: string | undefined
  range: Range
  mostRows: number
  mostSeries: number
  /** Ranges with fewer rows are measured from these. Default: 10,000. */
  fewRows?: number
}

/** A series of a bucket: measured ahead, or from rows. */
interface Part {
  bucket: number
  item: SeriesItem
}

/**
 * Measures a range from spans that are measured ahead, and from the rows of all others, in one snapshot. Returns undefined
 * when it is to be measured from rows alone, and 'tooMany' when rows that have to be read are more than may be.
 */
export const measureRolled = async (
  db: Database,
  asked: Asked,
): Promise<MeasurementRow[] | 'tooMany' | undefined> => {
  const { projectId, subject, by, range, mostRows, fewRows = FEW_ROWS } = asked
  const isKnown = by === undefined || by === 'environment' || dimensionsOf(subject).includes(by)
  if (!isKnown || range.matching !== undefined || range.participantId !== null) return undefined
  const kind = SUBJECTS[subject]
  const few = Math.min(fewRows, mostRows)
  if (few > 0 && !(await isMoreThan(db, projectId, kind, range, few))) return undefined
  const parts = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot): Promise<Part[] | 'tooMany' | undefined> => {
      const { spans, gaps } = await findSpans(snapshot, asked)
      if (spans.length === 0) return undefined
      const rows = await countRows(snapshot, projectId, kind, range, gaps, mostRows + 1)
      if (rows > mostRows) return 'tooMany'
      const key = by === undefined ? undefined : kind.dimensions[by]
      const read = await measureRows(snapshot, projectId, kind, range, key, gaps)
      return [...spans, ...read]
    })
  return parts === undefined || parts === 'tooMany' ? parts : seriesOf(parts, asked)
}

/** Finds the series of clean spans that lie in buckets, and the gaps that they leave. */
const findSpans = async (
  db: Database,
  { projectId, subject, by, range }: Asked,
): Promise<{ spans: Part[]; gaps: Span[] }> => {
  const source = subject === 'threads' ? 'threads' : 'steps'
  const dimension = by === undefined || by === 'environment' ? UNSPLIT : by
  const spans: Part[] = []
  const covered: { start: string; seconds: number }[] = []
  let gaps: Span[] = [{ from: range.from, to: range.to }]
  const marks = await findMarks(db, projectId, source, range, MAX_MARKS)
  if (marks.length >= MAX_MARKS) return { spans, gaps }
  for (const seconds of [HOUR, MINUTE]) {
    if (seconds > range.bucketSeconds) continue
    const found = await findRolled(
      db,
      { projectId, subject, dimension },
      seconds,
      gaps,
      MAX_SPANS - covered.length,
    )
    for (const span of cleanOf(found, seconds, marks)) {
      const bucket = bucketOf(span.start, seconds, range)
      if (bucket === undefined) continue
      covered.push({ start: span.start, seconds })
      spans.push(...partsOf(span, bucket, by, range))
    }
    gaps = gapsOf(range, covered)
    if (covered.length >= MAX_SPANS) break
  }
  return { spans, gaps }
}

const partsOf = (
  { series }: RolledSpan,
  bucket: number,
  by: string | undefined,
  { environment, excludeExperiments }: Range,
): Part[] =>
  series
    .filter(
      ([own]) =>
        (environment === null || own === environment) &&
        !(excludeExperiments && own === 'experiment'),
    )
    .map((item) => ({
      bucket,
      item: by === 'environment' ? (item.with(1, item[0]) as SeriesItem) : item,
    }))

const seriesOf = (parts: readonly Part[], { by, mostSeries }: Asked): MeasurementRow[] => {
  const counts = new Map<string | null, number>()
  for (const { item } of parts) counts.set(item[1], (counts.get(item[1]) ?? 0) + item[2])
  const largest = [...counts]
    .sort(([a, m], [b, n]) => n - m || compareKeys(a, b))
    .slice(0, mostSeries)
    .map(([key]) => key)
  const shown = new Set(by === undefined ? [null] : largest)
  const groups = new Map<string, Group>()
  for (const { bucket, item } of parts) {
    const isRest = !shown.has(item[1])
    const key = isRest ? null : item[1]
    for (const place of [null, bucket]) {
      const name = JSON.stringify([key, isRest, place])
      let group = groups.get(name)
      if (group === undefined) {
        group = { key, isRest, bucket: place, totals: new Totals() }
        groups.set(name, group)
      }
      group.totals.add(item)
    }
  }
  return [...groups.values()]
    .sort((a, b) => (a.bucket ?? -1) - (b.bucket ?? -1))
    .map(({ totals, ...place }) => ({ ...place, ...totals.measured() }))
}

interface Group {
  key: string | null
  isRest: boolean
  bucket: number | null
  totals: Totals
}

/** The order of the database: null comes last. */
const compareKeys = (a: string | null, b: string | null): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return a < b ? -1 : 1
}
