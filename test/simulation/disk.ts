import type { Disk, Fs } from '../../src/outbox/spool/disk.js'
import type { Owner } from '../../src/outbox/spool/owner.js'

interface File {
  bytes: Buffer
  length: number
  mtimeMs: number
}

export type DiskMode = 'well' | 'full' | 'half'

const failure = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code })

/**
 * Files in memory. A full disk takes nothing; a half full one takes half of each write. Removing and renaming work in any
 * case, as they do on a full disk.
 */
export class SimulatedDisk {
  mode: DiskMode = 'well'
  /** Whether writes failed at some time. */
  hasFailed = false
  /** Whether what is cut off a file stays on it. */
  keepsTails = false
  readonly #files = new Map<string, File>()
  readonly #folders = new Set<string>()
  readonly #open = new Map<number, string>()
  #nextFile = 3

  constructor(now: () => number) {
    this.#now = now
  }

  readonly #now: () => number

  /** The disk as a process sees it. */
  as(owner: Owner, isAlive: (owner: Owner) => boolean): Disk {
    return { fs: this.fs, ownOwner: () => owner, isAlive, hash: (text) => text }
  }

  /** The text of all files with an ending. */
  texts(ending: string): { path: string; text: string }[] {
    return [...this.#files]
      .filter(([path]) => path.endsWith(ending))
      .map(([path, { bytes, length }]) => ({ path, text: bytes.toString('utf8', 0, length) }))
  }

  get folders(): string[] {
    return [...this.#folders]
  }

  readonly fs: Fs = {
    constants: { W_OK: 2 },
    accessSync: () => {},
    mkdirSync: ((path: string) => {
      if (this.mode !== 'well' && !this.#folders.has(path)) throw this.#fail(path)
      this.#folders.add(path)
    }) as Fs['mkdirSync'],
    readdirSync: ((folder: string) => {
      if (!this.#folders.has(folder)) throw failure('ENOENT', folder)
      const names = new Set<string>()
      for (const path of [...this.#files.keys(), ...this.#folders])
        if (path.startsWith(`${folder}/`))
          names.add(path.slice(folder.length + 1).split('/')[0] ?? '')
      return [...names]
    }) as Fs['readdirSync'],
    statSync: ((path: string) => {
      const file = this.#files.get(path)
      if (file === undefined && !this.#folders.has(path)) throw failure('ENOENT', path)
      return { mtimeMs: file?.mtimeMs ?? 0 }
    }) as Fs['statSync'],
    utimesSync: (() => {}) as Fs['utimesSync'],
    openSync: ((path: string, flags: string) => {
      if (!this.#files.has(path)) {
        if (flags === 'r') throw failure('ENOENT', path)
        if (this.mode !== 'well') throw this.#fail(path)
        this.#create(path)
      }
      const file = this.#nextFile++
      this.#open.set(file, path)
      return file
    }) as Fs['openSync'],
    closeSync: (file) => {
      this.#open.delete(file)
    },
    writeSync: ((file: number, bytes: Buffer) =>
      this.#write(this.#pathOf(file), bytes)) as Fs['writeSync'],
    writeFileSync: ((path: string, text: string) => {
      const folder = path.slice(0, path.lastIndexOf('/'))
      if (!this.#folders.has(folder)) throw failure('ENOENT', path)
      if (this.mode !== 'well') throw this.#fail(path)
      this.#create(path)
      this.#write(path, Buffer.from(text))
    }) as Fs['writeFileSync'],
    readFileSync: ((path: string) => {
      const { bytes, length } = this.#fileOf(path)
      return bytes.toString('utf8', 0, length)
    }) as Fs['readFileSync'],
    readSync: ((file: number, buffer: Buffer, offset: number, length: number, at: number) => {
      const { bytes, length: size } = this.#fileOf(this.#pathOf(file))
      return bytes.copy(buffer, offset, at, Math.min(size, at + length))
    }) as Fs['readSync'],
    ftruncateSync: (file, length) => {
      if (this.keepsTails) throw failure('EIO', this.#pathOf(file))
      this.#fileOf(this.#pathOf(file)).length = Number(length)
    },
    unlinkSync: ((path: string) => {
      this.#files.delete(path)
    }) as Fs['unlinkSync'],
    rmSync: ((path: string) => {
      this.#files.delete(path)
      this.#folders.delete(path)
      for (const inner of [...this.#files.keys()])
        if (inner.startsWith(`${path}/`)) this.#files.delete(inner)
    }) as Fs['rmSync'],
    renameSync: ((from: string, to: string) => {
      if (!this.#folders.has(from)) throw failure('ENOENT', from)
      this.#folders.delete(from)
      this.#folders.add(to)
      for (const [path, file] of [...this.#files])
        if (path.startsWith(`${from}/`)) {
          this.#files.delete(path)
          this.#files.set(to + path.slice(from.length), file)
        }
    }) as Fs['renameSync'],
  }

  #fail(path: string): Error {
    this.hasFailed = true
    return failure('ENOSPC', path)
  }

  #create(path: string): void {
    this.#files.set(path, { bytes: Buffer.alloc(256), length: 0, mtimeMs: this.#now() })
  }

  #pathOf(file: number): string {
    const path = this.#open.get(file)
    if (path === undefined) throw failure('EBADF', String(file))
    return path
  }

  #fileOf(path: string): File {
    const file = this.#files.get(path)
    if (file === undefined) throw failure('ENOENT', path)
    return file
  }

  #write(path: string, bytes: Buffer): number {
    const file = this.#files.get(path)
    // The folder was removed: what is written to an open file goes nowhere.
    if (file === undefined) return bytes.length
    if (this.mode === 'full') throw this.#fail(path)
    const taken = this.mode === 'half' ? bytes.length >> 1 : bytes.length
    if (taken < bytes.length) this.hasFailed = true
    if (file.length + taken > file.bytes.length) {
      const larger = Buffer.alloc(Math.max(file.bytes.length * 2, file.length + taken))
      file.bytes.copy(larger, 0, 0, file.length)
      file.bytes = larger
    }
    bytes.copy(file.bytes, file.length, 0, taken)
    file.length += taken
    file.mtimeMs = this.#now()
    return taken
  }
}
