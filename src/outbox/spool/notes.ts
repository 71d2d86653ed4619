import type { Fs } from './disk.js'

/** More than this is not kept for a disk that is full: what it says is sent twice, which the service does not mind. */
const MAX_WAITING = 1_000_000

/** A file that lines are added to. What the disk does not take waits for the next line. */
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
      // A line of which half was written is spoilt; the newline keeps the next one from it.
      const bytes = Buffer.from(this.#waiting)
      const written = this.#fs.writeSync(this.#file, bytes)
      if (written === bytes.length) this.#waiting = ''
      else if (written > 0) this.#waiting = `\n${this.#waiting}`
    } catch {
      // It goes with the next ones.
    }
  }

  close(): void {
    if (this.#waiting !== '') this.add('')
    this.#fs.closeSync(this.#file)
  }
}
