import { Ranges } from '../../values/ranges.js'
import type { DropReason } from '../account.js'
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
  lost: { reason: DropReason; from: number; to: number }[]
  /** Lines of which nothing is known, not even the number of a step. */
  damaged: number
}

/** Gap to all other numbers beyond which a number is taken for damage. */
const MAX_GAP = 1_000_000

/** Ways in which a step is settled. A later release may know more; here, its steps are not settled, and sent once more. */
const HOW: Record<'delivered' | DropReason, true> = {
  delivered: true,
  memory: true,
  refused: true,
  too_large: true,
  deadline: true,
  closed: true,
  spool: true,
  internal: true,
}

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
  let damaged = 0
  let endedAt = 0
  for (const name of fs.readdirSync(folder).sort()) {
    if (!name.endsWith('.steps')) continue
    const path = `${folder}/${name}`
    endedAt = Math.max(endedAt, fs.statSync(path).mtimeMs)
    for (const lines of linePortions(fs, path)) {
      for (const { text: line, at, size } of lines) {
        const [, kind = '', number = '', text = ''] = /^([ST]) (\d+) (.*)$/s.exec(line) ?? []
        const sequence = Number(number)
        const value = parsed(text)
        if (kind === 'S' && isStep(value, session.id, sequence, known.last)) {
          known.add(sequence, sequence)
          if (settled.steps.has(sequence)) continue
          const { id, threadId } = value
          const head = kind.length + number.length + 2
          const read = () => readPart(fs, path, at + head, size - head)
          steps.set(sequence, { sequence, id, threadId, size: size - head, read })
        } else if (kind === 'T' && isThread(value)) {
          if (sequence > (settled.threads.get(value.id) ?? 0))
            threads.push({ record: value, mark: sequence })
        }
        // The number of a step that was cut short. Anywhere else, it may be any number.
        else if (kind === 'S' && sequence === known.last + 1) known.add(sequence, sequence)
        else if (line !== '' && !(kind === 'S' && known.has(sequence))) damaged++
      }
      await pause()
    }
  }
  const kept = new Ranges(settled.steps)
  for (const sequence of steps.keys()) kept.add(sequence, sequence)
  const gone = kept.gaps(known.last).map(([from, to]) => ({ reason: 'spool' as const, from, to }))
  return {
    session: {
      ...session,
      recorded: known.last,
      endedAt: new Date(endedAt === 0 ? Date.now() : endedAt).toISOString(),
    },
    steps: [...steps.values()].sort((one, other) => one.sequence - other.sequence),
    threads,
    lost: [...settled.lost, ...gone],
    damaged,
  }
}

/** Reads which steps and changes of threads of a session are settled; none without a log. */
export const readSettled = async (
  fs: Fs,
  path: string,
  pause: () => Promise<void>,
): Promise<Settled> => {
  const settled: Settled = { steps: new Ranges(), threads: new Map(), lost: [] }
  let last = 0
  for (const lines of linePortions(fs, path)) {
    for (const { text } of lines) {
      const [, how = '', rest = ''] = /^(\S+) (.*)$/.exec(text) ?? []
      if (how === 'U') {
        const [, mark = '0', text = ''] = /^(\d+) (.*)$/.exec(rest) ?? []
        const id = parsed(text)
        if (typeof id === 'string') settled.threads.set(id, Number(mark))
        continue
      }
      const [, from = 0, to = 0] = (/^(\d+)-(\d+)$/.exec(rest) ?? []).map(Number)
      if (!Object.hasOwn(HOW, how) || from < 1 || from > to || to > last + MAX_GAP) continue
      last = Math.max(last, to)
      settled.steps.add(from, to)
      if (how !== 'delivered') settled.lost.push({ reason: how as DropReason, from, to })
    }
    await pause()
  }
  return settled
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Returns true for a step that was written under a number: its record has that, too. */
const isStep = (
  value: unknown,
  sessionId: string,
  sequence: number,
  last: number,
): value is { id: string; threadId?: string } =>
  isObject(value) &&
  typeof value.id === 'string' &&
  ['string', 'undefined'].includes(typeof value.threadId) &&
  value.sessionId === sessionId &&
  value.sequence === sequence &&
  sequence >= 1 &&
  sequence <= last + MAX_GAP

const isThread = (value: unknown): value is ThreadRecord & Record<string, unknown> =>
  isObject(value) && typeof value.id === 'string'

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
