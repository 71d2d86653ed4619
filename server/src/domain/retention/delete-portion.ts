import type { Database } from '../../database/database.js'
import { type Sql, sql } from '../../database/rows/sql.js'
import { deleteStepsWhere } from '../../storage/erasure/portions.js'
import {
  type DueBefore,
  findDueSteps,
  findKeptThreads,
  findStepsOfThreads,
  lockDueThreads,
  lockStepsAlone,
} from '../../storage/retention/due.js'
import { claimOldData } from '../../storage/retention/rules.js'
import { deleteScoresOfNothing } from '../../storage/retention/scores.js'
import {
  findFiguresBefore,
  findUnsummed,
  type HourFigures,
  measureHours,
  noteFiguresBefore,
} from '../../storage/rollups/kept.js'
import { deleteThreads } from '../../storage/threads.js'
import { handOnFromSteps } from '../erasure/handing-on.js'
import { keepFigures } from '../rollups/kept.js'
import type { Portion } from './walk.js'

/** The rules of a deletion as they are now. */
interface Due {
  moments: DueBefore
  keep: Parameters<typeof findDueSteps>[4]
  keepMetrics?: boolean | undefined
  /** Steps that a transaction deletes of a thread with many. */
  most: number
}

interface Gone {
  threads: number
  steps: number
  /** Those of nothing. */
  scores?: number
  /** True when more of the portion is left. */
  isMore: boolean
}

/** Deletes what is due of a portion, or a part of it. Needs the reservation of the project's old data. */
export const deletePortion = async (
  db: Database,
  projectId: string,
  portion: Portion,
  due: Due,
): Promise<Gone> => {
  const { moments, keep } = due
  if (keep.length > 0) await claimOldData(db, projectId)
  if (portion.kind === 'scores') {
    const scores = await deleteScoresOfNothing(db, projectId, portion.ids, moments, keep)
    return { threads: 0, steps: 0, scores, isMore: false }
  }
  if (portion.kind === 'steps') {
    const found = await findDueSteps(db, projectId, portion.ids, moments, keep)
    if (found.length === 0) return { threads: 0, steps: 0, isMore: false }
    const locked = await lockStepsAlone(db, projectId, found)
    // Again, as a request that had them locked may have changed them, or made an exception.
    const ids = await findDueSteps(db, projectId, locked, moments, keep)
    const test = sql`s.id = ANY(${[...ids]}::text[]) AND s.thread_id IS NULL`
    const steps = await deleteSteps(db, projectId, ids, test, due)
    return { threads: 0, steps, isMore: false }
  }
  // Before any is locked, which writes it: those that stay come again in each walk.
  const stay = await findKeptThreads(db, projectId, portion.ids, keep)
  const others = portion.ids.filter((id) => !stay.has(id))
  if (others.length === 0) return { threads: 0, steps: 0, isMore: false }
  const locked = await lockDueThreads(db, projectId, others, moments)
  const kept = await findKeptThreads(db, projectId, locked, keep)
  // Figures of sums that are behind would be wrong: those threads wait for the next walk.
  const behind = due.keepMetrics ? await findUnsummed(db, projectId, locked) : []
  const ids = locked.filter((id) => !kept.has(id) && !behind.includes(id))
  if (ids.length === 0) return { threads: 0, steps: 0, isMore: false }
  // Of one huge thread some steps first, and the rest in further portions.
  if (portion.steps <= 2 * due.most) return deleteWhole(db, projectId, ids, due)
  if (due.keepMetrics) await noteFigures(db, projectId, ids)
  const some = await findStepsOfThreads(db, projectId, ids, due.most)
  const test = sql`s.id = ANY(${some}::text[])`
  const first = await deleteSteps(db, projectId, some, test, due)
  if (first === due.most) return { threads: 0, steps: first, isMore: true }
  const last = await deleteWhole(db, projectId, ids, due)
  return { ...last, steps: first + last.steps }
}

const deleteSteps = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  test: Sql,
  { keepMetrics }: Due,
): Promise<number> => {
  if (keepMetrics) await keepFigures(db, projectId, await measureHours(db, projectId, 'steps', ids))
  const { steps } = await deleteStepsWhere(db, projectId, test, ids.length)
  await handOnFromSteps(db, projectId, steps)
  return steps.length
}

const deleteWhole = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  { keepMetrics }: Due,
): Promise<Gone> => {
  if (keepMetrics) {
    const steps = await findStepsOfThreads(db, projectId, ids)
    const ofSteps = await measureHours(db, projectId, 'steps', steps)
    const ofThreads = await figuresOfThreads(db, projectId, ids)
    await keepFigures(db, projectId, [...ofSteps, ...ofThreads])
  }
  const deleted = await deleteThreads(db, projectId, ids)
  await handOnFromSteps(db, projectId, deleted.steps)
  return { threads: deleted.ids.length, steps: deleted.steps.length, isMore: false }
}

/** Returns the figures of threads as they were before any of their steps was deleted. */
const figuresOfThreads = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<HourFigures[]> => {
  const before = await findFiguresBefore(db, projectId, ids)
  const whole = ids.filter((id) => !before.has(id))
  const measured = await measureHours(db, projectId, 'threads', whole)
  return [...measured, ...[...before.values()].flat()]
}

/** Notes the figures of threads before the first of their steps are deleted. */
const noteFigures = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<void> => {
  const before = await findFiguresBefore(db, projectId, ids)
  for (const id of ids)
    if (!before.has(id))
      await noteFiguresBefore(db, projectId, id, await measureHours(db, projectId, 'threads', [id]))
}
