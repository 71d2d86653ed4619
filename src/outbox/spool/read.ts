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

/** A line with its position in bytes: invalid text in one line does not shift the others. */
export interface ReadLine {
  text: string
  at: number
  size: number
}

/** Reads the lines of a file in portions; none if it cannot be opened. The last one may be incomplete. */
export function* linePortions(fs: Fs, path: string): Generator<ReadLine[]> {
  let file: number
  try {
    file = fs.openSync(path, 'r')
  } catch {
    return
  }
  try {
    let left = Buffer.alloc(0)
    let at = 0
    for (;;) {
      const portion = Buffer.allocUnsafe(PORTION_BYTES)
      const read = fs.readSync(file, portion, 0, PORTION_BYTES, at + left.length)
      const bytes = read === 0 ? left : Buffer.concat([left, portion.subarray(0, read)])
      const lines: ReadLine[] = []
      let start = 0
      for (;;) {
        const newline = bytes.indexOf(NEWLINE, start)
        const end = newline === -1 && read === 0 ? bytes.length : newline
        if (end === -1 || start >= bytes.length) break
        lines.push({ text: bytes.toString('utf8', start, end), at: at + start, size: end - start })
        start = end + 1
      }
      if (lines.length > 0) yield lines
      if (read === 0) return
      left = bytes.subarray(Math.min(start, bytes.length))
      at += start
    }
  } finally {
    fs.closeSync(file)
  }
}
