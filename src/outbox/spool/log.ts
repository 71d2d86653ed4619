import type { SpoolLine } from '../batch.js'
import type { Host } from '../host.js'
import type { ThreadRecord } from '../records.js'
import type { Fs } from './disk.js'
import { settledLines, settledThreadLine } from './format.js'
import { Notes } from './notes.js'
import { readPart } from './read.js'

/** A file is closed at this size, and deleted once everything in it is settled. */
const SEGMENT_BYTES = 8_000_000

interface Segment {
  readonly path: string
  readonly file: number
  bytes: number
  /** The number of its lines that are not settled. */
  live: number
}

/** A line within this time of the last write waits for others, at most until the end of the event loop's turn. */
const TOGETHER_MS = 1
const MAX_WAITING = 65_536

/** A line of a segment. */
interface Line {
  readonly segment: Segment
  /** Counted among the live lines of its segment: neither settled nor lost. */
  isLive: boolean
}

/** A line of a thread's changes that is not settled. */
interface ThreadLine extends Line {
  readonly mark: number
}

/**
 * The files of one session, written while it runs. The system has a line when `append` returns, or, for many in a row,
 * a millisecond later or when the recording code yields: from then on it outlives the process, though not a power cut.
 */
export class SpoolLog {
  readonly #fs: Fs
  readonly #host: Host
  readonly #folder: string
  readonly #settled: Notes
  /** Receives an error that no caller waits for. */
  readonly #failed: (error: unknown) => void
  readonly #segments: Segment[] = []
  readonly #steps = new Map<number, Line>()
  readonly #threads = new Map<string, ThreadLine[]>()
  #marks = 0
  #bytes = 0
  /** Lines that are about to be written to the last segment. */
  #waiting: Line[] = []
  #text = ''
  #writtenAt = Number.NEGATIVE_INFINITY
  #hasBadEnd = false

  constructor(fs: Fs, host: Host, folder: string, failed: (error: unknown) => void) {
    this.#fs = fs
    this.#host = host
    this.#folder = folder
    this.#failed = failed
    this.#settled = new Notes(fs, `${folder}/settled.log`)
  }

  /** The bytes of the session's files. */
  get bytes(): number {
    return this.#bytes
  }

  /** Writes a step. Returns its line. Throws when the disk fails. */
  append(sequence: number, text: string): SpoolLine {
    const segment = this.#segment()
    const head = `S ${sequence} `
    const at = segment.bytes
    const line: Line = { segment, isLive: true }
    this.#steps.set(sequence, line)
    const length = this.#write(line, `${head}${text}\n`) - 1
    const read = () => {
      // Lines that wait may be others: that the disk does not take them is not the fault of this one.
      this.#flushLater()
      const written = readPart(this.#fs, segment.path, at, length)
      // If the disk was full in between, another line may be there.
      if (!written.startsWith(head)) throw new Error('it was not written')
      return written.slice(head.length)
    }
    return { read }
  }

  /** Writes changes of a thread. Returns a mark to settle them by, and all before them. */
  appendThread(record: ThreadRecord): number {
    const mark = ++this.#marks
    const line: ThreadLine = { mark, segment: this.#segment(), isLive: true }
    const lines = this.#threads.get(record.id) ?? []
    this.#threads.set(record.id, [...lines, line])
    this.#write(line, `T ${mark} ${JSON.stringify(record)}\n`)
    return mark
  }

  /** Returns true when a step that is not settled is on the disk. */
  hasStep(sequence: number): boolean {
    return this.#steps.get(sequence)?.isLive === true
  }

  /** Returns true when a change of a thread that is not settled is on the disk. */
  hasThread(id: string, mark: number): boolean {
    const lines = this.#threads.get(id) ?? []
    return lines.some((line) => line.mark === mark && line.isLive)
  }

  settle(sequences: readonly number[], how: string): void {
    this.#settled.add(settledLines(sequences, how))
    for (const sequence of sequences) {
      const line = this.#steps.get(sequence)
      this.#steps.delete(sequence)
      if (line !== undefined) this.#release(line)
    }
  }

  settleThread(id: string, mark: number): void {
    this.#settled.add(settledThreadLine(id, mark))
    const lines = this.#threads.get(id) ?? []
    const left = lines.filter((line) => line.mark > mark)
    if (left.length === 0) this.#threads.delete(id)
    else this.#threads.set(id, left)
    for (const line of lines) if (line.mark <= mark) this.#release(line)
  }

  close(): void {
    this.#flushLater()
    for (const { file } of this.#segments) this.#fs.closeSync(file)
    this.#segments.length = 0
    this.#settled.close()
  }

  #segment(): Segment {
    const current = this.#segments.at(-1)
    if (current !== undefined && current.bytes < SEGMENT_BYTES && !this.#hasBadEnd) return current
    this.flush()
    const number = String((current === undefined ? 0 : numberOf(current.path)) + 1).padStart(6, '0')
    const path = `${this.#folder}/${number}.steps`
    const file = this.#fs.openSync(path, 'a', 0o600)
    const segment: Segment = { path, file, bytes: 0, live: 0 }
    this.#segments.push(segment)
    this.#hasBadEnd = false
    if (current?.live === 0) this.#remove(current)
    return segment
  }

  #write(line: Line, text: string): number {
    const { segment } = line
    const length = Buffer.byteLength(text)
    segment.bytes += length
    segment.live++
    this.#bytes += length
    const isFirst = this.#waiting.length === 0
    this.#text += text
    this.#waiting.push(line)
    if (
      this.#host.elapsed() - this.#writtenAt > TOGETHER_MS ||
      this.#text.length > MAX_WAITING ||
      segment.bytes >= SEGMENT_BYTES
    )
      this.flush()
    else if (isFirst) queueMicrotask(() => this.#flushLater())
    return length
  }

  /** Writes the waiting lines. Throws when the disk fails: then each of them is lost. */
  flush(): void {
    const segment = this.#segments.at(-1)
    if (this.#waiting.length === 0 || segment === undefined) return
    const bytes = Buffer.from(this.#text)
    const lines = this.#waiting
    this.#text = ''
    this.#waiting = []
    try {
      if (this.#fs.writeSync(segment.file, bytes) < bytes.length)
        throw new Error('the disk is full')
    } catch (error) {
      segment.bytes -= bytes.length
      this.#bytes -= bytes.length
      this.#cutBack(segment)
      for (const line of lines) this.#release(line)
      throw error
    } finally {
      this.#writtenAt = this.#host.elapsed()
    }
  }

  #flushLater(): void {
    try {
      this.flush()
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Half a line would spoil the next one, which is written to another file when the half cannot be removed. */
  #cutBack(segment: Segment): void {
    try {
      this.#fs.ftruncateSync(segment.file, segment.bytes)
    } catch {
      this.#hasBadEnd = true
    }
  }

  #release(line: Line): void {
    if (!line.isLive) return
    line.isLive = false
    const { segment } = line
    segment.live--
    if (segment.live <= 0 && segment !== this.#segments.at(-1)) this.#remove(segment)
  }

  #remove(segment: Segment): void {
    const index = this.#segments.indexOf(segment)
    if (index < 0) return
    this.#segments.splice(index, 1)
    this.#bytes -= segment.bytes
    try {
      this.#fs.closeSync(segment.file)
      this.#fs.unlinkSync(segment.path)
    } catch {
      // A later process finds that all of it is settled.
    }
  }
}

const numberOf = (path: string) => Number(path.match(/(\d+)\.steps$/)?.[1] ?? 0)
