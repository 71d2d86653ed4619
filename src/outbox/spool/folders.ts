import type { Disk } from './disk.js'
import type { SessionFile } from './format.js'
import { ownerIn } from './owner-file.js'

/** The folders of sessions in a spool, whichever process owns them. */
export class SessionFolders {
  readonly #disk: Disk
  readonly path: string

  constructor(disk: Disk, path: string) {
    this.#disk = disk
    this.path = path
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
    } catch {
      return false
    }
    const touchedAt = Math.max(
      ...fs.readdirSync(path).map((entry) => fs.statSync(`${path}/${entry}`).mtimeMs),
    )
    try {
      const owner = ownerIn(file)
      return owner !== undefined && isAlive(owner, touchedAt)
    } catch {
      return false
    }
  }

  /** Reads session.json; undefined when it is missing or incomplete. */
  read(name: string): SessionFile | undefined {
    const { fs } = this.#disk
    const path = this.pathOf(name)
    if (!fs.readdirSync(path).includes('session.json')) return undefined
    const text = fs.readFileSync(`${path}/session.json`, 'utf8')
    try {
      const file = JSON.parse(text) as Partial<SessionFile> | null
      const isWhole = typeof file?.session?.id === 'string' && typeof file.fingerprint === 'string'
      return isWhole ? (file as SessionFile) : undefined
    } catch {
      return undefined
    }
  }
}

/** Returns the session of a folder. */
export const sessionOf = (name: string): string => name.slice(0, name.indexOf('~'))

/** Returns the owner of a folder. */
export const ownerOf = (name: string): string => name.slice(name.indexOf('~') + 1)
