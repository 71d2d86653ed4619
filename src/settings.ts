import { invalidArgument, kindOf, mustBeFunction, StepwellError } from './errors.js'
import type { PlatformRequestInit, PlatformResponse } from './platform.js'

/** The network: the web's `fetch`, or the `fetch` of a service in the same process. */
export type Fetch = (input: string, init?: PlatformRequestInit) => Promise<PlatformResponse>

export const ENVIRONMENTS = ['dev', 'staging', 'prod', 'experiment'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

/** Where the service is, and who asks. */
export interface ConnectionOptions {
  /**
   * The API key of a project. Default: `STEPWELL_API_KEY`, then `LITERAL_API_KEY`. Without a key, the client records
   * nothing and reports so once, and calls of `api` fail.
   */
  apiKey?: string | undefined
  /** The address of the service. Default: `STEPWELL_API_URL`, then `LITERAL_API_URL`, then `http://localhost:3000`. */
  apiUrl?: string | undefined
  /** The environment of what this client records. The service's default is `prod`. */
  environment?: Environment | undefined
  /**
   * Records nothing, and lets `sendSteps` send nothing; other calls still ask the service. Default: `STEPWELL_DISABLED` (`1`,
   * `true`, `yes` or `on`).
   */
  disabled?: boolean | undefined
  /** Replaces the network; given the `fetch` of a service in this process, no socket is used. */
  fetch?: Fetch | undefined
}

export interface Connection {
  apiKey: string | undefined
  /** Without a slash at the end. */
  apiUrl: string
  environment: Environment | undefined
  /** True when the application disabled recording. Without a key nothing is recorded either. */
  disabled: boolean
  /** The user's `fetch`; undefined for the platform's. */
  fetch: Fetch | undefined
}

const DEFAULT_URL = 'http://localhost:3000'

/** Creates the error for a missing API key. */
export const missingKey = (): StepwellError =>
  new StepwellError(
    'apiKey: expected the API key of a project, as an option or as STEPWELL_API_KEY',
    { code: 'UNAUTHENTICATED' },
  )

/**
 * Reads the options and the environment. Throws a StepwellError that names the invalid option. A missing key does not
 * throw: an application that is imported without one, as in CI, continues and records nothing.
 */
export const readConnection = (options: ConnectionOptions): Connection => {
  mustBeObject('options', options)
  if (options.fetch !== undefined) mustBeFunction('fetch', options.fetch)
  for (const name of ['apiKey', 'apiUrl'] as const)
    if (options[name] && typeof options[name] !== 'string')
      throw invalidArgument(`${name}: expected a text, got ${typeof options[name]}`)
  const disabled =
    options.disabled ?? /^(1|true|yes|on)$/i.test(fromEnvironment('STEPWELL_DISABLED') ?? '')
  if (typeof disabled !== 'boolean') throw invalidArgument('disabled: expected true or false')
  const apiKey =
    (options.apiKey || fromEnvironment('STEPWELL_API_KEY', 'LITERAL_API_KEY'))?.trim() || undefined
  // Neither is repeated in a message: they hold secrets, and may have been confused with one another.
  if (apiKey && !/^[\x21-\x7e]+$/.test(apiKey))
    throw invalidArgument('apiKey: expected printable characters without spaces or line breaks')
  // A parser of URLs forgives spaces at its ends, which a path after them would make a part of the host.
  const apiUrl = (
    options.apiUrl ||
    fromEnvironment('STEPWELL_API_URL', 'LITERAL_API_URL') ||
    DEFAULT_URL
  ).trim()
  if (!isServiceUrl(apiUrl))
    throw invalidArgument('apiUrl: expected an http or https URL without user, query or fragment')
  const { environment } = options
  if (environment !== undefined && !ENVIRONMENTS.includes(environment))
    throw invalidArgument(
      `environment: expected one of ${ENVIRONMENTS.join(', ')}, got ${JSON.stringify(environment)}`,
    )
  return {
    apiKey,
    apiUrl: apiUrl.replace(/\/+$/, ''),
    environment,
    disabled,
    fetch: options.fetch,
  }
}

/** Checks that an option has members; throws with its name when it is null, a list, or no object at all. */
export const mustBeObject = (option: string, value: unknown): void => {
  const kind = kindOf(value)
  if (kind !== 'object') throw invalidArgument(`${option}: expected an object, got ${kind}`)
}

const isServiceUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === ''
}

/** The longest time that timers can hold: 24 days. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** Checks an option that is a time; throws with the option's name when it is not one. */
export const positive = (option: string, milliseconds: number): number => {
  if (!(milliseconds > 0 && milliseconds <= MAX_TIMER_MS))
    throw invalidArgument(
      `${option}: expected milliseconds from 1 to ${MAX_TIMER_MS}, got ${milliseconds}`,
    )
  return Math.ceil(milliseconds)
}

/** Checks an option that is a count; throws with the option's name when it is not one. */
export const count = (option: string, value: number, least = 1): number => {
  if (!(Number.isInteger(value) && value >= least))
    throw invalidArgument(`${option}: expected a whole number from ${least} on, got ${value}`)
  return value
}

/** Returns the first of some environment variables that is set; undefined without an environment. */
const fromEnvironment = (...names: string[]): string | undefined => {
  for (const name of names) {
    const value = globalThis.process?.env?.[name]
    if (value) return value
  }
  return undefined
}
