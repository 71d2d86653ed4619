import { StepwellError } from '../errors.js'
import { readOptions } from './options.js'

/** Reads `COMMAND --name value …`. When help was asked for, prints it and returns undefined. */
export const readUsage = <Name extends string>(
  args: readonly string[],
  help: string,
  names: readonly Name[],
  flags: readonly string[] = [],
):
  | { command: string; values: Partial<Record<Name, string>>; has: (flag: string) => boolean }
  | undefined => {
  const { values, positionals } = readOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
      ...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' as const }])),
      help: { type: 'boolean' as const, short: 'h' },
    },
  })
  if (values.help === true) {
    process.stdout.write(help)
    return undefined
  }
  if (positionals.length > 1)
    throw new UsageError(`expected one command, got ${positionals.join(' ')}`)
  return {
    command: positionals[0] ?? '',
    values: values as Partial<Record<Name, string>>,
    has: (flag) => values[flag as keyof typeof values] === true,
  }
}

/** A command that is invalid in itself: the command line adds where to read about it. */
export class UsageError extends StepwellError {
  constructor(message: string) {
    super(message, { code: 'INVALID_ARGUMENT' })
  }
}

/** Rejects an argument of a command that takes none: whoever wrote it, such as a file to write, expects an effect. */
export const demandNone = (command: string, given: string, hint = ''): void => {
  if (given !== '')
    throw new UsageError(`${command}: expected options alone, got ${JSON.stringify(given)}${hint}`)
}

/** Returns the error of a command that does not exist. */
export const noSuchCommand = (given: string, expected: readonly string[]): UsageError =>
  new UsageError(
    `expected ${expected.join(' or ')}, got ${given === '' ? 'nothing' : JSON.stringify(given)}`,
  )

/** A day: timers of Node take no more than some weeks. */
const MAX_SECONDS = 86_400

/** Reads an option that is a time in seconds. */
export const secondsOf = (option: string, given: string): number => {
  if (/^\d+(\.\d+)?$/.test(given) && Number(given) <= MAX_SECONDS) return Number(given)
  throw new UsageError(
    `--${option}: expected seconds, up to ${MAX_SECONDS}, got ${JSON.stringify(given)}`,
  )
}
