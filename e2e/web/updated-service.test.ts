// A page that is older than its service: the files of its build are gone.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { intercept, useStand } from './support.js'

const stand = useStand(
  ({ api }) => api.getOrCreatePrompt('support', [{ role: 'system', content: 'Be brief' }]),
  // The browser's messages about the files.
  { expected: /^Failed to load resource|dynamically imported module/ },
)

/** Answers as a service with another build, until the page is loaded anew. */
const update = async (page: Page) => {
  let isReloaded = false
  page.on('request', (request) => {
    if (request.isNavigationRequest()) isReloaded = true
  })
  await intercept(page, '**/assets/**', (route) =>
    isReloaded ? route.fallback() : route.fulfill({ status: 404, body: 'Not Found' }),
  )
  await page.route(
    (url) => url.pathname === '/',
    async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace(/index-[\w-]+\.js/g, 'index-another.js')
      await route.fulfill({ response, body })
    },
  )
}

test('a page that was not shown before comes from the newer build', async () => {
  const page = await stand.open('/threads')
  await page.getByRole('link', { name: 'Prompts' }).waitFor()
  await update(page)
  await page.evaluate(() => {
    Object.assign(globalThis, { isOld: true })
    // As if it had been open for an hour.
    performance.now = () => 3_600_000
  })
  await page.getByRole('link', { name: 'Prompts' }).click()
  await page.waitForFunction(() => !('isOld' in globalThis))
  await page.getByRole('link', { name: 'support' }).waitFor()
})

test('a part of a page that can not be loaded takes nothing with it, and is loaded again', async () => {
  const page = await stand.open('/prompts')
  await page.getByRole('link', { name: 'support' }).waitFor()
  let isGone = true
  await intercept(page, '**/assets/template-editor-*', (route) =>
    isGone ? route.abort() : route.fallback(),
  )
  await page.goto(`${stand.base}/prompts/support/new?from=0`)
  await page.getByLabel('Change in this version').fill('Kinder')
  const alert = page.getByRole('alert')
  await alert.getByText("This part of the page can't be shown.").waitFor()
  isGone = false
  await alert.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('textbox', { name: 'Message 1' }).waitFor()
  expect(await page.getByLabel('Change in this version').inputValue()).toBe('Kinder')
})
