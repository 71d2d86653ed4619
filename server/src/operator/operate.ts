import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { sql } from 'kysely'
import { lockFolder } from '../data-folder.js'
import { openEngine } from '../database/database.js'
import { DomainError } from '../kernel/errors.js'
import { readOptions } from '../kernel/options.js'
import { createService } from '../service.js'
import { readLocation, SettingsError } from '../settings.js'
import { findFirstProject } from '../storage/projects.js'
import { findAdminEndpoint } from './admin-endpoint.js'
import type { Command, CommandResult } from './commands.js'
import { fail } from './failure.js'
import { demandOwner } from './folder-user.js'
import { counted, progressLines } from './moving/progress.js'
import { isReading, performReading } from './reading.js'

const HELP: Record<Noun, string> = {
  project: `Usage: stepwell project create NAME
       stepwell project list
       stepwell project delete ID_OR_NAME [--yes]

create  creates a project with a unique name, and a key with the scope admin
delete  deletes a project with everything in it; asks first, unless --yes is given
`,
  key: `Usage: stepwell key create [NAME] [--project P] [--scopes ingest,read] [--expires 90d]
       stepwell key list [--project P]
       stepwell key revoke ID [--project P]

  --project P   the id or name of a project; may be omitted when there is only one
  --scopes S    one or more of ingest (record), read, write (record and change), admin (everything), metrics (of the service). Default: admin
  --expires T   12h, 90d, 4w, or a date. Default: never
`,
  person: `Usage: stepwell person list
       stepwell person sign-out ID

list      lists the people who are signed in with the OpenID Connect provider
sign-out  ends all sessions of a person; the roles of the next sign-in are those that the provider gives then
`,
  audit: `Usage: stepwell audit list [--project P] [--action A] [--actor ID] [--subject ID] [--since T] [--until T] [--first N]

Lists who did what, the newest first.

  --project P   the id or name of a project, of a deleted one the id; may be omitted when there is only one
  --action A    only actions of a kind, such as revoke_key; "Who did what" in the documentation lists them
  --actor ID    only what an API key did, by its id
  --subject ID  only what was done to the thing with an id
  --since T     only from a moment on, such as 2026-11-21T10:00:00Z
  --until T     only before a moment
  --first N     the most to list, up to 1000. Default: 50
`,
}
type Noun = 'project' | 'key' | 'person' | 'audit'

const VERBS: Record<Noun, string[]> = {
  project: ['create', 'list', 'delete'],
  key: ['create', 'list', 'revoke'],
  person: ['list', 'sign-out'],
  audit: ['list'],
}
/** Options of a command beside those of its place. */
const OPTIONS: Record<string, readonly string[]> = {
  'project delete': ['yes'],
  'key create': ['project', 'scopes', 'expires'],
  'key list': ['project'],
  'key revoke': ['project'],
  'audit list': ['project', 'action', 'actor', 'subject', 'since', 'until', 'first'],
}
const LOOK_MS = 10_000
const PLACE = `
  --data FOLDER, --database URL, --config FILE   the same as of stepwell serve, which may be running
`

/** Runs `stepwell project …`, `stepwell key …`, `stepwell person …` and `stepwell audit …`. Returns the exit code. */
export const operate = async (noun: Noun, args: readonly string[]): Promise<number> => {
  try {
    const { values, positionals } = readOptions({
      args: [...args],
      allowPositionals: true,
      options: {
        project: { type: 'string' },
        scopes: { type: 'string' },
        expires: { type: 'string' },
        action: { type: 'string' },
        actor: { type: 'string' },
        subject: { type: 'string' },
        since: { type: 'string' },
        until: { type: 'string' },
        first: { type: 'string' },
        config: { type: 'string' },
        data: { type: 'string' },
        database: { type: 'string' },
        yes: { type: 'boolean', short: 'y' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const [verb = '', subject, ...others] = positionals
    if (values.help) {
      process.stdout.write(`${HELP[noun]}${PLACE}`)
      return 0
    }
    const verbs = VERBS[noun]
    if (!verbs.includes(verb))
      throw new SettingsError(
        `${noun}: expected ${[verbs.slice(0, -1).join(', '), verbs.at(-1)].filter(Boolean).join(' or ')}, got ${verb === '' ? 'nothing' : JSON.stringify(verb)}`,
      )
    if (others.length > 0)
      throw new SettingsError(
        `${noun} ${verb}: expected one name at most, got ${positionals.length - 1}; put quotes around one with spaces`,
      )
    const { config: _, data: __, database: ___, yes, help: ____, ...options } = values
    demandOwnOptions(noun, verb, Object.keys({ ...options, ...(yes ? { yes } : {}) }))
    if (verb === 'list' && subject !== undefined)
      throw new SettingsError(
        `${noun} list: expected options alone, got ${JSON.stringify(subject)}`,
      )
    const command = { noun, verb, subject, options }
    if (noun === 'project' && verb === 'delete' && subject && !yes) await confirmDeletion(subject)
    show(await dispatch(command as Command, readLocation(values, process.env)))
    return 0
  } catch (error) {
    return fail(error, noun)
  }
}

/** Rejects an option of another command: a project whose first key should only read, by `--scopes`, had one that does everything. */
const demandOwnOptions = (noun: Noun, verb: string, given: readonly string[]): void => {
  const own = OPTIONS[`${noun} ${verb}`] ?? []
  const foreign = given.filter((name) => !own.includes(name)).map((name) => `--${name}`)
  if (foreign.length > 0)
    throw new SettingsError(`${noun} ${verb}: takes no ${foreign.join(', no ')}`)
}

/** Asks the person at the terminal; without a terminal, `--yes` is required. */
const confirmDeletion = async (project: string): Promise<void> => {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new SettingsError(
      'project delete: expected --yes, as there is no terminal to ask at; everything in the project is deleted',
    )
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(
      `stepwell: this deletes the project ${project} with everything in it. Type its name or id again to go on: `,
    )
    if (answer.trim() !== project) throw new Error('nothing was deleted')
  } finally {
    terminal.close()
  }
}

/** Sends a command again for as long as there is more to do than one call does, and says how far it is. */
const untilDone = async <Result extends CommandResult | undefined>(
  send: () => Promise<Result>,
): Promise<Result> => {
  const print = progressLines(false)
  for (let deleted = 0; ; ) {
    const result = await send()
    if (result?.unfinished === undefined) return result
    deleted += result.unfinished.deleted
    print(() => `${counted(deleted, 'row')} deleted`)
  }
}

/** Sends a command to a running service, if one uses the embedded database; else executes it on the database itself. */
const dispatch = async (
  command: Command,
  { dataFolder, databaseUrl }: { dataFolder: string; databaseUrl: string | undefined },
): Promise<CommandResult> => {
  if (databaseUrl === undefined) {
    const endpoint = await findAdminEndpoint(dataFolder)
    const answer =
      endpoint && (await untilDone(() => callRunningService(endpoint.url, endpoint.token, command)))
    if (answer !== undefined) return answer
    await demandOwner(dataFolder)
  }
  // Neither a misspelt folder nor a new database is one to begin with: that is for the service, which shows the first key.
  if (databaseUrl === undefined && !existsSync(join(dataFolder, 'database')))
    throw new Error(
      `there is no data of Stepwell in ${dataFolder}; name the folder of stepwell serve with --data`,
    )
  if (databaseUrl !== undefined && !(await hasProject(databaseUrl)))
    throw new Error(
      'there is no data of Stepwell in the database of --database; name the one of stepwell serve, which begins a new one',
    )
  if (isReading(command)) return read(command, { dataFolder, databaseUrl })
  // Beside a server the folder has only files, and may be on another machine.
  const service = await createService({
    dataFolder: existsSync(dataFolder) ? dataFolder : undefined,
    databaseUrl,
  })
  try {
    return await untilDone(() => service.operate(command))
  } finally {
    await service.close()
  }
}

/** Executes a command that changes nothing. An embedded database still needs the folder for itself. */
const read = async (
  command: Command,
  { dataFolder, databaseUrl }: { dataFolder: string; databaseUrl: string | undefined },
): Promise<CommandResult> => {
  if (databaseUrl !== undefined) return performReading({ url: databaseUrl }, command)
  const unlock = await lockFolder(dataFolder)
  try {
    return await performReading({ folder: join(dataFolder, 'database') }, command)
  } finally {
    await unlock()
  }
}

/** Looks for a project in a server's database, and changes nothing there. */
const hasProject = async (url: string): Promise<boolean> => {
  const engine = await openEngine({ url })
  const db = engine.connect(LOOK_MS)
  try {
    const { rows } = await sql<{ found: boolean }>`
      SELECT to_regclass('projects') IS NOT NULL AS found`.execute(db)
    return rows[0]?.found === true && (await findFirstProject(db)) !== undefined
  } finally {
    await db.destroy()
    await engine.close()
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
