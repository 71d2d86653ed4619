import { cast } from '../../database/rows/columns.js'
import { sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'

/**
 * Holds for a step that failed: a step fails with its model call, and a call with its step. In the words of the index and of its
 * columns, as the planner knows nothing of how often an expression is null.
 */
export const hasFailed = cast('boolean', sql`(${s.error} IS NOT NULL OR ${s.genError} IS NOT NULL)`)

/** The error of a step, or else that of its model call. */
export const errorOfStep = cast('text | null', sql`coalesce(${s.error}, ${s.genError})`)
