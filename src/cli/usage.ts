import { parseArgs } from 'node:util'
import { StepwellError } from '../errors.js'

/** Reads `COMMAND --name value …`. Gives undefined when help was asked for, which is then printed. */
export const readUsage = <Name extends string>(
  args: readonly string[],
  help: string,
  names: readonly Name[],
  flags: readonly string[] = [],
):
  | { command: string; values: Partial<Record<Name, string>>; has: (flag: string) => boolean }
  | undefined => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
      ...Object.fromEntries([...flags, 'help'].map((name) => [name, { type: 'boolean' as const }])),
    },
  })
  if (values.help === true) {
    process.stdout.write(help)
    return undefined
  }
  if (positionals.length > 1)
    throw new StepwellError(`expected one command, got ${positionals.join(' ')}\n\n${help}`, {
      code: 'INVALID_ARGUMENT',
    })
  return {
    command: positionals[0] ?? '',
    values: values as Partial<Record<Name, string>>,
    has: (flag) => values[flag as keyof typeof values] === true,
  }
}

/** What to say, and to throw, of a command that there is not. */
export const noSuchCommand = (help: string): StepwellError =>
  new StepwellError(`expected one of the commands below\n\n${help}`, { code: 'INVALID_ARGUMENT' })
