// Answers that reject a field of a form: the words stand at the field, which has the focus, and all that was typed stays.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useStand } from './support.js'

const stand = useStand(async ({ api }) => {
  await api.createDataset({ name: 'examples' })
  await api.getOrCreatePrompt('support', [{ role: 'system', content: 'Be brief' }])
})

/** Returns the words that a screen reader says with a field. */
const wordsAt = (page: Page, label: string) =>
  page
    .getByRole('dialog')
    .getByLabel(label, { exact: true })
    .evaluate((field) =>
      (field.getAttribute('aria-describedby') ?? '')
        .split(' ')
        .map((id) => document.getElementById(id)?.textContent ?? '')
        .join(' '),
    )
const isRejected = (page: Page, label: string) =>
  page.getByRole('dialog').getByLabel(label, { exact: true }).and(page.locator('[aria-invalid]'))

test('an alert names the query at its field, and then the webhook at its own', async () => {
  const page = await stand.open('/settings/alerts')
  await page.getByRole('button', { name: 'Add an alert' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Slow')
  await dialog.getByLabel('Threshold').fill('1')
  await dialog.getByLabel('Webhook URL').fill('http://10.0.0.1/hook')
  await dialog.getByLabel('Query').fill('nothing>5')
  await dialog.getByLabel('Name').press('Enter')
  await isRejected(page, 'Query').waitFor()
  expect(await wordsAt(page, 'Query')).toContain('at character 1: nothing is no field of this list')
  await expect
    .poll(() => isRejected(page, 'Query').evaluate((field) => field === document.activeElement))
    .toBe(true)
  expect(await dialog.getByRole('alert').count()).toBe(1)
  await dialog.getByLabel('Query').fill('type=tool')
  await page.keyboard.press('Enter')
  await isRejected(page, 'Webhook URL').waitFor()
  expect(await wordsAt(page, 'Webhook URL')).toContain('10.0.0.1')
  expect(await isRejected(page, 'Query').count()).toBe(0)
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Slow')
})

test('a dataset with the name of another one says so at the name', async () => {
  const page = await stand.open('/datasets')
  await page.getByRole('button', { name: 'New dataset' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('examples')
  await page.keyboard.press('Enter')
  await isRejected(page, 'Name').waitFor()
  expect(await wordsAt(page, 'Name')).toContain('exists already')
})

test('a prompt that exists is not begun again with an empty draft', async () => {
  const page = await stand.open('/prompts')
  await page.getByRole('button', { name: 'New prompt' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('support')
  await page.keyboard.press('Enter')
  await isRejected(page, 'Name').waitFor()
  expect(await wordsAt(page, 'Name')).toContain('a prompt has this name already')
  await page.getByRole('dialog').getByLabel('Name').fill('sales')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/prompts\/sales\/new$/)
})

test('a label of white space is rejected at its field', async () => {
  const page = await stand.open('/prompts/support?tab=labels')
  const field = page.getByLabel('New label')
  await field.fill('  ')
  await field.press('Enter')
  await field.and(page.locator('[aria-invalid]')).waitFor()
  await page.getByRole('alert').getByText('expected a text of 1 to 100 characters').waitFor()
})
