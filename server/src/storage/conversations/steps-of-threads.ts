import { type Sql, sql } from '../../database/rows/sql.js'

/** All steps of some threads, or those of them that are given. */
export interface StepsOfThreads {
  threadIds: readonly string[]
  stepIds?: readonly string[]
}

/**
 * Holds for these steps. Given ones are looked up by their ids: an index of threads would lead to all steps of a large thread, for each
 * portion of it.
 */
export const isOf = ({ threadIds, stepIds }: StepsOfThreads): Sql => {
  const threads = sql`ANY(${[...threadIds]}::text[])`
  return stepIds === undefined
    ? sql`s.thread_id = ${threads}`
    : sql`s.id = ANY(${[...stepIds]}::text[]) AND coalesce(s.thread_id, '') = ${threads}`
}
