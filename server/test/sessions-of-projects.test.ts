import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'

// One browser, signed in to several projects of a service.
const ORIGIN = 'http://127.0.0.1:3000'
let service: Service
let mine: { projectId: string; apiKey: string }
let theirs: { projectId: string; apiKey: string }
beforeAll(async () => {
  service = await createService()
  mine = await service.createProject('mine')
  theirs = await service.createProject('theirs')
})
afterAll(() => service?.close())

/** A browser as far as cookies go. */
class Browser {
  readonly jar = new Map<string, string>()

  get cookie(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async send(path: string, body: unknown, headers: Record<string, string> = {}) {
    const response = await service.fetch(`${ORIGIN}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: ORIGIN,
        cookie: this.cookie,
        ...headers,
      },
      body: JSON.stringify(body),
    })
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
      if (/Max-Age=0/.test(header)) this.jar.delete(name)
      else this.jar.set(name, value)
    }
    return response
  }

  async signIn(apiKey: string): Promise<void> {
    expect((await this.send('/api/sign-in', { apiKey })).status).toBe(200)
  }

  async sessions(): Promise<{ projectId: string; name: string | null; scopes: string[] }[]> {
    const response = await this.send('/api/sessions', {})
    expect(response.status).toBe(200)
    return (await response.json()).sessions
  }

  /** Returns the id of the project that a request reaches, or the status of its failure. */
  async projectAt(headers: Record<string, string> = {}): Promise<string | number> {
    const response = await this.send('/api/graphql', { query: '{ project { id } }' }, headers)
    return response.status === 200 ? (await response.json()).data.project.id : response.status
  }
}

const both = async () => {
  const browser = new Browser()
  await browser.signIn(mine.apiKey)
  await browser.signIn(theirs.apiKey)
  return browser
}

test('a browser without a session learns so by an answer, not by an error', async () => {
  const browser = new Browser()
  expect(await browser.sessions()).toEqual([])
  browser.jar.set('stepwell_3000', 'made.up')
  expect(await browser.sessions()).toEqual([])
  // A cookie that opens nothing is removed.
  expect(browser.jar.size).toBe(0)
})

test('pages of other origins do not learn the projects', async () => {
  const browser = await both()
  for (const origin of ['https://evil.example.org', 'http://127.0.0.1:4000', 'null'])
    expect((await browser.send('/api/sessions', {}, { origin })).status).toBe(403)
})

test('each request reaches the project that it names, and never another', async () => {
  const browser = await both()
  expect((await browser.sessions()).map(({ name }) => name).sort()).toEqual(['mine', 'theirs'])
  for (const { projectId } of [mine, theirs, mine])
    expect(await browser.projectAt({ 'x-project': projectId })).toBe(projectId)
  for (const other of [service.projectId, 'none', '%'])
    expect([400, 401]).toContain(await browser.projectAt({ 'x-project': other }))
})

test('a session of one project opens no other one', async () => {
  const browser = new Browser()
  await browser.signIn(mine.apiKey)
  expect(await browser.projectAt({ 'x-project': theirs.projectId })).toBe(401)
  // Nor does the cookie under the name of the other project's.
  const other = await both()
  const [own = ''] = browser.jar.values()
  for (const name of other.jar.keys()) browser.jar.set(name, own)
  expect(await browser.projectAt({ 'x-project': theirs.projectId })).toBe(401)
})

test('an API key opens its own project alone, whatever a request names', async () => {
  const browser = new Browser()
  const headers = { 'x-api-key': mine.apiKey }
  expect(await browser.projectAt({ ...headers, 'x-project': mine.projectId })).toBe(mine.projectId)
  const response = await browser.send(
    '/api/graphql',
    { query: '{ project { id } }' },
    { ...headers, 'x-project': theirs.projectId },
  )
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('x-project: expected the project of the API key')
})

test('a link that downloads names its project in the address', async () => {
  const browser = await both()
  for (const { projectId, apiKey } of [mine, theirs])
    await browser.send(
      '/api/graphql',
      {
        query: 'mutation ($id: String!) { ingestStep(id: $id, threadId: "t", type: run) { ok } }',
        variables: { id: `step of ${projectId}` },
      },
      { 'x-api-key': apiKey },
    )
  const download = (address: string) =>
    service.fetch(`${ORIGIN}/api/export/steps.csv?columns=id${address}`, {
      headers: { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' },
    })
  for (const [own, other] of [
    [mine, theirs],
    [theirs, mine],
  ] as const) {
    const text = await (await download(`&project=${own.projectId}`)).text()
    expect(text).toContain(own.projectId)
    expect(text).not.toContain(other.projectId)
  }
  expect((await download('&project=none')).status).toBe(401)
})

test('signing out of one project leaves the others, and without one ends all', async () => {
  const browser = await both()
  await browser.send('/api/sign-out', {}, { 'x-project': mine.projectId })
  expect((await browser.sessions()).map(({ projectId }) => projectId)).toEqual([theirs.projectId])
  expect(await browser.projectAt({ 'x-project': mine.projectId })).toBe(401)
  expect(await browser.projectAt()).toBe(theirs.projectId)
  await browser.signIn(mine.apiKey)
  await browser.send('/api/sign-out', {})
  expect(browser.jar.size).toBe(0)
})

test('signing out of a project whose session has ended keeps the cookie of an earlier release', async () => {
  const browser = new Browser()
  await browser.signIn(mine.apiKey)
  const [token = ''] = browser.jar.values()
  browser.jar.clear()
  browser.jar.set('stepwell_3000', token)
  await browser.send('/api/sign-out', {}, { 'x-project': theirs.projectId })
  expect(await browser.projectAt()).toBe(mine.projectId)
})

test('a cookie of an earlier release stays valid, and a new session of its project takes its place', async () => {
  const browser = new Browser()
  await browser.signIn(mine.apiKey)
  const [token = ''] = browser.jar.values()
  browser.jar.clear()
  browser.jar.set('stepwell_3000', token)
  expect(await browser.projectAt()).toBe(mine.projectId)
  expect(await browser.projectAt({ 'x-project': mine.projectId })).toBe(mine.projectId)
  await browser.signIn(mine.apiKey)
  expect([...browser.jar.keys()]).toEqual([expect.stringMatching(/^stepwell_3000\.[\w-]{16}$/)])
})

test('a session whose key was revoked is no longer listed, and its cookie goes', async () => {
  const browser = await both()
  const { rows } = await service.operate({
    noun: 'key',
    verb: 'create',
    options: { project: 'mine', name: 'short', scopes: 'read' },
  })
  await browser.signIn(rows[0]?.key ?? '')
  expect(await browser.sessions()).toHaveLength(2)
  await service.operate({
    noun: 'key',
    verb: 'revoke',
    subject: rows[0]?.id,
    options: { project: 'mine' },
  })
  expect((await browser.sessions()).map(({ name }) => name)).toEqual(['theirs'])
  expect(browser.jar.size).toBe(1)
})

test('a key that may only record does not learn the name of its project', async () => {
  const { rows } = await service.operate({
    noun: 'key',
    verb: 'create',
    options: { project: 'mine', name: 'recorder', scopes: 'ingest' },
  })
  const browser = new Browser()
  await browser.signIn(rows[0]?.key ?? '')
  expect(await browser.sessions()).toEqual([
    { projectId: mine.projectId, name: null, scopes: ['ingest'] },
  ])
})

test('beyond twelve projects, the oldest session is dropped', async () => {
  const browser = await both()
  for (let index = 0; index < 11; index++)
    await browser.signIn((await service.createProject(`project ${index}`)).apiKey)
  const sessions = await browser.sessions()
  expect(sessions).toHaveLength(12)
  expect(browser.jar.size).toBe(12)
})
