import type { Database } from '../../database/database.js'
import { byCodePoint } from '../by-code-point.js'
import type { Position } from '../cursor.js'
import { candidates, type Walk } from './candidates.js'

/** A row that was found, and its time in microseconds. */
export interface Hit extends Position {
  micros: number
}

export interface Walked {
  hits: Hit[]
  /** Rows that were passed, tested or not. */
  examined: number
  isComplete: boolean
}

/** Steps of a block, for an estimate of the rows that were passed. */
const STEPS_OF_BLOCK = 32

/**
 * Tests the rows that may contain a text until enough are found that no other one can come before. `read` returns those of
 * some rows that pass all conditions, or undefined when its time is over.
 */
export const walkContents = async (
  db: Database,
  projectId: string,
  hashes: readonly number[],
  walk: Walk,
  limits: { need: number; mostRows: number; deadline: number },
  read: (ids: readonly string[]) => Promise<readonly Hit[] | undefined>,
): Promise<Walked> => {
  const found: Hit[] = []
  let tested = 0
  let passed = 0
  let bound: number | undefined
  const proven = () => sorted(found, walk).filter(({ micros }) => isBefore(micros, bound, walk))
  for await (const some of candidates(db, projectId, hashes, walk, limits.deadline)) {
    const hits = some.ids.length === 0 ? [] : await read(some.ids)
    tested += some.ids.length
    passed += some.blocks * STEPS_OF_BLOCK
    if (hits !== undefined) found.push(...hits)
    const examined = Math.max(tested, passed)
    if (hits === undefined || tested >= limits.mostRows || performance.now() > limits.deadline)
      return { hits: proven(), examined, isComplete: false }
    bound = some.bound
    if (found.length < limits.need || bound === undefined) continue
    const first = proven()
    if (first.length >= limits.need)
      return { hits: first.slice(0, limits.need), examined, isComplete: true }
  }
  return {
    hits: sorted(found, walk).slice(0, limits.need),
    examined: Math.max(tested, passed),
    isComplete: true,
  }
}

/** Returns true when nothing that follows can come before a time. */
const isBefore = (micros: number, bound: number | undefined, { isAscending }: Walk): boolean =>
  bound !== undefined && (isAscending ? micros < bound : micros > bound)

const sorted = (hits: readonly Hit[], { isAscending }: Walk): Hit[] => {
  const ascending = hits.toSorted((a, b) => a.micros - b.micros || byCodePoint(a.id, b.id))
  return isAscending ? ascending : ascending.reverse()
}
