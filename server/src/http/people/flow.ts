import { createHmac, randomBytes } from 'node:crypto'
import { parse, serialize } from 'hono/utils/cookie'
import { SignedTexts } from '../../domain/access/signed-texts.js'
import type { Checks } from '../../identity/provider.js'
import { cookieAttributes, cookieNameFor } from '../sessions/cookies.js'

/** Time in which a person has to sign in at the provider. */
const FLOW_SECONDS = 900
/** Sign-ins that one browser has begun at once, such as in several tabs. */
const MAX_FLOWS = 5

interface Flow {
  id: string
  /** The page to go on with. */
  next: string
  /** Seconds since 1970. */
  expires: number
}

/**
 * Sign-ins that browsers have begun with the provider. Each is a cookie of its own, so that tabs don't disturb each other;
 * any process can go on with it. The values that are sent to the provider are computed from its id with a secret: neither
 * the browser nor a log of addresses has the verifier.
 */
export class Flows {
  readonly #secret: string
  readonly #texts: SignedTexts<Flow>
  readonly #now: () => number

  constructor(secret: string, now: () => number = () => Date.now()) {
    this.#secret = secret
    this.#texts = new SignedTexts(secret, 'flow')
    this.#now = now
  }

  /** Begins a sign-in. Returns the values for the provider, and the headers that keep it in the browser. */
  begin(
    headers: Headers,
    origin: string,
    next: string,
  ): { checks: Checks; cookies: [string, string][] } {
    const id = randomBytes(16).toString('base64url')
    const held = this.#held(headers, origin).sort((one, other) => other.expires - one.expires)
    const expires = Math.floor(this.#now() / 1000) + FLOW_SECONDS
    return {
      checks: this.#checksOf(id),
      cookies: [
        [
          'set-cookie',
          serialize(nameOf(origin, id), this.#texts.write({ id, next, expires }), {
            ...cookieAttributes(origin),
            maxAge: FLOW_SECONDS,
          }),
        ],
        ...held.slice(MAX_FLOWS - 1).map(({ id }) => remove(origin, id)),
      ],
    }
  }

  /** Finds the sign-in that an answer of the provider belongs to; undefined when this browser has begun none such. */
  find(
    headers: Headers,
    origin: string,
    state: string | undefined,
  ): { checks: Checks; next: string; cookies: [string, string][] } | undefined {
    for (const { id, next } of this.#held(headers, origin)) {
      const checks = this.#checksOf(id)
      if (checks.state === state) return { checks, next, cookies: [remove(origin, id)] }
    }
    return undefined
  }

  #held(headers: Headers, origin: string): Flow[] {
    return Object.entries(parse(headers.get('cookie') ?? '')).flatMap(([name, text]) => {
      if (!name.startsWith(nameOf(origin, ''))) return []
      const flow = this.#texts.read(text)
      return flow !== undefined && flow.expires * 1000 > this.#now() ? [flow] : []
    })
  }

  #checksOf(id: string): Checks {
    const derived = (purpose: string) =>
      createHmac('sha256', this.#secret).update(`flow ${purpose} ${id}`).digest('base64url')
    return { state: derived('state'), nonce: derived('nonce'), verifier: derived('verifier') }
  }
}

/** Not a name of a session's cookie, which begin with a dot after the service's name. */
const nameOf = (origin: string, id: string): string => `${cookieNameFor(origin)}-sign-in.${id}`

const remove = (origin: string, id: string): [string, string] => [
  'set-cookie',
  serialize(nameOf(origin, id), '', { ...cookieAttributes(origin), maxAge: 0 }),
]
