import { pick, select, sql } from '../../database/rows/sql.js'
import { s, t } from '../../database/rows/tables.js'
import { atMost, type Field } from '../../lists/fields.js'
import { stepsWithScore, threadsWithScore } from './scores.js'

/**
 * Filters threads by their scores and those of their steps; `path` is the score's name. With `is` null: neither the thread
 * nor a step has such a score.
 */
export const scoreOfThread = (projectId: string): Field<'number'> => ({
  kind: 'number',
  criterion: (condition, db) => {
    const threadsOf = async (stepIds: readonly string[]) => {
      const { rows } = await sql`
        SELECT DISTINCT ${select({ threadId: s.threadId.narrow<string>() })} FROM steps s
        WHERE s.project_id = ${projectId} AND s.id = ANY(${stepIds}::text[]) AND s.thread_id IS NOT NULL`.execute(
        db,
      )
      return rows.map(({ threadId }) => threadId)
    }
    return {
      relation: {
        link: t.id,
        isNegated: condition.operator === 'is',
        passing: async (threadIds) => {
          const { rows } = await sql`
            SELECT ${select(pick(s, 'id'))} FROM steps s
            WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${threadIds}::text[])`.execute(
            db,
          )
          const among = rows.map(({ id }) => id)
          return [
            ...(await threadsOf(await stepsWithScore(db, projectId, condition, { among }))),
            ...(await threadsWithScore(db, projectId, condition, { among: threadIds })),
          ]
        },
        candidates: async (most) => {
          const found = await stepsWithScore(db, projectId, condition, { most: most + 1 })
          const stepIds = atMost(most, found)
          if (stepIds === undefined) return undefined
          const own = await threadsWithScore(db, projectId, condition, { most: most + 1 })
          return atMost(most, [...new Set([...(await threadsOf(stepIds)), ...own])])
        },
      },
    }
  },
})
