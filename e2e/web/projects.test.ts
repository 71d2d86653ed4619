import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { isOperation, useStand } from './support.js'

// One browser with several projects, the page that signs in, and the first visit.
const other = { projectId: '', apiKey: '' }

const stand = useStand(
  async ({ api }) => {
    await api.sendSteps([{ id: 'mine', threadId: 'mine', type: 'run', name: 'mine' }])
  },
  // The browser's message about an answer that a test makes fail.
  { isSignedIn: false, expected: /status of 503/ },
)

const signIn = async (page: Page, key: string) => {
  await page.getByLabel('API key of the project').fill(key)
  await page.keyboard.press('Enter')
}

const makeOther = async () => {
  if (other.apiKey === '') {
    Object.assign(other, await stand.service.createProject('another <b>project</b>'))
    const answer = await fetch(`${stand.url}/api/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': other.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        query:
          'mutation { ingestStep(id: "theirs", threadId: "theirs", name: "theirs", type: run) { ok } }',
      }),
    })
    expect(answer.status).toBe(200)
  }
  return other
}

test('a first visit asks for the key, with the focus in its field and nothing in the console', async () => {
  const said: string[] = []
  const page = await stand.open('/sign-in')
  page.on('console', (message) => said.push(message.text()))
  await page.goto(stand.url)
  const field = page.getByLabel('API key of the project')
  await field.waitFor()
  await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true)
  expect(said).toEqual([])
  await signIn(page, 'wrong')
  await page.getByText('No project of this service has this key.').waitFor()
  expect(await page.locator('body').innerText()).not.toContain('x-api-key')
  await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true)
})

test('one browser opens several projects, and no page shows two of them', async () => {
  const { projectId, apiKey } = await makeOther()
  const page = await stand.open('/threads')
  await signIn(page, stand.service.apiKey ?? '')
  await page.locator('tr[data-key="mine"]').waitFor()
  const beside = await page.context().newPage()
  await beside.goto(`${stand.base}/threads`)
  await beside.locator('tr[data-key="mine"]').waitFor()
  await page.getByRole('button', { name: 'Project: default' }).click()
  await page.getByRole('link', { name: 'Sign in to another project' }).click()
  const heard = beside.waitForResponse(
    (response) => response.ok() && isOperation('Project')(response.request()),
  )
  await signIn(page, apiKey)
  await page.locator('tr[data-key="theirs"]').waitFor()
  expect(page.url()).toContain(projectId)
  await heard
  expect(await page.locator('tr[data-key="mine"]').count()).toBe(0)
  // Another tab, which only hears of the sign-in, does not make its own project the last one.
  await beside.locator('tr[data-key="mine"]').waitFor()
  const last = await page.context().newPage()
  await last.goto(`${stand.url}/threads`)
  await last.locator('tr[data-key="theirs"]').waitFor()
  await last.close()
  await beside.close()
  // A tab of the first project goes on as before.
  const tab = await page.context().newPage()
  await tab.goto(`${stand.base}/threads`)
  await tab.locator('tr[data-key="mine"]').waitFor()
  expect(await tab.locator('tr[data-key="theirs"]').count()).toBe(0)
  await page.reload()
  await page.locator('tr[data-key="theirs"]').waitFor()
  await page.getByRole('button', { name: /^Project: another/ }).click()
  await page
    .getByRole('dialog', { name: 'Projects' })
    .getByRole('link', { name: 'default' })
    .click()
  await page.locator('tr[data-key="mine"]').waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('another')
  await page.getByRole('option', { name: /another.*project/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('tr[data-key="theirs"]').waitFor()
  // The address of a project opens it, whichever was the last.
  await page.goto(`${stand.base}/threads`)
  await page.locator('tr[data-key="mine"]').waitFor()
  await page.getByRole('button', { name: 'Project: default' }).click()
  await page.getByRole('button', { name: 'Sign out of default' }).click()
  await page.locator('tr[data-key="theirs"]').waitFor()
  await page.goto(`${stand.base}/threads`)
  await page.getByText('This page belongs to another project').waitFor()
  await page.getByRole('link', { name: 'Sign in to it' }).click()
  await signIn(page, stand.service.apiKey ?? '')
  await page.locator('tr[data-key="mine"]').waitFor()
})

test('a link without a project, as the SDK prints it, leads to its page in the open project', async () => {
  const page = await stand.open('/threads')
  await page.goto(`${stand.url}/threads/mine?view=steps`)
  await signIn(page, stand.service.apiKey ?? '')
  await page.waitForURL(`${stand.base}/threads/mine?view=steps`)
  await page.goto(`${stand.url}/experiments/compare?base=a&with=b`)
  await page.waitForURL(`${stand.base}/experiments/compare?base=a&with=b`)
  await page.goto(stand.url)
  await page.waitForURL(`${stand.base}/threads`)
})

test('a download is of the project of its page', async () => {
  const { apiKey } = await makeOther()
  const page = await stand.open('/threads')
  await signIn(page, stand.service.apiKey ?? '')
  await page.locator('tr[data-key="mine"]').waitFor()
  await page.goto(`${stand.url}/sign-in`)
  await signIn(page, apiKey)
  await page.locator('tr[data-key="theirs"]').waitFor()
  await page.goto(`${stand.base}/threads`)
  await page.locator('tr[data-key="mine"]').waitFor()
  await page.keyboard.press('.')
  await page.keyboard.type('download')
  await page.keyboard.press('Enter')
  const begun = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('button', { name: 'Download', exact: true }).click()
  const stream = await (await begun).createReadStream()
  let text = ''
  for await (const chunk of stream) text += chunk
  expect(text).toContain('mine')
  expect(text).not.toContain('theirs')
})

test('a page whose sessions could not be read is read anew in the project of its address', async () => {
  const { apiKey } = await makeOther()
  const page = await stand.open('/threads')
  await signIn(page, stand.service.apiKey ?? '')
  await page.locator('tr[data-key="mine"]').waitFor()
  await page.goto(`${stand.url}/sign-in`)
  await signIn(page, apiKey)
  await page.locator('tr[data-key="theirs"]').waitFor()
  // The sessions that the browser remembers would show the page at once.
  await page.evaluate(() => localStorage.removeItem('projects'))
  const failure = { status: 503, json: { errors: [{ message: 'The disk is on fire' }] } }
  await page.route('**/api/sessions', (route) => route.fulfill(failure), { times: 1 })
  await page.goto(`${stand.base}/threads`)
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.locator('tr[data-key="mine"]').waitFor()
})
