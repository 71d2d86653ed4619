/** Files that are remembered before those that are gone are looked for. */
const MANY = 100

/** Files that were touched by a clock ahead of this one, and when each was first seen so. */
export class FilesAhead {
  readonly #seen = new Map<string, { mtimeMs: number; seenAt: number }>()
  readonly #isThere: (path: string) => boolean
  /** Twice as many as were left the last time, so that looking for those that are gone costs little for each. */
  #most = MANY

  constructor(isThere: (path: string) => boolean) {
    this.#isThere = isThere
  }

  get size(): number {
    return this.#seen.size
  }

  /** Returns the time since a moment of a file was first seen, by `elapsed`. */
  silentMs(path: string, mtimeMs: number, elapsed: number): number {
    const seen = this.#seen.get(path)
    if (seen?.mtimeMs === mtimeMs) return elapsed - seen.seenAt
    if (this.#seen.size >= this.#most) this.#forgetGone()
    this.#seen.set(path, { mtimeMs, seenAt: elapsed })
    return 0
  }

  /** Forgets a file whose moment has come. */
  forget(path: string): void {
    this.#seen.delete(path)
  }

  #forgetGone(): void {
    for (const path of this.#seen.keys()) if (!this.#isThere(path)) this.#seen.delete(path)
    this.#most = Math.max(MANY, 2 * this.#seen.size)
  }
}
