import {
  hideArguments,
  Problems,
  SettingsError,
  shownPassword,
  unknownNames,
  withConfigFile,
} from './configuration.js'
import { type BucketLocation, readBucketLocation } from './files/bucket-location.js'
import type { OidcOptions } from './identity/options.js'
import { readDatabaseUrl } from './kernel/database-url.js'
import { DEFAULT_LIMITS, type Limits } from './kernel/limits.js'
import { readOptions } from './kernel/options.js'
import { ACCESS_LOGS, type AccessLog } from './kernel/watching/access-log.js'
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from './kernel/watching/logger.js'
import { OIDC_FLAGS, readOidc } from './oidc-settings.js'

export interface Settings {
  host: string
  port: number
  dataFolder: string
  /** Undefined for the embedded database. */
  databaseUrl: string | undefined
  /** Undefined for the data folder. */
  bucket: BucketLocation | undefined
  publicUrl: string | undefined
  corsOrigins: string[]
  /** Hosts of private networks on which models to try prompts with may be. */
  modelHosts: string[]
  /** Hosts of private networks that webhooks of alerts may be on. */
  webhookHosts: string[]
  /** False to search what steps contain without an index, and to delete it. */
  contentIndex: boolean
  /** Undefined if people don't sign in with a provider. */
  oidc: OidcOptions | undefined
  limits: Partial<Limits>
  log: { format: LogFormat; level: LogLevel; access: AccessLog }
  apiKey: string | undefined
  /** Processes that serve together, with a database of its own server. */
  workers: number
  /** Time for closing connections one after another before the service stops, in milliseconds. */
  drainMs: number
  /** The ways to sign in at the web UI: by a key, or also by a link that the start prints. */
  signIn: 'link' | 'key'
  /** Sentences about settings that are valid, and probably not meant so. */
  warnings: string[]
}

export { SettingsError }

export const HELP = `Usage: stepwell serve [options]

  --config FILE      lines of VARIABLE=value     STEPWELL_CONFIG      none
  --host HOST        address to listen on        STEPWELL_HOST        127.0.0.1
  --port PORT        port to listen on           STEPWELL_PORT        3000
  --data FOLDER      database, files, first key  STEPWELL_DATA        ./.stepwell
  --database URL     a PostgreSQL server         DATABASE_URL         embedded, in the data folder
  --files BUCKET     s3://bucket/prefix          STEPWELL_FILES       in the data folder
  --workers N        processes that serve        STEPWELL_WORKERS     1; more with --database
  --public-url URL   URL that clients use        STEPWELL_PUBLIC_URL  taken from each request
  --cors-origins A,B origins of allowed pages    STEPWELL_CORS_ORIGINS  none
  --sign-in HOW      key, or link: prints one    STEPWELL_SIGN_IN     link if embedded, on loopback
  --oidc-issuer URL  provider of people's names  STEPWELL_OIDC_ISSUER  none: keys and links
  --oidc-client-id ID  this service, there       STEPWELL_OIDC_CLIENT_ID
                     its secret, if it has one   STEPWELL_OIDC_CLIENT_SECRET
  --oidc-roles FILE  rules: who has which role   STEPWELL_OIDC_ROLES
  --oidc-scopes A,B  what to ask the provider    STEPWELL_OIDC_SCOPES  openid,email,profile
  --oidc-groups-claim NAME  claim with groups    STEPWELL_OIDC_GROUPS_CLAIM  groups
  --oidc-name NAME   name of the provider        STEPWELL_OIDC_NAME   its host
  --oidc-session-hours N  until the next sign-in  STEPWELL_OIDC_SESSION_HOURS  12
  --log-format FORM  pretty, or json             STEPWELL_LOG_FORMAT  pretty
  --log-level LEVEL  debug, info, warn or error  STEPWELL_LOG_LEVEL   info
  --access-log WHICH off, failures or all        STEPWELL_ACCESS_LOG  off
  --model-hosts A,B  private hosts of models     STEPWELL_MODEL_HOSTS  none
  --webhook-hosts A,B  private hosts of webhooks STEPWELL_WEBHOOK_HOSTS  none
  --content-index on|off  index for searches     STEPWELL_CONTENT_INDEX  on
                     limits, see the docs        STEPWELL_LIMIT_…
                     ms for clients to leave     STEPWELL_DRAIN_MS    5000
                     key of the first project    STEPWELL_API_KEY     generated at the first start
  --help             print this help
`

/**
 * Reads the settings: a flag before its environment variable before the file of `--config` before the default. Returns
 * null when help is asked for.
 *
 * @throws SettingsError with all invalid settings.
 */
export const readSettings = (
  args: readonly string[],
  given: NodeJS.ProcessEnv,
): Settings | null => {
  const problems = new Problems()
  const flags = problems.attempt(() => readFlags(args)) ?? {}
  if (flags.help) return null
  const environment = problems.attempt(() => withConfigFile(flags.config, given)) ?? given
  const attempt = <Value>(read: () => Value): Value => problems.attempt(read) as Value
  const host = flags.host ?? (environment.STEPWELL_HOST || '127.0.0.1')
  const port = attempt(() => readPort(flags.port ?? (environment.STEPWELL_PORT || '3000')))
  const publicUrl = attempt(() =>
    readPublicUrl(flags['public-url'] ?? (environment.STEPWELL_PUBLIC_URL || undefined)),
  )
  const location = attempt(() => placeOf(flags, environment))
  const settings: Settings = {
    host,
    port,
    ...location,
    signIn: attempt(() =>
      readSignIn(
        flags['sign-in'] ?? environment.STEPWELL_SIGN_IN ?? '',
        isLoopback(host) && location?.databaseUrl === undefined && publicUrl === undefined,
      ),
    ),
    bucket: attempt(() => readBucket(flags.files ?? environment.STEPWELL_FILES ?? '', environment)),
    publicUrl,
    corsOrigins: attempt(() =>
      readOrigins(flags['cors-origins'] ?? environment.STEPWELL_CORS_ORIGINS ?? ''),
    ),
    modelHosts: attempt(() => readHosts('model-hosts', flags, environment.STEPWELL_MODEL_HOSTS)),
    webhookHosts: attempt(() =>
      readHosts('webhook-hosts', flags, environment.STEPWELL_WEBHOOK_HOSTS),
    ),
    contentIndex: attempt(() =>
      readSwitch(
        'content-index',
        flags['content-index'] ?? (environment.STEPWELL_CONTENT_INDEX || 'on'),
      ),
    ),
    oidc: readOidc(flags, environment, problems),
    limits: readLimits(environment, problems),
    log: {
      format: attempt(() =>
        readChoice('log-format', flags, environment.STEPWELL_LOG_FORMAT, LOG_FORMATS),
      ),
      level: attempt(() =>
        readChoice('log-level', flags, environment.STEPWELL_LOG_LEVEL || 'info', LOG_LEVELS),
      ),
      access: attempt(() =>
        readChoice('access-log', flags, environment.STEPWELL_ACCESS_LOG, ACCESS_LOGS),
      ),
    },
    apiKey: environment.STEPWELL_API_KEY || undefined,
    workers: attempt(() =>
      readWorkers(
        flags.workers ?? (environment.STEPWELL_WORKERS || '1'),
        location?.databaseUrl !== undefined,
      ),
    ),
    drainMs: attempt(() => readDrain(environment.STEPWELL_DRAIN_MS || '5000')),
    warnings: [...unknownNames(environment), ...shownPassword(flags.database)],
  }
  problems.throwIfAny()
  return settings
}

const readPort = (text: string): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  // Kubernetes describes a Service of this name by variables that begin like those of the settings.
  const advice = text.startsWith('tcp://')
    ? ', which Kubernetes sets for a Service called stepwell; give the pod enableServiceLinks: false'
    : ''
  throw new SettingsError(
    `--port: expected a number from 0 to 65535, got ${JSON.stringify(text)}${advice}`,
  )
}

/** A proxy may remove the path of the public URL or not; of these the service could not tell. */
const OWN_PATHS: ReadonlySet<string> = new Set(
  'api assets docs files healthz mcp metrics projects readyz sign-in v1'.split(' '),
)

const readPublicUrl = (url: string | undefined): string | undefined => {
  if (url === undefined) return url
  const expected = (what: string) =>
    new SettingsError(`--public-url: expected ${what}, got ${JSON.stringify(url)}`)
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw expected('an http or https URL')
  const { username, password, search, hash, pathname } = new URL(url)
  if (`${username}${password}${search}${hash}` !== '')
    throw new SettingsError('--public-url: expected a URL without a user, a query or a fragment')
  const path = pathname.replace(/\/+$/, '')
  if (!/^(?:\/[\w.~-]+)*$/.test(path))
    throw expected('a path of letters, digits, dots, tildes, hyphens and underscores')
  const [, first = ''] = path.split('/')
  if (OWN_PATHS.has(first))
    throw expected(`a path that does not begin with /${first}, as paths of the service do`)
  return url
}

/** Returns one of several words; the first one when none is given. */
const readChoice = <Name extends string, Choice extends string>(
  name: Name,
  flags: { [Flag in NoInfer<Name>]?: string | undefined },
  fallback: string | undefined,
  choices: readonly [Choice, ...Choice[]],
): Choice => {
  const text = flags[name] ?? (fallback || choices[0])
  const choice = choices.find((known) => known === text)
  if (choice === undefined)
    throw new SettingsError(
      `--${name}: expected ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}, got ${JSON.stringify(text)}`,
    )
  return choice
}

const readDrain = (text: string): number => {
  if (/^\d{1,7}$/.test(text)) return Number(text)
  throw new SettingsError(
    `STEPWELL_DRAIN_MS: expected milliseconds, from 0 to 9999999, got ${JSON.stringify(text)}`,
  )
}

const readWorkers = (text: string, hasServer: boolean): number => {
  if (!/^\d{1,2}$/.test(text) || Number(text) === 0)
    throw new SettingsError(
      `--workers: expected a number of processes from 1 to 99, got ${JSON.stringify(text)}`,
    )
  if (Number(text) > 1 && !hasServer)
    throw new SettingsError(
      `--workers: expected 1 with the embedded database, which one process alone can use, got ${text}; name a PostgreSQL server by --database for more`,
    )
  return Number(text)
}

const readSwitch = (name: string, text: string): boolean => {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new SettingsError(`--${name}: expected on or off, got ${JSON.stringify(text)}`)
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/.test(host)

/** If others can read the service's output, it prints a link only on request. */
const readSignIn = (text: string, isLocal: boolean): Settings['signIn'] => {
  if (text === '') return isLocal ? 'link' : 'key'
  if (text === 'link' || text === 'key') return text
  if (text === 'none')
    throw new SettingsError(
      '--sign-in: none was removed, because no request can prove that it comes from this machine; expected link, which prints a link that signs in once, or key',
    )
  throw new SettingsError(`--sign-in: expected link or key, got ${JSON.stringify(text)}`)
}

const readBucket = (text: string, environment: NodeJS.ProcessEnv): BucketLocation | undefined => {
  if (text === '') return undefined
  try {
    return readBucketLocation(text, environment)
  } catch (error) {
    throw new SettingsError(`--files: ${(error as Error).message}`)
  }
}

const readOrigins = (text: string): string[] =>
  text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '')
    .map((origin) => {
      if (!URL.canParse(origin) || new URL(origin).origin !== origin)
        throw new SettingsError(
          `--cors-origins: expected origins such as https://app.example.org, got ${JSON.stringify(origin)}`,
        )
      return origin
    })

const readHosts = <Name extends string>(
  name: Name,
  flags: { [Flag in NoInfer<Name>]?: string | undefined },
  fallback = '',
): string[] =>
  (flags[name] ?? fallback)
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== '')
    .map((host) => {
      const url = `http://${host}`
      if (!URL.canParse(url) || new URL(url).host !== host)
        throw new SettingsError(
          `--${name}: expected hosts such as localhost:11434, got ${JSON.stringify(host)}`,
        )
      return host
    })

/** Returns the limits from the environment, each from a variable of its name. */
const readLimits = (environment: NodeJS.ProcessEnv, problems: Problems): Partial<Limits> => {
  const limits: Partial<Limits> = {}
  const prefix = 'STEPWELL_LIMIT_'
  const names = new Map(
    (Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]).map((name) => [
      `${prefix}${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`,
      name,
    ]),
  )
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith(prefix) || !text) continue
    const name = names.get(variable)
    const value = Number(text)
    if (name === undefined)
      problems.add(`${variable}: unknown limit; expected one of ${[...names.keys()].join(', ')}`)
    else if (!(Number.isSafeInteger(value) && value > 0))
      problems.add(`${variable}: expected a whole number, 1 or more, got ${JSON.stringify(text)}`)
    else limits[name] = value
  }
  return limits
}

interface LocationFlags {
  config?: string | undefined
  data?: string | undefined
  database?: string | undefined
}

/** Returns the location of the data. */
export const readLocation = (flags: LocationFlags, environment: NodeJS.ProcessEnv) =>
  placeOf(flags, withConfigFile(flags.config, environment))

/** Returns the location of the data, and that of the files when they are in a bucket. */
export const readPlaces = (
  flags: LocationFlags & { files?: string | undefined },
  given: NodeJS.ProcessEnv,
) => {
  const environment = withConfigFile(flags.config, given)
  return {
    ...placeOf(flags, environment),
    bucket: readBucket(flags.files ?? environment.STEPWELL_FILES ?? '', environment),
  }
}

/**
 * Reads the URL of a PostgreSQL server.
 *
 * @param name - The option that has it, for the error.
 */
export const databaseUrlOf = (name: string, text: string): string => {
  try {
    return readDatabaseUrl(text)
  } catch (error) {
    throw new SettingsError(`${name}: ${(error as Error).message}`)
  }
}

const placeOf = (
  flags: LocationFlags,
  environment: NodeJS.ProcessEnv,
): Pick<Settings, 'dataFolder' | 'databaseUrl'> => {
  hideArguments(flags.database)
  const text = flags.database ?? (environment.DATABASE_URL || undefined)
  const databaseUrl = text === undefined ? undefined : databaseUrlOf('--database', text)
  // Else an unset variable of a script would begin a database in its working folder.
  if (flags.data === '') throw new SettingsError('--data: expected a folder, got an empty text')
  return { dataFolder: flags.data ?? (environment.STEPWELL_DATA || './.stepwell'), databaseUrl }
}

const readFlags = (args: readonly string[]) => {
  try {
    return parseFlags(args)
  } catch (error) {
    throw new SettingsError((error as Error).message)
  }
}

/**
 * Reads the flags of `stepwell serve`.
 *
 * @throws the error of Node's own reader, for an invalid flag.
 */
export const parseFlags = (args: readonly string[]) =>
  readOptions({
    args: [...args],
    options: {
      config: { type: 'string' },
      host: { type: 'string' },
      port: { type: 'string' },
      data: { type: 'string' },
      database: { type: 'string' },
      files: { type: 'string' },
      workers: { type: 'string' },
      'public-url': { type: 'string' },
      'sign-in': { type: 'string' },
      'log-format': { type: 'string' },
      'log-level': { type: 'string' },
      'access-log': { type: 'string' },
      'cors-origins': { type: 'string' },
      'model-hosts': { type: 'string' },
      'webhook-hosts': { type: 'string' },
      'content-index': { type: 'string' },
      ...OIDC_FLAGS,
      help: { type: 'boolean', short: 'h' },
    },
  }).values
