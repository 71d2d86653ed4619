import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

// How people get in at the web UI: by a key, or without one where the service stands open to its own machine.
const ORIGIN = 'http://127.0.0.1:3000'
let open: Service
let closed: Service
beforeAll(async () => {
  ;[open, closed] = await Promise.all([
    createService({ isOpen: true }),
    createService({ apiKey: 'a-key-of-this-test' }),
  ])
})
afterAll(async () => {
  await open?.close()
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

test('a key is exchanged for a cookie that does not hold it, and that scripts can’t read', async () => {
  const response = await send(closed, '/api/sign-in', { apiKey: 'a-key-of-this-test' })
  expect(response.status).toBe(200)
  const header = response.headers.get('set-cookie') ?? ''
  expect(header).toMatch(/^stepwell_3000=.+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/)
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
  expect(response.headers.get('set-cookie')).toMatch(/^stepwell=.+; Secure$/)
  await service.close()
})

test('a wrong key, and none where one is needed, let nobody in', async () => {
  for (const body of [{ apiKey: 'wrong' }, {}, { apiKey: '' }]) {
    const response = await send(closed, '/api/sign-in', body)
    expect(response.status).toBe(401)
    expect(response.headers.get('set-cookie')).toBeNull()
  }
})

test('pages of elsewhere can neither sign in nor use the cookie', async () => {
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

test('a cookie that was changed, or made elsewhere, is none', async () => {
  const cookie = cookieOf(await send(closed, '/api/sign-in', { apiKey: 'a-key-of-this-test' }))
  const [name = '', value = ''] = cookie.split('=')
  const [ticket = '', signature = ''] = value.split('.')
  const forged = Buffer.from(
    JSON.stringify({ projectId: closed.projectId, keyId: 'none', expires: 9_999_999_999 }),
  ).toString('base64url')
  for (const other of [
    `${forged}.${signature}`,
    `${ticket}.`,
    ticket,
    'x.y',
    cookieOf(await send(open, '/api/sign-in', {})).split('=')[1],
  ])
    expect((await ask(closed, `${name}=${other}`)).status, other).toBe(401)
})

test('a revoked key ends whoever is signed in with it', async () => {
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

test('signing out takes the cookie away', async () => {
  const response = await send(closed, '/api/sign-out', {})
  expect(response.headers.get('set-cookie')).toMatch(/^stepwell_3000=; .*Max-Age=0$/)
})

describe('a service that stands open', () => {
  test('lets its own machine in without a key', async () => {
    const cookie = cookieOf(await send(open, '/api/sign-in', {}))
    const answer = await (await ask(open, cookie)).json()
    expect(answer.data.project.id).toBe(open.projectId)
  })

  test('lets nobody in who comes by another name, or through a proxy', async () => {
    for (const headers of [
      { host: 'evil.example.org' },
      { 'x-forwarded-for': '203.0.113.7' },
      { forwarded: 'for=203.0.113.7' },
      { via: '1.1 proxy' },
    ] as Record<string, string>[]) {
      const response = await send(open, '/api/sign-in', {}, headers)
      expect(response.status, JSON.stringify(headers)).toBe(401)
    }
  })

  test('still wants a key from whoever has no cookie', async () => {
    expect((await ask(open, '')).status).toBe(401)
  })
})
