import type { Database } from '../../database/database.js'
import { Turn } from '../../kernel/sharing/turn.js'
import { isMoreThan, type MeasurementRow, SUBJECTS } from '../../storage/metrics.js'
import { countRows, measureRows } from '../../storage/rollups/read.js'
import { dimensionsOf } from '../../storage/rollups/write.js'
import { type Asked, findParts, type Part } from './parts.js'
import { Totals } from './totals.js'

/** Ranges with fewer rows are measured from these, with percentiles that are exact. */
const FEW_ROWS = 10_000

interface Question extends Asked {
  mostRows: number
  mostSeries: number
  /** Ranges with fewer rows are measured from these. Default: 10,000. */
  fewRows?: number
}

/**
 * Measures a range from spans that are measured ahead, and from the rows of all others, in one snapshot. Returns undefined
 * when it is to be measured from rows alone, and 'tooMany' when rows that have to be read are more than may be.
 */
export const measureRolled = async (
  db: Database,
  asked: Question,
): Promise<MeasurementRow[] | 'tooMany' | undefined> => {
  const { projectId, subject, by, range, mostRows, fewRows = FEW_ROWS } = asked
  if (!isMeasured(asked) || range.participantId !== null) return undefined
  const kind = SUBJECTS[subject]
  const few = Math.min(fewRows, mostRows)
  if (few > 0 && !(await isMoreThan(db, projectId, kind, range, few))) return undefined
  const parts = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot): Promise<Part[] | 'tooMany' | undefined> => {
      const { parts, gaps } = await findParts(snapshot, asked)
      if (parts.length === 0) return undefined
      const rows = await countRows(snapshot, projectId, kind, range, gaps, mostRows + 1)
      if (rows > mostRows) return 'tooMany'
      const key = by === undefined ? undefined : kind.dimensions[by]
      const read = await measureRows(snapshot, projectId, kind, range, key, gaps)
      return [...parts, ...read]
    })
  return parts === undefined || parts === 'tooMany' ? parts : seriesOf(parts, asked)
}

/** Returns true if there are series that answer a question: a condition is one only if it has a single value of a property. */
const isMeasured = ({ subject, by, range, only }: Question): boolean => {
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
    if (turn.isOver()) await turn.next()
  }
  const rows: MeasurementRow[] = []
  for (const { totals, ...place } of groups.values()) {
    rows.push({ ...place, ...totals.measured() })
    if (turn.isOver()) await turn.next()
  }
  return rows.sort((a, b) => (a.bucket ?? -1) - (b.bucket ?? -1))
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
