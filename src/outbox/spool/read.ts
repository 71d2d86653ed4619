import type { Fs } from './disk.js'

/** Reads a part of a file. Throws when it is truncated. */
export const readPart = (fs: Fs, path: string, at: number, length: number): string => {
  const buffer = Buffer.allocUnsafe(length)
  const file = fs.openSync(path, 'r')
  try {
    if (fs.readSync(file, buffer, 0, length, at) < length) throw new Error(`${path} was cut short`)
    return buffer.toString()
  } finally {
    fs.closeSync(file)
  }
}

const NEWLINE = 10
/** Bytes that are read at once: a larger read would hold up the application. */
const PORTION_BYTES = 262_144

/** Length of a line beyond which it is no step: only its beginning is kept, which is damaged as a line. */
const MAX_LINE_BYTES = 134_217_728

/** A line with its position in bytes: invalid text in one line does not shift the others. */
export interface ReadLine {
  text: string
  at: number
  size: number
}

/**
 * Reads the lines of a file in portions, some of them without the end of a line; none if there is no such file. The last
 * line may be incomplete.
 */
export function* linePortions(fs: Fs, path: string): Generator<ReadLine[]> {
  let file: number
  try {
    file = fs.openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  try {
    /** The line that goes on, joined only at its end: again at each portion would take the square of its length. */
    let parts: Buffer[] = []
    let size = 0
    let at = 0
    for (;;) {
      const portion = Buffer.allocUnsafe(PORTION_BYTES)
      const read = fs.readSync(file, portion, 0, PORTION_BYTES, at + size)
      const lines: ReadLine[] = []
      let start = 0
      const add = (end: number) => {
        if (start < end && size < MAX_LINE_BYTES) parts.push(portion.subarray(start, end))
        size += end - start
        start = end
      }
      const endLine = () => {
        lines.push({ text: Buffer.concat(parts).toString(), at, size })
        at += size + 1
        parts = []
        size = 0
        start++
      }
      for (;;) {
        const newline = portion.subarray(0, read).indexOf(NEWLINE, start)
        if (newline === -1) break
        add(newline)
        endLine()
      }
      add(read)
      if (read === 0 && size > 0) endLine()
      yield lines
      if (read === 0) return
    }
  } finally {
    fs.closeSync(file)
  }
}
