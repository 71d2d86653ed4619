import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

// Ways to sign in at the web UI: by a key, or by a link that the service printed.
const ORIGIN = 'http://127.0.0.1:3000'
let other: Service
let closed: Service
beforeAll(async () => {
  ;[other, closed] = await Promise.all([
    createService({ apiKey: 'a-key-of-another' }),
    createService({ apiKey: 'a-key-of-this-test' }),
  ])
})
afterAll(async () => {
  await other?.close()
  await closed?.close()
})

const send = (
  service: Service,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) =>
  service.fetch(`${ORIGIN}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ORIGIN, ...headers },
    body: JSON.stringify(body),
  })
const cookieOf = (response: Response): string =>
  response.headers.get('set-cookie')?.split(';')[0] ?? ''
const ask = (service: Service, cookie: string, headers: Record<string, string> = {}) =>
  send(service, '/api/graphql', { query: '{ project { id scopes } }' }, { cookie, ...headers })

/** Returns the attributes of a cookie, sorted, as their order has no meaning. */
const attributesOf = (header: string | null | undefined): string[] =>
  (header ?? '').split('; ').slice(1).sort()

test('a key is exchanged for a cookie that does not contain it, and that scripts cannot read', async () => {
  const response = await send(closed, '/api/sign-in', { apiKey: 'a-key-of-this-test' })
  expect(response.status).toBe(200)
  const header = response.headers.get('set-cookie') ?? ''
  expect(header).toMatch(/^stepwell_3000\.[\w-]{16}=.+;/)
  expect(attributesOf(header)).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax'])
  expect(header).not.toContain('a-key-of-this-test')
  const answer = await (await ask(closed, cookieOf(response))).json()
  expect(answer.data.project).toEqual({ id: closed.projectId, scopes: ['admin'] })
})

test('over https the cookie is secure', async () => {
  const service = await createService({
    apiKey: 'a-key-of-this-test',
    publicUrl: 'https://Stepwell.example.org:443/',
  })
  const response = await send(
    service,
    '/api/sign-in',
    { apiKey: 'a-key-of-this-test' },
    { origin: 'https://stepwell.example.org' },
  )
  expect(response.headers.get('set-cookie')).toMatch(/^stepwell\.[\w-]{16}=.+;/)
  expect(attributesOf(response.headers.get('set-cookie'))).toContain('Secure')
  await service.close()
})

test('a wrong or missing key signs nobody in', async () => {
  for (const body of [{ apiKey: 'wrong' }, {}, { apiKey: '' }]) {
    const response = await send(closed, '/api/sign-in', body)
    expect(response.status).toBe(401)
    expect(response.headers.get('set-cookie')).toBeNull()
  }
})

test('pages of other origins can neither sign in nor use the cookie', async () => {
  const cookie = cookieOf(await send(closed, '/api/sign-in', { apiKey: 'a-key-of-this-test' }))
  for (const headers of [
    { origin: 'https://evil.example.org' },
    { origin: 'http://127.0.0.1:4000' },
    { origin: 'null' },
  ]) {
    expect((await ask(closed, cookie, headers)).status).toBe(403)
    expect(
      (await send(closed, '/api/sign-in', { apiKey: 'a-key-of-this-test' }, headers)).status,
    ).toBe(403)
    expect((await send(closed, '/api/sign-out', {}, headers)).status).toBe(403)
  }
  const bare = await closed.fetch(`${ORIGIN}/api/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: '{"query":"{ project { id } }"}',
  })
  expect(bare.status).toBe(403)
})

test('a changed or foreign cookie is invalid', async () => {
  const cookie = cookieOf(await send(closed, '/api/sign-in', { apiKey: 'a-key-of-this-test' }))
  const [name = '', value = ''] = cookie.split('=')
  const [sessionToken = '', signature = ''] = value.split('.')
  const forged = Buffer.from(
    JSON.stringify({ projectId: closed.projectId, keyId: 'none', expires: 9_999_999_999 }),
  ).toString('base64url')
  for (const given of [
    `${forged}.${signature}`,
    `${sessionToken}.`,
    sessionToken,
    'x.y',
    cookieOf(await send(other, '/api/sign-in', { apiKey: 'a-key-of-another' })).split('=')[1],
  ])
    expect((await ask(closed, `${name}=${given}`)).status, given).toBe(401)
})

test('revoking a key ends its sessions', async () => {
  const { rows } = await closed.operate({
    noun: 'key',
    verb: 'create',
    options: { project: closed.projectId, name: 'short', scopes: 'read' },
  })
  const [{ id = '', key = '' } = {}] = rows
  const cookie = cookieOf(await send(closed, '/api/sign-in', { apiKey: key }))
  expect((await ask(closed, cookie)).status).toBe(200)
  expect(
    (
      await (
        await send(
          closed,
          '/api/graphql',
          { query: 'mutation { deleteStep(id: "x") { id } }' },
          { cookie },
        )
      ).json()
    ).errors[0].extensions.code,
  ).toBe('FORBIDDEN')
  await closed.operate({
    noun: 'key',
    verb: 'revoke',
    subject: id,
    options: { project: closed.projectId },
  })
  expect((await ask(closed, cookie)).status).toBe(401)
})

test('signing out removes the cookie', async () => {
  const response = await send(closed, '/api/sign-out', {})
  expect(response.headers.get('set-cookie')).toMatch(/^stepwell_3000=; .*Max-Age=0(;|$)/)
})

test('a key or link is required, however local the request looks', async () => {
  for (const headers of [
    {},
    { host: '127.0.0.1:3000' },
    { host: 'localhost:3000' },
    { 'x-forwarded-for': '127.0.0.1' },
  ] as Record<string, string>[])
    for (const body of [{}, { apiKey: '' }, { token: '' }, { token: 'none' }]) {
      const response = await send(closed, '/api/sign-in', body, headers)
      expect(response.status, JSON.stringify([headers, body])).toBe(401)
      expect(response.headers.get('set-cookie')).toBeNull()
    }
})

describe('a link', () => {
  const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? ''
  const use = (link: string, headers: Record<string, string> = {}) =>
    send(closed, '/api/sign-in', { token: tokenOf(link) }, headers)

  test('leads to the page that signs in, with a token that cannot be guessed', () => {
    const links = Array.from({ length: 20 }, () => closed.signInLink(ORIGIN))
    expect(new Set(links).size).toBe(20)
    for (const link of links)
      expect(link).toMatch(/^http:\/\/127\.0\.0\.1:3000\/sign-in\?token=[\w.-]{43,}$/)
  })

  test('signs in once, even when it is used twice at the same moment', async () => {
    const link = closed.signInLink(ORIGIN)
    const answers = await Promise.all([use(link), use(link), use(link)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    const [first] = answers.filter(({ status }) => status === 200)
    expect(attributesOf(first?.headers.get('set-cookie'))).toContain('HttpOnly')
    const { data } = await (await ask(closed, cookieOf(first as Response))).json()
    expect(data.project).toEqual({ id: closed.projectId, scopes: ['admin'] })
    expect((await use(link)).status).toBe(401)
  })

  test('is used up only by the request of the page, not by a visit, another page or that page’s cookie', async () => {
    const link = closed.signInLink(ORIGIN)
    await closed.fetch(link, { headers: { accept: 'text/html' } })
    await closed.fetch(link, { method: 'HEAD' })
    for (const origin of ['https://evil.example.org', 'http://127.0.0.1:4000', 'null'])
      expect((await use(link, { origin })).status).toBe(403)
    expect((await ask(closed, `stepwell_3000=${tokenOf(link)}`)).status).toBe(401)
    expect((await use(link)).status).toBe(200)
  })

  test('tells its page to send no referrer', async () => {
    const page = await closed.fetch(closed.signInLink(ORIGIN), { headers: { accept: 'text/html' } })
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('is valid for an hour, for the database of the service that created it', async () => {
    const made = Date.now()
    const late = closed.signInLink(ORIGIN)
    const inTime = closed.signInLink(ORIGIN)
    expect((await send(other, '/api/sign-in', { token: tokenOf(inTime) })).status).toBe(401)
    try {
      vi.useFakeTimers({ now: made + 3_599_000, toFake: ['Date'] })
      expect((await use(inTime)).status).toBe(200)
      vi.setSystemTime(Date.now() + 60_000)
      expect((await use(late)).status).toBe(401)
    } finally {
      vi.useRealTimers()
    }
  })

  test('creates a session that is listed, can be revoked, and ends with signing out', async () => {
    const keys = async () =>
      (
        await closed.operate({
          noun: 'key',
          verb: 'list',
          options: { project: closed.projectId },
        })
      ).rows.filter(({ name, revoked }) => name === 'signed in by a link' && revoked === '')
    const before = await keys()
    const first = cookieOf(await use(closed.signInLink(ORIGIN)))
    const second = cookieOf(await use(closed.signInLink(ORIGIN)))
    const added = (await keys()).filter(({ id }) => !before.some((one) => one.id === id))
    expect(added).toHaveLength(2)
    expect((await ask(closed, first)).status).toBe(200)
    await closed.operate({
      noun: 'key',
      verb: 'revoke',
      subject: added[0]?.id,
      options: { project: closed.projectId },
    })
    expect((await ask(closed, first)).status).toBe(401)
    expect((await ask(closed, second)).status).toBe(200)
    expect((await send(closed, '/api/sign-out', {}, { cookie: second })).status).toBe(200)
    expect((await ask(closed, second)).status).toBe(401)
    expect((await send(closed, '/api/sign-out', {}, { cookie: second })).status).toBe(200)
  })

  test('of a project that was deleted since signs nobody in', async () => {
    const { projectId } = await other.createProject('gone')
    const { rows } = await other.operate({
      noun: 'sign-in',
      verb: 'link',
      subject: ORIGIN,
      options: { project: projectId },
    })
    const token = tokenOf(rows[0]?.link ?? '')
    await other.operate({ noun: 'project', verb: 'delete', subject: projectId, options: {} })
    const response = await send(other, '/api/sign-in', { token })
    expect(response.status).toBe(401)
    expect((await response.json()).errors[0].message).toContain('expected that of a new')
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  test('opens the project that an operator names, at the public URL if there is one', async () => {
    const { projectId } = await closed.createProject('another')
    const { rows } = await closed.operate({
      noun: 'sign-in',
      verb: 'link',
      subject: ORIGIN,
      options: { project: 'another' },
    })
    const { data } = await (await ask(closed, cookieOf(await use(rows[0]?.link ?? '')))).json()
    expect(data.project.id).toBe(projectId)
    await expect(
      closed.operate({ noun: 'sign-in', verb: 'link', subject: ORIGIN, options: {} }),
    ).rejects.toThrow('--project: expected')
    const service = await createService({ publicUrl: 'https://stepwell.example.org/' })
    expect(service.signInLink(ORIGIN)).toMatch(/^https:\/\/stepwell\.example\.org\/sign-in\?token=/)
    await service.close()
  })
})

test('signing out leaves the key of a session by key valid', async () => {
  const cookie = cookieOf(await send(closed, '/api/sign-in', { apiKey: 'a-key-of-this-test' }))
  await send(closed, '/api/sign-out', {}, { cookie })
  expect((await send(closed, '/api/sign-in', { apiKey: 'a-key-of-this-test' })).status).toBe(200)
})
