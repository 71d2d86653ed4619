import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { seed } from './seed.js'
import { intercept, useStand } from './support.js'

const HOUR = 3_600_000
const TRIALS = 8

const stand = useStand(async (stepwell) => {
  await seed(stepwell, 30)
  const now = Date.now()
  await stepwell.api.sendSteps(
    Array.from({ length: TRIALS }, (_, index) => ({
      id: `trial-${index}`,
      threadId: `trial-${index}`,
      type: 'llm' as const,
      name: 'trial',
      environment: 'experiment' as const,
      startTime: new Date(now - index * HOUR).toISOString(),
      endTime: new Date(now - index * HOUR + 20_000).toISOString(),
    })),
  )
})

const chartOf = (page: Page, title: string) =>
  page.locator('figure').filter({ has: page.getByText(title, { exact: true }) })

const figureOf = (page: Page, name: string) =>
  page
    .locator('.figure')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('strong')

/** Records how much of the page moves while it loads. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    const seen = { sum: 0 }
    Object.assign(globalThis, { shifts: seen })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number
        hadRecentInput: boolean
      })[])
        if (!entry.hadRecentInput) seen.sum += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  })

test.each(['/overview', '/overview?by=promptVersion', '/threads', '/charts'])(
  '%s stays in its place while it loads, answer after answer, cold and warm',
  async (path) => {
    const page = await stand.open('/settings/appearance')
    await watchShifts(page)
    // Answers that come late, each at another time, show what moves.
    let asked = 0
    await intercept(page, '**/api/graphql', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 60 * (++asked % 7)))
      await route.continue().catch(() => undefined)
    })
    for (const way of ['cold', 'warm']) {
      await page.goto(`${stand.base}${path}`)
      await page.locator('h1').waitFor()
      await page.waitForLoadState('networkidle')
      const shifts = await page.evaluate(
        () => (globalThis as unknown as { shifts: { sum: number } }).shifts.sum,
      )
      expect(shifts, way).toBeLessThanOrEqual(0.02)
    }
    await page.unroute('**/api/graphql')
  },
)

describe('the overview', () => {
  test('leaves experiments out until they are asked for, in figures and in rows alike', async () => {
    const page = await stand.open('/overview')
    const threads = figureOf(page, 'Threads')
    await expect.poll(() => threads.textContent()).toMatch(/^\d+$/)
    const without = Number(await threads.textContent())
    await page.getByLabel('Environment').selectOption('all')
    await page.waitForURL(/env=all/)
    await expect.poll(async () => Number(await threads.textContent())).toBe(without + TRIALS)
  })

  test('begins with the score that is most frequent in what it shows, and not with one of experiments', async () => {
    const page = await stand.open('/overview')
    const chosen = page.getByLabel('Score', { exact: true })
    await expect.poll(() => chosen.inputValue()).toBe('quality')
    await expect.poll(() => figureOf(page, 'quality, mean').textContent()).toMatch(/^0\.\d+$/)
    await page.getByLabel('Environment').selectOption('all')
    await expect.poll(() => chosen.inputValue()).toBe('reward')
  })

  test('says that there are no scores only once it knows', async () => {
    const page = await stand.open('/settings/appearance')
    let goOn = () => {}
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    await intercept(page, '**/api/graphql', async (route) => {
      if (/Facets|RecentScoreNames/.test(route.request().postData() ?? '')) await held
      await route.continue().catch(() => undefined)
    })
    await page.goto(`${stand.base}/overview`)
    expect(await figureOf(page, 'Scores, mean').textContent()).toBe('…')
    expect(await page.getByLabel('Score', { exact: true }).textContent()).toBe('scores')
    goOn()
    await expect
      .poll(() => page.getByLabel('Score', { exact: true }).textContent())
      .not.toBe('scores')
    await expect.poll(() => page.getByText('Scores, mean', { exact: true }).count()).toBe(0)
  })

  test('does not say that there are no lowest scores before it knows which to look for', async () => {
    const page = await stand.open('/nothing')
    const held: (() => void)[] = []
    await intercept(page, '**/api/graphql', async (route) => {
      if (route.request().postData()?.includes('RecentScoreNames') === true)
        await new Promise<void>((resolve) => held.push(resolve))
      await route.continue()
    })
    await page.goto(`${stand.base}/overview`)
    await page.getByRole('region', { name: 'Slowest threads' }).getByRole('link').first().waitFor()
    await expect.poll(() => held.length).toBe(1)
    expect(await page.getByRole('region', { name: 'Lowest scores' }).textContent()).toBe(
      'Lowest scores',
    )
    for (const release of held) release()
    const lowest = page.getByRole('region', { name: 'Lowest quality' })
    await lowest.getByRole('link').first().waitFor()
  })

  test('names parameters of its address that have no sense, and works without them', async () => {
    const page = await stand.open('/overview?by=colour&range=yesterday&env=moon&score=none%20such')
    for (const text of ['“colour”', '“yesterday”', '“moon”', '“none such”'])
      await page.locator('.notice').getByText(text).waitFor()
    await expect.poll(() => figureOf(page, 'Threads').textContent()).toMatch(/^\d+$/)
    expect(await page.locator('.problem').count()).toBe(0)
    await chartOf(page, 'none such, mean').getByText('No scores “none such”').waitFor()
  })

  test('leads by keys to the rows of a bucket, as many as the link says', async () => {
    const page = await stand.open('/overview')
    const chart = chartOf(page, 'Steps that failed')
    await chart.locator('canvas').waitFor()
    await page.waitForLoadState('networkidle')
    await chart.focus()
    const link = chart.getByRole('link', { name: /failed step/ })
    // A key is pressed once the one before it is painted: a bucket with failed steps would be passed unseen.
    for (let press = 0; press < 56 && (await link.count()) === 0; press++) {
      await page.keyboard.press('ArrowLeft')
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      )
    }
    const count = Number.parseInt((await link.textContent()) ?? '', 10)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/steps\?.*failure/)
    await expect.poll(() => page.locator('tbody tr[data-key]').count()).toBe(count)
  })

  test('takes a range by keys, and returns from it by a double click', async () => {
    const page = await stand.open('/overview')
    const chart = chartOf(page, 'Threads')
    await chart.locator('canvas').waitFor()
    await chart.focus()
    for (let press = 0; press < 5; press++) await page.keyboard.press('Shift+ArrowLeft')
    await chart.getByText(/· Enter$/).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/range=/)
    const [from = '', to = ''] = (new URL(page.url()).searchParams.get('range') ?? '').split('..')
    expect(Date.parse(to) - Date.parse(from)).toBe(6 * 3 * HOUR)
    await chart.locator('.u-over').dblclick()
    await expect.poll(() => new URL(page.url()).searchParams.get('range')).toBe(null)
  })

  test('gives the figures of a chart as CSV that adds up to its total, and a picture', async () => {
    const page = await stand.open('/overview')
    const chart = chartOf(page, 'Threads')
    await expect.poll(() => chart.textContent()).toMatch(/\d+ threads/)
    const total = Number.parseInt(
      /(\d+) threads/.exec((await chart.textContent()) ?? '')?.[1] ?? '',
      10,
    )
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      chart.getByRole('button', { name: 'CSV of Threads' }).click(),
    ])
    const [, ...lines] = (await readFile((await file.path()) ?? '', 'utf8')).trim().split('\r\n')
    expect(lines.reduce((sum, line) => sum + Number(line.split(',')[2]), 0)).toBe(total)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await chart.getByRole('button', { name: 'picture of Threads' }).click()
    await page.getByText(/The picture is/).waitFor()
  })
})

test('a chart of one’s own is made, shared, moved, changed and deleted', async () => {
  const page = await stand.open('/charts')
  const add = async (name: string, of: string, value: string, conditions: string) => {
    await page
      .getByRole('button', { name: /^Add (a|the first) chart$/ })
      .first()
      .click()
    const form = page.getByRole('dialog')
    await form.getByLabel(/^Name/).fill(name)
    await form.getByLabel(/^Rows/).selectOption(of)
    await form.getByLabel(/^Value/).selectOption(value)
    if (of === 'generations') await form.getByLabel(/^Split/).selectOption('model')
    await form.getByLabel('Filter', { exact: true }).fill(conditions)
    await form.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(`${name} is saved.`).waitFor()
  }
  await add('tokens of small models', 'generations', 'tokens', 'model~mini')
  await add('failing runs', 'steps', 'errors', 'type=tool')
  const tokens = chartOf(page, 'tokens of small models')
  await expect.poll(() => tokens.textContent()).toContain('gpt-4o-mini')
  expect(await tokens.locator('.chart-key').count()).toBe(1)
  const other = await stand.open('/charts')
  const titles = (shown: Page) => shown.locator('figure strong').allTextContents()
  await expect.poll(() => titles(other)).toEqual(['tokens of small models', 'failing runs'])
  await page.getByRole('button', { name: 'Move failing runs forward' }).click()
  await expect.poll(() => titles(page)).toEqual(['failing runs', 'tokens of small models'])
  await page.getByRole('button', { name: 'Edit failing runs' }).click()
  await page
    .getByRole('dialog')
    .getByLabel(/^Value/)
    .selectOption('count')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(() => chartOf(page, 'failing runs').textContent()).toContain('per 3 hours')
  await page.getByRole('button', { name: 'Edit failing runs' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete for all?' }).click()
  await expect.poll(() => titles(page)).toEqual(['tokens of small models'])
})
