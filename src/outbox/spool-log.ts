import type { ThreadRecord } from '../tracing/recorder.js'
import type { Session } from './batch.js'

type Fs = typeof import('node:fs')

/** A file is closed at this size, and deleted once everything in it is settled. */
const SEGMENT_BYTES = 8_000_000

interface Segment {
  path: string
  file: number
  bytes: number
  /** How many of its lines are not settled. */
  live: number
  last: number
}

/** A line that comes within this time of the last write waits for others; the turn of the event loop is its end. */
const TOGETHER_MS = 1
const MOST_WAITING = 65_536

/** A line of a thread's changes that is not settled. */
interface ThreadLine {
  mark: number
  segment: Segment
}

/**
 * The files of one session, written as it goes. In `*.steps`, `S` lines hold steps and `T` lines changes of threads;
 * `settled.log` says of ranges of steps that they were `delivered`, or why they were dropped, and in `U` lines up to
 * where threads are settled. A line is with the system when `append` returns, or, when many come at once, a millisecond
 * later or when the code that recorded it lets go: from then on it outlives the process, though not a power cut.
 */
export class SpoolLog {
  readonly #fs: Fs
  readonly #folder: string
  readonly #settled: number
  /** Takes an error that comes when nobody waits for it. */
  readonly #failed: (error: unknown) => void
  readonly #segments: Segment[] = []
  readonly #threads = new Map<string, ThreadLine[]>()
  #marks = 0
  #bytes = 0
  /** Lines that are about to be written to the last segment. */
  #lines = ''
  #waitingLines = 0
  #writtenAt = 0

  constructor(fs: Fs, folder: string, failed: (error: unknown) => void) {
    this.#fs = fs
    this.#folder = folder
    this.#failed = failed
    this.#settled = fs.openSync(`${folder}/settled.log`, 'a', 0o600)
  }

  /** How much of the disk the session takes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Writes a step. Gives a way to read it back. Throws when the disk does not take it. */
  append(sequence: number, text: string): () => string {
    const segment = this.#segment()
    const head = `S ${sequence} `
    const at = segment.bytes
    const length = this.#write(segment, `${head}${text}\n`) - 1
    segment.last = sequence
    return () => {
      this.flush()
      const line = readPart(this.#fs, segment.path, at, length)
      // Where the disk was full in between, another line may stand there.
      if (!line.startsWith(head)) throw new Error('it was not written')
      return line.slice(head.length)
    }
  }

  /** Writes changes of a thread. Gives a mark to settle them by, and all before them. */
  appendThread(record: ThreadRecord): number {
    const segment = this.#segment()
    const mark = ++this.#marks
    this.#write(segment, `T ${mark} ${JSON.stringify(record)}\n`)
    const lines = this.#threads.get(record.id) ?? []
    lines.push({ mark, segment })
    this.#threads.set(record.id, lines)
    return mark
  }

  settle(sequences: readonly number[], how: string): void {
    for (const [from, to] of ranges(sequences)) this.#note(`${how} ${from}-${to}\n`)
    for (const sequence of sequences) {
      const segment = this.#segments.find(({ last }) => sequence <= last)
      if (segment !== undefined) this.#release(segment)
    }
  }

  settleThread(id: string, mark: number): void {
    this.#note(`U ${mark} ${JSON.stringify(id)}\n`)
    const lines = this.#threads.get(id) ?? []
    const left = lines.filter((line) => line.mark > mark)
    if (left.length === 0) this.#threads.delete(id)
    else this.#threads.set(id, left)
    for (const line of lines) if (line.mark <= mark) this.#release(line.segment)
  }

  close(): void {
    this.#flushLater()
    for (const { file } of this.#segments) this.#fs.closeSync(file)
    this.#segments.length = 0
    this.#fs.closeSync(this.#settled)
  }

  #segment(): Segment {
    const current = this.#segments.at(-1)
    if (current !== undefined && current.bytes < SEGMENT_BYTES) return current
    this.flush()
    const number = String((current === undefined ? 0 : numberOf(current.path)) + 1).padStart(6, '0')
    const path = `${this.#folder}/${number}.steps`
    const segment: Segment = {
      path,
      file: this.#fs.openSync(path, 'a', 0o600),
      bytes: 0,
      live: 0,
      last: 0,
    }
    this.#segments.push(segment)
    if (current?.live === 0) this.#remove(current)
    return segment
  }

  #write(segment: Segment, line: string): number {
    const length = Buffer.byteLength(line)
    segment.bytes += length
    segment.live++
    this.#bytes += length
    const isFirst = this.#lines === ''
    this.#lines += line
    this.#waitingLines++
    if (
      performance.now() - this.#writtenAt > TOGETHER_MS ||
      this.#lines.length > MOST_WAITING ||
      segment.bytes >= SEGMENT_BYTES
    )
      this.flush()
    else if (isFirst) queueMicrotask(() => this.#flushLater())
    return length
  }

  /** Writes the lines that wait. Throws when the disk does not take them. */
  flush(): void {
    const segment = this.#segments.at(-1)
    if (this.#lines === '' || segment === undefined) return
    const lines = this.#lines
    const count = this.#waitingLines
    this.#lines = ''
    this.#waitingLines = 0
    const length = Buffer.byteLength(lines)
    try {
      if (this.#fs.writeSync(segment.file, lines) < length) throw new Error('the disk is full')
    } catch (error) {
      segment.bytes -= length
      segment.live -= count
      this.#bytes -= length
      this.#cutBack(segment)
      throw error
    } finally {
      this.#writtenAt = performance.now()
    }
  }

  #flushLater(): void {
    try {
      this.flush()
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Half a line would spoil the next one. */
  #cutBack(segment: Segment): void {
    try {
      this.#fs.ftruncateSync(segment.file, segment.bytes)
    } catch {
      // Then readers skip the line, and count it as lost.
    }
  }

  #note(line: string): void {
    try {
      this.#fs.writeSync(this.#settled, line)
    } catch {
      // It will be sent twice at worst, which the service does not mind.
    }
  }

  #release(segment: Segment): void {
    segment.live--
    if (segment.live <= 0 && segment !== this.#segments.at(-1)) this.#remove(segment)
  }

  #remove(segment: Segment): void {
    this.#segments.splice(this.#segments.indexOf(segment), 1)
    this.#bytes -= segment.bytes
    try {
      this.#fs.closeSync(segment.file)
      this.#fs.unlinkSync(segment.path)
    } catch {
      // Whoever finds it later sees that all of it is settled.
    }
  }
}

const numberOf = (path: string) => Number(path.match(/(\d+)\.steps$/)?.[1] ?? 0)

/** Neighbouring numbers as ranges. */
export function* ranges(numbers: readonly number[]): Generator<[number, number]> {
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

export interface LeftStep {
  sequence: number
  id: string
  threadId: string | undefined
  /** In bytes. */
  size: number
  load: () => string
}

/** What a session left behind. */
export interface LeftBehind {
  session: Session
  /** Steps that are not settled, in their order. They stay on disk until their turn comes. */
  steps: LeftStep[]
  threads: ThreadRecord[]
  /** Steps that were dropped, by reason, and those of which nothing is left (`spool`). */
  lost: { reason: string; from: number; to: number }[]
}

/** A number further than this from all others is none that a client gave. */
const FURTHEST = 1_000_000

/** Reads the files of a session whose process is gone. */
export const readSpoolLog = (fs: Fs, folder: string, session: Session): LeftBehind => {
  const settled = new Ranges()
  const lost: LeftBehind['lost'] = []
  const settledThreads = new Map<string, number>()
  for (const { text } of linesOf(fs, `${folder}/settled.log`)) {
    const [, how = '', rest = ''] = /^(\S+) (.*)$/.exec(text) ?? []
    if (how === 'U') {
      const [, mark = '0', id = 'null'] = /^(\d+) (.*)$/.exec(rest) ?? []
      settledThreads.set(String(parsed(id)), Number(mark))
      continue
    }
    const [from = Number.NaN, to = Number.NaN] = rest.split('-').map(Number)
    if (!(from >= 1 && from <= to)) continue
    settled.add(from, to)
    if (how !== 'delivered') lost.push({ reason: how, from, to })
  }
  const steps = new Map<number, LeftStep>()
  const known = new Ranges(settled)
  const threads = new Map<string, ThreadRecord>()
  let endedAt = 0
  for (const name of fs.readdirSync(folder).sort()) {
    if (!name.endsWith('.steps')) continue
    const path = `${folder}/${name}`
    endedAt = Math.max(endedAt, fs.statSync(path).mtimeMs)
    for (const { text: line, at, size } of linesOf(fs, path)) {
      const [, kind = '', number = '', text = ''] = /^([ST]) (\d+) (.*)$/s.exec(line) ?? []
      if (kind === '') continue
      const sequence = Number(number)
      if (kind === 'S' && sequence > known.last + FURTHEST) continue
      const value = parsed(text)
      const isRead = typeof value === 'object' && value !== null
      if (kind === 'S') {
        known.add(sequence, sequence)
        if (!isRead || settled.has(sequence)) continue
        const { id, threadId } = value as { id: string; threadId?: string }
        const head = kind.length + number.length + 2
        const load = () => readPart(fs, path, at + head, size - head)
        steps.set(sequence, { sequence, id, threadId, size: size - head, load })
      } else if (isRead) {
        const record = value as ThreadRecord
        if (sequence > (settledThreads.get(record.id) ?? 0))
          threads.set(record.id, { ...threads.get(record.id), ...record })
      }
    }
  }
  const kept = new Ranges(settled)
  for (const sequence of steps.keys()) kept.add(sequence, sequence)
  for (const [from, to] of kept.gaps(known.last)) lost.push({ reason: 'spool', from, to })
  return {
    session: {
      ...session,
      recorded: known.last,
      endedAt: new Date(endedAt === 0 ? Date.now() : endedAt).toISOString(),
    },
    steps: [...steps.values()].sort((one, other) => one.sequence - other.sequence),
    threads: [...threads.values()],
    lost,
  }
}

/** Numbers as ranges: a session may have had millions. */
class Ranges {
  readonly #ranges: [number, number][]
  #sorted = true

  constructor(other?: Ranges) {
    this.#ranges = other === undefined ? [] : other.#sort().map(([from, to]) => [from, to])
  }

  get last(): number {
    return this.#sort().at(-1)?.[1] ?? 0
  }

  add(from: number, to: number): void {
    const last = this.#ranges.at(-1)
    if (last !== undefined && from >= last[0] && from <= last[1] + 1)
      last[1] = Math.max(last[1], to)
    else {
      this.#sorted &&= last === undefined || from > last[1]
      this.#ranges.push([from, to])
    }
  }

  has(number: number): boolean {
    return this.#sort().some(([from, to]) => from <= number && number <= to)
  }

  /** What is not there, from 1 to a last number. */
  gaps(last: number): [number, number][] {
    const gaps: [number, number][] = []
    let next = 1
    for (const [from, to] of this.#sort()) {
      if (from > next) gaps.push([next, from - 1])
      next = to + 1
    }
    if (next <= last) gaps.push([next, last])
    return gaps
  }

  #sort(): [number, number][] {
    if (this.#sorted) return this.#ranges
    const merged: [number, number][] = []
    for (const [from, to] of this.#ranges.sort(([one], [other]) => one - other)) {
      const last = merged.at(-1)
      if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
      else merged.push([from, to])
    }
    this.#ranges.splice(0, this.#ranges.length, ...merged)
    this.#sorted = true
    return this.#ranges
  }
}

const readPart = (fs: Fs, path: string, at: number, length: number): string => {
  const buffer = Buffer.allocUnsafe(length)
  const file = fs.openSync(path, 'r')
  try {
    if (fs.readSync(file, buffer, 0, length, at) < length) throw new Error(`${path} was cut short`)
    return buffer.toString()
  } finally {
    fs.closeSync(file)
  }
}

const NEWLINE = 10

/** The lines of a file, each with its place in bytes: what is no text in one of them moves no other. */
function* linesOf(fs: Fs, path: string): Generator<{ text: string; at: number; size: number }> {
  let bytes: Buffer
  try {
    bytes = fs.readFileSync(path)
  } catch {
    return
  }
  let at = 0
  while (at < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, at)
    const end = newline === -1 ? bytes.length : newline
    yield { text: bytes.toString('utf8', at, end), at, size: end - at }
    at = end + 1
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
