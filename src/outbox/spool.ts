import { builtin } from '../builtin.js'
import { invalidArgument } from '../errors.js'
import { reasonOf } from '../tracing/capture.js'
import type { ThreadRecord } from '../tracing/recorder.js'
import type { DropReason } from './account.js'
import type { Batch, Item, Session, ThreadItem } from './batch.js'
import { type LeftStep, readSpoolLog, SpoolLog } from './spool-log.js'
import { isAlive, type Owner, ownOwner } from './spool-owner.js'
import { later, nextTurn } from './timers.js'

type Fs = typeof import('node:fs')

export interface SpoolOptions {
  folder: string
  session: Session
  /** Tells projects apart, so that no step goes to a project that it was not recorded for. It is not written. */
  apiKey: string
  report: (message: string) => void
}

/** The most that one session keeps on disk. */
const MOST_BYTES = 1_000_000_000
/** How often a process shows that it lives, and looks for what others have left. */
const ROUND_MS = 20_000
const BATCH_STEPS = 500
const BATCH_BYTES = 2_000_000

/** A session of an earlier process, and what of it is not settled. */
interface Adopted {
  folder: string
  steps: Set<number>
  threads: Set<string>
  isEndTold: boolean
}

/**
 * Steps on disk, until they are delivered. Each session has a folder, `<session>~<owner>`; when its owner is gone, the
 * next process takes it over by renaming it, which only one can do, and delivers what is left.
 */
export class Spool {
  readonly #fs: Fs
  readonly #options: SpoolOptions
  readonly #owner = crypto.randomUUID()
  readonly #fingerprint: string
  /** Of this process; made when the first step comes. */
  #log: SpoolLog | undefined
  /** Sessions taken over, until all of them is settled. */
  readonly #adopted = new Map<string, Adopted>()
  #isBroken = false
  #isForeignSaid = false
  #isClosed = false

  constructor(options: SpoolOptions) {
    const fs = builtin('node:fs')
    if (fs === undefined || builtin('node:os') === undefined)
      throw invalidArgument('spool: expected to run in Node, whose files it needs')
    this.#fs = fs
    this.#options = options
    this.#fingerprint = fingerprint(options.apiKey)
    try {
      fs.mkdirSync(options.folder, { recursive: true, mode: 0o700 })
      fs.accessSync(options.folder, fs.constants.W_OK)
    } catch (error) {
      throw invalidArgument(`spool: expected a folder that can be written to: ${reasonOf(error)}`)
    }
  }

  /**
   * Writes a step to disk. Gives a way to read it back; nothing when the disk does not take it. `atOnce` does not leave
   * it to wait for others: for a step of which nothing stays in memory.
   */
  append(sequence: number, text: string, atOnce: boolean): (() => string) | undefined {
    return this.#try((log) => {
      const load = log.append(sequence, text)
      if (atOnce) log.flush()
      return load
    })
  }

  /** Writes changes of a thread to disk. Gives the mark that settles them. */
  appendThread(record: ThreadRecord): number | undefined {
    return this.#try((log) => log.appendThread(record))
  }

  /** Notes that steps need not be kept any longer. */
  settle(session: Session, items: readonly Item[], how: 'delivered' | DropReason): void {
    if (this.#isClosed) return
    const sequences = items.map(({ sequence }) => sequence)
    const adopted = this.#adopted.get(session.id)
    if (adopted === undefined) {
      this.#log?.settle(sequences, how)
      return
    }
    for (const sequence of sequences) adopted.steps.delete(sequence)
    this.#noteAdopted(adopted.folder, sequences, how)
    this.#removeIfDone(session.id, adopted)
  }

  settleThreads(session: Session, threads: readonly ThreadItem[]): void {
    if (this.#isClosed) return
    const adopted = this.#adopted.get(session.id)
    for (const { record, mark } of threads)
      if (adopted !== undefined) adopted.threads.delete(record.id)
      else if (mark !== undefined) this.#log?.settleThread(record.id, mark)
    if (adopted !== undefined) this.#removeIfDone(session.id, adopted)
  }

  /** Notes that the service knows how a session of an earlier process ended. */
  settleEnd(session: Session): void {
    const adopted = this.#adopted.get(session.id)
    if (this.#isClosed || adopted === undefined) return
    adopted.isEndTold = true
    this.#removeIfDone(session.id, adopted)
  }

  /** Hands what others have left to an outbox, now and every few seconds, and shows that this process lives. */
  watch(outbox: { readonly isOver: boolean; adopt(batches: readonly Batch[]): void }): void {
    const look = () => {
      if (outbox.isOver) return
      this.#touch()
      outbox.adopt(this.adopt())
      later(look, ROUND_MS)
    }
    nextTurn(look)
  }

  /** Tells other machines that this process lives: they can't ask. */
  #touch(): void {
    const now = new Date()
    for (const folder of [this.#log && this.#folder(this.#options.session.id), ...this.#folders()])
      if (folder)
        this.#quietly(() => this.#fs.utimesSync(`${folder}/${this.#owner}.owner`, now, now))
  }

  /** Takes over what processes that are gone have left: batches to send, the last of each session without steps. */
  adopt(): Batch[] {
    const batches: Batch[] = []
    let foreign = 0
    for (const name of this.#names()) {
      const [id = '', owner = ''] = name.split('~')
      if (owner === this.#owner || this.#adopted.has(id)) continue
      try {
        if (this.#isOwned(name, owner)) continue
        const told = this.#told(name)
        if (told.fingerprint !== this.#fingerprint) foreign++
        else batches.push(...this.#takeOver(name, id, told.session))
      } catch (error) {
        // Another process was quicker, or somebody cleans up.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
          this.#options.report(`the spool's folder ${name} can't be read: ${reasonOf(error)}`)
      }
    }
    if (foreign > 0 && !this.#isForeignSaid) {
      this.#isForeignSaid = true
      this.#options.report(
        `the spool ${this.#options.folder} also holds ${foreign} sessions that were recorded with another API key; \`stepwell spool send\` with that key delivers them`,
      )
    }
    return batches
  }

  /** Leaves what is not settled to whoever comes next. */
  close(isEmpty: boolean): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#quietly(() => this.#log?.close())
    const own = this.#folder(this.#options.session.id)
    const release = (folder: string) =>
      this.#quietly(() => this.#fs.rmSync(`${folder}/${this.#owner}.owner`, { force: true }))
    if (this.#log !== undefined) {
      if (isEmpty) this.#quietly(() => this.#fs.rmSync(own, { recursive: true, force: true }))
      else release(own)
    }
    for (const folder of this.#folders()) release(folder)
  }

  #folders(): string[] {
    return [...this.#adopted.values()].map(({ folder }) => folder)
  }

  /** What can't be cleaned up now is found by whoever comes next. */
  #quietly(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#fail(error)
    }
  }

  #try<Result>(write: (log: SpoolLog) => Result): Result | undefined {
    if (this.#isClosed) return undefined
    try {
      this.#log ??= this.#create()
      if (this.#log.bytes > MOST_BYTES) throw new Error(`it holds ${MOST_BYTES} bytes already`)
      return write(this.#log)
    } catch (error) {
      this.#fail(error)
      return undefined
    }
  }

  #fail(error: unknown): void {
    if (!this.#isBroken)
      this.#options.report(
        `the spool ${this.#options.folder} can't be written: ${reasonOf(error)}; steps are kept in memory alone`,
      )
    this.#isBroken = true
  }

  #create(): SpoolLog {
    const { session } = this.#options
    const folder = this.#folder(session.id)
    this.#fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#own(folder)
    this.#fs.writeFileSync(
      `${folder}/session.json`,
      JSON.stringify({ session, fingerprint: this.#fingerprint }),
      {
        mode: 0o600,
      },
    )
    return new SpoolLog(this.#fs, folder, (error) => this.#fail(error))
  }

  #folder(sessionId: string): string {
    return `${this.#options.folder}/${sessionId}~${this.#owner}`
  }

  #own(folder: string): void {
    this.#fs.writeFileSync(`${folder}/${this.#owner}.owner`, JSON.stringify(ownOwner()), {
      mode: 0o600,
    })
  }

  #names(): string[] {
    try {
      return this.#fs.readdirSync(this.#options.folder).filter((name) => /^[^~]+~[^~]+$/.test(name))
    } catch {
      return []
    }
  }

  #isOwned(name: string, owner: string): boolean {
    const folder = `${this.#options.folder}/${name}`
    let file: string
    try {
      file = this.#fs.readFileSync(`${folder}/${owner}.owner`, 'utf8')
    } catch {
      return false
    }
    const touchedAt = Math.max(
      ...this.#fs
        .readdirSync(folder)
        .map((entry) => this.#fs.statSync(`${folder}/${entry}`).mtimeMs),
    )
    try {
      return isAlive(JSON.parse(file) as Owner, touchedAt)
    } catch {
      return false
    }
  }

  /** What a session says of itself. */
  #told(name: string): { session: Session; fingerprint: string } {
    const text = this.#fs.readFileSync(`${this.#options.folder}/${name}/session.json`, 'utf8')
    return JSON.parse(text)
  }

  #takeOver(name: string, id: string, session: Session): Batch[] {
    const folder = this.#folder(id)
    this.#own(`${this.#options.folder}/${name}`)
    this.#fs.renameSync(`${this.#options.folder}/${name}`, folder)
    const left = readSpoolLog(this.#fs, folder, session)
    this.#adopted.set(id, {
      folder,
      steps: new Set(left.steps.map(({ sequence }) => sequence)),
      threads: new Set(left.threads.map((thread) => thread.id)),
      isEndTold: false,
    })
    const batches: Batch[] = []
    let batch: Batch | undefined
    let bytes = 0
    for (const step of left.steps) {
      if (
        batch === undefined ||
        batch.items.length >= BATCH_STEPS ||
        bytes + step.size > BATCH_BYTES
      ) {
        batch = { session: left.session, items: [], threads: [], losses: [], isEnd: false }
        batches.push(batch)
        bytes = 0
      }
      bytes += step.size
      batch.items.push(adoptedItem(left.session, step))
    }
    const threads = left.threads.map((record) => ({ record, mark: undefined }))
    const losses = left.lost.map((loss) => ({ ...loss, reason: loss.reason as DropReason }))
    batches.push({ session: left.session, items: [], threads, losses, isEnd: true })
    return batches
  }

  #noteAdopted(folder: string, sequences: readonly number[], how: string): void {
    const lines = sequences.map((sequence) => `${how} ${sequence}-${sequence}\n`).join('')
    try {
      this.#fs.appendFileSync(`${folder}/settled.log`, lines)
    } catch {
      // They would be sent again at worst.
    }
  }

  #removeIfDone(sessionId: string, { folder, steps, threads, isEndTold }: Adopted): void {
    if (steps.size + threads.size > 0 || !isEndTold) return
    this.#adopted.delete(sessionId)
    this.#quietly(() => this.#fs.rmSync(folder, { recursive: true, force: true }))
  }
}

/** A key's hash, which tells nobody the key. */
const fingerprint = (apiKey: string): string =>
  builtin('node:crypto')?.createHash('sha256').update(`stepwell ${apiKey}`).digest('hex') ?? ''

const adoptedItem = (session: Session, { sequence, id, threadId, size, load }: LeftStep): Item => ({
  session,
  sequence,
  id,
  threadId,
  size,
  held: 0,
  record: undefined,
  text: undefined,
  load,
  isShrunk: false,
})
