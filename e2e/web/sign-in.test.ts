import { expect, test } from 'vitest'
import { intercept, signInByLink, useStand } from './support.js'

const stand = useStand(
  ({ api }) => api.sendSteps([{ id: 'first', threadId: 'secret', type: 'run', name: 'secret' }]),
  // The browser's message about an answer that a test makes fail.
  { isSignedIn: false, expected: /status of 503/ },
)

test('a service with keys signs the holder of one in, and out again', async () => {
  const page = await stand.open('/threads')
  await page.getByLabel('API key of the project').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('No project of this service has this key').waitFor()
  await page.getByLabel('API key of the project').fill(stand.service.apiKey ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('tr[data-key="secret"]').waitFor()
  const [cookie] = await page.context().cookies()
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax' })
  expect(cookie?.value).not.toContain(stand.service.apiKey)
  await page.goto(`${stand.base}/settings/appearance`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('API key of the project').waitFor()
})

test.each(['/threads', '/sign-in?next=%2Fthreads'])(
  'a browser that keeps no cookie of a sign-in at %s is told so, and not asked again without a word',
  async (path) => {
    const page = await stand.open(path.startsWith('/sign') ? `${stand.url}${path}` : path)
    const { projectId } = stand.service
    await intercept(page, '**/api/sign-in', (route) => route.fulfill({ json: { projectId } }))
    await page.getByLabel('API key of the project').fill(stand.service.apiKey ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('this browser has not kept its cookie').waitFor()
  },
)

test('a link that the service printed signs in once, and leaves its token in no history', async () => {
  const link = stand.service.signInLink(stand.url)
  const asked: string[] = []
  const page = await stand.open(link)
  page.on('request', (request) => asked.push(`${request.url()} ${request.headers().referer ?? ''}`))
  await page.locator('tr[data-key="secret"]').waitFor()
  const token = new URL(link).searchParams.get('token') ?? ''
  expect(page.url()).toBe(`${stand.base}/threads`)
  await page.reload()
  await page.locator('tr[data-key="secret"]').waitFor()
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.join()).not.toContain(token)
  const other = await stand.open(link)
  await other.getByText('This link was already used').waitFor()
  expect(other.url()).toBe(`${stand.url}/sign-in`)
  await page.goto(`${stand.base}/settings/appearance`)
  const [cookie] = await page.context().cookies()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('API key of the project').waitFor()
  // A copy of the cookie is invalid too.
  const answer = await fetch(`${stand.url}/api/graphql`, {
    method: 'POST',
    headers: { origin: stand.url, cookie: `${cookie?.name}=${cookie?.value}` },
    body: '{"query":"{ project { id } }"}',
  })
  expect(answer.status).toBe(401)
})

test('a sign-out that fails says that the session lives on, and another press ends it', async () => {
  const page = await stand.open('/settings/appearance')
  await signInByLink(page.context(), stand.service.signInLink(stand.url))
  await page.reload()
  const failures = {
    "can't be read": { status: 200, contentType: 'text/html', body: '<h1>A proxy</h1>' },
    'is on fire': { status: 503, json: { errors: [{ message: 'The disk is on fire' }] } },
  }
  for (const [reason, answer] of Object.entries(failures)) {
    await intercept(page, '**/api/sign-out', (route) => route.fulfill(answer), { times: 1 })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText(new RegExp(`You are still signed in: .*${reason}`)).waitFor()
  }
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('API key of the project').waitFor()
})

test('a sign-out in one tab ends what the others show, and a sign-in brings it back', async () => {
  const page = await stand.open('/threads')
  await signInByLink(page.context(), stand.service.signInLink(stand.url))
  await page.reload()
  await page.locator('tr[data-key="secret"]').waitFor()
  const other = await page.context().newPage()
  await other.goto(`${stand.base}/settings/appearance`)
  await other.getByRole('button', { name: 'Sign out' }).click()
  await other.getByLabel('API key of the project').waitFor()
  await page.getByText('Your session is over, or was ended elsewhere').waitFor()
  expect(await page.locator('tr[data-key="secret"]').count()).toBe(0)
  await other.getByLabel('API key of the project').fill(stand.service.apiKey ?? '')
  await other.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('tr[data-key="secret"]').waitFor()
})

test('a link to another project is reported as such', async () => {
  const page = await stand.open('/threads')
  await page.getByLabel('API key of the project').fill(stand.service.apiKey ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('tr[data-key="secret"]').waitFor()
  await page.goto(`${stand.url}/projects/another/threads`)
  await page.getByText('This page belongs to another project').waitFor()
})

test('a key that may only read shows no controls for changes', async () => {
  const { key } = await stand.stepwell.api.createApiKey({ name: 'reader', scopes: ['read'] })
  const page = await stand.open('/threads/secret')
  await page.getByLabel('API key of the project').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.tree-row').waitFor()
  expect(await page.getByRole('button', { name: /Score/ }).count()).toBe(0)
  await page.goto(`${stand.base}/settings/keys`)
  await page.getByText('Listing keys needs the scope admin').waitFor()
})

test('revoking a key ends its sessions', async () => {
  const { key, apiKey } = await stand.stepwell.api.createApiKey({
    name: 'short',
    scopes: ['read'],
  })
  const page = await stand.open('/threads')
  await page.getByLabel('API key of the project').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('tr[data-key="secret"]').waitFor()
  await stand.stepwell.api.revokeApiKey(apiKey.id)
  await page.reload()
  await page.getByLabel('API key of the project').waitFor()
})
