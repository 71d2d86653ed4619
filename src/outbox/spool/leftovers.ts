import { reasonOf } from '../../values/capture.js'
import type { DropReason } from '../account.js'
import {
  type Batch,
  type Item,
  isEarlier,
  newBatch,
  type Session,
  type ThreadItem,
} from '../batch.js'
import type { Host } from '../host.js'
import { withChange } from '../thread-changes.js'
import type { Disk } from './disk.js'
import { ownerOf, type SessionFolders, sessionOf } from './folders.js'
import { settledLines, settledThreadLine } from './format.js'
import { type LeftBehind, type LeftStep, readLeftBehind } from './left-behind.js'
import { Notes } from './notes.js'
import { signAfter } from './owner-file.js'

/** A younger folder may still be incomplete. */
const NEW_MS = 60_000
const BATCH_STEPS = 500
const BATCH_BYTES = 2_000_000

/** A session of an earlier process, and the part of it that is not settled. */
interface Adopted {
  session: Session
  folder: string
  isRead: boolean
  settled: Notes | undefined
  steps: Set<number>
  /** Marks of changes that are not settled. */
  threads: Set<number>
  isEndTold: boolean
}

/** The folders of ended processes in a spool, and the part of them that this process has taken over. */
export class Leftovers {
  readonly #disk: Disk
  readonly #owner: string
  readonly #fingerprint: string
  readonly #folders: SessionFolders
  readonly #host: Host
  readonly #report: (message: string) => void
  /** Sessions taken over, until all of them is settled. */
  readonly #adopted = new Map<string, Adopted>()
  /** Folders whose fault was reported. */
  readonly #reported = new Set<string>()
  #isReleased = false

  constructor(
    disk: Disk,
    owner: string,
    fingerprint: string,
    options: { folders: SessionFolders; host: Host; report: (message: string) => void },
  ) {
    this.#disk = disk
    this.#owner = owner
    this.#fingerprint = fingerprint
    this.#folders = options.folders
    this.#host = options.host
    this.#report = options.report
  }

  /** The paths of the folders that this process has taken over. */
  get paths(): string[] {
    return [...this.#adopted.values()].map(({ folder }) => folder)
  }

  /** Takes over the folders of ended processes. Never throws. */
  claim(): void {
    let foreign = 0
    for (const name of this.#folders.names)
      this.#trying(name, () => {
        if (ownerOf(name) === this.#owner || this.#adopted.has(sessionOf(name))) return
        if (this.#folders.isOwned(name)) return
        const told = this.#folders.read(name)
        if (told === undefined) this.#setAside(name)
        else if (told.fingerprint !== this.#fingerprint) foreign++
        else this.#claim(name, told.session)
      })
    if (foreign > 0)
      this.#say(
        '',
        `the spool ${this.#folders.path} also holds ${foreign} sessions that were recorded with another API key; \`stepwell spool send\` with that key delivers them`,
      )
  }

  /** Reads the folders taken over, and passes them on as batches, session by session. Never rejects. */
  async read(take: (batches: readonly Batch[]) => void): Promise<void> {
    const unread = [...this.#adopted.values()].filter(({ isRead }) => !isRead)
    // The oldest first, as the later of two changes of a thread wins.
    unread.sort((one, other) => (isEarlier(one.session, other.session) ? -1 : 1))
    for (const adopted of unread) {
      adopted.isRead = true
      try {
        const pause = () => new Promise<void>((resolve) => this.#host.nextTurn(resolve))
        const left = await readLeftBehind(this.#disk.fs, adopted.folder, adopted.session, pause)
        if (this.#isReleased) return
        for (const { sequence } of left.steps) adopted.steps.add(sequence)
        for (const { mark } of left.threads) adopted.threads.add(mark)
        if (left.damaged > 0)
          this.#say(
            adopted.folder,
            `the spool's folder ${adopted.folder} holds damaged lines, ${left.damaged} in number; the others are delivered`,
          )
        take(batchesOf(left))
      } catch (error) {
        this.#reportUnreadable(adopted.folder, error)
      }
    }
  }

  settle(sessionId: string, sequences: readonly number[], how: 'delivered' | DropReason): void {
    const adopted = this.#adopted.get(sessionId)
    if (adopted === undefined) return
    for (const sequence of sequences) adopted.steps.delete(sequence)
    this.#note(adopted, settledLines(sequences, how))
    this.#removeIfDone(sessionId, adopted)
  }

  settleThread(sessionId: string, id: string, mark: number): void {
    const adopted = this.#adopted.get(sessionId)
    if (adopted === undefined) return
    adopted.threads.delete(mark)
    this.#note(adopted, settledThreadLine(id, mark))
    this.#removeIfDone(sessionId, adopted)
  }

  settleEnd(sessionId: string): void {
    const adopted = this.#adopted.get(sessionId)
    if (adopted === undefined) return
    adopted.isEndTold = true
    this.#removeIfDone(sessionId, adopted)
  }

  keepEnd(sessionId: string): void {
    const adopted = this.#adopted.get(sessionId)
    if (adopted !== undefined) adopted.isEndTold = false
  }

  /** Stops taking over folders. Returns those that are left to the next process. */
  release(): string[] {
    this.#isReleased = true
    for (const { settled } of this.#adopted.values()) settled?.close()
    return this.paths
  }

  /** Works on a folder, which another process may take or remove at any time. */
  #trying(name: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#reportUnreadable(name, error)
    }
  }

  #reportUnreadable(name: string, error: unknown): void {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    this.#say(name, `the spool's folder ${name} can't be read: ${reasonOf(error)}`)
  }

  #say(about: string, message: string): void {
    if (this.#reported.has(about)) return
    this.#reported.add(about)
    this.#report(message)
  }

  /** A folder without a valid owner cannot be delivered. One without steps is removed, another renamed. */
  #setAside(name: string): void {
    const { fs } = this.#disk
    const folder = this.#folders.pathOf(name)
    const isNew = this.#folders.silentMs(folder) < NEW_MS
    const hasSteps = fs.readdirSync(folder).some((entry) => entry.endsWith('.steps'))
    // Its process may be about to write it.
    if (isNew) return
    if (!hasSteps) {
      fs.rmSync(folder, { recursive: true, force: true })
      return
    }
    const aside = `${name.replace('~', '-')}.broken`
    fs.renameSync(folder, this.#folders.pathOf(aside))
    this.#say(
      name,
      `the spool's folder ${name} has no readable owner; it was renamed to ${aside} and is not delivered`,
    )
  }

  #claim(name: string, session: Session): void {
    const { fs, ownOwner } = this.#disk
    const id = sessionOf(name)
    const from = this.#folders.pathOf(name)
    const folder = this.#folders.pathOf(`${id}~${this.#owner}`)
    signAfter(fs, from, ownerOf(name), this.#owner, ownOwner())
    fs.renameSync(from, folder)
    this.#adopted.set(id, {
      session,
      folder,
      isRead: false,
      settled: undefined,
      steps: new Set(),
      threads: new Set(),
      isEndTold: false,
    })
  }

  #note(adopted: Adopted, lines: string): void {
    try {
      adopted.settled ??= new Notes(this.#disk.fs, `${adopted.folder}/settled.log`)
      adopted.settled.add(lines)
    } catch {
      // At worst, they are sent again.
    }
  }

  #removeIfDone(sessionId: string, { folder, settled, steps, threads, isEndTold }: Adopted): void {
    if (steps.size + threads.size > 0 || !isEndTold) return
    this.#adopted.delete(sessionId)
    try {
      settled?.close()
      this.#disk.fs.rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      this.#say(folder, `the spool's folder ${folder} can't be removed: ${reasonOf(error)}`)
    }
  }
}

/** Makes batches to send, the last one of a session without steps. */
const batchesOf = ({ session, steps, threads, lost }: LeftBehind): Batch[] => {
  const batches: Batch[] = []
  let batch: Batch | undefined
  let bytes = 0
  for (const step of steps) {
    if (
      batch === undefined ||
      batch.items.length >= BATCH_STEPS ||
      bytes + step.size > BATCH_BYTES
    ) {
      batch = newBatch(session)
      batches.push(batch)
      bytes = 0
    }
    bytes += step.size
    batch.items.push(adoptedItem(session, step))
  }
  const changed = new Map<string, ThreadItem[]>()
  for (const { record, mark } of threads)
    changed.set(
      record.id,
      withChange(changed.get(record.id) ?? [], { record, mark, order: 0, size: 0 }),
    )
  // Two items of one thread go one after the other, in separate batches.
  const rounds: ThreadItem[][] = []
  for (const items of changed.values())
    for (const [round, item] of items.entries())
      if (rounds[round] === undefined) rounds.push([item])
      else rounds[round].push(item)
  const last = rounds.pop() ?? []
  for (const items of rounds) batches.push(newBatch(session, { threads: items }))
  batches.push(newBatch(session, { threads: last, losses: lost, isEnd: true }))
  return batches
}

const adoptedItem = (session: Session, { sequence, id, threadId, size, read }: LeftStep): Item => ({
  session,
  sequence,
  order: 0,
  id,
  threadId,
  size,
  held: 0,
  record: undefined,
  text: undefined,
  line: { read },
  isShrunk: false,
})
