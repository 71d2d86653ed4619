import { existsSync, statSync } from 'node:fs'
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
    if (statSync(file).isDirectory())
      throw new UsageError(`${file}: expected a module, this is a folder`)
    throw error
  }
}

/** Returns the stack of an error: the text of a bug in the user's code. */
export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : messageOf(error)

/**
 * Runs code of the user whose end has exit codes of its own below `broken`. Code that ends the process in the middle, or
 * that throws where nobody catches, ends it with `broken`: 0 and 1 would be taken for a result.
 */
export const guarded = async (broken: number, work: () => Promise<number>): Promise<number> => {
  const onExit = (code: number) => {
    if (code >= broken) return
    process.exitCode = broken
    process.stderr.write(
      `stepwell: the process ended with the code ${code} before the command did, by process.exit or an error that nobody caught: that is no result\n`,
    )
  }
  process.on('exit', onExit)
  try {
    return await work()
  } finally {
    process.off('exit', onExit)
  }
}
