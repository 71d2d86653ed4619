import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.js'
import { isDistributed } from '../../database/distribution/cluster.js'
import { conflict, invalid } from '../../kernel/errors.js'
import { noteWrites } from '../../storage/moving/changes.js'
import {
  emptyTables,
  findMove,
  openForRows,
  type Runner,
  removeMove,
  saveMove,
  takeOver,
} from '../../storage/moving/moves.js'
import type { MovedTable } from '../../storage/moving/plan.js'
import { wholeTables } from '../../storage/moving/whole.js'
import { findFirstProject, listProjects } from '../../storage/projects.js'
import { note, OPERATOR } from '../audit/entry.js'
import { changeTables } from './change-tables.js'
import type { MovedStore } from './moved-files.js'
import type { Place } from './portion.js'

/** One side of a move. */
export interface MoveEnd {
  db: Database
  store: MovedStore
  /** Where it is, without secrets. */
  place: string
}

/** A move that a runner may go on with. */
export interface Begun {
  tables: readonly MovedTable[]
  runner: Runner
  /** The part that is done; null when all rows are copied. */
  place: Place | null
}

/**
 * Begins a move, or takes over the one that was begun between the two.
 *
 * @returns Undefined when it was complete, but for its last note.
 * @throws DomainError `INVALID_ARGUMENT` when the target has data of its own.
 */
export const beginMove = async (source: MoveEnd, target: MoveEnd): Promise<Begun | undefined> => {
  const here = await findMove(source.db)
  const there = await findMove(target.db)
  if (here?.role === 'target')
    throw invalid('move: the data is itself the copy of a move that is not complete')
  const isSame = here !== undefined && there?.role === 'target' && there.token === here.token
  if (here?.state === 'moved') {
    if (!isSame) throw invalid(`move: the data was moved to ${here.place} already`)
    await removeMove(target.db)
    return undefined
  }
  for (const { db } of [source, target])
    if (await isDistributed(db))
      throw invalid('move: expected databases that are not distributed by Citus')
  const tables = await wholeTables(source.db)
  const id = randomUUID()
  const state = isSame ? (there.progress as { place: Place | null } | null) : null
  if (here !== undefined && state !== null) {
    const runner = { token: here.token, runner: id }
    const { place } = state
    await target.db.transaction().execute(async (transaction) => {
      if (!(await takeOver(transaction, runner, place)))
        throw conflict('another command has ended the move; run this one again to see how')
      await openForRows(transaction, tables)
    })
    return { tables, runner, place }
  }
  if (there === undefined) await demandEmpty(target)
  const runner = { token: randomUUID(), runner: id }
  await changeTables(source.db, async (transaction) => {
    await noteWrites(transaction, tables)
    await saveMove(transaction, {
      role: 'source',
      state: 'copying',
      token: runner.token,
      place: target.place,
    })
    for (const { id, name } of await listProjects(transaction))
      await note(transaction, id, OPERATOR, { action: 'MOVE_DATA', on: 'PROJECT', id, name })
  })
  const place = { table: tables[0]?.name ?? '', after: null }
  await target.db.transaction().execute(async (transaction) => {
    // Another move may have been completed meanwhile.
    if ((await findMove(transaction)) === undefined)
      await demandEmpty({ ...target, db: transaction })
    // Before the rows, as others that write there hold it first, too.
    await saveMove(transaction, targetRow(runner, source, place))
    await openForRows(transaction, tables)
    await emptyTables(transaction, tables)
  })
  return { tables, runner, place }
}

export const targetRow = ({ token, runner }: Runner, source: MoveEnd, place: Place | null) => ({
  role: 'target',
  state: 'copying',
  token,
  place: source.place,
  progress: { place, runner },
})

const demandEmpty = async ({ db, place }: MoveEnd): Promise<void> => {
  if ((await findFirstProject(db)) !== undefined)
    throw invalid(
      `move: expected a database without data, and ${place} has projects; name a new one`,
    )
}
