import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { extname, relative, resolve, sep } from 'node:path'
import { UsageError } from '../usage.js'

/** An export of a module of the application, as a test imports it. */
export interface ModuleExport {
  /** The path from the folder of the test. */
  path: string
  name: string
}

const OF_JAVASCRIPT: Record<string, string> = {
  '.ts': '.js',
  '.tsx': '.js',
  '.mts': '.mjs',
  '.cts': '.cjs',
}

/** Reads `FILE#EXPORT`. Throws for a file that is not there, and for a name that it does not export. */
export const readExport = (
  option: string,
  given: string | undefined,
  out: string,
): ModuleExport | undefined => {
  if (given === undefined) return undefined
  const [file = '', name = 'default', ...others] = given.split('#')
  if (file === '' || others.length > 0 || !/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name))
    throw new UsageError(
      `--${option}: expected FILE#EXPORT, such as ./src/agent.ts#run, got ${JSON.stringify(given)}`,
    )
  if (!existsSync(file) || !statSync(file).isFile())
    throw new UsageError(
      `--${option}: expected a file that is there, got ${JSON.stringify(file)}, which would be ${resolve(file)}`,
    )
  const source = readFileSync(file, 'utf8')
  const isExported = new RegExp(
    `\\bexport\\b[^;]*?(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`,
  )
  if (!isExported.test(source) && !/\bexport\s*\*/.test(source))
    throw new UsageError(
      `--${option}: expected an export ${name} in ${file}, got none; name another one after #`,
    )
  const path = relative(resolve(out), resolve(file)).split(sep).join('/')
  const ending = extname(path)
  const javascript = `${path.slice(0, path.length - ending.length)}${OF_JAVASCRIPT[ending] ?? ending}`
  return { path: javascript.startsWith('.') ? javascript : `./${javascript}`, name }
}

const MAX_NAME = 80

/** Returns the name of a fixture's file. Ids are of any form: those that are changed get a mark of their own. */
export const fileNameOf = (id: string): string => {
  const name = id.replace(/[^\w-]+/g, '-').slice(0, MAX_NAME)
  if (name === id && name === name.toLowerCase()) return `${name}.json`
  return `${name}-${createHash('sha256').update(id).digest('hex').slice(0, 8)}.json`
}
