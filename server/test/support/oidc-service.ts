import { afterAll, afterEach, beforeAll } from 'vitest'
import type { OidcOptions } from '../../src/identity/options.js'
import type { RoleRule } from '../../src/identity/rules.js'
import { createService, type Service, type ServiceOptions } from '../../src/index.js'
import { Browser } from './browser.js'
import { newDatabase } from './new-database.js'
import { CLIENT_ID, CLIENT_SECRET, OidcStandIn } from './oidc-stand-in.js'

export const ORIGIN = 'http://127.0.0.1:3000'
export const CALLBACK = `${ORIGIN}/api/sign-in/callback`

/** Returns the options of a service whose people sign in with the stand-in. */
export const oidcOf = (
  provider: OidcStandIn,
  rules: readonly RoleRule[],
  changes: Partial<OidcOptions> = {},
): OidcOptions => ({
  issuer: provider.issuer,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  scopes: 'openid email profile',
  groupsClaim: 'groups',
  rules,
  name: 'Example',
  sessionHours: 12,
  ...changes,
})

interface Stand {
  readonly provider: OidcStandIn
  readonly service: Service
  /** Lines of the log. */
  readonly log: readonly string[]
  browser: (service?: Service) => Browser
  /** Opens another process of the service on the same database, if that is a server's; without one, a service of its own. */
  open: (options?: ServiceOptions) => Promise<Service>
}

/** Starts a provider and a service for the tests of a file. After each, the provider is as it was. */
export const useOidc = (rules: readonly RoleRule[], changes: Partial<OidcOptions> = {}): Stand => {
  const provider = new OidcStandIn()
  const { person, userInfo, tampering, hasLogout, isHanging, methods, announcedIssuer } = provider
  const log: string[] = []
  const opened: Service[] = []
  let databaseUrl: string | undefined
  let drop: (() => Promise<void>) | undefined
  const open = async (options: ServiceOptions = {}) => {
    const service = await createService({
      databaseUrl,
      oidc: oidcOf(provider, rules, changes),
      log: { format: 'json', access: 'all', write: (line) => log.push(line) },
      ...options,
    })
    opened.push(service)
    return service
  }
  beforeAll(async () => {
    provider.redirectUris = [CALLBACK]
    await provider.start()
    const database = await newDatabase()
    drop = database.drop
    databaseUrl = 'url' in database.location ? database.location.url : undefined
    await open()
  })
  afterEach(() => {
    Object.assign(provider, {
      person,
      userInfo,
      tampering,
      hasLogout,
      isHanging,
      methods,
      announcedIssuer,
    })
    provider.redirectUris = [CALLBACK]
  })
  afterAll(async () => {
    for (const service of opened) await service.close()
    await provider.stop()
    await drop?.()
  })
  return {
    provider,
    get service() {
      return opened[0] as Service
    },
    log,
    browser: (service = opened[0] as Service) => new Browser(service, ORIGIN),
    open,
  }
}

/** Signs in, and returns the address that the browser is at then. */
export const signInWith = async (browser: Browser, next?: string): Promise<string> => {
  const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`
  return (await browser.follow(`/api/sign-in/oidc${query}`)).at(-1) ?? ''
}

/** Returns the projects that a browser is signed in to. */
export const sessionsOf = async (
  browser: Browser,
): Promise<{ projectId: string; name: string; scopes: string[]; person?: string }[]> =>
  (await (await browser.send('/api/sessions', {})).json()).sessions

/** Asks in a project. Returns the data, or the code of the first error. */
export const askIn = async (browser: Browser, projectId: string, query: string) => {
  const response = await browser.send('/api/graphql', { query }, { 'x-project': projectId })
  const { data, errors } = await response.json()
  return errors === undefined ? data : errors[0].extensions.code
}
