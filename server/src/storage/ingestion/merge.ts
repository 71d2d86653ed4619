import { columnsOf, type TableRow } from '../../database/rows/columns.js'
import { type Insertion, insertion } from '../../database/rows/insertion.js'
import { pick, type Selection, select } from '../../database/rows/sql.js'
import { type Column, entries, noteOfFirst, type StepColumn } from './columns.js'

/**
 * True when the stored row came from a part that the same client recorded later: this part only fills in missing
 * values.
 */
const IS_OLDER = 'steps.session_id = excluded.session_id AND steps.sequence > excluded.sequence'

const ORDERLESS: ReadonlySet<Column['merge']> = new Set(['sticky', 'first', 'cost', 'revision'])

/**
 * Holds for the first part of a step with a call, if the start of the call is that of the step: its cost was computed
 * from all that is known. The cost of a call in several parts is computed later, from what they make together.
 */
const IS_WHOLE_CALL =
  'NOT steps.has_generation AND excluded.start_time = coalesce(steps.start_time, excluded.start_time)'

/** Holds for a part that changes nothing that a cost depends on. */
const IS_WITHOUT_CALL =
  'NOT excluded.has_generation AND (excluded.start_time IS NULL OR excluded.start_time IS NOT DISTINCT FROM steps.start_time)'

/** The first parameter is the revision of calls that wait for their price again. */
const revisionAfter = (first: string): string =>
  `CASE ${first}WHEN ${IS_WITHOUT_CALL} THEN steps.gen_cost_revision ELSE $1::integer END`

const mergedInOrder = (given: Column): string =>
  ORDERLESS.has(given.merge)
    ? merged(given)
    : `CASE WHEN ${IS_OLDER} THEN ${filled(given)} ELSE ${merged(given)} END`

/** Keeps the stored value, and fills in the given one when there is none. */
const filled = ({ column, type, merge, excerptOf }: Column): string => {
  // A value that was stored before there were excerpts has none until it is read.
  if (excerptOf !== undefined)
    return `CASE WHEN steps.${excerptOf} IS NULL THEN excluded.${column} ELSE steps.${column} END`
  switch (merge) {
    case 'type':
      return `CASE WHEN steps.${column} = 'undefined' THEN excluded.${column} ELSE steps.${column} END`
    case 'tags':
      return `coalesce(nullif(steps.${column}, '{}'::${type}), excluded.${column}, steps.${column})`
    default:
      return `coalesce(steps.${column}, excluded.${column})`
  }
}

const merged = ({ column, type, merge }: Column): string => {
  switch (merge) {
    case 'keep':
      return `coalesce(excluded.${column}, steps.${column})`
    case 'first':
      return `coalesce(steps.${column}, excluded.${column})`
    case 'type':
      return `CASE WHEN excluded.${column} = 'undefined' THEN steps.${column} ELSE excluded.${column} END`
    case 'tags':
      return `coalesce(nullif(excluded.${column}, '{}'::${type}), steps.${column}, excluded.${column})`
    case 'thread':
      // It is the thread's, null included, and so changes with the thread only.
      return `CASE WHEN excluded.thread_id IS NULL THEN steps.${column} ELSE excluded.${column} END`
    case 'sticky':
      return `excluded.${column} OR steps.${column}`
    case 'cost':
      return `CASE WHEN ${IS_WHOLE_CALL} THEN excluded.${column} ELSE steps.${column} END`
    case 'revision':
      return revisionAfter(`WHEN ${IS_WHOLE_CALL} THEN excluded.${column} `)
  }
}

/**
 * The thread that a written step now belongs to, and the one that it belonged to before, if that is another one. Its id
 * and its sequence number, if some step of the batch has one.
 */
export type WrittenStep = Pick<TableRow<'steps'>, 'projectId' | 'threadId' | 'leftThreadId'> &
  Partial<Pick<TableRow<'steps'>, 'id' | 'sessionId' | 'sequence'>>

/** The statement contains the merge rules, and so has no alias. */
const steps = columnsOf('steps', 'steps')
const threads = select(pick(steps, 'projectId', 'threadId', 'leftThreadId'))
export const threadsAndSessions = threads.and(select(pick(steps, 'id', 'sessionId', 'sequence')))

/** The columns of every row, before those that were given. */
const KEY = ['project_id', 'id', 'created_at']

/** The statement that writes the steps of a batch. */
export interface Upsert {
  /** The columns whose values are given, after those of the key. */
  given: readonly (readonly [StepColumn, Column])[]
  /** Set when there is a parameter beside the rows: the revision of calls that wait for their price again. */
  hasWaiting: boolean
  insertion: Insertion<WrittenStep>
}

/**
 * Creates the statement for steps of any projects. It never fails because of a step's values, as they were checked
 * before. No step may be in it twice. It names only the columns that some step of the batch has, a third of them as a
 * rule: other columns cost nothing.
 */
const makeUpsert = (used: ReadonlySet<StepColumn>): Upsert => {
  const given = entries.filter(([key]) => used.has(key))
  const fixed = entries.filter(([key, { initial }]) => !used.has(key) && initial !== undefined)
  const hasSequence = used.has('sequence')
  const merge = hasSequence ? mergedInOrder : merged
  const merges = given.map(([, column]) => `${column.column} = ${merge(column)}`)
  if (used.has('participantId')) merges.push(NOTED)
  const isPriced = used.has('genCostRevision')
  if (used.has('startTime') && !isPriced) merges.push(`gen_cost_revision = ${revisionAfter('')}`)
  const hasWaiting = used.has('startTime') || isPriced
  const returned: Selection<WrittenStep> = hasSequence ? threadsAndSessions : threads
  return {
    given,
    hasWaiting,
    insertion: insertion({
      into: 'steps',
      columns: [...KEY, ...given.map(([, { column }]) => column)],
      constants: {
        ingested: 'true',
        ...Object.fromEntries(
          fixed.map(([, { column, type, initial }]) => [column, `'${initial}'::${type}`]),
        ),
      },
      parameters: hasWaiting ? 1 : 0,
      after: `ON CONFLICT (project_id, id) DO UPDATE SET
  ${['ingested = true', LEFT_THREAD, ...merges].join(', ')}`,
      returned,
    }),
  }
}

const LEFT_THREAD =
  'left_thread_id = CASE WHEN excluded.thread_id <> steps.thread_id THEN steps.thread_id END'

/** A step that comes into the thread of another participant keeps a note of the first. */
const NOTED = `noted_participants = CASE WHEN excluded.thread_id IS NULL THEN steps.noted_participants
  ELSE ${noteOfFirst('steps', 'excluded.participant_id')} END`

/** The statements for the sets of columns that batches had so far; an application has a few of them. */
const upserts = new Map<string, Upsert>()
const MAX_UPSERTS = 500

/** Returns the statement for steps with these values. */
export const upsertFor = (
  steps: readonly { values: Partial<Record<StepColumn, string>> }[],
): Upsert => {
  const used = new Set<StepColumn>()
  for (const { values } of steps) for (const column in values) used.add(column as StepColumn)
  // The participant is the thread's, and so is written with it even if it is null.
  if (used.has('threadId')) used.add('participantId')
  const key = entries.map(([column]) => (used.has(column) ? '1' : '0')).join('')
  const known = upserts.get(key)
  if (known !== undefined) return known
  if (upserts.size >= MAX_UPSERTS) upserts.clear()
  const made = makeUpsert(used)
  upserts.set(key, made)
  return made
}
