import { expect, test, vi } from 'vitest'
import { ownPath, projectOf } from '../src/http/people/address.js'
import {
  CALLBACK,
  ORIGIN,
  oidcOf,
  sessionsOf,
  signInWith,
  useOidc,
} from './support/oidc-service.js'
import type { Tampering } from './support/oidc-stand-in.js'

// Answers of a provider that are forged, replayed, late or broken, and browsers that are sent where they should not go.
const stand = useOidc([
  { group: 'llm-devs', role: 'editor', project: '*' },
  { group: 'name', role: 'viewer', project: '*' },
])

/** Begins a sign-in. Returns the browser and the address that the provider sends it back to. */
const begun = async (browser = stand.browser()) => {
  const asked = (await browser.visit('/api/sign-in/oidc')).headers.get('location') ?? ''
  const back = (await browser.visit(asked)).headers.get('location') ?? ''
  return { browser, asked, back: new URL(back) }
}

const refused = (problem: string) => `/sign-in?problem=${problem}&next=%2F`

/** Returns where a callback leads to. */
const led = async (browser: ReturnType<typeof stand.browser>, address: URL | string) =>
  (await browser.visit(String(address))).headers.get('location')

test.each([
  ['a wrong nonce', { claims: (claims) => ({ ...claims, nonce: 'another' }) }, 'invalid'],
  ['no nonce', { claims: ({ nonce: _, ...claims }) => claims }, 'invalid'],
  ['another audience', { claims: (claims) => ({ ...claims, aud: 'another' }) }, 'invalid'],
  ['more audiences', { claims: (claims) => ({ ...claims, aud: ['x', 'y'] }) }, 'invalid'],
  ['another issuer', { claims: (claims) => ({ ...claims, iss: 'http://127.0.0.1:1' }) }, 'invalid'],
  ['an end in the past', { claims: (claims) => ({ ...claims, exp: 1_000_000 }) }, 'clock'],
  ['no end', { claims: ({ exp: _, ...claims }) => claims }, 'invalid'],
  ['a begin in an hour', { claims: (claims) => ({ ...claims, nbf: 9_999_999_999 }) }, 'clock'],
  ['no subject', { claims: ({ sub: _, ...claims }) => claims }, 'invalid'],
  ['a subject with a NUL', { claims: (claims) => ({ ...claims, sub: 'a\0' }) }, 'invalid'],
  ['half a character', { claims: (claims) => ({ ...claims, sub: '\ud83d' }) }, 'invalid'],
  ['a long subject', { claims: (claims) => ({ ...claims, sub: 'x'.repeat(256) }) }, 'invalid'],
  ['no signature', { signature: 'none' }, 'invalid'],
  ['the signature of another key', { signature: 'foreign' }, 'invalid'],
  ['a signature by the secret', { signature: 'secret' }, 'invalid'],
  ['an unknown key', { header: { kid: 'unknown' } }, 'invalid'],
  ['a critical header', { header: { crit: ['b64'], b64: false } }, 'invalid'],
] as [string, Tampering, string][])(
  'a token with %s signs nobody in',
  async (_, tampering, problem) => {
    stand.provider.tampering = tampering
    const { browser, back } = await begun()
    expect(await led(browser, back)).toBe(refused(problem))
    expect(browser.jar.size).toBe(0)
    expect(await sessionsOf(browser)).toEqual([])
  },
)

test.each([
  ['an error in HTML', { status: 502, type: 'text/html', body: '<h1>Bad gateway</h1>' }, 'away'],
  ['no JSON', { status: 200, type: 'application/json', body: '{' }, 'away'],
  ['no token', { status: 200, type: 'application/json', body: '{}' }, 'invalid'],
  [
    'a wrong client',
    { status: 401, type: 'application/json', body: '{"error":"invalid_client"}' },
    'setup',
  ],
  [
    'an unknown error',
    { status: 400, type: 'application/json', body: '{"error":"<b>secret-error</b>"}' },
    'denied',
  ],
  [
    'far more than a token',
    { status: 200, type: 'application/json', body: 'x'.repeat(3_000_000) },
    'away',
  ],
] as [string, NonNullable<Tampering['token']>, string][])(
  'an answer of the token endpoint with %s signs nobody in',
  async (_, token, problem) => {
    stand.provider.tampering = { token }
    const { browser, back } = await begun()
    expect(await led(browser, back)).toBe(refused(problem))
    expect(await sessionsOf(browser)).toEqual([])
  },
)

test('people for whom a slow provider has no room are led to the page that says so, and not to an error of the service', async () => {
  const service = await stand.open({ limits: { concurrentRequests: 1, waitingRequests: 1 } })
  const flows = []
  for (let index = 0; index < 3; index++) flows.push(await begun(stand.browser(service)))
  stand.provider.isHanging = true
  const answers = flows.map(({ browser, back }) => led(browser, back))
  expect(await Promise.race(answers)).toBe(refused('away'))
  expect(await led(stand.browser(service), '/api/sign-in/oidc')).toBe(refused('away'))
  await stand.provider.stop()
  expect(await Promise.all(answers)).toEqual([0, 1, 2].map(() => refused('away')))
  await stand.provider.start()
})

test('user info of another person is not taken', async () => {
  stand.provider.person = { sub: 'mallory' }
  stand.provider.tampering = {
    userInfo: { status: 200, body: { sub: 'ada', groups: ['llm-devs'] } },
  }
  const { browser, back } = await begun()
  expect(await led(browser, back)).toBe(refused('setup'))
})

test('a forged, foreign or missing state signs nobody in, and asks nothing of the provider', async () => {
  const { browser, back } = await begun()
  const other = await begun()
  stand.provider.asked.length = 0
  for (const state of ['', 'made-up', other.back.searchParams.get('state') ?? '']) {
    const forged = new URL(back)
    forged.searchParams.set('state', state)
    expect(await led(browser, forged)).toBe(refused('lost'))
  }
  // The sign-in of another browser, as in a link that somebody was sent.
  expect(await led(stand.browser(), back)).toBe(refused('lost'))
  expect(await led(browser, CALLBACK)).toBe(refused('lost'))
  expect(stand.provider.asked).toEqual([])
  expect(await led(browser, back)).toBe('/')
})

test('a code is redeemed once, also with the cookie of its sign-in', async () => {
  const { browser, back } = await begun()
  const copy = stand.browser()
  for (const [name, value] of browser.jar) copy.jar.set(name, value)
  expect(await led(browser, back)).toBe('/')
  expect(await led(browser, back)).toBe(refused('lost'))
  expect(await led(copy, back)).toBe(refused('lost'))
  expect(await sessionsOf(copy)).toEqual([])
})

test('a code of another sign-in is not redeemed: the verifier is of this one', async () => {
  const { browser, back } = await begun()
  const stolen = await begun()
  back.searchParams.set('code', stolen.back.searchParams.get('code') ?? '')
  expect(await led(browser, back)).toBe(refused('lost'))
})

test('an answer that names another issuer, or two states, is refused', async () => {
  const mixed = await begun()
  mixed.back.searchParams.set('iss', 'https://evil.example.org')
  expect(await led(mixed.browser, mixed.back)).toBe(refused('invalid'))
  const twice = await begun()
  twice.back.searchParams.append('state', 'x')
  expect(await led(twice.browser, twice.back)).toBe(refused('invalid'))
})

test('who declines at the provider is told so', async () => {
  stand.provider.person = undefined
  const { browser, back } = await begun()
  expect(await led(browser, back)).toBe(refused('denied'))
})

test('an announcement of another issuer is a mistake of the setup', async () => {
  stand.provider.announcedIssuer = 'http://127.0.0.1:1'
  const service = await stand.open()
  expect(await signInWith(stand.browser(service))).toBe(refused('setup'))
})

test('a sign-in ends a quarter of an hour after its begin, and a session after its hours', async () => {
  const start = Date.now()
  try {
    vi.useFakeTimers({ now: start, toFake: ['Date'] })
    const { browser, back } = await begun()
    const other = await begun()
    vi.setSystemTime(start + 899_000)
    stand.provider.tampering = { claims: (claims) => claims }
    expect(await led(browser, back)).toBe('/')
    vi.setSystemTime(start + 901_000)
    expect(await led(other.browser, other.back)).toBe(refused('lost'))
    expect(await sessionsOf(browser)).not.toEqual([])
    vi.setSystemTime(start + 899_000 + 12 * 3_600_000 + 1000)
    expect(await sessionsOf(browser)).toEqual([])
    expect(browser.jar.size).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('a changed or foreign cookie opens nothing', async () => {
  const browser = stand.browser()
  await signInWith(browser)
  const name = 'stepwell_3000-person'
  const [payload = '', signature = ''] = (browser.jar.get(name) ?? '').split('.')
  const flow = await begun()
  const [flowName = ''] = flow.browser.jar.keys()
  const foreign = await stand.open({ databaseUrl: undefined })
  const elsewhere = stand.browser(foreign)
  await signInWith(elsewhere)
  for (const value of [
    `${Buffer.from('{"id":"x","expires":9999999999}').toString('base64url')}.${signature}`,
    payload,
    `${payload}.`,
    'x.y',
    // Signed by this service, for another purpose.
    flow.browser.jar.get(flowName) ?? '',
    elsewhere.jar.get(name) ?? '',
  ]) {
    browser.jar.set(name, value)
    expect(await sessionsOf(browser), value).toEqual([])
    browser.jar.set(name, value)
    const response = await browser.send('/api/graphql', { query: '{ project { id } }' })
    expect(response.status, value).toBe(401)
  }
})

test('pages of other origins cannot use the session of a person, or sign them out', async () => {
  const browser = stand.browser()
  await signInWith(browser)
  for (const origin of ['https://evil.example.org', 'http://127.0.0.1:4000', 'null']) {
    expect((await browser.send('/api/sign-out', {}, { origin })).status).toBe(403)
    expect((await browser.send('/api/sessions', {}, { origin })).status).toBe(403)
    const asked = await browser.send('/api/graphql', { query: '{ project { id } }' }, { origin })
    expect(asked.status).toBe(403)
  }
  expect(await sessionsOf(browser)).not.toEqual([])
})

test('sessions that began under other rules have ended', async () => {
  const before = [{ group: 'llm-devs', role: 'admin', project: '*' }] as const
  const service = await stand.open({ oidc: oidcOf(stand.provider, before) })
  const browser = stand.browser(service)
  await signInWith(browser)
  const [session] = await sessionsOf(browser)
  expect(session?.scopes).toEqual(['admin'])
  browser.service = await stand.open({ oidc: oidcOf(stand.provider, before) })
  if (process.env.STEPWELL_TEST_DATABASE) expect(await sessionsOf(browser)).not.toEqual([])
  browser.service = stand.service
  expect(await sessionsOf(browser)).toEqual([])
})

test.each([
  ['a text', 'llm-devs', ['read', 'write']],
  [
    'many',
    Array.from({ length: 20_000 }, (_, index) => `group ${index}`).concat('llm-devs'),
    ['read', 'write'],
  ],
  [
    'others beside what are no groups',
    [1, null, { name: 'llm-devs' }, ['llm-devs'], 'llm-devs'],
    ['read', 'write'],
  ],
  ['an object', { name: 'llm-devs' }, undefined],
  ['a text that contains it', 'llm-devs,llm-admins', undefined],
  ['none', [], undefined],
  ['an empty text', '', undefined],
  ['null', null, undefined],
  ['absent', undefined, undefined],
] as [string, unknown, string[] | undefined][])('groups: %s', async (_, groups, scopes) => {
  stand.provider.person = { sub: 'someone', groups }
  const browser = stand.browser()
  const at = await signInWith(browser)
  expect(at).toBe(scopes === undefined ? refused('no-role') : '/')
  expect((await sessionsOf(browser))[0]?.scopes).toEqual(scopes)
})

test('groups that the provider leaves out are named as the reason', async () => {
  stand.provider.person = { sub: 'someone', _claim_names: { groups: 'src1' } }
  expect(await signInWith(stand.browser())).toBe(refused('groups-left-out'))
})

test('a name of any length, and with any characters, is shown in one line', async () => {
  stand.provider.person = {
    sub: 's',
    name: `\u202eA\n\u0007\0\ud83d${'😀'.repeat(10_000)}`,
    groups: 'name',
  }
  const browser = stand.browser()
  expect(await signInWith(browser)).toBe('/')
  const { person = '' } = (await sessionsOf(browser))[0] ?? {}
  expect(person).toMatch(/^A 😀+…$/u)
  expect([...person]).toHaveLength(200)
})

test('a browser that begins many sign-ins keeps the last five', async () => {
  const browser = stand.browser()
  for (let count = 0; count < 12; count++) await browser.visit('/api/sign-in/oidc')
  expect(browser.jar.size).toBe(5)
})

const ELSEWHERE = [
  'https://evil.example.org',
  '//evil.example.org',
  '/\\evil.example.org',
  '/\t/evil.example.org',
  '/\n/evil.example.org',
  '\t//evil.example.org',
  '/.//evil.example.org',
  '/x/..//evil.example.org',
  '/%2e//evil.example.org',
  'javascript:alert(1)',
  'evil.example.org',
  '/api/sign-in/oidc',
  '/x/../api/sign-out',
  '',
]

test.each(ELSEWHERE)('a sign-in does not lead to %j', async (next) => {
  expect(ownPath(next, ORIGIN)).toBe('/')
  expect(await signInWith(stand.browser(), next)).toBe('/')
})

test('a sign-in leads to pages of the service', () => {
  expect(ownPath(`/${'x'.repeat(3000)}`, ORIGIN)).toBe('/')
  for (const page of ['/', '/threads?a=%2F%2Fb#c', '/projects/p%2F1/threads', '/apiary'])
    expect(ownPath(page, `${ORIGIN}/base`)).toBe(page)
  expect(projectOf('/projects/p%2F1/threads')).toBe('p/1')
  expect(projectOf('/projects/%zz')).toBeUndefined()
})

test('the log has no code, state, token, secret or name, and says why sign-ins failed', async () => {
  stand.provider.tampering = { claims: (claims) => ({ ...claims, nonce: 'another' }) }
  const { browser, asked, back } = await begun()
  const flow = [...browser.jar.values()]
  await led(browser, back)
  stand.provider.tampering = {}
  await signInWith(browser)
  const log = stand.log.join('')
  expect(log).toContain('"reason":"invalid"')
  expect(log).toContain('(nonce)')
  expect(log).toContain('"route":"/api/sign-in/callback"')
  const { searchParams } = new URL(asked)
  for (const secret of [
    back.searchParams.get('code') ?? '',
    back.searchParams.get('state') ?? '',
    searchParams.get('nonce') ?? '',
    searchParams.get('code_challenge') ?? '',
    ...flow,
    ...browser.jar.values(),
    'of the stand-in',
    'secret-error',
    'ada@example.org',
  ])
    expect(log).not.toContain(secret)
})

test.runIf(process.env.STEPWELL_TEST_DATABASE)(
  'two processes of a service share sign-ins and sessions',
  async () => {
    const other = await stand.open()
    const { browser, back } = await begun()
    browser.service = other
    expect(await led(browser, back)).toBe('/')
    browser.service = stand.service
    expect(await sessionsOf(browser)).not.toEqual([])
    browser.service = other
    await browser.send('/api/sign-out', {})
    const copy = await begun(browser)
    expect(await led(copy.browser, copy.back)).toBe('/')
    const kept = stand.browser()
    kept.jar.set('stepwell_3000-person', browser.jar.get('stepwell_3000-person') ?? '')
    expect(await sessionsOf(kept)).not.toEqual([])
    await browser.send('/api/sign-out', {})
    expect(await sessionsOf(kept)).toEqual([])
  },
)
