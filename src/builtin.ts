interface Builtins {
  'node:async_hooks': typeof import('node:async_hooks')
  'node:crypto': typeof import('node:crypto')
  'node:events': typeof import('node:events')
  'node:fs': typeof import('node:fs')
  'node:http': typeof import('node:http')
  'node:https': typeof import('node:https')
  'node:os': typeof import('node:os')
  'node:path': typeof import('node:path')
  'node:stream': typeof import('node:stream')
  'node:timers': typeof import('node:timers')
  'node:worker_threads': typeof import('node:worker_threads')
  'node:zlib': typeof import('node:zlib')
}

/**
 * Returns a module of Node; undefined where there is none, as in browsers. Not an import, which bundlers would follow.
 */
export const builtin = <Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined => {
  try {
    return process.getBuiltinModule(name) as Builtins[Name] | undefined
  } catch {
    // Browsers have no `process`, and functions of that of Next.js's edge runtime throw.
  }
}
