import type { Session } from '../batch.js'

// A session has a folder `<session>~<owner>`. In `*.steps`, lines `S <sequence> <JSON>` hold steps and `T <mark> <JSON>`
// changes of threads. `settled.log` says of ranges of steps that they were `delivered`, or why they were dropped, and in
// lines `U <mark> <thread>` up to where the changes of a thread are settled. `<owner>.owner` names the process that has
// it, and session.json tells of the session. The format is read by later releases, which go on with what earlier ones left.

/** What session.json says. The fingerprint tells projects apart, without the key; the owner is who records the session. */
export interface SessionFile {
  session: Session
  fingerprint: string
  owner?: string
}

/** Neighbouring numbers as ranges. */
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
