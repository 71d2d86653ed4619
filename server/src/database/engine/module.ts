/** The parts used here of PGlite's program, as Emscripten presents it. */
export interface EmscriptenModule {
  NODEFS: {
    node_ops: {
      mknod: (parent: unknown, name: string, mode: number, device: number) => unknown
      setattr: (node: { mode: number }, attributes: { mode?: number }) => void
    }
  }
  FS: {
    readdir: (path: string) => string[]
    stat: (path: string) => { mode: number }
    isDir: (mode: number) => boolean
    readFile: (path: string) => Uint8Array
    mkdir: (path: string, mode: number) => unknown
    mkdirTree: (path: string) => unknown
    writeFile: (
      path: string,
      content: Uint8Array,
      /** With `canOwn` the file is the bytes that are passed, and no copy of them. */
      options: { mode: number; canOwn: boolean },
    ) => void
  }
  onRuntimeInitialized: () => void
  stackRestore: (pointer: number) => void
  _PostgresMainLoopOnce: () => void
  _PostgresMainLongJmp: () => void
  _PostgresSendReadyForQueryIfNecessary: () => void
  _pgl_pq_flush: () => void
  _IsTransactionBlock: () => number
}

/**
 * The exception by which PGlite signals that PostgreSQL reported an error and continues. Any other exception ends the
 * program.
 */
const LONGJMP_STATUS = 100

/**
 * Makes PGlite stop once PostgreSQL has. Its loop ignores exceptions and retries, for ever when the program was
 * aborted, for example by a full disk.
 */
export const stopAtFirstFailure = (module: EmscriptenModule): void => {
  const initialized = module.onRuntimeInitialized
  module.onRuntimeInitialized = () => {
    initialized()
    guard(module)
  }
}

const guard = (module: EmscriptenModule): void => {
  let failure: { reason: unknown } | undefined
  const { _PostgresMainLoopOnce: loop, _PostgresMainLongJmp: jump, stackRestore: restore } = module
  module._PostgresMainLoopOnce = () => {
    try {
      loop()
    } catch (reason) {
      if ((reason as { status?: unknown } | null)?.status !== LONGJMP_STATUS) failure ??= { reason }
      throw reason
    }
  }
  module._PostgresMainLongJmp = () => {
    try {
      jump()
    } catch (reason) {
      failure ??= { reason }
      throw reason
    }
  }
  // PGlite's loop calls this first after an exception, and outside of its try block.
  module.stackRestore = (pointer) => {
    if (failure !== undefined) throw failure.reason
    restore(pointer)
  }
  for (const name of ['_PostgresSendReadyForQueryIfNecessary', '_pgl_pq_flush'] as const) {
    const ending = module[name]
    module[name] = () => {
      if (failure === undefined) ending()
    }
  }
}
