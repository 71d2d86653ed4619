// The focus, when the element that has it goes or can no longer be pressed: it never falls back to the page.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useStand } from './support.js'

const stand = useStand(async ({ api }) => {
  await api.sendSteps(
    Array.from({ length: 30 }, (_, at) => ({
      id: `run-${at}`,
      threadId: `thread-${at}`,
      type: 'run' as const,
      name: 'agent',
    })),
  )
  for (const name of ['first', 'second', 'third']) {
    await api.createView({ subject: 'THREADS', name, query: 'error:any' })
    await api.setScoreDefinition({ name, kind: 'BOOLEAN' })
  }
  const { id } = await api.createDataset({ name: 'examples' })
  for (const question of ['first', 'second', 'third'])
    await api.createDatasetItem(id, { input: { question } })
})

/** Presses a button by the keyboard. */
const press = async (page: Page, name: string, within = page.locator('body')) => {
  await within.getByRole('button', { name, exact: true }).focus()
  await page.keyboard.press('Enter')
}
const focused = (page: Page) => page.locator(':focus')
/** Deletes a row of a list by the keyboard, with the second press on the same button. */
const remove = async (page: Page, row: ReturnType<Page['locator']>, label: string) => {
  await press(page, label, row)
  await row.getByRole('button', { name: 'for all?' }).waitFor()
  await page.keyboard.press('Enter')
  await row.waitFor({ state: 'detached' })
}

test('moves to the next row when a view is deleted, and to the one before when there is none', async () => {
  const page = await stand.open('/threads')
  await press(page, 'views')
  const row = (name: string) => page.getByRole('dialog').locator('li', { hasText: name })
  await remove(page, row('second'), 'Delete')
  await expect.poll(() => row('third').locator(':focus').count()).toBe(1)
  await remove(page, row('third'), 'Delete')
  await expect.poll(() => row('first').locator(':focus').count()).toBe(1)
  await remove(page, row('first'), 'Delete')
  await expect.poll(() => page.getByRole('dialog').locator(':focus').count()).toBe(1)
})

test('moves to the row beside when a sheet has deleted what it shows, and to the content after the last row', async () => {
  const [dataset] = await stand.stepwell.api.getDatasets()
  const page = await stand.open(`/datasets/${dataset?.id}`)
  const row = (question: string) => page.locator('tr[data-key]', { hasText: question })
  const removeInSheet = async (question: string) => {
    await row(question).getByRole('link').first().focus()
    await page.keyboard.press('Enter')
    const sheet = page.getByRole('dialog')
    await press(page, 'Delete…', sheet)
    await sheet.getByRole('button', { name: 'Delete it for good' }).waitFor()
    await page.keyboard.press('Enter')
    await row(question).waitFor({ state: 'detached' })
  }
  await removeInSheet('second')
  await expect.poll(() => row('third').locator(':focus').count()).toBe(1)
  await removeInSheet('third')
  await expect.poll(() => row('first').locator(':focus').count()).toBe(1)
  await removeInSheet('first')
  await expect.poll(() => page.getByRole('main').and(focused(page)).count()).toBe(1)
})

test('moves to the other button when the last page of a list is reached', async () => {
  const page = await stand.open('/threads?size=25')
  await page.locator('tr[data-key]').first().waitFor()
  await press(page, 'older ›')
  await expect.poll(() => page.locator('tr[data-key]').count()).toBe(5)
  const newer = page.getByRole('button', { name: '‹ newer' })
  await expect.poll(() => newer.and(focused(page)).count()).toBe(1)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('tr[data-key]').count()).toBe(25)
  const older = page.getByRole('button', { name: 'older ›' })
  await expect.poll(() => older.and(focused(page)).count()).toBe(1)
})

test('returns to the row that was chosen last when the choice is cleared', async () => {
  const page = await stand.open('/threads')
  const box = (at: number) => page.locator('tr[data-key] input[type=checkbox]').nth(at)
  await box(0).focus()
  await page.keyboard.press('Space')
  await box(2).focus()
  await page.keyboard.press('Space')
  const bar = page.locator('.selection-bar')
  await press(page, 'All that match', bar)
  await bar.getByText('all 30 threads that match').waitFor()
  await expect.poll(() => bar.locator(':focus').count()).toBe(1)
  await press(page, 'Clear', bar)
  await bar.waitFor({ state: 'detached' })
  await expect.poll(() => box(2).and(focused(page)).count()).toBe(1)
})
