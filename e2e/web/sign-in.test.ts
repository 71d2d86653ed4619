import { expect, test } from 'vitest'
import { useStand } from './support.js'

const stand = useStand(
  ({ api }) => api.sendSteps([{ id: 'first', threadId: 'secret', type: 'run', name: 'secret' }]),
  { isOpen: false },
)

test('a service that asks for a key lets in whoever has one, and out again', async () => {
  const page = await stand.open('/threads')
  await page.getByLabel('API key of the project').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('this service knows no project with this API key').waitFor()
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

test('a link to another project says so', async () => {
  const page = await stand.open('/threads')
  await page.getByLabel('API key of the project').fill(stand.service.apiKey ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('tr[data-key="secret"]').waitFor()
  await page.goto(`${stand.url}/projects/another/threads`)
  await page.getByText('This page is of another project').waitFor()
})

test('a key that may only read sees no way to change', async () => {
  const { key } = await stand.stepwell.api.createApiKey({ name: 'reader', scopes: ['read'] })
  const page = await stand.open('/threads/secret')
  await page.getByLabel('API key of the project').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.tree-row').waitFor()
  expect(await page.getByRole('button', { name: /Score/ }).count()).toBe(0)
  await page.goto(`${stand.base}/settings/keys`)
  await page.getByText('Keys are shown to whoever has one with the scope admin').waitFor()
})

test('a key that is revoked ends who is signed in with it', async () => {
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
