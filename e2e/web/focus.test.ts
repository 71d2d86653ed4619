// The focus, when the element that has it goes or can no longer be pressed: it never falls back to the page.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { WebCreateViewDocument } from '../../web/generated/operations.js'
import { useStand } from './support.js'

const stand = useStand(async (stepwell) => {
  const { api } = stepwell
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
  for (const name of ['one', 'two'])
    await stepwell.query(WebCreateViewDocument, {
      subject: 'CHARTS',
      name,
      query: '',
      chart: { subject: 'steps', metric: 'count' },
    })
  await api.setModelEndpoint({
    name: 'Model',
    protocol: 'OPENAI',
    baseUrl: 'https://models.example.org/v1',
    model: 'm',
  })
  await api.getOrCreatePrompt('greeting', [
    { role: 'system', content: 'Be brief' },
    { role: 'user', content: 'Hello' },
  ])
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

/** Waits until a button has the focus. */
const expectFocus = (page: Page, name: string) =>
  expect
    .poll(() => page.getByRole('button', { name, exact: true }).and(focused(page)).count())
    .toBe(1)
const expectFocusOfContent = (page: Page) =>
  expect.poll(() => page.getByRole('main').and(focused(page)).count()).toBe(1)

test('moves to what follows a condition that is removed, and returns to the button that opened the conditions', async () => {
  const page = await stand.open('/threads')
  await press(page, 'filter')
  await press(page, 'condition')
  await page.getByRole('button', { name: 'Remove the condition' }).last().focus()
  await page.keyboard.press('Enter')
  await expectFocus(page, 'condition')
  await press(page, 'Done')
  await expectFocus(page, 'filter')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await expectFocus(page, 'filter')
})

test('moves to the content of the page that replaces another one', async () => {
  const page = await stand.open('/threads')
  await page.locator('tr[data-key] a').nth(1).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Next' }).waitFor()
  await expectFocusOfContent(page)
  const address = page.url()
  await press(page, 'Next')
  await expect.poll(() => page.url()).not.toBe(address)
  await expectFocusOfContent(page)
})

test('stays on the button that moves a chart, and goes to the next one at the end', async () => {
  const page = await stand.open('/charts')
  const back = page.getByRole('button', { name: 'Move one back' })
  await back.focus()
  await page.keyboard.press('Enter')
  await back.and(page.locator(':disabled')).waitFor()
  await expectFocus(page, 'Edit one')
  await press(page, 'Move one forward')
  await page
    .getByRole('button', { name: 'Move one forward' })
    .and(page.locator(':disabled'))
    .waitFor()
  await expectFocus(page, 'Move one back')
})

test('stays in a draft whose last message is removed, and in the page when a draft begins and goes', async () => {
  const page = await stand.open('/prompts/greeting/new?from=0')
  await press(page, 'Remove message 2')
  await expectFocus(page, 'message')
  await page.goto(`${stand.base}/prompts/greeting/try`)
  await press(page, 'Edit a copy of v0')
  await expectFocusOfContent(page)
  await press(page, 'Discard the draft')
  await expectFocusOfContent(page)
})

test('stays on a button while that works', async () => {
  const page = await stand.open('/settings/query')
  await press(page, 'Run Ctrl ↵')
  await page.getByText('status 200').waitFor()
  await expectFocus(page, 'Run Ctrl ↵')
  await page.goto(`${stand.base}/settings/prices`)
  await press(page, 'Compute all costs anew')
  await page.getByText('priced anew').waitFor()
  await expectFocus(page, 'Compute all costs anew')
})

test('stays on the value of a score that is chosen by the keyboard, and Enter saves what is chosen', async () => {
  const page = await stand.open('/review?q=type%3Drun&give=first')
  await press(page, 'true 1')
  await expectFocus(page, 'true 1')
  await page.keyboard.press('0')
  await page.keyboard.press('Enter')
  await page.getByText('1 done').waitFor()
  const { data } = await stand.stepwell.api.getScores()
  expect(data.map(({ name, value }) => [name, value])).toEqual([['first', 0]])
})

test('is seen on an editor, also on one that takes no text', async () => {
  const page = await stand.open('/settings/query')
  for (const label of ['Query', 'Result']) {
    const field = page.getByRole('textbox', { name: label, exact: true })
    const editor = page.locator('.editor', { has: field })
    const outline = () => editor.evaluate((element) => getComputedStyle(element).outlineStyle)
    await field.waitFor()
    expect(await outline()).toBe('none')
    await field.focus()
    expect(await outline()).toBe('solid')
  }
})

test('moves to the content of the page that a dialog leads to', async () => {
  const page = await stand.open('/datasets')
  await press(page, 'New dataset')
  await page.keyboard.type('made by the keyboard')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'made by the keyboard' }).waitFor()
  await expect
    .poll(() => focused(page).evaluateAll((all) => all.map((one) => one.id)))
    .toEqual(['content'])
})
