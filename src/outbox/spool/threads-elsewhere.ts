import { isEarlier, type Session } from '../batch.js'
import type { Host } from '../host.js'
import type { Disk } from './disk.js'
import { ownerOf, type SessionFolders, sessionOf } from './folders.js'
import { readLeftBehind, readSettled } from './left-behind.js'

/** A process that has been silent for this long may hang: its changes are no longer waited for. */
const MAX_SILENCE_MS = 90_000

interface Elsewhere {
  session: Session
  /** Threads whose changes are not settled, with the mark of the last one. */
  threads: Map<string, number>
  /** Its owner has ended. */
  isAbandoned: boolean
}

/**
 * Changes of threads left by an ended process that another one has taken over. Later changes have to wait for them, or
 * they would be overwritten. Later sessions wait for earlier ones, so that no two wait for each other.
 */
export class ThreadsElsewhere {
  readonly #disk: Disk
  readonly #owner: string
  readonly #fingerprint: string
  readonly #folders: SessionFolders
  readonly #host: Host
  readonly #sessions = new Map<string, Elsewhere>()

  constructor(
    disk: Disk,
    owner: string,
    fingerprint: string,
    { folders, host }: { folders: SessionFolders; host: Host },
  ) {
    this.#disk = disk
    this.#owner = owner
    this.#fingerprint = fingerprint
    this.#folders = folders
    this.#host = host
  }

  get isEmpty(): boolean {
    return this.#sessions.size === 0
  }

  /** True when one of them has no owner, and can be taken over. */
  get isAbandoned(): boolean {
    return [...this.#sessions.values()].some(({ isAbandoned }) => isAbandoned)
  }

  /** Returns the threads whose changes have to wait in a session. */
  before(session: Session): ReadonlySet<string> {
    if (this.isEmpty) return NONE
    const ids = new Set<string>()
    for (const { session: other, threads } of this.#sessions.values())
      if (isEarlier(other, session)) for (const thread of threads.keys()) ids.add(thread)
    return ids
  }

  /** Looks for sessions that others have taken over. Never rejects. */
  async look(): Promise<void> {
    for (const name of this.#folders.names)
      await quietly(async () => {
        const id = sessionOf(name)
        const owner = ownerOf(name)
        if (owner === this.#owner || this.#sessions.has(id) || this.#isSilent(name)) return
        const file = this.#folders.read(name)
        if (file?.fingerprint !== this.#fingerprint) return
        // The process that recorded it still owns it: nobody has taken it over.
        if (file.owner === owner && this.#folders.isOwned(name)) return
        const { fs } = this.#disk
        const path = this.#folders.pathOf(name)
        const left = await readLeftBehind(fs, path, file.session, this.#pause)
        const threads = new Map(left.threads.map(({ record, mark }) => [record.id, mark]))
        const { session } = file
        if (threads.size > 0) this.#sessions.set(id, { session, threads, isAbandoned: false })
      })
  }

  /** Forgets changes that are settled by now, taken over by this process, or abandoned. Never rejects. */
  async update(): Promise<void> {
    const names = new Map(this.#folders.names.map((name) => [sessionOf(name), name]))
    for (const [id, session] of this.#sessions) {
      const { threads } = session
      const name = names.get(id)
      if (name === undefined || ownerOf(name) === this.#owner || this.#isSilent(name)) {
        this.#sessions.delete(id)
        continue
      }
      await quietly(async () => {
        const isOwned = this.#folders.isOwned(name)
        // Nobody has taken it over since the last time.
        if (session.isAbandoned && !isOwned) threads.clear()
        session.isAbandoned = !isOwned
        const path = `${this.#folders.pathOf(name)}/settled.log`
        const settled = await readSettled(this.#disk.fs, path, this.#pause)
        for (const [thread, mark] of threads)
          if ((settled.threads.get(thread) ?? 0) >= mark) threads.delete(thread)
      })
      if (threads.size === 0) this.#sessions.delete(id)
    }
  }

  readonly #pause = () => new Promise<void>((resolve) => this.#host.nextTurn(resolve))

  /** Returns true when the owner of a folder has not touched it for long. */
  #isSilent(name: string): boolean {
    try {
      const file = `${this.#folders.pathOf(name)}/${ownerOf(name)}.owner`
      return this.#folders.silentMs(file) > MAX_SILENCE_MS
    } catch {
      return false
    }
  }
}

const NONE: ReadonlySet<string> = new Set()

/** Works on a folder, which another process may move or remove at any time. */
const quietly = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch {
    // The next look sees its state then.
  }
}
