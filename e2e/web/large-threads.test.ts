import type { Page, Request, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { intercept, useStand } from './support.js'

const STEPS = 2600
const BEGINNING = 2000

const stand = useStand(async ({ api }) => {
  const begin = Date.parse('2025-05-14T09:00:00Z')
  const steps = Array.from({ length: STEPS }, (_, at) => ({
    id: `step-${at}`,
    threadId: 'large',
    type: 'tool' as const,
    // Names differ, so that none fold.
    name: `look_${at % 2}`,
    startTime: new Date(begin + at * 100).toISOString(),
    endTime: new Date(begin + at * 100 + 50).toISOString(),
    output: { content: at === STEPS - 1 ? 'the rarest of answers' : 'an answer' },
  }))
  for (let from = 0; from < steps.length; from += 500)
    await api.sendSteps(steps.slice(from, from + 500))
})

const treeOf = (page: Page) => page.getByRole('treegrid', { name: 'Steps' })
const rowCount = (page: Page) => treeOf(page).getAttribute('aria-rowcount')
const bodyOf = (request: Request) => request.postDataJSON()

/** Keeps a page from reading all of a thread. Returns a function that lets it. */
const holdWhole = async (page: Page): Promise<() => void> => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await intercept(page, '**/api/graphql', async (route) => {
    const { operationName, variables } = bodyOf(route.request())
    if (operationName === 'ThreadOutline' && variables.first == null) await released
    await route.fallback()
  })
  return release
}

const reading = (page: Page) => page.getByRole('status').filter({ hasText: 'reading the others' })

test('a thread shows its beginning while the others are read, and keeps the chosen step', async () => {
  const page = await stand.open('/nothing')
  const release = await holdWhole(page)
  await page.goto(`${stand.base}/threads/large?step=step-3`)
  await reading(page).waitFor()
  expect(await reading(page).textContent()).toBe('the first 2,000 steps; reading the others…')
  expect(await rowCount(page)).toBe(String(BEGINNING))
  await page.locator('.tree-row.is-selected', { hasText: 'look_1' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.waitForURL(/step=step-4/)
  release()
  await reading(page).waitFor({ state: 'detached' })
  expect(await rowCount(page)).toBe(String(STEPS))
  expect(page.url()).toContain('step=step-4')
})

test('a link to a step beyond the beginning says nothing of a missing one, and leads there', async () => {
  const page = await stand.open('/nothing')
  const release = await holdWhole(page)
  await page.goto(`${stand.base}/threads/large?step=step-${STEPS - 1}`)
  await reading(page).waitFor()
  expect(await page.getByText('is not in this thread').count()).toBe(0)
  release()
  await page.locator('.tree-row.is-selected').waitFor()
  await page.getByText('the rarest of answers').first().waitFor()
})

test('a thread is the same when it comes in parts, though it changes in between', async () => {
  const page = await stand.open('/nothing')
  const parts: unknown[] = []
  const inParts = async (route: Route) => {
    const body = bodyOf(route.request())
    const isPart = body.operationName === 'OutlinePart'
    if (!isPart && body.operationName !== 'ThreadOutline') return route.fallback()
    if (isPart) parts.push(body.variables.from)
    if (parts.length === 1)
      await stand.stepwell.api.sendSteps([{ id: 'late', threadId: 'large', type: 'run' }])
    await route.fallback({
      postData: JSON.stringify({ ...body, variables: { ...body.variables, count: 700 } }),
    })
  }
  await intercept(page, '**/api/graphql', inParts)
  await page.goto(`${stand.base}/threads/large?step=step-0`)
  await page.locator('.tree-row.is-selected').waitFor()
  await expect.poll(() => rowCount(page)).toBe(String(STEPS))
  expect(parts).toEqual([700, 1400, 2100])
  // The step that came meanwhile is there after the next look.
  await page.unroute('**/api/graphql', inParts)
  await expect.poll(() => rowCount(page), { timeout: 30_000 }).toBe(String(STEPS + 1))
})

test('find counts the steps of a name and of a text, and goes from one to the next', async () => {
  const page = await stand.open('/threads/large?step=step-0')
  await page.locator('.tree-row.is-selected').waitFor()
  const find = page.getByLabel('Find in the thread')
  await find.fill('look_1')
  await page.getByText('1,300 hits').waitFor()
  await find.press('Enter')
  await page.waitForURL(/step=step-1&|step=step-1$/)
  await find.press('Enter')
  await page.waitForURL(/step=step-3/)
  await find.press('Shift+Enter')
  await page.waitForURL(/step=step-1(&|$)/)
  await find.press('Shift+Enter')
  await page.waitForURL(new RegExp(`step=step-${STEPS - 1}`))
  await find.fill('rarest of')
  await page.getByText('1 hit', { exact: true }).waitFor()
})

test('find says that it searches while contents are read, and the steps stay', async () => {
  const page = await stand.open('/threads/large?step=step-0')
  await page.locator('.tree-row.is-selected').waitFor()
  const before = await rowCount(page)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await intercept(page, '**/api/graphql', async (route) => {
    if (bodyOf(route.request()).operationName === 'OutlineMatches') await released
    await route.fallback()
  })
  const find = page.getByLabel('Find in the thread')
  await find.fill('rarest of')
  await page.getByText('searching…', { exact: true }).waitFor()
  expect(await rowCount(page)).toBe(before)
  expect(await page.getByText('0 hits').count()).toBe(0)
  // Names are known already.
  await find.fill('look_1')
  await page.getByText('1,300 hits, searching…').waitFor()
  await find.fill('rarest of')
  release()
  await page.getByText('1 hit', { exact: true }).waitFor()
  await expect.poll(() => rowCount(page)).toBe('1')
  await find.fill('not said anywhere')
  await page.getByText('0 hits', { exact: true }).waitFor()
})
