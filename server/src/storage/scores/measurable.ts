import { type Sql, sql } from '../../database/rows/sql.js'

/** Tests that a number can be averaged. Extremely large ones cannot be squared, fail their statement, and are left out. */
export const isMeasurable = (value: Sql) => sql`abs(${value}) < 1e150`
