/** PGlite's program as Emscripten presents it, as far as it is used here. */
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
  }
  onRuntimeInitialized: () => void
  stackRestore: (pointer: number) => void
  _PostgresMainLoopOnce: () => void
  _PostgresMainLongJmp: () => void
  _PostgresSendReadyForQueryIfNecessary: () => void
  _pgl_pq_flush: () => void
  _IsTransactionBlock: () => number
}

/** How PGlite says that PostgreSQL reported an error and goes on. Any other exception is the end of the program. */
const LONGJMP_STATUS = 100

/**
 * Makes PGlite give up once PostgreSQL has. Its loop ignores what is thrown and tries again, for ever where the program
 * was aborted, by a full disk for one.
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
  // The first thing that PGlite's loop does with an exception, and outside of what it catches.
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
