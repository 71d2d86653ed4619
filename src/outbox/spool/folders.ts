import { momentOf } from '../../values/moment.js'
import type { Session } from '../batch.js'
import type { Host } from '../host.js'
import type { Disk } from './disk.js'
import { FilesAhead } from './files-ahead.js'
import type { SessionFile } from './format.js'
import { ownerIn } from './owner-file.js'

/** The folders of sessions in a spool, whichever process owns them. */
export class SessionFolders {
  readonly #disk: Disk
  readonly #host: Pick<Host, 'now' | 'elapsed'>
  readonly #ahead = new FilesAhead((path) => this.#isThere(path))
  readonly path: string

  constructor(disk: Disk, path: string, host: Pick<Host, 'now' | 'elapsed'>) {
    this.#disk = disk
    this.path = path
    this.#host = host
  }

  /** Names, each `<session>~<owner>`, in their order; none if the spool cannot be read. */
  get names(): string[] {
    try {
      return this.#disk.fs
        .readdirSync(this.path)
        .filter((name) => /^[^~]+~[^~]+$/.test(name))
        .sort()
    } catch {
      return []
    }
  }

  pathOf(name: string): string {
    return `${this.path}/${name}`
  }

  /** Returns true when the owner of a folder still runs. */
  isOwned(name: string): boolean {
    const { fs, isAlive } = this.#disk
    const path = this.pathOf(name)
    let file: string
    try {
      file = fs.readFileSync(`${path}/${ownerOf(name)}.owner`, 'utf8')
    } catch (error) {
      // Any other error, as of a process with too many open files, says nothing about the owner.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
    const silentMs = Math.min(
      ...fs.readdirSync(path).map((entry) => this.silentMs(`${path}/${entry}`)),
    )
    try {
      const owner = ownerIn(file)
      return owner !== undefined && isAlive(owner, silentMs)
    } catch {
      return false
    }
  }

  /**
   * Returns the time for which nobody has touched a file. A moment ahead of this clock says nothing about it: then it
   * counts from when that moment was first seen.
   */
  silentMs(path: string): number {
    const { mtimeMs } = this.#disk.fs.statSync(path)
    const age = this.#host.now() - mtimeMs
    if (age < 0) return this.#ahead.silentMs(path, mtimeMs, this.#host.elapsed())
    this.#ahead.forget(path)
    return age
  }

  #isThere(path: string): boolean {
    try {
      this.#disk.fs.statSync(path)
      return true
    } catch {
      return false
    }
  }

  /** Reads session.json; undefined when it is missing or damaged. */
  read(name: string): SessionFile | undefined {
    const { fs } = this.#disk
    const path = this.pathOf(name)
    if (!fs.readdirSync(path).includes('session.json')) return undefined
    const text = fs.readFileSync(`${path}/session.json`, 'utf8')
    try {
      const { session, fingerprint, owner } = JSON.parse(text) as SessionFile
      const { id, startedAt, release } = session
      const isWhole =
        id === sessionOf(name) &&
        typeof startedAt === 'string' &&
        momentOf(startedAt) !== undefined &&
        (typeof release === 'string' || release == null) &&
        typeof fingerprint === 'string'
      if (!isWhole) return undefined
      // No other members, as the service rejects a session with one that it does not know.
      const told: Session = { id, startedAt, release, recorded: 0, endedAt: undefined }
      return { session: told, fingerprint, ...(owner === undefined ? {} : { owner }) }
    } catch {
      return undefined
    }
  }
}

/** Returns the session of a folder. */
export const sessionOf = (name: string): string => name.slice(0, name.indexOf('~'))

/** Returns the owner of a folder. */
export const ownerOf = (name: string): string => name.slice(name.indexOf('~') + 1)
