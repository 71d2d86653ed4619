import { existsSync, readFileSync } from 'node:fs'
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

let version: string | undefined

/** Returns the version of this package; an empty text if its manifest is not found. */
export const packageVersion = (): string => {
  if (version === undefined) {
    const manifest = builtPath('package.json')
    version =
      manifest === undefined
        ? ''
        : (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
  }
  return version
}
