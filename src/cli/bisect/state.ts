import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parsed } from '../../model-calls/json.js'
import { isPlain } from '../../values/fit.js'
import { UsageError } from '../usage.js'

/** A score, or a version that can't be tested. */
type StateLine =
  | { version: string; item: string; repetition: number; score: number | null; error?: string }
  | { skipped: string; why: string }

/** The scores of a search in a file, by which a later command goes on with it. */
export interface State {
  readonly known: readonly StateLine[]
  add(line: StateLine): void
}

/** Opens the file of a search, or creates it. @throws UsageError when it is that of another one. */
export const openState = (file: string | undefined, identity: string): State => {
  if (file === undefined) return { known: [], add: () => undefined }
  const [first, ...rest] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const head = first === undefined ? undefined : parsed(first)
  if (first !== undefined && first !== '' && (!isPlain(head) || head.bisect !== identity))
    throw new UsageError(
      '--state: expected a new file, or that of a bisect with the same versions, items, metric and command',
    )
  // The last line is cut off where a process was killed while it wrote.
  const known = rest.map((line) => parsed(line)).filter(isPlain) as unknown as StateLine[]
  const lines = [{ bisect: identity }, ...known].map((line) => `${JSON.stringify(line)}\n`)
  writeFileSync(file, lines.join(''))
  return {
    known,
    add: (line) => appendFileSync(file, `${JSON.stringify(line)}\n`),
  }
}
