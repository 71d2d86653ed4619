// Lists under the hand: keys beside the mouse, names that say nothing, pages that are reached from later ones.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { intercept, useStand } from './support.js'

const stand = useStand(async ({ api }) => {
  const begin = Date.parse('2025-05-14T09:00:00Z')
  await api.sendSteps(
    Array.from({ length: 60 }, (_, at) => ({
      id: `run-${at}`,
      threadId: `thread-${at}`,
      type: 'run' as const,
      name: 'agent',
      startTime: new Date(begin + at * 60_000).toISOString(),
      output: { content: 'done' },
    })),
  )
})

const rows = (page: Page) => page.locator('tbody tr[data-key]')

test('after a click on the box of a row the keys go on', async () => {
  const page = await stand.open('/threads')
  await rows(page).nth(2).getByRole('checkbox').click()
  await page.keyboard.press('j')
  await page.waitForURL(/row=thread-59/)
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.locator('.selection-bar').waitFor({ state: 'detached' })
})

test('the newest page announces rows that come, also when it is reached from an older one', async () => {
  const page = await stand.open('/threads?size=25')
  await rows(page).first().waitFor()
  await page.getByRole('button', { name: 'older ›' }).click()
  await page.locator('tr[data-key="thread-34"]').waitFor()
  await page.getByRole('button', { name: '‹ newer' }).click()
  await page.locator('tr[data-key="thread-59"]').waitFor()
  await stand.stepwell.api.sendSteps([
    {
      id: 'late',
      threadId: 'late',
      type: 'run',
      name: 'late',
      startTime: new Date().toISOString(),
    },
  ])
  await page.getByRole('button', { name: '↑ 1 newer' }).click()
  await page.locator('tr[data-key="late"]').waitFor()
  expect(await rows(page).first().getAttribute('data-key')).toBe('late')
})

test('a thread whose name is blank goes by its id', async () => {
  await stand.stepwell.api.upsertThread({ threadId: 'blank', name: ' ' })
  const page = await stand.open('/threads?q=id%3Dblank')
  await rows(page).getByRole('link', { name: 'blank', exact: true }).click()
  await page.waitForURL(/\/threads\/blank/)
  await page.getByRole('heading', { name: 'Thread', exact: true }).waitFor()
})

test('a range that is none is named, with what is shown instead', async () => {
  const page = await stand.open('/threads?range=garbage')
  await page.getByText('“garbage” in this address is no range').waitFor()
  await rows(page).first().waitFor()
  await page.goto(`${stand.base}/threads?range=2025-05-14T09:00:00Z..`)
  await rows(page).first().waitFor()
  expect(await page.getByText('is no range').count()).toBe(0)
})

test('tags beyond the fifth are counted and named', async () => {
  const tags = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']
  await stand.stepwell.api.upsertThread({ threadId: 'tagged', name: 'tagged', tags })
  const page = await stand.open('/threads/tagged')
  const others = page.locator('.thread-facts [title="six, seven"]')
  await others.waitFor()
  expect(await others.innerText()).toContain('+2')
})

test('an item and a section that are not where an address looks for them are named', async () => {
  const { id } = await stand.stepwell.api.createDataset({ name: 'examples' })
  const page = await stand.open(`/datasets/${id}?item=no-such-item`)
  await page.getByText('The item of this address is not among the rows below.').waitFor()
  await page.getByRole('link', { name: 'Look for it' }).click()
  await page.getByText('There is no item with this id here').waitFor()
  await page.goto(`${stand.base}/settings/nothing`)
  await page.getByText('There is no section “nothing” of the settings.').waitFor()
  await page.goto(`${stand.base}/datasets/${id}/compare?base=one&with=two`)
  await page.getByText('2 experiments of this address are not here').waitFor()
})

test('a list is live no longer than the service answers, and its session lasts', async () => {
  const page = await stand.open('/threads')
  await rows(page).first().waitFor()
  const live = page.getByText('live', { exact: true })
  await live.waitFor()
  await intercept(page, '**/api/graphql', (route) =>
    route.fulfill({ json: { errors: [{ message: 'The disk is on fire' }] } }),
  )
  await page.getByText('not live').waitFor()
  await page.unroute('**/api/graphql')
  await live.waitFor()
  await page.context().clearCookies()
  const alert = page.getByRole('alert')
  await alert.getByText('Your session is over').waitFor()
  await alert.getByText('The threads below are not up to date.').waitFor()
  await alert.getByRole('link', { name: 'Sign in' }).waitFor()
})

test('a moment that is left alone in the choice of a range stays, in an hour that clocks repeat too', async () => {
  // The clocks of New York show the hour from 01:00 twice on this day; this is the second.
  const from = '2026-11-01T06:30:12.345Z'
  const page = await stand.open(`/threads?range=${from}..2026-11-01T07:30:00.000Z`, {
    timezoneId: 'America/New_York',
  })
  await page.getByLabel('Time range').selectOption('between…')
  const dialog = page.getByRole('dialog', { name: 'Range of time' })
  await expect.poll(() => dialog.getByLabel('From').inputValue()).toBe('2026-11-01T01:30')
  await dialog.getByLabel('Until').fill('2026-11-01T05:00')
  await dialog.getByRole('button', { name: 'Show' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect
    .poll(() => new URL(page.url()).searchParams.get('range'))
    .toBe(`${from}..2026-11-01T10:00:00.000Z`)
})
