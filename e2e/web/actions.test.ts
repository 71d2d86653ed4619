import { expect, test } from 'vitest'
import { seed } from './seed.js'
import { hold, useStand } from './support.js'

// The actions of a page, by the palette.
const stand = useStand((stepwell) => seed(stepwell, 6))

test('a point lists the actions of the page, and the chosen one is done', async () => {
  const page = await stand.open('/threads/conversation-0')
  await page.locator('.tree-row').first().waitFor()
  await page.keyboard.press('.')
  const palette = page.getByRole('dialog', { name: 'Actions' })
  await palette.getByRole('option', { name: /Score the step/ }).waitFor()
  for (const name of [/Add the step to a dataset/, /Compare with another/, /Copy a link/, /Theme:/])
    await palette.getByRole('option', { name }).first().waitFor()
  expect(await palette.getByRole('option', { name: 'Overview' }).count()).toBe(0)
  await page.keyboard.type('score')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: /score/i }).waitFor()
})

test('what becomes possible while the palette is open is offered behind the others', async () => {
  const page = await stand.open('/threads')
  const requests = await hold(page, 'ThreadPage')
  await page.locator('tr[data-key="conversation-0"]').click({ position: { x: 300, y: 10 } })
  await requests.waitFor(1)
  await page.keyboard.press('.')
  const options = page.getByRole('dialog', { name: 'Actions' }).getByRole('option')
  await options.first().waitFor()
  const before = await options.allTextContents()
  expect(before.filter((name) => name.includes('Compare with another'))).toEqual([])
  await requests.release()
  await options.filter({ hasText: 'Compare with another' }).waitFor()
  expect((await options.allTextContents()).slice(0, before.length)).toEqual(before)
})

test('the palette finds actions beside pages, and those of another page are gone', async () => {
  const page = await stand.open('/threads')
  await page.locator('tbody tr[data-key]').first().waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('save this')
  await page.getByRole('option', { name: /Save this view/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Name').waitFor()
  await page.keyboard.press('Escape')
  await page.goto(`${stand.base}/prompts/support`)
  await page.getByRole('link', { name: /^New version/ }).waitFor()
  await page.keyboard.press('.')
  expect(await page.getByRole('option', { name: /Save this view/ }).count()).toBe(0)
  await page.keyboard.type('new version')
  await page.keyboard.press('Enter')
  await page.waitForURL(/prompts\/support\/new\?from=/)
})

test('the theme, the density and the filter answer to the palette', async () => {
  const page = await stand.open('/threads')
  await page.locator('tbody tr[data-key]').first().waitFor()
  const run = async (name: string) => {
    await page.keyboard.press('.')
    await page.keyboard.type(name)
    await page.keyboard.press('Enter')
  }
  const data = (key: string) => page.evaluate((one) => document.documentElement.dataset[one], key)
  await run('theme: dark')
  await expect.poll(() => data('theme')).toBe('dark')
  await run('rows: dense')
  await expect.poll(() => data('density')).toBe('dense')
  await run('filter the threads')
  await page.waitForFunction(() => document.activeElement?.matches('[data-filter]'))
})

test('a key that may only read is offered no changes', async () => {
  const { key } = await stand.stepwell.api.createApiKey({ name: 'reader', scopes: ['read'] })
  const page = await stand.open('/sign-in')
  await page.context().clearCookies()
  await page.goto(`${stand.url}/sign-in`)
  await page.getByLabel('API key of the project').fill(key)
  await page.keyboard.press('Enter')
  await page.locator('tbody tr[data-key]').first().waitFor()
  await page.goto(`${stand.base}/threads/conversation-0`)
  await page.locator('.tree-row').first().waitFor()
  await page.keyboard.press('.')
  await page.getByRole('option', { name: /Find in the thread/ }).waitFor()
  expect(await page.getByRole('option', { name: /Score|dataset/ }).count()).toBe(0)
})
