// A browser whose store takes nothing more, as another page of the same host has filled it, or which has none.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { signInByLink, useStand } from './support.js'

const stand = useStand(
  async ({ api }) => {
    await api.sendSteps([
      { id: 'call', threadId: 'talk', type: 'tool', name: 'call', output: { order: 1042 } },
    ])
  },
  { isSignedIn: false },
)

/** Leaves no room for a single character. */
const fillStore = (page: Page) =>
  page.evaluate(() => {
    let size = 1 << 22
    let count = 0
    while (size > 0)
      try {
        localStorage.setItem(`of another page ${count}`, 'x'.repeat(size))
        count++
      } catch {
        size >>= 1
      }
  })

const signIn = async (page: Page) => {
  await page.getByLabel('API key of the project').fill(stand.service.apiKey ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('a first visit with a full store leads to the page, whose buttons do what they say', async () => {
  const page = await stand.open('/threads/talk?step=call')
  await page.getByLabel('API key of the project').waitFor()
  await fillStore(page)
  await signIn(page)
  const raw = page.getByRole('button', { name: 'Raw: Output' })
  await raw.click()
  expect(await raw.getAttribute('aria-pressed')).toBe('true')
  const rail = page.getByRole('button', { name: 'Fold' })
  await rail.click()
  await page.locator('.shell.folded').waitFor()
})

test('a column is made wider while the store is full, and a choice of how times are shown is followed', async () => {
  const page = await stand.open('/steps')
  await signInByLink(page.context(), stand.service.signInLink(stand.url))
  await fillStore(page)
  await page.reload()
  const head = page.getByRole('columnheader', { name: 'Name' })
  await head.waitFor()
  const before = (await head.boundingBox())?.width ?? 0
  const { x = 0, y = 0 } = (await head.locator('.resizer').boundingBox()) ?? {}
  await page.mouse.move(x + 2, y + 5)
  await page.mouse.down()
  await page.mouse.move(x + 62, y + 5, { steps: 3 })
  await page.mouse.up()
  await expect
    .poll(async () => ((await head.boundingBox())?.width ?? 0) - before)
    .toBeGreaterThan(40)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Appearance' }).click()
  await page.getByLabel('Rows of tables').selectOption('dense')
  await expect.poll(() => page.locator('html').getAttribute('data-density')).toBe('dense')
})

test('a browser without a store shows the page', async () => {
  const page = await stand.open('/threads/talk')
  await signInByLink(page.context(), stand.service.signInLink(stand.url))
  await page.context().addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('The operation is insecure.', 'SecurityError')
        },
      })
  })
  await page.reload()
  await page.locator('.tree-row', { hasText: 'call' }).waitFor()
})
