import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { select, sql } from '../../database/rows/sql.js'
import { p, participantMarks, participantSums } from '../../database/rows/tables.js'
import type { Position } from '../../lists/cursor.js'
import type { Test, Value } from '../../lists/fields.js'
import type { KeptOrder, OrderRange } from '../../lists/listing.js'

/**
 * Finds the first users in the order of a kept sum, by its index, and up to a number of all those who are marked: their sums may
 * be out of date, or missing. Every other user has sums. One statement, so that a user who is marked meanwhile is not missed.
 * Returns undefined where none are kept.
 */
export const findUsersInOrder = async (
  db: Database,
  projectId: string,
  sum: Value<number>,
  { isAscending, from, to }: OrderRange,
  { need, mostOthers }: { need: number; mostOthers: number },
): Promise<KeptOrder | undefined> => {
  const [direction, behind, before] = isAscending ? ['ASC', '>', '<'] : ['DESC', '<', '>']
  const compared = (operator: string | undefined, position: Position | undefined): Test[] =>
    position === undefined
      ? []
      : [
          sql`(${sum}, ${participantSums.participantId}) ${sql.raw(operator ?? '')} (${position.key}::float8, ${position.id}::text)`,
        ]
  const tests = [
    sql`participant_sums.project_id = ${projectId}`,
    sql`NOT EXISTS (SELECT FROM participant_marks
      WHERE participant_marks.project_id = ${projectId} AND ${participantMarks.participantId} = ${participantSums.participantId})`,
    ...compared(behind, from),
    ...compared(before, to),
  ]
  const columns = select({
    id: cast('text | null', sql`found.id`),
    sum: cast('float8 | null', sql`found.sum`),
    isMarked: cast('boolean', sql`found.is_marked`),
  })
  const { rows } = await sql`
    SELECT ${columns} FROM (
      (SELECT participant_sums.participant_id AS id, ${sum} AS sum, false AS is_marked FROM participant_sums
        WHERE ${sql.join(tests, sql` AND `)}
        ORDER BY ${sum} ${sql.raw(direction ?? '')}, participant_sums.participant_id ${sql.raw(direction ?? '')}
        LIMIT ${sql.lit(need)})
      UNION ALL
      (SELECT DISTINCT participant_marks.participant_id, NULL::float8, true FROM participant_marks
        JOIN participants p ON ${p.projectId} = participant_marks.project_id AND ${p.id} = participant_marks.participant_id
        WHERE participant_marks.project_id = ${projectId} LIMIT ${sql.lit(mostOthers)})
      UNION ALL
      (SELECT NULL, NULL, false WHERE NOT EXISTS (SELECT FROM pg_trigger
        WHERE tgrelid = 'participants'::regclass AND tgname = 'mark_participants_created'))
    ) AS found`.execute(db)
  const kept: KeptOrder = { first: [], others: [] }
  for (const { id, sum: value, isMarked } of rows) {
    if (id === null) return undefined
    if (isMarked) kept.others.push(id)
    else if (value !== null) kept.first.push({ id, sum: value })
  }
  return kept
}
