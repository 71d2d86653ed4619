import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { seed } from './seed.js'
import { seriousProblems, useStand } from './support.js'

const stand = useStand(async (stepwell) => {
  await seed(stepwell)
  // Three conversations in which a tool failed and a user was not pleased; only in one with the same step.
  const thumbs = (value: number) => [{ name: 'thumbs', type: 'HUMAN' as const, value }]
  await stepwell.api.sendSteps([
    {
      id: 'a1',
      threadId: 'both',
      type: 'tool',
      name: 'book',
      error: 'no seats',
      scores: thumbs(0),
    },
    { id: 'b1', threadId: 'apart', type: 'tool', name: 'book', error: 'no seats' },
    { id: 'b2', threadId: 'apart', type: 'run', name: 'answer', scores: thumbs(0) },
    { id: 'c1', threadId: 'pleased', type: 'tool', name: 'book', error: 'late', scores: thumbs(1) },
  ] as Parameters<typeof stepwell.api.sendSteps>[0])
})

const filterOf = (page: Page) => page.getByLabel('Filter', { exact: true })
const keys = (page: Page) =>
  page
    .locator('tbody tr[data-key]')
    .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.key))
const option = (page: Page, name: RegExp) => page.getByRole('option', { name })

describe('the filter field', () => {
  test('finds the threads of which one tool failed and displeased the user, with four clicks', async () => {
    const page = await stand.open('/threads')
    await filterOf(page).click()
    await option(page, /^any\(/).click()
    await page.keyboard.type('type=tool error:any sc')
    await option(page, /^score/).click()
    await option(page, /^thumbs/).click()
    await page.keyboard.type('=0)')
    await page.keyboard.press('Enter')
    await expect.poll(() => keys(page)).toEqual(['both'])
    expect(await filterOf(page).inputValue()).toBe('any(type=tool error:any score[thumbs]=0)')
    // The address says it all, and code gets the same.
    const again = await stand.open(page.url())
    await expect.poll(() => keys(again)).toEqual(['both'])
    const { data } = await stand.stepwell.api.listThreads({
      query: await filterOf(page).inputValue(),
    })
    expect(data.map(({ id }) => id)).toEqual(['both'])
  })

  test('takes OR, brackets, and "without"', async () => {
    const page = await stand.open('/threads')
    await filterOf(page).fill('(error~seats OR error~late) -score[thumbs]=1')
    await filterOf(page).press('Enter')
    await expect.poll(async () => (await keys(page)).sort()).toEqual(['apart', 'both'])
    await filterOf(page).fill('error:any score[thumbs]:none (id=apart OR id=both)')
    await filterOf(page).press('Enter')
    await page.getByText('No threads match').waitFor()
    await page.getByRole('button', { name: /score\[thumbs\]:none/ }).click()
    await expect.poll(async () => (await keys(page)).sort()).toEqual(['apart', 'both'])
  })

  test('offers fields, operators and values with counts, by keys alone', async () => {
    const page = await stand.open('/threads')
    await filterOf(page).focus()
    await page.keyboard.type('use')
    await option(page, /^user/).first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await filterOf(page).inputValue()).toBe('user:')
    await option(page, /ada@example\.org\s*\d+×/).waitFor()
    expect(await seriousProblems(page)).toEqual([])
    await page.keyboard.type('ada')
    await page.keyboard.press('ArrowDown')
    await option(page, /ada@example/)
      .and(page.locator('[aria-selected="true"]'))
      .waitFor()
    await page.keyboard.press('Enter')
    expect(await filterOf(page).inputValue()).toBe('user:ada@example.org ')
    await page.waitForURL(/q=user/)
    await page.keyboard.type('duration')
    await option(page, /^duration>=\s*from/).waitFor()
  })

  test('Esc leaves it, and the arrow down goes to the rows', async () => {
    const page = await stand.open('/threads')
    await page.locator('tbody tr[data-key]').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('error:any ')
    await page.keyboard.press('Escape')
    const isFocused = () => filterOf(page).evaluate((field) => field === document.activeElement)
    await expect.poll(isFocused).toBe(false)
    expect(await filterOf(page).inputValue()).toBe('error:any ')
    await page.waitForURL(/q=error/)
    await page.keyboard.press('/')
    await page.keyboard.press('ArrowDown')
    await expect.poll(isFocused).toBe(false)
    await page.locator('tbody tr[aria-selected="true"]').waitFor()
    const [first] = await keys(page)
    expect(await page.locator('tbody tr[aria-selected="true"]').getAttribute('data-key')).toBe(
      first,
    )
  })

  test('Back returns to the row that was opened by a click', async () => {
    const page = await stand.open('/threads')
    const row = page.locator('tr[data-key="conversation-7"]')
    await row.click({ position: { x: 300, y: 10 } })
    await page.waitForURL(/threads\/conversation-7/)
    await page.goBack()
    await page.locator('tr[data-key="conversation-7"][aria-selected="true"]').waitFor()
  })

  test('a list without a match names its range in words', async () => {
    const page = await stand.open('/threads?range=2020-03-01T10:00Z..2020-03-02T10:00Z')
    await page.getByText('Drop all (also 1 Mar 2020 10:00 to 2 Mar 2020 10:00)').waitFor()
    await page.goto(`${stand.base}/threads?range=7d&q=name%3Dnothing`)
    await page.getByText('Drop all (also last 7 days)').waitFor()
  })

  test('the builder keeps what it has no rows for', async () => {
    const page = await stand.open('/threads?q=any(type%3Dtool+error:any)+env%3Dprod')
    await page.getByRole('button', { name: 'filter' }).click()
    await page.getByText('any(type=tool error:any)', { exact: true }).waitFor()
    await page.getByLabel('Value', { exact: true }).fill('dev')
    await expect.poll(() => filterOf(page).inputValue()).toBe('any(type=tool error:any) env=dev')
  })
})
