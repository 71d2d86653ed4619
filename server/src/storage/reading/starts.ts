import { cast } from '../../database/rows/columns.js'
import type { Sql } from '../../database/rows/sql.js'
import { sql } from '../../database/rows/sql.js'
import { s, t } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import { byRange, indexed, instant, type OwnField } from '../../lists/fields.js'
import type { Order } from '../../lists/listing.js'

/** The moment at which a step happened: its start, or its arrival if none was told. The expression of its indexes. */
export const startOfStep = cast('timestamptz', sql`coalesce(${s.startTime}, ${s.createdAt})`)

/** The moment at which a thread began: the first start of its steps, or its arrival if none was told. */
export const startOfThread = cast('timestamptz', sql`coalesce(${t.startedAt}, ${t.createdAt})`)

/** Filters a list by the moment at which its rows happened, by the index of that order. */
export const started = (value: Sql<Instant>): OwnField<'instant'> =>
  indexed(instant(value), byRange('startedAt', value, 'timestamptz'))

/** The order of a list whose indexes continue by the moment at which rows happened. */
export const byStarts = (value: Sql<Instant>) =>
  ({
    orders: { startedAt: { value, type: 'timestamptz', isIndexed: true } satisfies Order },
    indexOrder: 'startedAt',
  }) as const
