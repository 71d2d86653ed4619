import { isOfAll, mayBeDone, patiently } from '../../data/patiently.js'

/** Rows that an action is applied to at once. */
const AT_ONCE = 4

/** Takes an action on a row back. */
export type Undo = () => Promise<unknown>

export interface Outcome<Row> {
  done: number
  failed: { row: Row; error: Error }[]
  /** Takes back what can be taken back, the last one first. */
  undos: Undo[]
  /** Rows that are as they were: they had no turn, or the service rejected it for a reason that was not theirs. */
  left: Row[]
  /** The reason of the service that ended it early. */
  problem?: Error
}

/**
 * Applies an action to each row once, a few at a time. A failure of one row keeps no other from its turn; one that all
 * would meet ends it early, as the signal does: rows that were begun are finished. Goes on with what was done before.
 */
export const runBulk = async <Row>(
  rows: readonly Row[],
  // biome-ignore lint/suspicious/noConfusingVoidType: an action that can't be undone returns nothing
  act: (row: Row) => Promise<Undo | void>,
  {
    signal,
    onProgress,
    before = { done: 0, failed: [], undos: [] },
  }: {
    signal: AbortSignal
    onProgress: (outcome: Readonly<Outcome<Row>>) => void
    before?: Pick<Outcome<Row>, 'done' | 'failed' | 'undos'>
  },
): Promise<Outcome<Row>> => {
  const { done, failed, undos } = before
  const outcome: Outcome<Row> = { done, failed: [...failed], undos: [...undos], left: [] }
  const waiting = rows.values()
  const work = async () => {
    for (const row of waiting) {
      if (signal.aborted || outcome.problem !== undefined) {
        outcome.left.push(row, ...waiting)
        return
      }
      try {
        const undo = await patiently(() => act(row), signal)
        if (undo !== undefined) outcome.undos.unshift(undo)
        outcome.done++
      } catch (error) {
        const isEnd = isOfAll(error)
        if (isEnd) outcome.problem ??= error as Error
        if (isEnd && !mayBeDone(error)) outcome.left.push(row)
        else outcome.failed.push({ row, error: error as Error })
      }
      onProgress(outcome)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return outcome
}
