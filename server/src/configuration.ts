import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { DEFAULT_LIMITS } from './kernel/limits.js'
import { nearest } from './kernel/options.js'

/** Invalid settings; the message names each and what was expected. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  /** A sentence for each invalid setting. */
  readonly problems: readonly string[]

  constructor(...problems: string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

/** Collects invalid settings, so that one start shows all of them. */
export class Problems {
  readonly #messages: string[] = []

  add(message: string): void {
    this.#messages.push(message)
  }

  /** Returns undefined when the setting is invalid; nothing may be done with the settings then. */
  attempt<Value>(read: () => Value): Value | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      this.#messages.push(...error.problems)
      return undefined
    }
  }

  throwIfAny(): void {
    if (this.#messages.length > 0) throw new SettingsError(...this.#messages)
  }
}

/** Variables that the service reads, and those that clients on the same machine read. */
const NAMES = [
  ...['CONFIG', 'HOST', 'PORT', 'DATA', 'FILES', 'PUBLIC_URL', 'CORS_ORIGINS', 'SIGN_IN'],
  ...[
    'LOG_FORMAT',
    'LOG_LEVEL',
    'ACCESS_LOG',
    'MODEL_HOSTS',
    'WEBHOOK_HOSTS',
    'CONTENT_INDEX',
    'DRAIN_MS',
    'WORKERS',
  ],
  ...['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET', 'ROLES', 'SCOPES', 'GROUPS_CLAIM', 'NAME'].map(
    (name) => `OIDC_${name}`,
  ),
  'OIDC_SESSION_HOURS',
  ...['API_KEY', 'API_URL', 'DISABLED', 'RELEASE'],
  ...Object.keys(DEFAULT_LIMITS).map(
    (name) => `LIMIT_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`,
  ),
].map((name) => `STEPWELL_${name}`)
const KNOWN = new Set(NAMES)
/** Kubernetes describes a Service called stepwell by such variables. */
const OF_KUBERNETES = /^STEPWELL_(?:SERVICE_|PORT_\d+_)/

/**
 * Names the variables that nothing reads. They are no mistake for certain: other programs may have names that begin
 * alike.
 */
export const unknownNames = (environment: NodeJS.ProcessEnv): string[] =>
  Object.keys(environment)
    .filter((name) => name.startsWith('STEPWELL_') && !/^STEPWELL_LIMIT_/.test(name))
    .filter((name) => !KNOWN.has(name) && !OF_KUBERNETES.test(name))
    .map((name) => `${name}: nothing reads this variable${meant(name, NAMES)}`)

const meant = (name: string, names: readonly string[]): string => {
  const near = nearest(name, names)
  return near === undefined ? '' : ` (did you mean ${near}?)`
}

const MAX_FILE_CHARACTERS = 1_000_000
const NAMES_OF_FILE = [...NAMES, 'DATABASE_URL']

/**
 * Adds the variables of a file, which has lines of NAME=value, to those of the environment, which come first.
 *
 * @throws SettingsError when the file cannot be read, or has a name that nothing reads: a file is the service's own.
 */
export const withConfigFile = (
  flag: string | undefined,
  environment: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv => {
  const path = flag ?? (environment.STEPWELL_CONFIG || undefined)
  if (path === undefined) return environment
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new SettingsError(
      `--config: expected a file that this user may read, got ${JSON.stringify(path)} (${(error as NodeJS.ErrnoException).code})`,
    )
  }
  if (text.length > MAX_FILE_CHARACTERS)
    throw new SettingsError('--config: expected a file of lines such as STEPWELL_PORT=3000')
  const problems = new Problems()
  // The values are not repeated, as they may be secrets.
  for (const [index, line] of text.split('\n').entries())
    if (!/^\s*(?:#.*|(?:export\s+)?\w+\s*=.*)?$/.test(line))
      problems.add(`${path}: line ${index + 1}: expected VARIABLE=value, or # and a comment`)
  // The reader takes a line without a name for a part of the next name, which would show it.
  problems.throwIfAny()
  const values = parseEnv(text)
  for (const name of Object.keys(values))
    if (!NAMES_OF_FILE.includes(name) && !/^(?:AWS_|STEPWELL_LIMIT_)/.test(name))
      problems.add(`${path}: nothing reads ${name}${meant(name, NAMES_OF_FILE)}`)
  problems.throwIfAny()
  return { ...values, ...withoutEmpty(environment) }
}

/** An empty variable counts as unset, as everywhere in the settings. */
const withoutEmpty = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))

/** Warns of a password in a flag, which every user of the machine can read while the program starts. */
export const shownPassword = (databaseFlag: string | undefined): string[] =>
  databaseFlag !== undefined && hasPassword(databaseFlag)
    ? [
        '--database: other users of this machine may have seen the password in the list of processes; set DATABASE_URL, or a file by --config, instead',
      ]
    : []

const hasPassword = (url: string): boolean =>
  URL.canParse(url) && (new URL(url).password !== '' || new URL(url).searchParams.has('password'))

/** Removes the arguments of this process from the list of processes when one of them has a password. */
export const hideArguments = (databaseFlag: string | undefined): void => {
  if (databaseFlag !== undefined && hasPassword(databaseFlag)) process.title = 'stepwell'
}
