import { type BucketLocation, readBucketLocation } from './files/bucket-location.js'
import { DEFAULT_LIMITS, type Limits } from './kernel/limits.js'
import { readOptions } from './kernel/options.js'

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
  limits: Partial<Limits>
  apiKey: string | undefined
  /** Time for closing connections one after another before the service stops, in milliseconds. */
  drainMs: number
  /** The ways to sign in at the web UI: by a key, or also by a link that the start prints. */
  signIn: 'link' | 'key'
}

export const HELP = `Usage: stepwell serve [options]

  --host HOST        address to listen on        STEPWELL_HOST        127.0.0.1
  --port PORT        port to listen on           STEPWELL_PORT        3000
  --data FOLDER      database, files, first key  STEPWELL_DATA        ./.stepwell
  --database URL     a PostgreSQL server         DATABASE_URL         embedded, in the data folder
  --files BUCKET     s3://bucket/prefix          STEPWELL_FILES       in the data folder
  --public-url URL   URL that clients use        STEPWELL_PUBLIC_URL  taken from each request
  --cors-origins A,B origins of allowed pages    STEPWELL_CORS_ORIGINS  none
  --sign-in HOW      key, or link: prints one    STEPWELL_SIGN_IN     link if embedded, on loopback
  --model-hosts A,B  private hosts of models     STEPWELL_MODEL_HOSTS  none
                     limits, see the docs        STEPWELL_LIMIT_…
                     ms for clients to leave     STEPWELL_DRAIN_MS    5000
                     key of the first project    STEPWELL_API_KEY     generated at the first start
  --help             print this help
`

/** An invalid setting; the message names it and what was expected. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/**
 * Reads the settings: a flag before its environment variable before the default. Returns null when help is asked for.
 */
export const readSettings = (
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Settings | null => {
  const flags = readFlags(args)
  if (flags.help) return null
  const port = flags.port ?? (environment.STEPWELL_PORT || '3000')
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new SettingsError(
      `--port: expected a number from 0 to 65535, got ${JSON.stringify(port)}`,
    )
  const publicUrl = flags['public-url'] ?? (environment.STEPWELL_PUBLIC_URL || undefined)
  if (publicUrl !== undefined && !/^https?:\/\//.test(publicUrl))
    throw new SettingsError(
      `--public-url: expected an http or https URL, got ${JSON.stringify(publicUrl)}`,
    )
  const host = flags.host ?? (environment.STEPWELL_HOST || '127.0.0.1')
  const location = readLocation(flags, environment)
  return {
    host,
    port: Number(port),
    ...location,
    signIn: readSignIn(
      flags['sign-in'] ?? environment.STEPWELL_SIGN_IN ?? '',
      isLoopback(host) && location.databaseUrl === undefined && publicUrl === undefined,
    ),
    bucket: readBucket(flags.files ?? environment.STEPWELL_FILES ?? '', environment),
    publicUrl,
    corsOrigins: readOrigins(flags['cors-origins'] ?? environment.STEPWELL_CORS_ORIGINS ?? ''),
    modelHosts: readHosts(flags['model-hosts'] ?? environment.STEPWELL_MODEL_HOSTS ?? ''),
    limits: readLimits(environment),
    apiKey: environment.STEPWELL_API_KEY || undefined,
    drainMs: readDrain(environment.STEPWELL_DRAIN_MS || '5000'),
  }
}

const readDrain = (text: string): number => {
  if (/^\d{1,7}$/.test(text)) return Number(text)
  throw new SettingsError(
    `STEPWELL_DRAIN_MS: expected milliseconds, from 0 to 9999999, got ${JSON.stringify(text)}`,
  )
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

const readHosts = (text: string): string[] =>
  text
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== '')
    .map((host) => {
      const url = `http://${host}`
      if (!URL.canParse(url) || new URL(url).host !== host)
        throw new SettingsError(
          `--model-hosts: expected hosts such as localhost:11434, got ${JSON.stringify(host)}`,
        )
      return host
    })

/** Returns the limits from the environment, each from a variable of its name. */
const readLimits = (environment: NodeJS.ProcessEnv): Partial<Limits> => {
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
    if (name === undefined)
      throw new SettingsError(
        `${variable}: unknown limit; expected one of ${[...names.keys()].join(', ')}`,
      )
    const value = Number(text)
    if (!(Number.isSafeInteger(value) && value > 0))
      throw new SettingsError(
        `${variable}: expected a whole number, 1 or more, got ${JSON.stringify(text)}`,
      )
    limits[name] = value
  }
  return limits
}

/** Returns the location of the data. */
export const readLocation = (
  flags: { data?: string | undefined; database?: string | undefined },
  environment: NodeJS.ProcessEnv,
): Pick<Settings, 'dataFolder' | 'databaseUrl'> => {
  const databaseUrl = flags.database ?? (environment.DATABASE_URL || undefined)
  // The value is not repeated, as it may contain a password.
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new SettingsError('--database: expected a URL that begins with postgres://')
  return { dataFolder: flags.data ?? (environment.STEPWELL_DATA || './.stepwell'), databaseUrl }
}

const readFlags = (args: readonly string[]) => {
  try {
    return readOptions({
      args: [...args],
      options: {
        host: { type: 'string' },
        port: { type: 'string' },
        data: { type: 'string' },
        database: { type: 'string' },
        files: { type: 'string' },
        'public-url': { type: 'string' },
        'sign-in': { type: 'string' },
        'cors-origins': { type: 'string' },
        'model-hosts': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new SettingsError((error as Error).message)
  }
}
