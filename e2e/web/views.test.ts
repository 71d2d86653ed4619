import { expect, test } from 'vitest'
import { seed } from './seed.js'
import { useStand } from './support.js'

const stand = useStand((stepwell) => seed(stepwell, 12))

test('a filter is saved as a view, found in the palette, and becomes the default of its list', async () => {
  const page = await stand.open('/threads?q=error:any&sort=duration+ASC')
  await page.getByRole('button', { name: 'views', exact: true }).click()
  await page.getByRole('button', { name: 'Save as…' }).click()
  await page.getByLabel('Name').fill('failed ones')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL(/view=/)
  await page.getByRole('button', { name: 'failed ones', exact: true }).waitFor()
  await page.getByRole('button', { name: 'default', exact: true }).click()
  await page.getByText('The list opens with failed ones.').waitFor()
  const other = await stand.open('/threads')
  await other.waitForURL(/q=error%3Aany/)
  await expect
    .poll(() => other.getByLabel('Filter', { exact: true }).inputValue())
    .toBe('error:any')
  const third = await stand.open('/steps')
  await third.locator('tbody tr[data-key]').first().waitFor()
  await third.keyboard.press('Control+k')
  await third.getByRole('combobox', { name: /a view/ }).fill('failed')
  await third.getByRole('option', { name: /failed ones/ }).click()
  await third.waitForURL(/threads\?.*q=error/)
})

test('a view that another tab deleted leaves the dialog once a change of it fails', async () => {
  const { id } = await stand.stepwell.api.createView({
    subject: 'THREADS',
    name: 'short-lived',
    query: 'error:any',
  })
  const page = await stand.open('/threads')
  await page.getByRole('button', { name: 'views', exact: true }).click()
  const row = page.getByRole('dialog').locator('li', { hasText: 'short-lived' })
  await row.waitFor()
  await stand.stepwell.api.deleteView(id)
  await row.getByRole('button', { name: 'default' }).click()
  await page.getByText('no view has the id').waitFor()
  await row.waitFor({ state: 'detached' })
})
