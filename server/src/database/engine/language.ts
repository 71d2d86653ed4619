import type { EmscriptenModule } from './module.js'

/** PL/pgSQL, which the engine loads when a function first needs it. */
const PATH = '/pglite/lib/postgresql/plpgsql.so'
const HEADER_BYTES = 8
const IMPORT_SECTION = 2
const MEMORY = 2
/** A shared memory with a maximum: 65,536 pages, which is the most that there can be. */
const SHARED = 3
const MOST_PAGES = [0x80, 0x80, 0x04]

/** Makes the language import a memory that is shared, as the engine's is. */
export const shareLanguage = (module: EmscriptenModule): void => {
  const initialized = module.onRuntimeInitialized
  module.onRuntimeInitialized = () => {
    const { FS } = module
    const content = importingShared(FS.readFile(PATH))
    if (content !== undefined) FS.writeFile(PATH, content, { mode: 0o600, canOwn: true })
    initialized()
  }
}

/**
 * Returns a WebAssembly module that imports a shared memory in place of one that is not; undefined when the module does not
 * look as expected.
 */
const importingShared = (program: Uint8Array): Uint8Array | undefined => {
  let at = HEADER_BYTES
  const number = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = program[at++] ?? 0
      value |= (byte & 0x7f) << shift
      if ((byte & 0x80) === 0) return value >>> 0
    }
  }
  const skip = (length: number) => {
    at += length
  }
  while (at < program.length) {
    const section = at
    const kind = number()
    const length = number()
    const body = at
    if (kind !== IMPORT_SECTION) {
      at = body + length
      continue
    }
    for (let left = number(); left > 0; left--) {
      skip(number())
      skip(number())
      const type = number()
      if (type !== MEMORY) {
        if (type === 0) number()
        else if (type === 3) skip(2)
        else {
          if (type === 1) skip(1)
          const limits = number()
          number()
          if ((limits & 1) === 1) number()
        }
        continue
      }
      const limits = at
      if (number() !== 0) return undefined
      const smallest = at
      number()
      const memory = [SHARED, ...program.subarray(smallest, at), ...MOST_PAGES]
      const size = length - (at - limits) + memory.length
      return Uint8Array.from([
        ...program.subarray(0, section),
        IMPORT_SECTION,
        ...lengthOf(size),
        ...program.subarray(body, limits),
        ...memory,
        ...program.subarray(at),
      ])
    }
    return undefined
  }
  return undefined
}

/** Writes a number as WebAssembly does: seven bits in each byte, the last ones first. */
const lengthOf = (value: number): number[] =>
  value < 128 ? [value] : [(value & 0x7f) | 0x80, ...lengthOf(value >>> 7)]
