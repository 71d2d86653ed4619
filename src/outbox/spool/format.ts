import type { Session } from '../batch.js'

// A session has a folder `<session>~<owner>`. In `*.steps`, lines `S <sequence> <JSON>` hold steps and `T <mark>
// <JSON>` changes of threads. `settled.log` has ranges of steps with `delivered` or the reason why they were dropped,
// and in lines `U <mark> <thread>` the last settled change of a thread. `<owner>.owner` names the process that owns the
// folder, and is null once that has left it. session.json describes the session. Later releases read this format, and
// continue with the folders of earlier ones.

/**
 * The content of session.json. The fingerprint distinguishes projects without revealing the key; the owner is the
 * process that records the session.
 */
export interface SessionFile {
  session: Session
  fingerprint: string
  owner?: string
}

/** Joins consecutive numbers to ranges. */
function* ranges(numbers: readonly number[]): Generator<[number, number]> {
  let from: number | undefined
  let to = 0
  for (const number of numbers) {
    if (from !== undefined && number === to + 1) {
      to = number
      continue
    }
    if (from !== undefined) yield [from, to]
    from = number
    to = number
  }
  if (from !== undefined) yield [from, to]
}

export const settledLines = (sequences: readonly number[], how: string): string => {
  let lines = ''
  for (const [from, to] of ranges(sequences)) lines += `${how} ${from}-${to}\n`
  return lines
}

export const settledThreadLine = (id: string, mark: number): string =>
  `U ${mark} ${JSON.stringify(id)}\n`
