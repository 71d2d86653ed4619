import type { Database } from '../../database/database.js'
import { encodeText } from '../../database/text.js'
import { type Instant, parseInstant } from '../../kernel/instant.js'
import { parseFilter } from '../../lists/conditions.js'
import type { Listing } from '../../lists/listing.js'
import type { PageRequest } from '../../lists/page.js'
import { conditionsOf } from '../../lists/query.js'
import { type Range, SUBJECTS, TOLD_CHARACTERS } from '../../storage/metrics.js'
import { countRows } from '../../storage/rollups/read.js'
import { dimensionsOf } from '../../storage/rollups/series.js'
import { type Asked, findParts } from './parts.js'

/** Rows outside of measured spans that are counted. Where there are more, measuring is behind. */
const MAX_ROWS = 10_000
/** Ranges outside of measured spans that are counted: a list is counted with each of its pages, and each range has to be planned. */
const MAX_GAPS = 50

const FIRST: Instant = '0001-01-01T00:00:00.000000Z'
const END: Instant = 'infinity'

type CountedSubject = 'steps' | 'generations' | 'threads'

/** Rows of a list that spans know: those of a time, of one environment, with one value of a property. */
type Known = Pick<Range, 'from' | 'to' | 'environment'> & Pick<Asked, 'only'>

/**
 * Counts the rows of a list from spans that are measured ahead, exactly and however many they are. Returns undefined when these
 * don't know the conditions, or too many rows are not measured yet.
 */
export const countAhead = async (
  db: Database,
  projectId: string,
  subject: CountedSubject,
  listing: Listing,
  request: PageRequest,
): Promise<number | undefined> => {
  const known = knownOf(subject, request)
  if (known === undefined) return undefined
  const { only, ...rest } = known
  const range: Range = {
    ...rest,
    // A single bucket, which spans of any length lie in.
    bucketSeconds: Number.POSITIVE_INFINITY,
    participantId: null,
    excludeExperiments: false,
    matching: only && (await testOf(db, listing, only)),
  }
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      const asked: Asked = { projectId, subject, by: undefined, range, only }
      const { parts, gaps, isCovered } = await findParts(snapshot, asked)
      if (!isCovered || gaps.length > MAX_GAPS) return undefined
      const kind = SUBJECTS[subject]
      const rows = await countRows(snapshot, projectId, kind, range, gaps, MAX_ROWS + 1)
      return rows > MAX_ROWS ? undefined : parts.reduce((sum, { item }) => sum + item[2], rows)
    })
}

const knownOf = (subject: CountedSubject, request: PageRequest): Known | undefined => {
  const conditions = conditionsOf(subject, request)
  if (conditions === undefined || request.cursorAnchor != null) return undefined
  const known: Known = { from: FIRST, to: END, environment: null, only: undefined }
  const given = new Set<string>()
  for (const { field, operator, value, path } of conditions) {
    // Twice the same one may leave nothing.
    if (given.has(field + operator) || (path ?? '') !== '') return undefined
    given.add(field + operator)
    if (field === 'startedAt' && operator === 'gte') known.from = parseInstant(field, value)
    else if (field === 'startedAt' && operator === 'lt') known.to = parseInstant(field, value)
    else if (operator !== 'eq' || typeof value !== 'string') return undefined
    else if (field === 'environment') known.environment = value
    else if (known.only !== undefined || !isTold(subject, field, value)) return undefined
    else known.only = { dimension: field, value }
  }
  return known.from < known.to ? known : undefined
}

/** Returns true for a property by which rows are measured, and a value that is told apart from all others. */
const isTold = (subject: CountedSubject, field: string, value: string): boolean =>
  dimensionsOf(subject).includes(field) && encodeText(value).length < TOLD_CHARACTERS

/** Returns the test of a condition for rows that are not measured. */
const testOf = async (
  db: Database,
  { fields }: Listing,
  { dimension, value }: NonNullable<Known['only']>,
) => {
  const filter = { field: dimension, operator: 'eq', value }
  const { rule, condition } = parseFilter('filters', filter, fields)
  const criterion = await rule.criterion(condition, db)
  if (!('test' in criterion)) throw new Error(`${dimension} is no property of the row itself`)
  return criterion.test
}
