import { readFile } from 'node:fs/promises'
import { MemoryFS, PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { loadDatabase } from './archive.js'
import { shareLanguage } from './language.js'
import type { CompiledProgram } from './messages.js'
import { type EmscriptenModule, stopAtFirstFailure } from './module.js'

/** Pages of 64 kB; PGlite's own number. */
const INITIAL_PAGES = 2048
const MAX_PAGES = 32_768
const IMPORT_SECTION = 2
const HAS_MAXIMUM = 1
const IS_SHARED = 2
const DIRECTORY = 0o040_000
const FILE_TYPE = 0o170_000

interface EmscriptenOptions {
  wasmMemory?: WebAssembly.Memory
  instantiateWasm?: unknown
  preRun?: ((module: EmscriptenModule) => void)[]
}

/** The file system of an engine, which also decides about the memory that it runs in. */
export interface EngineFiles {
  fs: NonNullable<PGliteOptions['fs']>
  program: CompiledProgram
  /** The engine's memory and its exported addresses; undefined when the memory is not shared. */
  shared: () => { memory: WebAssembly.Memory; exports: WebAssembly.Exports } | undefined
}

/** The place of a database: a folder, or memory that begins as an archive. */
export type EnginePlace = { folder: string } | { archive: Promise<Uint8Array | undefined> }

/**
 * Opens the files of a folder, or of memory. The engine gets a memory that other threads can write too: while a
 * statement runs, no message reaches its thread, and an interrupt can only be set there. If the program does not allow
 * it, the memory is not shared.
 */
export const engineFiles = async (
  place: EnginePlace,
  compiled?: CompiledProgram,
): Promise<EngineFiles> => {
  const program = compiled ?? (await compile())
  const { module, isShared } = program
  const memory = new WebAssembly.Memory({
    initial: INITIAL_PAGES,
    maximum: MAX_PAGES,
    shared: isShared,
  })
  let exports: WebAssembly.Exports | undefined
  const amended = (options: EmscriptenOptions): EmscriptenOptions => ({
    ...options,
    preRun: [
      ...(options.preRun ?? []),
      keepPrivate,
      stopAtFirstFailure,
      ...(isShared ? [shareLanguage] : []),
    ],
    wasmMemory: memory,
    instantiateWasm: (
      imports: WebAssembly.Imports,
      instantiated: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ) => {
      void WebAssembly.instantiate(module, imports).then((instance) => {
        exports = instance.exports
        instantiated(instance, module)
      })
      return {}
    },
  })
  const fs = 'folder' in place ? new NodeFS(place.folder) : new MemoryFS()
  const init = fs.init.bind(fs)
  fs.init = async (pglite, options) => {
    const { emscriptenOpts } = await init(pglite, options)
    if ('archive' in place)
      fs.initialSyncFs = async () => {
        const archive = await place.archive
        const module = pglite.Module as unknown as EmscriptenModule
        if (archive !== undefined) loadDatabase(archive, module, PGlite.paths.PGDATA)
      }
    return { emscriptenOpts: amended(emscriptenOpts as unknown as EmscriptenOptions) as never }
  }
  return {
    fs,
    program,
    shared: () => (isShared && exports !== undefined ? { memory, exports } : undefined),
  }
}

const compile = async (): Promise<CompiledProgram> => {
  const program = await readFile(new URL(import.meta.resolve('@electric-sql/pglite/pglite.wasm')))
  const isShared = shareMemory(program)
  return { module: await WebAssembly.compile(program), isShared }
}

/** Makes all files readable by their owner only, whatever mode PostgreSQL asks for. */
const keepPrivate = ({ NODEFS: { node_ops: operations } }: EmscriptenModule): void => {
  const { mknod, setattr } = operations
  const ownerOnly = (mode: number) => mode & ((mode & FILE_TYPE) === DIRECTORY ? ~0o077 : ~0o177)
  operations.mknod = (parent, name, mode, device) => mknod(parent, name, ownerOnly(mode), device)
  operations.setattr = (node, attributes) =>
    setattr(
      node,
      attributes.mode === undefined
        ? attributes
        : { ...attributes, mode: ownerOnly(attributes.mode | (node.mode & FILE_TYPE)) },
    )
}

/**
 * Marks the memory that a WebAssembly program imports as shared, in place: one bit. Returns false when the program does
 * not look as expected.
 */
export const shareMemory = (program: Uint8Array): boolean => {
  let at = 8
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
  const skipLimits = () => {
    const hasMaximum = (number() & HAS_MAXIMUM) !== 0
    number()
    if (hasMaximum) number()
  }
  while (at < program.length) {
    const section = number()
    const length = number()
    if (section !== IMPORT_SECTION) {
      skip(length)
      continue
    }
    for (let left = number(); left > 0; left--) {
      skip(number())
      skip(number())
      const kind = number()
      if (kind === 2) {
        if (program[at] !== HAS_MAXIMUM) return false
        program[at] = HAS_MAXIMUM | IS_SHARED
        return true
      }
      if (kind === 0) number()
      else if (kind === 1) {
        skip(1)
        skipLimits()
      } else if (kind === 3) skip(2)
      else return false
    }
    return false
  }
  return false
}
