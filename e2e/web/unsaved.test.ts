// Dialogs that are left while something that was typed into them is not stored.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { hold, useStand } from './support.js'

const ids = { dataset: '' }

const stand = useStand(async ({ api }) => {
  ids.dataset = (await api.createDataset({ name: 'examples' })).id
})

const dialog = (page: Page) => page.getByRole('dialog')
const question = (page: Page) => dialog(page).getByRole('alert')

const anAlert = async () => {
  const page = await stand.open('/settings/connect')
  await page.getByRole('link', { name: 'Alerts' }).click()
  await page.getByRole('button', { name: 'Add an alert' }).click()
  await dialog(page).getByLabel('Name', { exact: true }).pressSequentially('failing tools')
  await dialog(page).getByLabel('Query', { exact: true }).pressSequentially('type=tool')
  return page
}

test('Escape keeps what was typed into several fields until it is pressed again', async () => {
  const page = await anAlert()
  await page.keyboard.press('Escape')
  await question(page).getByText('is not saved').waitFor()
  expect(await dialog(page).getByLabel('Name', { exact: true }).inputValue()).toBe('failing tools')
  // More typing takes the question back.
  await page.keyboard.type(' x')
  expect(await question(page).count()).toBe(0)
  await page.keyboard.press('Escape')
  await question(page).waitFor()
  await page.keyboard.press('Escape')
  await dialog(page).waitFor({ state: 'detached' })
})

test('Back keeps it, too, and leaves the page at the second press', async () => {
  const page = await anAlert()
  const address = page.url()
  await page.evaluate(() => history.back())
  await question(page).waitFor()
  expect(page.url()).toBe(address)
  expect(await dialog(page).getByLabel('Query', { exact: true }).inputValue()).toBe('type=tool')
  await page.evaluate(() => history.back())
  await dialog(page).waitFor({ state: 'detached' })
})

test('loading the page anew asks while an item is written, and not before', async () => {
  const page = await stand.open(`/datasets/${ids.dataset}?item=new`)
  const asked: string[] = []
  page.on('dialog', (shown) => {
    asked.push(shown.type())
    void shown.accept()
  })
  const metadata = page.getByRole('textbox', { name: 'Metadata', exact: true })
  await metadata.click()
  await page.reload()
  expect(asked).toEqual([])
  await metadata.click()
  await page.keyboard.type('"a": 1')
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
})

test('one short field, and what is being sent, are left at the first Escape', async () => {
  const page = await stand.open('/datasets')
  const open = page.getByRole('button', { name: 'New dataset' })
  await open.click()
  await page.getByLabel('Name').fill('one')
  await page.keyboard.press('Escape')
  await dialog(page).waitFor({ state: 'detached' })
  await open.click()
  await page.getByLabel('Name').fill('two')
  await page.getByLabel('Purpose').fill('more')
  const answers = await hold(page, 'NewDataset')
  await page.keyboard.press('Enter')
  await answers.waitFor(1)
  await page.keyboard.press('Escape')
  await dialog(page).waitFor({ state: 'detached' })
  await answers.release()
})

test('a session that ends by itself takes nothing with it from the tab that leads to the sign-in', async () => {
  const page = await stand.open('/datasets')
  await page.getByRole('button', { name: 'New dataset' }).click()
  await page.getByLabel('Name').fill('long thought about')
  await page.getByLabel('Purpose').fill('and written down')
  await page.context().clearCookies()
  await page.keyboard.press('Enter')
  const opened = page.context().waitForEvent('page')
  await question(page).getByRole('link', { name: 'Sign in' }).click()
  const other = await opened
  await other.getByLabel('API key of the project').fill(stand.service.apiKey ?? '')
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.waitForURL(`${stand.base}/**`)
  expect(await page.getByLabel('Purpose').inputValue()).toBe('and written down')
  await page.getByRole('button', { name: 'Create' }).click()
  await dialog(page).waitFor({ state: 'detached' })
  const names = (await stand.stepwell.api.getDatasets()).map(({ name }) => name)
  expect(names).toContain('long thought about')
})
