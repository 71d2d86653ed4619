// Pages on narrow screens: a drawer instead of the rail, one pane at a time, rows of two lines.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { intercept, seriousProblems, useStand } from './support.js'

const PHONE = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true }

const stand = useStand(async ({ api }) => {
  await api.sendSteps(
    Array.from({ length: 20 }, (_, at) => ({
      id: `run-${at}`,
      threadId: `thread-${at}`,
      type: 'run' as const,
      name: 'agent',
      output: { content: 'done' },
    })),
  )
})

describe('the drawer', () => {
  const drawer = (page: Page) => page.getByRole('dialog', { name: 'Pages' })
  const button = (page: Page) => page.getByRole('button', { name: 'Pages' })
  const open = async () => {
    const page = await stand.open('/threads', PHONE)
    await page.locator('tr[data-key]').first().waitFor()
    await button(page).tap()
    await drawer(page).waitFor()
    return page
  }
  const hasFocus = (page: Page) => button(page).evaluate((it) => it === document.activeElement)

  test('closes by a tap beside it, which opens nothing below', async () => {
    const page = await open()
    expect(await seriousProblems(page)).toEqual([])
    const address = page.url()
    await page.touchscreen.tap(340, 400)
    await drawer(page).waitFor({ state: 'detached' })
    expect(page.url()).toBe(address)
    expect(await hasFocus(page)).toBe(true)
  })

  test('has the focus while it is open, and gives it back at Escape', async () => {
    const page = await open()
    const isInside = () => drawer(page).evaluate((it) => it.contains(document.activeElement))
    expect(await isInside()).toBe(true)
    await page.keyboard.press('Escape')
    await drawer(page).waitFor({ state: 'detached' })
    expect(await hasFocus(page)).toBe(true)
  })

  test('leads to a page, to this one too, and makes room for a dialog', async () => {
    const page = await open()
    await drawer(page).getByRole('link', { name: 'Threads' }).tap()
    await drawer(page).waitFor({ state: 'detached' })
    await button(page).tap()
    await drawer(page).getByRole('link', { name: 'Steps' }).tap()
    await page.getByRole('heading', { name: 'Steps' }).waitFor()
    expect(await drawer(page).count()).toBe(0)
    await button(page).tap()
    await drawer(page).getByRole('button', { name: 'Find' }).tap()
    await page.getByRole('combobox', { name: /any id/ }).waitFor()
    expect(await drawer(page).count()).toBe(0)
  })
})

test.each(['chat', 'nonsense'])(
  'a thread without messages shows its steps at view=%s',
  async (view) => {
    const page = await stand.open(`/threads/thread-0?view=${view}`, PHONE)
    await page.getByRole('treegrid', { name: 'Steps' }).waitFor()
    await page.keyboard.press('1')
    await page.getByRole('tab', { name: 'Steps', selected: true }).waitFor()
    expect(await page.getByRole('treegrid', { name: 'Steps' }).isVisible()).toBe(true)
  },
)

test('a row names a single step in the singular', async () => {
  const page = await stand.open('/threads?q=id%3Dthread-1', PHONE)
  const row = page.locator('tr[data-key="thread-1"]')
  await row.waitFor()
  expect((await row.textContent())?.replaceAll('\u00a0', ' ')).toMatch(/\b1 step(?!s)/)
})

test('the type of a file stands in one line beside a long name', async () => {
  const { api } = stand.stepwell
  await api.sendSteps([
    {
      id: 'with-file',
      threadId: 'with-file',
      type: 'user_message',
      name: 'ada',
      output: { content: 'Look at this.' },
    },
  ])
  await api.createAttachment({
    stepId: 'with-file',
    threadId: 'with-file',
    name: `${'a very long name of a picture '.repeat(4)}.png`,
    mime: 'image/png',
    content: Buffer.from('not an image'),
  })
  const page = await stand.open('/threads/with-file?view=chat', PHONE)
  const type = page.getByText('image/png', { exact: true }).first()
  await type.waitFor()
  const box = await type.boundingBox()
  expect(box?.height).toBeLessThan(30)
  expect(box?.width).toBeGreaterThan(40)
})

test('a low window, as at twice the size, shows the step under review and the threads of a user by scrolling', async () => {
  const viewport = { width: 640, height: 400 }
  const { id } = await stand.stepwell.api.createUser('ada', { plan: 'pro' })
  await stand.stepwell.api.upsertThread({ threadId: 'thread-0', participantId: id })
  for (const [path, part, least] of [
    [`/users/${id}`, '.main > .page', 60],
    ['/review?q=', '.review-item', 100],
  ] as const) {
    const page = await stand.open(path, { viewport })
    await page.locator(part).first().waitFor({ state: 'attached' })
    await page.waitForLoadState('networkidle')
    const box = await page.locator(part).first().boundingBox()
    expect(box?.height, path).toBeGreaterThan(least)
    await page.evaluate(() => {
      const main = document.querySelector('.main')
      main?.scrollTo(0, main.scrollHeight)
    })
    const last = await page.locator(`${part} > :last-child`).first().boundingBox()
    expect(last?.y, path).toBeLessThan(viewport.height)
  }
})

test('a window of four times the size shows the steps of a thread, threads side by side, and versions of a prompt', async () => {
  const viewport = { width: 320, height: 256 }
  await stand.stepwell.api.getOrCreatePrompt('greeting', [{ role: 'system', content: 'Be brief' }])
  for (const [path, part] of [
    ['/threads/thread-0?view=steps', '.tree'],
    ['/threads/thread-0/beside/thread-1', '.beside'],
    ['/prompts/greeting', '.version-body'],
  ] as const) {
    const page = await stand.open(path, { viewport })
    await page.locator(part).waitFor({ state: 'attached' })
    await page.waitForLoadState('networkidle')
    const box = await page.locator(part).boundingBox()
    expect(box?.height, path).toBeGreaterThan(100)
    const end = await page.locator('.main').evaluate((main) => {
      main.scrollTo(0, main.scrollHeight)
      return main.scrollHeight - main.clientHeight - main.scrollTop
    })
    expect(end, path).toBeLessThan(2)
    const seen = await page.locator(part).boundingBox()
    expect((seen?.y ?? 0) + (seen?.height ?? 0), path).toBeLessThanOrEqual(viewport.height + 1)
  }
})

test('a row with a long name, a failure and tags is as wide as its page', async () => {
  const { api } = stand.stepwell
  await api.upsertThread({
    threadId: 'thread-2',
    name: 'A name as long as some people write them, to find it by again. '.repeat(3),
    tags: Array.from({ length: 12 }, (_, at) => `a rather long tag ${at}`),
  })
  const page = await stand.open('/threads?q=id%3Dthread-2', PHONE)
  await page.locator('tr[data-key="thread-2"]').waitFor()
  const more = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return scrollWidth - clientWidth
  })
  expect(more).toBe(0)
})

test('a view has its name in a narrow window, and importing its words', async () => {
  const { api } = stand.stepwell
  await api.createView({ subject: 'THREADS', name: 'Failed this week', query: 'error:any' })
  const { id } = await api.createDataset({ name: 'examples' })
  const viewport = { width: 320, height: 640 }
  const list = await stand.open('/threads', { viewport })
  await list.getByRole('button', { name: 'views' }).click()
  const name = list.getByRole('dialog').getByText('Failed this week')
  await name.waitFor()
  expect(
    await name.evaluate((it) => {
      const button = it.closest('button')
      return button !== null && button.scrollWidth <= button.clientWidth
    }),
  ).toBe(true)
  const dataset = await stand.open(`/datasets/${id}`, { viewport })
  await dataset.getByRole('button', { name: 'Import…' }).click()
  const dialog = dataset.getByRole('dialog')
  await dialog.getByText('Drop a CSV').waitFor()
  expect(await dialog.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0)
})

test.each([640, 720, 960, 1024])('the name of a page is whole at %i px', async (width) => {
  const page = await stand.open('/overview', { viewport: { width, height: 800 } })
  const isWhole = () =>
    page
      .locator('h1')
      .evaluate((heading) => heading.clientWidth > 0 && heading.scrollWidth <= heading.clientWidth)
  await page.getByLabel('Score', { exact: true }).waitFor()
  await expect.poll(isWhole).toBe(true)
})

test('a list keeps to its page when the window becomes wide enough for the rail, and when it no longer is', async () => {
  const page = await stand.open('/threads?sort=startedAt+ASC', {
    viewport: { width: 800, height: 700 },
  })
  await page.locator('tr[data-key]').first().waitFor()
  const frame = page.locator('.page')
  const overflow = () => frame.evaluate((it) => it.scrollWidth - it.clientWidth)
  const heads = page.getByRole('columnheader')
  await expect.poll(overflow).toBe(0)
  const before = await heads.count()
  await page.setViewportSize({ width: 1024, height: 700 })
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  // The list follows the rail: it is drawn two frames later.
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  )
  await expect.poll(overflow).toBe(0)
  await page.setViewportSize({ width: 800, height: 700 })
  await page.getByRole('button', { name: 'Pages' }).waitFor()
  await expect.poll(() => heads.count()).toBe(before)
})

test('a narrow list says that it is not live', async () => {
  const page = await stand.open('/threads', PHONE)
  await page.locator('tr[data-key]').first().waitFor()
  await intercept(page, '**/api/graphql', (route) =>
    route.fulfill({ json: { errors: [{ message: 'The disk is on fire' }] } }),
  )
  await page.getByRole('status').getByText('not live').waitFor()
})
