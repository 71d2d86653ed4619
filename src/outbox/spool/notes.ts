import type { Fs } from './disk.js'

/**
 * Size of what is kept while the disk is full. Notes beyond it are dropped; their steps are sent twice, which the
 * service handles.
 */
const MAX_WAITING = 1_000_000

/** A file to which lines are appended. Lines that could not be written wait for the next one. */
export class Notes {
  readonly #fs: Fs
  readonly #file: number
  #waiting = ''

  constructor(fs: Fs, path: string) {
    this.#fs = fs
    this.#file = fs.openSync(path, 'a', 0o600)
  }

  add(lines: string): void {
    if (this.#waiting.length + lines.length > MAX_WAITING) return
    this.#waiting += lines
    try {
      // A half-written line is invalid; the newline keeps it from spoiling the next one.
      const bytes = Buffer.from(this.#waiting)
      const written = this.#fs.writeSync(this.#file, bytes)
      if (written === bytes.length) this.#waiting = ''
      else if (written > 0) this.#waiting = `\n${this.#waiting}`
    } catch {
      // It is written with the next ones.
    }
  }

  close(): void {
    if (this.#waiting !== '') this.add('')
    this.#fs.closeSync(this.#file)
  }
}
