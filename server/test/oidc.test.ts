import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createService } from '../src/index.js'
import { providerAnswers } from '../src/operator/doctor/provider.js'
import { asker } from './support/ask.js'
import { askIn, ORIGIN, oidcOf, sessionsOf, signInWith, useOidc } from './support/oidc-service.js'

// People who sign in with an OpenID Connect provider, which is a stand-in on this machine that signs its tokens.
const stand = useOidc([
  { group: 'llm-devs', role: 'editor', project: 'shop' },
  { group: 'llm-devs', role: 'viewer', project: 'default' },
  { group: 'llm-admins', role: 'admin', project: '*' },
  { email: 'eve@example.org', role: 'viewer', project: 'shop' },
  { emailDomain: 'partner.example', role: 'viewer', project: 'shop' },
])

let shop: Promise<{ projectId: string; apiKey: string }> | undefined
const shopOf = () => {
  shop ??= stand.service.createProject('shop')
  return shop
}

const entriesOf = async (filter: string) => {
  const { apiKey } = await shopOf()
  const { auditEntries } = await asker(
    stand.service,
    apiKey,
  )(
    `{ auditEntries(first: 100, filters: [${filter}]) { edges { node { action actorKind actorId actorName subjectKind subjectId subjectName details } } } }`,
  )
  return auditEntries.edges.map(({ node }: { node: object }) => node)
}

test('a rule of a project that does not exist is named at the start', () => {
  const warned = stand.log.filter((line) => line.includes('--oidc-roles'))
  expect(warned).toHaveLength(1)
  expect(JSON.parse(warned[0] ?? '')).toMatchObject({
    level: 'warn',
    message: '--oidc-roles: there is no project "shop"; its rules count once there is one',
  })
})

test('a person signs in with the provider, and has in each project the rights of their role', async () => {
  const { projectId } = await shopOf()
  const browser = stand.browser()
  const visited = await browser.follow('/api/sign-in/oidc?next=%2Fprojects%2Fx%2Fthreads%3Fq%3D1')
  expect(visited).toHaveLength(4)
  const asked = new URL(visited[1] ?? '')
  expect(asked.origin).toBe(stand.provider.issuer)
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    response_type: 'code',
    redirect_uri: `${ORIGIN}/api/sign-in/callback`,
    scope: 'openid email profile',
    code_challenge_method: 'S256',
  })
  expect(visited.at(-1)).toBe('/projects/x/threads?q=1')
  expect(await sessionsOf(browser)).toEqual([
    expect.objectContaining({ name: 'default', scopes: ['read'], person: 'ada@example.org' }),
    { projectId, name: 'shop', scopes: ['read', 'write'], person: 'ada@example.org' },
  ])
  expect((await askIn(browser, projectId, '{ project { name scopes } }')).project).toEqual({
    name: 'shop',
    scopes: ['read', 'write'],
  })
  const create = 'mutation { createDataset(name: "of a person") { id } }'
  expect(await askIn(browser, projectId, create)).toHaveProperty('createDataset.id')
  expect(await askIn(browser, projectId, '{ apiKeys { id } }')).toBe('FORBIDDEN')
  expect(await askIn(browser, stand.service.projectId, create)).toBe('FORBIDDEN')
  // Nothing is left of the way there.
  expect([...browser.jar.keys()]).toEqual(['stepwell_3000-person'])
})

test('the cookie is unreadable for scripts, ends with the session, and has no token of the provider', async () => {
  const browser = stand.browser()
  const addresses = ['/api/sign-in/oidc']
  let headers: string[] = []
  while (!headers.some((header) => header.startsWith('stepwell_3000-person='))) {
    const response = await browser.visit(addresses.at(-1) ?? '')
    headers = response.headers.getSetCookie()
    addresses.push(response.headers.get('location') ?? '')
  }
  const [header = ''] = headers.filter((one) => one.startsWith('stepwell_3000-person='))
  expect(header.split('; ').slice(1).sort()).toEqual([
    'HttpOnly',
    `Max-Age=${12 * 3600}`,
    'Path=/',
    'SameSite=Lax',
  ])
  const [payload = ''] = (browser.jar.get('stepwell_3000-person') ?? '').split('.')
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
    id: expect.stringMatching(/^[\da-f-]{36}$/),
    expires: expect.any(Number),
  })
})

test('the audit log names the person, for the sign-in, what they do, and the sign-out', async () => {
  const { projectId } = await shopOf()
  stand.provider.person = { sub: 'auditor', email: 'grace@example.org', groups: ['llm-admins'] }
  const browser = stand.browser()
  await signInWith(browser)
  await askIn(browser, projectId, '{ project { id } }')
  await askIn(browser, projectId, '{ project { id } }')
  await askIn(
    browser,
    projectId,
    'mutation { createApiKey(name: "of grace", scopes: [read]) { key } }',
  )
  await browser.send('/api/sign-out', {}, { 'x-project': projectId })
  const person = { actorKind: 'PERSON', actorId: 'auditor', actorName: 'grace@example.org' }
  const self = { subjectKind: 'PERSON', subjectId: 'auditor', subjectName: 'grace@example.org' }
  expect(await entriesOf('{ field: "actorId", operator: "eq", value: "auditor" }')).toEqual([
    { ...person, ...self, action: 'SIGN_OUT', details: {} },
    expect.objectContaining({ ...person, action: 'CREATE_KEY', subjectName: 'of grace' }),
    { ...person, ...self, action: 'SIGN_IN', details: { by: 'oidc', role: 'admin' } },
  ])
  expect(await entriesOf('{ field: "actorKind", operator: "eq", value: "PERSON" }')).not.toEqual([])
})

test('who moved a label of a prompt is the person', async () => {
  const { projectId } = await shopOf()
  const browser = stand.browser()
  await signInWith(browser)
  const made = await askIn(
    browser,
    projectId,
    `mutation {
      createPromptLineage(name: "greeting") { id }
    }`,
  )
  const { id } = made.createPromptLineage
  await askIn(
    browser,
    projectId,
    `mutation { createPromptVersion(lineageId: "${id}", templateMessages: [{ role: "user", content: "x" }]) { id } }`,
  )
  const { setPromptLabel } = await askIn(
    browser,
    projectId,
    'mutation { setPromptLabel(name: "greeting", label: "production", version: 0) { labels { movedBy } } }',
  )
  expect(setPromptLabel.labels).toEqual([{ movedBy: 'ada@example.org' }])
})

test('signing out ends the session for every copy of the cookie, in all projects, and leads to the provider', async () => {
  const { projectId } = await shopOf()
  const browser = stand.browser()
  await signInWith(browser)
  const copy = stand.browser()
  copy.jar.set('stepwell_3000-person', browser.jar.get('stepwell_3000-person') ?? '')
  expect(await sessionsOf(copy)).toHaveLength(2)
  const answer = await (await browser.send('/api/sign-out', {}, { 'x-project': projectId })).json()
  const leave = new URL(answer.leaveUrl)
  expect(`${leave.origin}${leave.pathname}`).toBe(`${stand.provider.issuer}/logout`)
  expect(Object.fromEntries(leave.searchParams)).toEqual({
    client_id: 'stepwell',
    post_logout_redirect_uri: `${ORIGIN}/sign-in`,
  })
  expect(browser.jar.size).toBe(0)
  for (const id of [projectId, stand.service.projectId])
    expect(await askIn(copy, id, '{ project { id } }')).toBe('UNAUTHENTICATED')
  expect(await sessionsOf(copy)).toEqual([])
})

test('a provider that hangs holds up nobody who signs out, and the session ends all the same', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'stepwell-oidc-'))
  try {
    const oidc = oidcOf(stand.provider, [{ group: 'llm-devs', role: 'viewer', project: 'default' }])
    const first = await createService({ dataFolder, oidc })
    const browser = stand.browser(first)
    await signInWith(browser)
    const token = browser.jar.get('stepwell_3000-person') ?? ''
    expect(token).not.toBe('')
    await first.close()
    // Another process, which has not heard of the provider yet.
    const second = await createService({ dataFolder, oidc })
    const copy = stand.browser(second)
    copy.jar.set('stepwell_3000-person', token)
    browser.service = second
    expect(await sessionsOf(copy)).not.toEqual([])
    stand.provider.isHanging = true
    const begin = performance.now()
    expect(await (await browser.send('/api/sign-out', {})).json()).toEqual({})
    expect(performance.now() - begin).toBeLessThan(5000)
    expect(browser.jar.size).toBe(0)
    expect(await sessionsOf(copy)).toEqual([])
    await second.close()
  } finally {
    await rm(dataFolder, { recursive: true, force: true })
  }
})

test('groups that only user info has count, and so does a verified address', async () => {
  const roles = async (person: object, userInfo: object) => {
    Object.assign(stand.provider, { person, userInfo })
    const browser = stand.browser()
    const at = await signInWith(browser)
    return at === '/' ? (await sessionsOf(browser)).map(({ name }) => name) : at
  }
  await shopOf()
  expect(await roles({ sub: 'i' }, { groups: ['llm-devs'] })).toEqual(['default', 'shop'])
  const eve = { email: 'Eve@Example.org', email_verified: true }
  expect(await roles({ sub: 'j', groups: [], ...eve }, {})).toEqual(['shop'])
  expect(await roles({ sub: 'k', groups: [] }, eve)).toEqual(['shop'])
  expect(await roles({ sub: 'l', email: 'x@partner.example', email_verified: true }, {})).toEqual([
    'shop',
  ])
  for (const unverified of [
    { email: 'eve@example.org' },
    { email: 'eve@example.org', email_verified: 'true' },
    { email: 'eve@example.org', email_verified: false },
    { email: 'eve@example.org.evil.example', email_verified: true },
    { email: 'x@sub.partner.example', email_verified: true },
    { email: 'partner.example', email_verified: true },
    { email: '@partner.example', email_verified: true },
  ])
    expect(await roles({ sub: 'm', ...unverified }, {})).toBe('/sign-in?problem=no-role&next=%2F')
  // The word of user info is on its own address.
  const other = { email: 'mallory@example.org', email_verified: true }
  expect(await roles({ sub: 'n', email: 'eve@example.org' }, other)).toContain('no-role')
})

test('a key beside stays what it is, and the later of the two sign-ins is the one of the project', async () => {
  const { projectId, apiKey } = await shopOf()
  const browser = stand.browser()
  await browser.send('/api/sign-in', { apiKey })
  await signInWith(browser)
  const scopes = async () =>
    (await askIn(browser, projectId, '{ project { scopes } }')).project.scopes
  expect(await scopes()).toEqual(['read', 'write'])
  await browser.send('/api/sign-in', { apiKey })
  expect(await scopes()).toEqual(['admin'])
  expect(await sessionsOf(browser)).toHaveLength(2)
  await browser.send('/api/sign-out', {}, { 'x-project': projectId })
  expect(await scopes()).toEqual(['read', 'write'])
})

test('two tabs sign in at once, each to the page that it asked for', async () => {
  const browser = stand.browser()
  const begin = async (next: string) =>
    (await browser.visit(`/api/sign-in/oidc?next=${next}`)).headers.get('location') ?? ''
  const [one, two] = await Promise.all([begin('/one'), begin('/two')])
  const backOf = async (address: string) =>
    (await browser.visit(address)).headers.get('location') ?? ''
  const [first, second] = [await backOf(one), await backOf(two)]
  expect((await browser.visit(second)).headers.get('location')).toBe('/two')
  expect((await browser.visit(first)).headers.get('location')).toBe('/one')
  expect(await sessionsOf(browser)).not.toEqual([])
})

test('who loses a group loses the role with their next sign-in, in all browsers', async () => {
  const { projectId } = await shopOf()
  const person = { sub: 'mover', email: 'mover@example.org', groups: ['llm-admins'] }
  stand.provider.person = person
  const old = stand.browser()
  await signInWith(old)
  expect((await sessionsOf(old))[0]?.scopes).toEqual(['admin'])
  stand.provider.person = { ...person, groups: ['llm-devs'] }
  await signInWith(stand.browser())
  expect((await askIn(old, projectId, '{ project { scopes } }')).project.scopes).toEqual([
    'read',
    'write',
  ])
  stand.provider.person = { ...person, groups: [] }
  expect(await signInWith(stand.browser())).toBe('/sign-in?problem=no-role&next=%2F')
  expect(await askIn(old, projectId, '{ project { id } }')).toBe('UNAUTHENTICATED')
  expect(await sessionsOf(old)).toEqual([])
})

test('a person without a role is refused, and noted in the project that they asked for, once a minute', async () => {
  const { projectId } = await shopOf()
  stand.provider.person = { sub: 'stranger', email: 'stranger@example.org', groups: ['others'] }
  const browser = stand.browser()
  const page = `/projects/${projectId}/threads`
  const refused = `/sign-in?${new URLSearchParams({ problem: 'no-role', next: page })}`
  expect(await signInWith(browser, page)).toBe(refused)
  expect(await signInWith(browser, page)).toBe(refused)
  expect(browser.jar.size).toBe(0)
  const entries = await entriesOf('{ field: "actorId", operator: "eq", value: "stranger" }')
  expect(entries).toEqual([
    expect.objectContaining({
      action: 'FAIL_SIGN_IN',
      actorKind: 'PERSON',
      actorName: 'stranger@example.org',
      details: { by: 'oidc', reason: 'no-role', attempts: 1 },
    }),
  ])
})

test('a project that is made later, or deleted, comes and goes without another sign-in', async () => {
  stand.provider.person = { sub: 'root', email: 'root@example.org', groups: ['llm-admins'] }
  const browser = stand.browser()
  await signInWith(browser)
  const { projectId } = await stand.service.createProject('later')
  expect(await askIn(browser, projectId, '{ project { name } }')).toEqual({
    project: { name: 'later' },
  })
  await stand.service.operate({ noun: 'project', verb: 'delete', subject: projectId, options: {} })
  expect((await sessionsOf(browser)).map(({ name }) => name)).not.toContain('later')
})

test('keys change at the provider between two sign-ins, and in the midst of one', async () => {
  expect(await signInWith(stand.browser())).toBe('/')
  stand.provider.rotate()
  expect(await signInWith(stand.browser())).toBe('/')
  const browser = stand.browser()
  const address = (await browser.visit('/api/sign-in/oidc')).headers.get('location') ?? ''
  stand.provider.rotate()
  const back = (await browser.visit(address)).headers.get('location') ?? ''
  expect((await browser.visit(back)).headers.get('location')).toBe('/')
})

test('the secret goes in the way that the provider announces', async () => {
  for (const methods of [['client_secret_post'], ['client_secret_post', 'client_secret_basic']]) {
    stand.provider.methods = methods
    expect(await signInWith(stand.browser())).toBe('/')
  }
})

test('a provider that never answers keeps nobody out who signs in by a key, and no page waiting', async () => {
  const silent = createServer(() => undefined)
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const { port } = silent.address() as AddressInfo
  const oidc = oidcOf(stand.provider, [{ anybody: true, role: 'viewer', project: '*' }], {
    issuer: `http://127.0.0.1:${port}`,
  })
  const service = await stand.open({ oidc })
  const { apiKey } = await service.createProject('beside a silent provider')
  const asked = once(silent, 'request')
  let ended = 0
  // More than requests of one kind may be under way.
  const begun = Array.from({ length: 120 }, async () => {
    await stand.browser(service).visit('/api/sign-in/oidc')
    ended++
  })
  await asked
  const browser = stand.browser(service)
  expect((await browser.send('/api/sign-in', { apiKey })).status).toBe(200)
  expect(await sessionsOf(browser)).toHaveLength(1)
  expect(ended).toBe(0)
  silent.closeAllConnections()
  silent.close()
  await Promise.all(begun)
})

test('the service starts without the provider, says that it is away, and goes on once it is there', async () => {
  const { provider } = stand
  await provider.stop()
  const service = await stand.open({
    oidc: oidcOf(provider, [{ anybody: true, role: 'viewer', project: '*' }]),
  })
  const browser = stand.browser(service)
  try {
    expect(await signInWith(browser, '/threads')).toBe('/sign-in?problem=away&next=%2Fthreads')
  } finally {
    await provider.start()
  }
  expect(await signInWith(browser, '/threads')).toBe('/threads')
  const address = (await browser.visit('/api/sign-in/oidc')).headers.get('location') ?? ''
  const back = (await browser.visit(address)).headers.get('location') ?? ''
  await provider.stop()
  try {
    expect((await browser.visit(back)).headers.get('location')).toBe(
      '/sign-in?problem=away&next=%2F',
    )
    // Signing out does not wait for the provider.
    const answer = await browser.send('/api/sign-out', {})
    expect(answer.status).toBe(200)
  } finally {
    await provider.start()
  }
})

test('behind a proxy, the address is the public one and the cookies are secure', async () => {
  const publicUrl = 'https://stepwell.example.org'
  const service = await stand.open({ publicUrl })
  const response = await service.fetch(`${ORIGIN}/api/sign-in/oidc`)
  const address = new URL(response.headers.get('location') ?? '')
  expect(address.searchParams.get('redirect_uri')).toBe(`${publicUrl}/api/sign-in/callback`)
  const [cookie = ''] = response.headers.getSetCookie()
  expect(cookie).toMatch(/^stepwell-sign-in\.[\w-]{22}=.*; Secure/)
})

test('without a provider, a sign-in page has a key alone, and a session of a person opens nothing', async () => {
  const service = await stand.open({ oidc: undefined })
  const browser = stand.browser(service)
  const answer = await (await browser.send('/api/sessions', {})).json()
  expect(answer).toEqual({ sessions: [], provider: null })
  expect((await browser.visit('/api/sign-in/oidc')).status).toBe(404)
  const other = stand.browser()
  await signInWith(other)
  expect((await (await other.send('/api/sessions', {})).json()).provider).toEqual({
    name: 'Example',
  })
  browser.jar.set('stepwell_3000-person', other.jar.get('stepwell_3000-person') ?? '')
  expect(await askIn(browser, service.projectId, '{ project { id } }')).toBe('UNAUTHENTICATED')
})

test('the operator lists who is signed in, and signs a person out of all browsers', async () => {
  const { projectId } = await shopOf()
  stand.provider.person = { sub: 'leaver', email: 'leaver@example.org', groups: ['llm-devs'] }
  const browser = stand.browser()
  await signInWith(browser)
  await askIn(browser, projectId, '{ project { id } }')
  const people = async () =>
    (await stand.service.operate({ noun: 'person', verb: 'list', options: {} })).rows.filter(
      ({ id }) => id === 'leaver',
    )
  expect(await people()).toEqual([
    {
      id: 'leaver',
      name: 'leaver@example.org',
      roles: 'editor of shop, viewer of default',
      since: expect.stringContaining('T'),
      until: expect.stringContaining('T'),
    },
  ])
  const signOut = () =>
    stand.service.operate({ noun: 'person', verb: 'sign-out', subject: 'leaver', options: {} })
  expect((await signOut()).message).toContain('Signed out of one browser')
  expect(await people()).toEqual([])
  expect(await sessionsOf(browser)).toEqual([])
  // Seen within seconds by what had the session in its memory.
  await expect.poll(() => askIn(browser, projectId, '{ project { id } }')).toBe('UNAUTHENTICATED')
  await expect(signOut()).rejects.toThrow('no person who is signed in has the id "leaver"')
  expect(await entriesOf('{ field: "subjectId", operator: "eq", value: "leaver" }')).toEqual([
    expect.objectContaining({ action: 'SIGN_OUT', actorKind: 'OPERATOR' }),
    expect.objectContaining({ action: 'SIGN_IN', actorKind: 'PERSON' }),
  ])
})

test('the doctor says if the provider answers, and what is wrong when it does not', async () => {
  const oidc = oidcOf(stand.provider, [{ anybody: true, role: 'viewer', project: '*' }])
  expect(await providerAnswers(oidc, 'https://stepwell.example.org/')).toEqual([
    {
      state: 'ok',
      text: 'Example answers; it has to know https://stepwell.example.org/api/sign-in/callback',
    },
  ])
  expect(await providerAnswers(oidc, undefined)).toEqual([
    expect.objectContaining({ state: 'warning', remedy: expect.stringContaining('--public-url') }),
  ])
  const other = { ...oidc, issuer: `${oidc.issuer}/realms/none` }
  expect(await providerAnswers(other, undefined)).toEqual([
    expect.objectContaining({ state: 'broken', text: expect.stringContaining('Example') }),
  ])
  await stand.provider.stop()
  try {
    expect(await providerAnswers(oidc, undefined)).toEqual([
      expect.objectContaining({
        state: 'broken',
        text: expect.stringContaining('the provider does not answer'),
      }),
    ])
  } finally {
    await stand.provider.start()
  }
})
