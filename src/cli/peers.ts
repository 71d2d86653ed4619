import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StepwellError } from '../errors.js'

/**
 * Loads a package that only some commands need, from the application's folder. When it is missing, the error contains
 * the line that installs everything the command needs.
 */
export const loadPeer = async <Module>(
  name: string,
  needed: readonly string[],
): Promise<Module> => {
  const fromHere = createRequire(join(process.cwd(), 'package.json'))
  const missing = needed.filter((peer) => !isThere(fromHere, peer))
  if (missing.length > 0)
    throw new StepwellError(
      `this command needs packages that are not installed; install them with: npm install --save-dev ${missing.join(' ')}`,
      { code: 'INVALID_ARGUMENT' },
    )
  return (await import(pathToFileURL(fromHere.resolve(name)).href)) as Module
}

const isThere = (from: NodeJS.Require, name: string): boolean => {
  const folders = from.resolve.paths(name) ?? []
  return folders.some((folder) => existsSync(join(folder, name)))
}
