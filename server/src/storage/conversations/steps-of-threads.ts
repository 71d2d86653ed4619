import { type Sql, sql } from '../../database/rows/sql.js'

/** All steps of some threads, or those of them that are given. */
export interface StepsOfThreads {
  threadIds: readonly string[]
  stepIds?: readonly string[]
}

/** Holds for these steps. */
export const isOf = ({ threadIds, stepIds }: StepsOfThreads): Sql =>
  sql`s.thread_id = ANY(${[...threadIds]}::text[])
    ${stepIds === undefined ? sql`` : sql`AND s.id = ANY(${[...stepIds]}::text[])`}`
