import { readFileSync } from 'node:fs'
import { type Problems, SettingsError } from './configuration.js'
import type { OidcOptions } from './identity/options.js'
import { type RoleRule, readRules } from './identity/rules.js'

/** The options of the provider with which people sign in. The secret has no flag, as flags are shown to all users of a machine. */
export const OIDC_FLAGS = {
  'oidc-issuer': { type: 'string' },
  'oidc-client-id': { type: 'string' },
  'oidc-scopes': { type: 'string' },
  'oidc-groups-claim': { type: 'string' },
  'oidc-roles': { type: 'string' },
  'oidc-name': { type: 'string' },
  'oidc-session-hours': { type: 'string' },
} as const

type Flag = keyof typeof OIDC_FLAGS
type Flags = { [Name in Flag]?: string | undefined }

const FLAGS = Object.keys(OIDC_FLAGS) as Flag[]
const SECRET = 'STEPWELL_OIDC_CLIENT_SECRET'
const variableOf = (flag: Flag): string => `STEPWELL_${flag.toUpperCase().replaceAll('-', '_')}`

const MAX_HOURS = 720
const MAX_NAME = 60
const MAX_CHARACTERS = 1_000_000

/** Returns the provider with which people sign in; undefined when no option names one, or one is invalid. */
export const readOidc = (
  flags: Flags,
  environment: NodeJS.ProcessEnv,
  problems: Problems,
): OidcOptions | undefined => {
  const textOf = (flag: Flag) => (flags[flag] ?? environment[variableOf(flag)])?.trim() || undefined
  const clientSecret = environment[SECRET] || undefined
  const given = [
    ...FLAGS.filter((flag) => textOf(flag) !== undefined).map((flag) => `--${flag}`),
    ...(clientSecret === undefined ? [] : [SECRET]),
  ]
  if (given.length === 0) return undefined
  const demand = (flag: Flag, what: string): string | undefined => {
    const text = textOf(flag)
    if (text === undefined)
      problems.add(
        `--${flag}: expected ${what}, as ${given.join(', ')} ${given.length === 1 ? 'is' : 'are'} set`,
      )
    return text
  }
  const issuer = demand('oidc-issuer', 'the URL of the provider')
  const clientId = demand('oidc-client-id', 'the id that the provider has for this service')
  const roles = demand('oidc-roles', 'the rules of who has which role, or the file that has them')
  const read = {
    issuer: issuer && problems.attempt(() => issuerOf(issuer)),
    scopes: problems.attempt(() => scopesOf(textOf('oidc-scopes') ?? 'openid email profile')),
    rules: roles && problems.attempt(() => rulesOf(roles)),
    sessionHours: problems.attempt(() => hoursOf(textOf('oidc-session-hours') ?? '12')),
    name: problems.attempt(() => nameOf(textOf('oidc-name'), issuer)),
  }
  const { scopes, rules, sessionHours, name } = read
  return read.issuer && clientId && scopes && rules && sessionHours && name
    ? {
        issuer: read.issuer,
        clientId,
        clientSecret,
        scopes,
        groupsClaim: textOf('oidc-groups-claim') ?? 'groups',
        rules,
        name,
        sessionHours,
      }
    : undefined
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)

const issuerOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isUsable =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (isUsable && url?.search === '' && url.hash === '' && url.username === '') return text
  throw new SettingsError(
    `--oidc-issuer: expected an https URL without a query, or an http one of this machine, got ${JSON.stringify(text)}`,
  )
}

const scopesOf = (text: string): string => {
  const scopes = text.split(/[\s,]+/)
  if (scopes.includes('openid')) return scopes.join(' ')
  throw new SettingsError(
    `--oidc-scopes: expected openid among the scopes, got ${JSON.stringify(text)}`,
  )
}

const hoursOf = (text: string): number => {
  const hours = Number(text)
  if (Number.isInteger(hours) && hours >= 1 && hours <= MAX_HOURS) return hours
  throw new SettingsError(
    `--oidc-session-hours: expected a whole number from 1 to ${MAX_HOURS}, got ${JSON.stringify(text)}`,
  )
}

const nameOf = (text: string | undefined, issuer: string | undefined): string => {
  if (text === undefined) return URL.canParse(issuer ?? '') ? new URL(issuer ?? '').host : 'SSO'
  if (text.length <= MAX_NAME) return text
  throw new SettingsError(`--oidc-name: expected at most ${MAX_NAME} characters`)
}

/** Reads rules, which are JSON or the path of a file with it. */
const rulesOf = (given: string): RoleRule[] => {
  let text = given
  if (!given.startsWith('['))
    try {
      text = readFileSync(given, 'utf8')
    } catch (error) {
      throw new SettingsError(
        `--oidc-roles: expected rules that begin with [, or a file that this user may read, got ${JSON.stringify(given.slice(0, 200))} (${(error as NodeJS.ErrnoException).code})`,
      )
    }
  if (text.length > MAX_CHARACTERS)
    throw new SettingsError(`--oidc-roles: expected at most ${MAX_CHARACTERS} characters`)
  const { rules, problems } = readRules(text)
  if (problems.length > 0)
    throw new SettingsError(...problems.map((problem) => `--oidc-roles: ${problem}`))
  return rules
}
