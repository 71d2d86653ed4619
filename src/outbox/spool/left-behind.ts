import { Ranges } from '../../values/ranges.js'
import type { Session } from '../batch.js'
import type { ThreadRecord } from '../records.js'
import type { Fs } from './disk.js'
import { linePortions, readPart } from './read.js'

export interface LeftStep {
  sequence: number
  id: string
  threadId: string | undefined
  /** In bytes. */
  size: number
  read: () => string
}

/** A change of a thread, with the mark that settles it. */
interface LeftThread {
  record: ThreadRecord
  mark: number
}

/** The undelivered content of a session. */
export interface LeftBehind {
  session: Session
  /** Steps that are not settled, in their order. They stay on disk until their turn comes. */
  steps: LeftStep[]
  /** In their order. */
  threads: LeftThread[]
  /** Steps that were dropped, by reason, and those of which nothing is left (`spool`). */
  lost: { reason: string; from: number; to: number }[]
}

/** Gap to all other numbers beyond which a number is taken for damage. */
const MAX_GAP = 1_000_000

interface Settled {
  steps: Ranges
  threads: Map<string, number>
  lost: LeftBehind['lost']
}

/** Reads the files of a session whose process has ended, in portions, with a pause after each. */
export const readLeftBehind = async (
  fs: Fs,
  folder: string,
  session: Session,
  pause: () => Promise<void>,
): Promise<LeftBehind> => {
  const settled = await readSettled(fs, `${folder}/settled.log`, pause)
  const known = new Ranges(settled.steps)
  const steps = new Map<number, LeftStep>()
  const threads: LeftThread[] = []
  let endedAt = 0
  for (const name of fs.readdirSync(folder).sort()) {
    if (!name.endsWith('.steps')) continue
    const path = `${folder}/${name}`
    endedAt = Math.max(endedAt, fs.statSync(path).mtimeMs)
    for (const lines of linePortions(fs, path)) {
      for (const { text: line, at, size } of lines) {
        const [, kind = '', number = '', text = ''] = /^([ST]) (\d+) (.*)$/s.exec(line) ?? []
        const sequence = Number(number)
        if (kind === '' || (kind === 'S' && sequence > known.last + MAX_GAP)) continue
        const value = parsed(text)
        if (kind === 'S') {
          known.add(sequence, sequence)
          if (!isObject(value) || settled.steps.has(sequence)) continue
          const { id, threadId } = value as { id: string; threadId?: string }
          const head = kind.length + number.length + 2
          const read = () => readPart(fs, path, at + head, size - head)
          steps.set(sequence, { sequence, id, threadId, size: size - head, read })
        } else if (isObject(value)) {
          const record = value as unknown as ThreadRecord
          if (sequence > (settled.threads.get(record.id) ?? 0))
            threads.push({ record, mark: sequence })
        }
      }
      await pause()
    }
  }
  const kept = new Ranges(settled.steps)
  for (const sequence of steps.keys()) kept.add(sequence, sequence)
  const gone = kept.gaps(known.last).map(([from, to]) => ({ reason: 'spool', from, to }))
  return {
    session: {
      ...session,
      recorded: known.last,
      endedAt: new Date(endedAt === 0 ? Date.now() : endedAt).toISOString(),
    },
    steps: [...steps.values()].sort((one, other) => one.sequence - other.sequence),
    threads,
    lost: [...settled.lost, ...gone],
  }
}

/** Reads which steps and changes of threads of a session are settled; none without a log. */
export const readSettled = async (
  fs: Fs,
  path: string,
  pause: () => Promise<void>,
): Promise<Settled> => {
  const settled: Settled = { steps: new Ranges(), threads: new Map(), lost: [] }
  for (const lines of linePortions(fs, path)) {
    for (const { text } of lines) {
      const [, how = '', rest = ''] = /^(\S+) (.*)$/.exec(text) ?? []
      if (how === 'U') {
        const [, mark = '0', id = 'null'] = /^(\d+) (.*)$/.exec(rest) ?? []
        settled.threads.set(String(parsed(id)), Number(mark))
        continue
      }
      const [from = Number.NaN, to = Number.NaN] = rest.split('-').map(Number)
      if (!(from >= 1 && from <= to)) continue
      settled.steps.add(from, to)
      if (how !== 'delivered') settled.lost.push({ reason: how, from, to })
    }
    await pause()
  }
  return settled
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
