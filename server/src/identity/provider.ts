import { setTimeout as wait } from 'node:timers/promises'
import type { Configuration } from 'openid-client'
import { fetchFromProvider } from './fetch-from-provider.js'
import { claimAt, type Identity, identityOf, withUserInfo } from './identity.js'
import type { OidcOptions } from './options.js'
import { refusalOf } from './provider-errors.js'
import { SignInRefused } from './refusal.js'

/** Time limit of each request to the provider. */
const TIMEOUT_SECONDS = 10
/** Time for which the provider's addresses are cached for the begin of a sign-in. */
const FRESH_MS = 300_000
/** Time that somebody who signs out here waits for the provider's address to do so there. */
const LEAVE_MS = 1000
/** Difference of the clocks of provider and service that is tolerated. */
const CLOCK_SECONDS = 60

/** The values that bind the answer of the provider to the browser that asked. */
export interface Checks {
  state: string
  nonce: string
  /** The verifier of PKCE, which only this service knows until it redeems the code. */
  verifier: string
}

/** The OpenID Connect provider of a service. Its addresses are read when they are first needed, so that a start never waits for it. */
export class Provider {
  readonly #options: OidcOptions
  readonly #isInsecure: boolean
  #known: { at: number; configuration: Promise<Configuration> } | undefined

  constructor(options: OidcOptions) {
    this.#options = options
    this.#isInsecure = options.issuer.startsWith('http:')
  }

  /** Returns the address of the provider at which a person signs in. */
  async begin(redirectUri: string, { state, nonce, verifier }: Checks): Promise<URL> {
    const client = await import('openid-client')
    return client.buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: redirectUri,
      scope: this.#options.scopes,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
  }

  /**
   * Redeems the code in the address that the provider sent a browser back to. Returns the person that its signed token is
   * about. The provider's addresses and keys are read anew each time, so that keys may change at any moment.
   *
   * @throws SignInRefused
   */
  async finish(address: URL, { state, nonce, verifier }: Checks): Promise<Identity> {
    const client = await import('openid-client')
    try {
      const configuration = await this.#discover()
      const tokens = await client.authorizationCodeGrant(configuration, address, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new SignInRefused('invalid', 'the provider sent no ID token')
      const more = this.#lacksClaims(claims)
        ? await this.#userInfo(configuration, tokens.access_token, claims.sub)
        : {}
      const person = identityOf(withUserInfo(claims, more), this.#options.groupsClaim)
      if (person === undefined)
        throw new SignInRefused(
          'invalid',
          'sub: expected an id of at most 255 printable characters',
        )
      return person
    } catch (error) {
      throw refusalOf(error)
    }
  }

  /** Returns the address at which a person signs out of the provider; undefined when it has none, or does not answer soon. */
  async leaveUrl(returnTo: string): Promise<string | undefined> {
    try {
      const client = await import('openid-client')
      const configuration = await Promise.race([
        this.#configuration(),
        wait(LEAVE_MS, undefined, { ref: false }),
      ])
      if (configuration?.serverMetadata().end_session_endpoint === undefined) return undefined
      return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href
    } catch {
      return undefined
    }
  }

  /** Returns true when rules ask for claims that many providers keep out of the ID token. */
  #lacksClaims(claims: Readonly<Record<string, unknown>>): boolean {
    const { rules, groupsClaim } = this.#options
    const byGroup = rules.some(({ group }) => group !== undefined)
    const byEmail = rules.some(({ email, emailDomain }) => (email ?? emailDomain) !== undefined)
    return (
      (byGroup && claimAt(claims, groupsClaim) === undefined) ||
      (byEmail && (claims.email === undefined || claims.email_verified === undefined))
    )
  }

  async #userInfo(
    configuration: Configuration,
    accessToken: string,
    subject: string,
  ): Promise<Record<string, unknown>> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return {}
    const client = await import('openid-client')
    return client.fetchUserInfo(configuration, accessToken, subject)
  }

  /** People who come at once share a request, and so do those of a few minutes. */
  #configuration(): Promise<Configuration> {
    const now = performance.now()
    if (this.#known !== undefined && now - this.#known.at < FRESH_MS)
      return this.#known.configuration
    const configuration = this.#discover()
    const known = { at: now, configuration }
    this.#known = known
    configuration.catch(() => {
      if (this.#known === known) this.#known = undefined
    })
    return configuration
  }

  /** @throws SignInRefused */
  async #discover(): Promise<Configuration> {
    const client = await import('openid-client')
    const { issuer, clientId, clientSecret } = this.#options
    const options = {
      [client.customFetch]: fetchFromProvider,
      timeout: TIMEOUT_SECONDS,
      ...(this.#isInsecure ? { execute: [client.allowInsecureRequests] } : {}),
    }
    try {
      const found = await client.discovery(
        new URL(issuer),
        clientId,
        { [client.clockTolerance]: CLOCK_SECONDS },
        // The methods that a provider accepts are known only afterwards.
        (as, ...given) => authenticate(as.token_endpoint_auth_methods_supported)(as, ...given),
        options,
      )
      // By default a token that comes over TLS is taken without a look at its signature.
      client.enableNonRepudiationChecks(found)
      return found
    } catch (error) {
      throw refusalOf(error)
    }
    function authenticate(methods: readonly string[] | undefined) {
      if (clientSecret === undefined) return client.None()
      return methods === undefined || methods.includes('client_secret_basic')
        ? client.ClientSecretBasic(clientSecret)
        : client.ClientSecretPost(clientSecret)
    }
  }
}
