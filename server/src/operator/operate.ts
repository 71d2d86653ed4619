import { parseArgs } from 'node:util'
import { DomainError } from '../kernel/errors.js'
import { createService } from '../service.js'
import { readLocation, SettingsError } from '../settings.js'
import { findAdminEndpoint } from './admin-endpoint.js'
import type { Command, CommandResult } from './commands.js'

const HELP: Record<string, string> = {
  project: `Usage: stepwell project create NAME
       stepwell project list
       stepwell project delete ID_OR_NAME

create  makes a project, and a key that may do everything in it
delete  deletes a project with everything in it
`,
  key: `Usage: stepwell key create [NAME] [--project P] [--scopes ingest,read] [--expires 90d]
       stepwell key list [--project P]
       stepwell key revoke ID [--project P]

  --project P   the id or name of a project; may be left out where there is only one
  --scopes S    some of ingest (record), read, write (record and change), admin (everything, the default)
  --expires T   12h, 90d, 4w, or a date; never when absent
`,
}
const PLACE = `
  --data FOLDER, --database URL   as those of stepwell serve, which may be running
`

/** `stepwell project …` and `stepwell key …`. Gives the exit code. */
export const operate = async (
  noun: 'project' | 'key',
  args: readonly string[],
): Promise<number> => {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        project: { type: 'string' },
        name: { type: 'string' },
        scopes: { type: 'string' },
        expires: { type: 'string' },
        data: { type: 'string' },
        database: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const [verb = '', subject, ...others] = positionals
    if (values.help || verb === '' || others.length > 0) {
      ;(values.help ? process.stdout : process.stderr).write(`${HELP[noun]}${PLACE}`)
      return values.help ? 0 : 2
    }
    const { project, name, scopes, expires } = values
    const command = { noun, verb, subject, options: { project, name, scopes, expires } }
    show(await dispatch(command as Command, readLocation(values, process.env)))
    return 0
  } catch (error) {
    return fail(error)
  }
}

/** Says what went wrong with a command. Gives the exit code. */
export const fail = (error: unknown): number => {
  const isUsage =
    error instanceof SettingsError ||
    error instanceof DomainError ||
    String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
  process.stderr.write(`stepwell: ${error instanceof Error ? error.message : error}\n`)
  return isUsage ? 2 : 1
}

/** Has a running service do it, where one uses the embedded database; else does it on the database itself. */
const dispatch = async (
  command: Command,
  { dataFolder, databaseUrl }: { dataFolder: string; databaseUrl: string | undefined },
): Promise<CommandResult> => {
  if (databaseUrl === undefined) {
    const endpoint = await findAdminEndpoint(dataFolder)
    const answer = endpoint && (await callRunningService(endpoint.url, endpoint.token, command))
    if (answer !== undefined) return answer
  }
  const service = await createService({ dataFolder, databaseUrl })
  try {
    return await service.operate(command)
  } finally {
    await service.close()
  }
}

/** Undefined when nobody is there any more. */
export const callRunningService = async (
  url: string,
  token: string,
  command: Command,
): Promise<CommandResult | undefined> => {
  let response: Response
  try {
    response = await fetch(`${url}/api/operator`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-operator-token': token },
      body: JSON.stringify(command),
    })
  } catch {
    return undefined
  }
  const body = (await response.json()) as CommandResult & { errors?: { message: string }[] }
  if (body.errors !== undefined)
    throw new DomainError('BAD_REQUEST', body.errors.map(({ message }) => message).join('; '))
  return body
}

const show = ({ rows, message }: CommandResult): void => {
  const [first] = rows
  if (first !== undefined) {
    const names = Object.keys(first)
    const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))]
    const widths = names.map((_, column) =>
      Math.max(...lines.map((line) => line[column]?.length ?? 0)),
    )
    for (const line of lines)
      process.stdout.write(
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
      )
  }
  if (message !== undefined) process.stdout.write(`${message}\n`)
}
