import type { Database } from '../database.js'
import { cast } from '../rows/columns.js'
import { select, sql } from '../rows/sql.js'
import { inTransaction } from './attempts.js'

/** Things that others refer to, and that take these along when they are deleted; and things that one changes at a time. */
export type Lockable = 'experiment' | 'dataset' | 'participant' | 'prompt' | 'settings' | 'old data'

/** Things that a transaction locks one by one. A server has memory for some thousands of locks, of all transactions. */
const MAX_IDS = 32

/**
 * Keeps things from being deleted until the transaction ends. Has to come before the statement that looks whether they are
 * there. One transaction locks old data before experiments, these before datasets, and these before participants.
 *
 * Locks of rows would do on one server. On a cluster they are locks of whole tables, which two transactions that take them
 * at once wait for in a circle.
 */
export const lockShared = (
  transaction: Database,
  kind: Lockable,
  projectId: string,
  ids: Iterable<string>,
): Promise<void> => {
  const { few, many, each } = keysOf(kind, projectId, ids)
  const keys = each.length > MAX_IDS ? [many] : each.length > 0 ? [few, ...each] : []
  return take(transaction, sql`pg_advisory_xact_lock_shared`, keys)
}

/**
 * Waits for the transactions that keep or change things, and lets no other one begin to until this one ends. Has to come
 * before the first statement that reads, changes or deletes them.
 */
export const lockAlone = (
  transaction: Database,
  kind: Lockable,
  projectId: string,
  ids: Iterable<string>,
): Promise<void> => {
  const { few, many, each } = keysOf(kind, projectId, ids)
  const keys = each.length > MAX_IDS ? [few, many] : each.length > 0 ? [many, ...each] : []
  return take(transaction, sql`pg_advisory_xact_lock`, keys)
}

/** A row, and the thing that takes it along when it is deleted. */
interface Part {
  id: string
  owner: string
}

/** Keeps rows from being deleted until the transaction ends, with what they are parts of. Returns the ids of those there are. */
export const keepParts = async (
  transaction: Database,
  kind: Lockable,
  projectId: string,
  find: () => Promise<readonly Part[]>,
): Promise<string[]> => {
  const before = await find()
  if (before.length === 0) return []
  await lockShared(transaction, kind, projectId, ownersOf(before))
  // Reads again: some may have been deleted before the lock.
  return (await find()).map(({ id }) => id)
}

/** Waits for those who keep rows, or what these are parts of, and lets no others begin to until the transaction ends. */
export const claimParts = async (
  transaction: Database,
  kind: Lockable,
  projectId: string,
  find: () => Promise<readonly Part[]>,
): Promise<void> => lockAlone(transaction, kind, projectId, ownersOf(await find()))

const ownersOf = (parts: readonly Part[]): string[] => parts.map(({ owner }) => owner)

/** Who locks single things has a part in `few`, who locks too many for that in `many`. */
const keysOf = (kind: Lockable, projectId: string, ids: Iterable<string>) => ({
  few: `stepwell few ${kind} ${projectId}`,
  many: `stepwell many ${kind} ${projectId}`,
  each: [...new Set(ids)].sort().map((id) => `stepwell ${kind} ${projectId} ${id}`),
})

const take = async (
  transaction: Database,
  lock: ReturnType<typeof sql>,
  keys: readonly string[],
): Promise<void> => {
  if (keys.length > 0)
    await sql`SELECT ${lock}(hashtextextended(k, 0)) FROM unnest(${keys}::text[]) AS k`.execute(
      transaction,
    )
}

/** Runs a transaction while no other process runs one under the same name. */
export const alone = <Result>(
  db: Database,
  name: string,
  work: (transaction: Database) => Promise<Result>,
): Promise<Result> =>
  inTransaction(db, async (transaction) => {
    await sql`SELECT pg_advisory_xact_lock(hashtext(${`stepwell ${name}`}))`.execute(transaction)
    return work(transaction)
  })

/** Reserves a name until the transaction ends. Returns false when another one has it, in whichever process. */
export const reserve = async (transaction: Database, name: string): Promise<boolean> => {
  const reserved = cast('boolean', sql`pg_try_advisory_xact_lock(hashtext(${`stepwell ${name}`}))`)
  const { rows } = await sql`SELECT ${select({ reserved })}`.execute(transaction)
  return rows[0]?.reserved ?? false
}
