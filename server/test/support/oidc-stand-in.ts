// Replaces an OpenID Connect provider: discovery, the authorization code flow with PKCE, signed ID tokens, user info, and
// keys that change. Written by the standard, with nothing of the client that it answers.
import {
  createHash,
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const CLIENT_ID = 'stepwell'
export const CLIENT_SECRET = 'a secret: of the stand-in, with 100% odd characters & spaces'

type Claims = Record<string, unknown>

/** Ways in which an answer is not as it should be. */
export interface Tampering {
  claims?: (claims: Claims) => Claims
  header?: Claims
  /** `none` for a token without a signature, `foreign` for one by a key that is not published, `secret` for HS256. */
  signature?: 'none' | 'foreign' | 'secret'
  /** The answer of the token endpoint. */
  token?: { status: number; type: string; body: string }
  userInfo?: { status: number; body: Claims }
}

interface Key {
  id: string
  privateKey: KeyObject
  publicKey: KeyObject
}

interface Grant {
  redirectUri: string
  nonce: string | null
  challenge: string
  claims: Claims
}

const base64url = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const newKey = (): Key => ({
  id: randomUUID(),
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }),
})

export class OidcStandIn {
  /** Who is signed in at the provider: claims of the ID token. Undefined for a person who declines. */
  person: Claims | undefined = { sub: 'ada', email: 'ada@example.org', groups: ['llm-devs'] }
  /** More claims, which only user info has. */
  userInfo: Claims = {}
  tampering: Tampering = {}
  /** The redirect URIs that are registered. */
  redirectUris: string[] = []
  /** Paths that were asked for. */
  readonly asked: string[] = []
  hasLogout = true
  /** True when requests get no answer. */
  isHanging = false
  methods: string[] | undefined
  /** The issuer in the announcement, if it is not the stand-in's own. */
  announcedIssuer: string | undefined
  #keys = [newKey()]
  readonly #foreign = newKey()
  readonly #grants = new Map<string, Grant>()
  readonly #tokens = new Map<string, Claims>()
  readonly #host: string
  #server = createServer()
  #port = 0

  /** @param host - A name of this machine: browsers take another one than the service's for another site. */
  constructor(host = '127.0.0.1') {
    this.#host = host
  }

  get issuer(): string {
    return `http://${this.#host}:${this.#port}`
  }

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: Error) => {
        response.writeHead(500).end(error.message)
      })
    })
    await new Promise<void>((resolve) => this.#server.listen(this.#port, this.#host, resolve))
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Signs with a new key from now on, and publishes that one alone. */
  rotate(): void {
    this.#keys = [newKey()]
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer)
    this.asked.push(url.pathname)
    if (this.isHanging) return
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return void json(200, this.#announcement())
      case '/authorize':
        return void response.writeHead(302, { location: this.#authorize(url.searchParams) }).end()
      case '/token': {
        const { token } = this.tampering
        if (token !== undefined)
          return void response
            .writeHead(token.status, { 'content-type': token.type })
            .end(token.body)
        const [status, body] = this.#redeem(
          new URLSearchParams(await textOf(request)),
          request.headers.authorization,
        )
        return void json(status, body)
      }
      case '/userinfo': {
        const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
        const claims = this.#tokens.get(token)
        if (claims === undefined) return void json(401, { error: 'invalid_token' })
        const { userInfo } = this.tampering
        return void json(
          userInfo?.status ?? 200,
          userInfo?.body ?? { sub: claims.sub, ...this.userInfo },
        )
      }
      case '/logout': {
        const to = url.searchParams.get('post_logout_redirect_uri') ?? ''
        return void response.writeHead(302, { location: to }).end()
      }
      case '/jwks':
        return void json(200, {
          keys: this.#keys.map(({ id, publicKey }) => ({
            ...publicKey.export({ format: 'jwk' }),
            kid: id,
            use: 'sig',
            alg: 'RS256',
          })),
        })
      default:
        return void json(404, {})
    }
  }

  #announcement() {
    return {
      issuer: this.announcedIssuer ?? this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      jwks_uri: `${this.issuer}/jwks`,
      ...(this.hasLogout ? { end_session_endpoint: `${this.issuer}/logout` } : {}),
      ...(this.methods === undefined
        ? {}
        : { token_endpoint_auth_methods_supported: this.methods }),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    }
  }

  /** Returns the address that the browser is sent back to. */
  #authorize(query: URLSearchParams): string {
    const redirectUri = query.get('redirect_uri') ?? ''
    const challenge = query.get('code_challenge') ?? ''
    const isValid =
      query.get('client_id') === CLIENT_ID &&
      query.get('response_type') === 'code' &&
      query.get('code_challenge_method') === 'S256' &&
      challenge.length === 43 &&
      (query.get('scope') ?? '').split(' ').includes('openid') &&
      this.redirectUris.includes(redirectUri)
    if (!isValid) throw new Error(`the stand-in refuses ${query}`)
    const back = new URL(redirectUri)
    back.searchParams.set('state', query.get('state') ?? '')
    back.searchParams.set('iss', this.issuer)
    if (this.person === undefined) back.searchParams.set('error', 'access_denied')
    else {
      const code = randomUUID()
      const claims = this.person
      this.#grants.set(code, { redirectUri, nonce: query.get('nonce'), challenge, claims })
      back.searchParams.set('code', code)
    }
    return back.href
  }

  #redeem(form: URLSearchParams, authorization: string | undefined): [number, object] {
    if (!this.#isClient(form, authorization)) return [401, { error: 'invalid_client' }]
    const code = form.get('code') ?? ''
    const grant = this.#grants.get(code)
    this.#grants.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isValid =
      form.get('grant_type') === 'authorization_code' &&
      grant?.redirectUri === form.get('redirect_uri') &&
      grant?.challenge === challenge
    if (grant === undefined || !isValid)
      return [400, { error: 'invalid_grant', error_description: 'the code is used up' }]
    const accessToken = randomUUID()
    this.#tokens.set(accessToken, grant.claims)
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: this.issuer,
      aud: CLIENT_ID,
      iat: now,
      exp: now + 300,
      nonce: grant.nonce,
      ...grant.claims,
    }
    return [
      200,
      {
        access_token: accessToken,
        token_type: 'Bearer',
        expires_in: 300,
        id_token: this.#sign(this.tampering.claims?.(claims) ?? claims),
      },
    ]
  }

  /** Accepts the secret in the header, and in the body only if that is announced. */
  #isClient(form: URLSearchParams, authorization = ''): boolean {
    if (this.methods?.includes('client_secret_post') && authorization === '')
      return form.get('client_id') === CLIENT_ID && form.get('client_secret') === CLIENT_SECRET
    const [, encoded = ''] = /^Basic (.+)$/.exec(authorization) ?? []
    const [id, secret] = Buffer.from(encoded, 'base64')
      .toString()
      .split(':')
      .map((part) => new URLSearchParams(`part=${part}`).get('part'))
    return id === CLIENT_ID && secret === CLIENT_SECRET
  }

  #sign(claims: Claims): string {
    const { signature } = this.tampering
    const key = signature === 'foreign' ? this.#foreign : (this.#keys[0] as Key)
    const alg = signature === 'none' ? 'none' : signature === 'secret' ? 'HS256' : 'RS256'
    const kid = (this.#keys[0] as Key).id
    const text = `${base64url({ alg, kid, typ: 'JWT', ...this.tampering.header })}.${base64url(claims)}`
    if (signature === 'none') return `${text}.`
    if (signature === 'secret')
      return `${text}.${createHmac('sha256', CLIENT_SECRET).update(text).digest('base64url')}`
    return `${text}.${sign('sha256', Buffer.from(text), key.privateKey).toString('base64url')}`
  }
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const part of request) text += part
  return text
}
