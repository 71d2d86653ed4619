import { invalidArgument } from '../../errors.js'
import { reasonOf } from '../../values/capture.js'
import type { DropReason } from '../account.js'
import type { Batch, Item, Records, Session, SpoolLine, ThreadItem } from '../batch.js'
import type { Host } from '../host.js'
import type { ThreadRecord } from '../records.js'
import { type Disk, machineDisk } from './disk.js'
import { SessionFolders } from './folders.js'
import type { SessionFile } from './format.js'
import { Leftovers } from './leftovers.js'
import { SpoolLog } from './log.js'
import { makeFolder } from './make-folder.js'
import { sign, signOff } from './owner-file.js'
import { ThreadsElsewhere } from './threads-elsewhere.js'

export interface SpoolOptions {
  folder: string
  session: Session
  /** Distinguishes projects, so that no step goes to another project than it was recorded for. It is not written. */
  apiKey: string
  report: (message: string) => void
  host: Host
}

/** The most that one session keeps on disk. */
const MAX_BYTES = 1_000_000_000
/** Interval at which a process touches its folders, and looks for those of ended processes. */
const ROUND_MS = 20_000
/** Interval at which it checks if others have delivered the changes of threads that its own wait for. */
const WAITING_ROUND_MS = 500

/**
 * Steps on disk, until they are delivered. Each session has a folder, `<session>~<owner>`; when its owner has ended,
 * the next process takes it over by renaming it, which only one can do, and delivers the rest.
 */
export class Spool {
  readonly #disk: Disk
  readonly #options: SpoolOptions
  readonly #owner: string
  readonly #fingerprint: string
  readonly #leftovers: Leftovers
  readonly #elsewhere: ThreadsElsewhere
  /** The log of this process, created with the first step. */
  #log: SpoolLog | undefined
  #isBroken = false
  #isClosed = false
  #isFirstLook = false

  /** @throws StepwellError when there are no files, or when the folder is not writable. */
  constructor(options: SpoolOptions, disk = machineDisk()) {
    if (disk === undefined)
      throw invalidArgument('spool: expected to run in Node, whose files it needs')
    const { folder, apiKey, host } = options
    this.#disk = disk
    this.#options = options
    this.#owner = host.newId()
    this.#fingerprint = disk.hash(`stepwell ${apiKey}`)
    const kept = { ...options, folders: new SessionFolders(disk, folder, host) }
    this.#leftovers = new Leftovers(disk, this.#owner, this.#fingerprint, kept)
    this.#elsewhere = new ThreadsElsewhere(disk, this.#owner, this.#fingerprint, kept)
    const { fs } = disk
    try {
      makeFolder(fs, folder)
      fs.accessSync(folder, fs.constants.W_OK)
    } catch (error) {
      throw invalidArgument(`spool: expected a folder that can be written to: ${reasonOf(error)}`)
    }
  }

  /** True during the first search for folders of earlier processes. */
  get isFirstLook(): boolean {
    return this.#isFirstLook
  }

  /**
   * Writes a step to disk. Returns its line; undefined when the disk fails. With `atOnce` it does not wait for other
   * lines: for a step that is not kept in memory.
   */
  append(sequence: number, text: string, atOnce: boolean): SpoolLine | undefined {
    return this.#try((log) => {
      const line = log.append(sequence, text)
      if (atOnce) log.flush()
      return line
    })
  }

  /** Writes changes of a thread to disk. Returns the mark that settles them. */
  appendThread(record: ThreadRecord): number | undefined {
    return this.#try((log) => log.appendThread(record))
  }

  /** Returns the threads whose changes in a session have to wait for those that another process is about to deliver. */
  threadsElsewhere(session: Session): ReadonlySet<string> {
    return this.#elsewhere.before(session)
  }

  /** Settles steps, which need not be kept any longer. */
  settle(session: Session, items: readonly Item[], how: 'delivered' | DropReason): void {
    if (this.#isClosed) return
    const sequences = items.map(({ sequence }) => sequence)
    if (session.id === this.#options.session.id) this.#log?.settle(sequences, how)
    else this.#leftovers.settle(session.id, sequences, how)
  }

  settleThreads(session: Session, threads: readonly ThreadItem[]): void {
    if (this.#isClosed) return
    const isOwn = session.id === this.#options.session.id
    for (const { record, mark } of threads.flatMap(({ changes }) => changes))
      if (mark === undefined) continue
      else if (isOwn) this.#log?.settleThread(record.id, mark)
      else this.#leftovers.settleThread(session.id, record.id, mark)
  }

  /** Notes that the service knows the end of an earlier process's session. */
  settleEnd(session: Session): void {
    if (!this.#isClosed) this.#leftovers.settleEnd(session.id)
  }

  /** Notes that the service still has to be told more about an earlier process's session, and its end again. */
  keepEnd(session: Session): void {
    if (!this.#isClosed) this.#leftovers.keepEnd(session.id)
  }

  /** Passes the steps of ended processes to an outbox, now and every few seconds, and shows that this process runs. */
  watch(outbox: { readonly isOver: boolean; adopt(batches: readonly Batch[]): void }): void {
    const { host } = this.#options
    const take = (batches: readonly Batch[]) => {
      if (!this.#isClosed) outbox.adopt(batches)
    }
    let nextLook = 0
    const round = async () => {
      if (outbox.isOver || this.#isClosed) return
      await this.#elsewhere.update()
      if (host.elapsed() >= nextLook || this.#elsewhere.isAbandoned) {
        nextLook = host.elapsed() + ROUND_MS
        this.#touch()
        this.#leftovers.claim()
        // First, as records that another process has taken over may have to go before these.
        await this.#elsewhere.look()
        await this.#leftovers.read(take)
        this.#isFirstLook = false
      }
      // Changes of threads may have waited.
      outbox.adopt([])
      host.timer(round, this.#elsewhere.isEmpty ? nextLook - host.elapsed() : WAITING_ROUND_MS)
    }
    this.#isFirstLook = true
    host.nextTurn(round)
  }

  /**
   * Leaves everything unsettled to the next process, including the end of the session. Returns those of the undelivered
   * records that it will not find, as the disk did not take them.
   */
  close(isFinished: boolean, undelivered: Records): Records {
    if (this.#isClosed) return { items: [], threads: [] }
    const { fs } = this.#disk
    this.#quietly(() => this.#log?.flush())
    const lost = this.#withoutKept(undelivered)
    this.settle(this.#options.session, lost.items, 'deadline')
    this.#isClosed = true
    this.#quietly(() => this.#log?.close())
    if (this.#log !== undefined) {
      const own = this.#folder
      if (isFinished) this.#quietly(() => fs.rmSync(own, { recursive: true, force: true }))
      else this.#quietly(() => signOff(fs, own, this.#owner))
    }
    for (const folder of this.#leftovers.release())
      this.#quietly(() => signOff(fs, folder, this.#owner))
    return lost
  }

  /** Picks the records of this session that are only in memory. Those of earlier ones are on the disk. */
  #withoutKept({ items, threads }: Records): Records {
    const log = this.#log
    return {
      items: items.filter(
        ({ session, sequence }) =>
          session.id === this.#options.session.id && log?.hasStep(sequence) !== true,
      ),
      threads: threads.flatMap((thread) => {
        const [first, ...others] = thread.changes.filter(
          ({ record, mark = 0, order }) => order > 0 && log?.hasThread(record.id, mark) !== true,
        )
        return first === undefined ? [] : [{ ...thread, changes: [first, ...others] as const }]
      }),
    }
  }

  get #folder(): string {
    return `${this.#options.folder}/${this.#options.session.id}~${this.#owner}`
  }

  /** Shows other machines that this process runs, as they cannot check. */
  #touch(): void {
    const now = new Date(this.#options.host.now())
    const own = this.#log === undefined ? [] : [this.#folder]
    for (const folder of [...own, ...this.#leftovers.paths])
      this.#quietly(() => this.#disk.fs.utimesSync(`${folder}/${this.#owner}.owner`, now, now))
  }

  /** The next process finds anything that cannot be cleaned up now. */
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
      if (this.#log.bytes > MAX_BYTES) throw new Error(`it holds ${MAX_BYTES} bytes already`)
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
    const { session, host } = this.#options
    const { fs, ownOwner } = this.#disk
    const folder = this.#folder
    const told: SessionFile = { session, fingerprint: this.#fingerprint, owner: this.#owner }
    try {
      makeFolder(fs, folder)
      sign(fs, folder, this.#owner, ownOwner())
      fs.writeFileSync(`${folder}/session.json`, JSON.stringify(told), { mode: 0o600 })
      return new SpoolLog(fs, host, folder, (error) => this.#fail(error))
    } catch (error) {
      // A part of it is of no use to anybody, and takes room.
      this.#quietly(() => fs.rmSync(folder, { recursive: true, force: true }))
      throw error
    }
  }
}
