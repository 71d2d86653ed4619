import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { o, t } from '../../database/rows/tables.js'
import { assignments } from '../../database/rows/writes.js'
import type { Instant } from '../../kernel/instant.js'
import type { Condition } from '../../lists/conditions.js'
import { type Field, type IndexHint, indexed, instant } from '../../lists/fields.js'

/** The rule for the end of a project's conversations. */
export interface ConversationEnd {
  idleMinutes: number | null
  tags: string[]
  toolNames: string[]
}

/** A rule, and the moment at which it is applied: nothing tells a thread that it was idle for long enough. */
export interface Ending {
  rule: ConversationEnd | null
  now: Instant
}

export const NO_ENDING: Ending = { rule: null, now: '9999-12-31T00:00:00.000000Z' }

/** Returns null for a project without a rule. */
export const findConversationEnd = async (
  db: Database,
  projectId: string,
): Promise<ConversationEnd | null> => {
  const { rows } = await sql`
    SELECT ${select({ rule: o.conversationEnd.narrow<ConversationEnd | null>() })} FROM projects o
    WHERE o.id = ${projectId}`.execute(db)
  return rows[0]?.rule ?? null
}

export const updateConversationEnd = async (
  db: Database,
  projectId: string,
  conversationEnd: ConversationEnd | null,
): Promise<void> => {
  await sql`UPDATE projects SET ${assignments('projects', { conversationEnd })} WHERE id = ${projectId}`.execute(
    db,
  )
}

/** The expression of the index `threads_activity`. */
const lastActivity = cast('timestamptz', sql`coalesce(${t.lastActivityAt}, ${t.createdAt})`)

const minutes = (count: number) => sql`make_interval(mins => ${sql.lit(count)})`

/** The end of a thread whose sums are up to date. */
const endOf = ({ rule, now }: Ending) => {
  if (rule === null) return cast('timestamptz | null', sql`NULL::timestamptz`)
  const { idleMinutes, tags, toolNames } = rule
  const idle =
    idleMinutes === null
      ? sql``
      : sql`WHEN ${lastActivity} <= ${now}::timestamptz - ${minutes(idleMinutes)}
          THEN ${lastActivity} + ${minutes(idleMinutes)}`
  return cast(
    'timestamptz | null',
    sql`CASE WHEN ${t.tags} && ${tags}::text[] OR ${t.lastTools} && ${toolNames}::text[] THEN ${lastActivity}
      ${idle} END`,
  )
}

const COMPARISONS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }

/** A thread ends at its last activity or a fixed time later, so the index of that bounds it. */
const byActivity =
  ({ rule, now }: Ending) =>
  ({ operator, value }: Condition): IndexHint | undefined => {
    if (rule === null)
      return operator === 'is' ? undefined : { test: sql`false`, isExact: true, isInOrder: true }
    const { idleMinutes } = rule
    switch (operator) {
      case 'gt':
      case 'gte':
        return {
          test: sql`${lastActivity} ${COMPARISONS[operator]} ${value}::timestamptz - ${minutes(idleMinutes ?? 0)}`,
          isExact: false,
        }
      case 'lt':
      case 'lte':
        return {
          test: sql`${lastActivity} ${COMPARISONS[operator]} ${value}::timestamptz`,
          isExact: false,
        }
      case 'is':
        return idleMinutes === null
          ? undefined
          : {
              test: sql`${lastActivity} > ${now}::timestamptz - ${minutes(idleMinutes)}`,
              isExact: false,
            }
      default:
        return undefined
    }
  }

/** Filters threads by their end. */
export const byEnd = (ending: Ending): Field<'instant'> =>
  indexed(instant(endOf(ending)), byActivity(ending))

/** The latest moment that an open thread is said to end at: clocks of clients may be wrong by centuries. */
const MAX_AHEAD = sql`interval '366 days'`

/** The moment at which a thread ends when nothing more happens; null when only a tag or a tool can end it. */
const idleEnd = ({ rule, now }: Ending) =>
  cast(
    'timestamptz | null',
    rule?.idleMinutes == null
      ? sql`NULL::timestamptz`
      : sql`least(${lastActivity} + ${minutes(rule.idleMinutes)}, ${now}::timestamptz + ${MAX_AHEAD})`,
  )

const columns = (ending: Ending) =>
  select({ ...pick(t, 'id'), endedAt: endOf(ending), idleEnd: idleEnd(ending) })

export type EndRow = RowOf<ReturnType<typeof columns>>

/** Returns the ends of threads whose sums are up to date. */
export const findEnds = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  ending: Ending,
): Promise<EndRow[]> => {
  const { rows } = await sql`
    SELECT ${columns(ending)} FROM threads t WHERE t.project_id = ${projectId} AND t.id = ANY(${ids}::text[])`.execute(
    db,
  )
  return rows
}
