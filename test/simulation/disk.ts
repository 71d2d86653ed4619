import type { Disk, Fs } from '../../src/outbox/spool/disk.js'
import type { Owner } from '../../src/outbox/spool/owner.js'

interface File {
  bytes: Buffer
  length: number
  mtimeMs: number
  /** The complete writes, one by one. */
  readonly written: string[]
}

/** Observes a disk from outside. */
interface DiskWatcher {
  /** Called when a file is removed, with all that was written to it. */
  removed: (path: string, written: readonly string[]) => void
  /** Called when a process, by its number, renames a folder. */
  renamed: (from: string, to: string, by: number) => void
}

export type DiskMode = 'well' | 'full' | 'half'

const failure = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code })

/**
 * Files in memory. A full disk takes nothing; a half full one takes half of each write. Removing, renaming and writing
 * over what a file holds work in any case, as they do on a full disk.
 */
export class SimulatedDisk {
  mode: DiskMode = 'well'
  /** True when a write has failed at some time. */
  hasFailed = false
  /** True when the disk fails to truncate files. */
  keepsTails = false
  watcher: DiskWatcher | undefined
  /** The complete writes to the files of steps, with their paths at the time. */
  readonly writtenSteps: { path: string; text: string }[] = []
  readonly #files = new Map<string, File>()
  /** With the times at which they were created. */
  readonly #folders = new Map<string, number>([['/spool', 0]])
  /** Open files are written even after they were moved or removed. */
  readonly #open = new Map<number, { path: string; file: File }>()
  readonly #now: () => number
  #nextFile = 3

  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns the disk as a process sees it. */
  as(owner: Owner, isAlive: (owner: Owner) => boolean): Disk {
    const renameSync: Fs['renameSync'] = (from, to) => {
      if (this.#folders.has(String(from)))
        this.watcher?.renamed(String(from), String(to), owner.pid)
      this.fs.renameSync(from, to)
    }
    const fs = { ...this.fs, renameSync }
    return { fs, ownOwner: () => owner, isAlive, hash: (text) => text }
  }

  /** Returns the text of all files with an ending. */
  texts(ending: string): { path: string; text: string }[] {
    return [...this.#files]
      .filter(([path]) => path.endsWith(ending))
      .map(([path, { bytes, length }]) => ({ path, text: bytes.toString('utf8', 0, length) }))
  }

  get folders(): string[] {
    return [...this.#folders.keys()]
  }

  readonly fs: Fs = {
    constants: { W_OK: 2 },
    accessSync: () => {},
    mkdirSync: ((path: string) => {
      if (this.mode !== 'well' && !this.#folders.has(path)) throw this.#fail(path)
      if (!this.#folders.has(path)) this.#folders.set(path, this.#now())
    }) as Fs['mkdirSync'],
    readdirSync: ((folder: string) => {
      if (!this.#folders.has(folder)) throw failure('ENOENT', folder)
      const names = new Set<string>()
      for (const path of [...this.#files.keys(), ...this.#folders.keys()])
        if (path.startsWith(`${folder}/`))
          names.add(path.slice(folder.length + 1).split('/')[0] ?? '')
      return [...names]
    }) as Fs['readdirSync'],
    statSync: ((path: string) => {
      const mtimeMs = this.#files.get(path)?.mtimeMs ?? this.#folders.get(path)
      if (mtimeMs === undefined) throw failure('ENOENT', path)
      return { mtimeMs }
    }) as Fs['statSync'],
    utimesSync: ((path: string, _accessed: Date, modified: Date) => {
      this.#fileOf(path).mtimeMs = Number(modified)
    }) as Fs['utimesSync'],
    openSync: ((path: string, flags: string) => {
      if (!this.#files.has(path)) {
        if (flags.startsWith('r')) throw failure('ENOENT', path)
        if (this.mode !== 'well') throw this.#fail(path)
        this.#create(path)
      }
      const number = this.#nextFile++
      this.#open.set(number, { path, file: this.#fileOf(path) })
      return number
    }) as Fs['openSync'],
    closeSync: (file) => {
      this.#open.delete(file)
    },
    writeSync: ((number: number, bytes: Buffer, _from?: number, _length?: number, at?: number) => {
      const { path, file } = this.#opened(number)
      if (at !== undefined) return this.#writeOver(file, bytes, at)
      const taken = this.#write(path, file, bytes)
      if (taken === bytes.length && path.endsWith('.steps')) {
        const text = bytes.toString()
        file.written.push(text)
        this.writtenSteps.push({ path, text })
      }
      return taken
    }) as Fs['writeSync'],
    writeFileSync: ((path: string, text: string) => {
      const folder = path.slice(0, path.lastIndexOf('/'))
      if (!this.#folders.has(folder)) throw failure('ENOENT', path)
      if (this.mode === 'full') throw this.#fail(path)
      const bytes = Buffer.from(text)
      const isWhole = this.#write(path, this.#create(path), bytes) === bytes.length
      if (!isWhole) throw this.#fail(path)
    }) as Fs['writeFileSync'],
    readFileSync: ((path: string) => {
      const { bytes, length } = this.#fileOf(path)
      return bytes.toString('utf8', 0, length)
    }) as Fs['readFileSync'],
    readSync: ((number: number, buffer: Buffer, offset: number, length: number, at: number) => {
      const { bytes, length: size } = this.#opened(number).file
      return bytes.copy(buffer, offset, at, Math.min(size, at + length))
    }) as Fs['readSync'],
    ftruncateSync: (number, length) => {
      const { path, file } = this.#opened(number)
      if (this.keepsTails) throw failure('EIO', path)
      file.length = Number(length)
    },
    unlinkSync: ((path: string) => {
      this.#remove(path)
    }) as Fs['unlinkSync'],
    rmSync: ((path: string) => {
      this.#remove(path)
      this.#folders.delete(path)
      for (const inner of [...this.#files.keys()])
        if (inner.startsWith(`${path}/`)) this.#remove(inner)
    }) as Fs['rmSync'],
    renameSync: ((from: string, to: string) => {
      const madeAt = this.#folders.get(from)
      if (madeAt === undefined) {
        const file = this.#fileOf(from)
        this.#files.delete(from)
        this.#files.set(to, file)
        return
      }
      this.#folders.delete(from)
      this.#folders.set(to, madeAt)
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

  #remove(path: string): void {
    const file = this.#files.get(path)
    if (!this.#files.delete(path) || file === undefined) return
    if (file.written.length > 0) this.watcher?.removed(path, file.written)
  }

  #create(path: string): File {
    const bytes = Buffer.allocUnsafe(256)
    const file: File = { bytes, length: 0, mtimeMs: this.#now(), written: [] }
    this.#files.set(path, file)
    return file
  }

  #opened(number: number): { path: string; file: File } {
    const opened = this.#open.get(number)
    if (opened === undefined) throw failure('EBADF', String(number))
    return opened
  }

  #fileOf(path: string): File {
    const file = this.#files.get(path)
    if (file === undefined) throw failure('ENOENT', path)
    return file
  }

  /** Writes into the block of a small file, which it has already. */
  #writeOver(file: File, bytes: Buffer, at: number): number {
    const length = Math.max(file.length, at + bytes.length)
    if (length > file.bytes.length) file.bytes = Buffer.concat([file.bytes], length)
    bytes.copy(file.bytes, at)
    file.length = length
    file.mtimeMs = this.#now()
    return bytes.length
  }

  #write(path: string, file: File, bytes: Buffer): number {
    if (this.mode === 'full') throw this.#fail(path)
    const taken = this.mode === 'half' ? bytes.length >> 1 : bytes.length
    if (taken < bytes.length) this.hasFailed = true
    if (file.length + taken > file.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(file.bytes.length * 2, file.length + taken))
      file.bytes.copy(larger, 0, 0, file.length)
      file.bytes = larger
    }
    bytes.copy(file.bytes, file.length, 0, taken)
    file.length += taken
    file.mtimeMs = this.#now()
    return taken
  }
}
