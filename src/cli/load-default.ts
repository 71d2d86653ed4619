import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf } from '../evaluate/scoring/run-scorers.js'
import { UsageError } from './usage.js'

/** Returns the default export of a module; the result of one that is a function. */
export const loadDefault = async (file: string, command: string): Promise<unknown> => {
  const { default: exported } = (await importFile(file, command)) as { default?: unknown }
  return typeof exported === 'function' ? await exported() : exported
}

/** Imports a module of the user. */
export const importFile = async (file: string, command: string): Promise<unknown> => {
  try {
    return await import(pathToFileURL(resolve(file)).href)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_FILE_EXTENSION')
      throw new UsageError(
        `${file}: this version of Node runs no TypeScript; node --import tsx node_modules/.bin/stepwell ${command} ${file} does`,
      )
    if (!existsSync(file)) throw new UsageError(`${file}: there is no such file`)
    throw error
  }
}

/** Returns the stack of an error: the text of a bug in the user's code. */
export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : messageOf(error)
