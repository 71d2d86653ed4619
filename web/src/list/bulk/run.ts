/** Rows that an action is applied to at once. */
const AT_ONCE = 4

/** Takes an action on a row back. */
export type Undo = () => Promise<unknown>

export interface Outcome<Row> {
  done: number
  failed: { row: Row; message: string }[]
  /** Takes back what can be taken back, the last one first. */
  undos: Undo[]
}

/**
 * Applies an action to each row once, a few at a time. A failure of one row keeps no other from its turn. Ends early when
 * the signal aborts; rows that were begun are finished.
 */
export const runBulk = async <Row>(
  rows: readonly Row[],
  // biome-ignore lint/suspicious/noConfusingVoidType: an action that can't be undone returns nothing
  act: (row: Row) => Promise<Undo | void>,
  {
    signal,
    onProgress,
  }: { signal: AbortSignal; onProgress: (outcome: Readonly<Outcome<Row>>) => void },
): Promise<Outcome<Row>> => {
  const outcome: Outcome<Row> = { done: 0, failed: [], undos: [] }
  const waiting = rows.values()
  const work = async () => {
    for (const row of waiting) {
      if (signal.aborted) return
      try {
        const undo = await act(row)
        if (undo !== undefined) outcome.undos.unshift(undo)
        outcome.done++
      } catch (error) {
        outcome.failed.push({ row, message: (error as Error).message })
      }
      onProgress(outcome)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return outcome
}
