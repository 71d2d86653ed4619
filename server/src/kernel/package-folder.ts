import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Returns the path of a file or folder of this package, such as those that the build adds; undefined if it was not built. */
export const builtPath = (...names: string[]): string | undefined => {
  try {
    const manifest = createRequire(import.meta.url).resolve('@stepwell/server/package.json')
    const path = join(dirname(manifest), ...names)
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}
