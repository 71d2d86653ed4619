import type { Locator, Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { seed } from './seed.js'
import { useStand } from './support.js'

const MOST_CLICKS = 4
const TURNS = 100

const stand = useStand(async (stepwell) => {
  await seed(stepwell)
  const { api } = stepwell
  const begin = Date.now() - 1_800_000
  const turns = Array.from({ length: TURNS }, (_, turn) =>
    (['user_message', 'assistant_message'] as const).map((type, place) => ({
      id: `long-${turn}-${type}`,
      threadId: 'long',
      type,
      name: type,
      startTime: new Date(begin + turn * 10_000 + place * 2000).toISOString(),
      output: { content: `${place === 0 ? 'Question' : 'Answer'} number ${turn + 1}` },
    })),
  )
  await api.sendSteps(turns.flat())
  await api.upsertThread({ threadId: 'long', name: 'a long conversation' })
})

interface Row {
  task: string
  clicks: number
  waitedMs: number
}
const table: Row[] = []

/** Somebody with a mouse and keys: counts what they click, and measures how long they wait for what they look for. */
const person = (page: Page) => {
  const row = { clicks: 0, waitedMs: 0 }
  let since = performance.now()
  return {
    row,
    click: async (target: Locator) => {
      await target.waitFor()
      row.waitedMs += performance.now() - since
      row.clicks++
      await target.click()
      since = performance.now()
    },
    press: async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
      since = performance.now()
    },
    type: async (text: string) => {
      await page.keyboard.type(text)
      since = performance.now()
    },
    sees: async (target: Locator) => {
      await target.first().waitFor()
      row.waitedMs += performance.now() - since
      since = performance.now()
    },
  }
}

/** A task begins on a page that is there, and ends when the person sees what they wanted. */
const task = (
  name: string,
  at: string,
  work: (doing: ReturnType<typeof person>, page: Page) => Promise<void>,
) =>
  test(name, async () => {
    const page = await stand.open(at)
    await page.getByRole('main').waitFor()
    await page.waitForLoadState('networkidle')
    const doing = person(page)
    await work(doing, page)
    table.push({ task: name, ...doing.row })
    expect(doing.row.clicks).toBeLessThanOrEqual(MOST_CLICKS)
  })

afterAll(() => {
  for (const { task: name, clicks, waitedMs } of table)
    console.info(
      `${String(clicks).padStart(2)} clicks ${waitedMs.toFixed(0).padStart(6)} ms  ${name}`,
    )
})

const rows = (page: Page) => page.locator('tbody tr[data-key]')

describe('what people do all day takes at most four clicks', () => {
  task('why did it fail', '/threads', async ({ click, sees }, page) => {
    await click(page.locator('tr[data-key="conversation-1"] td').nth(2))
    await sees(page.getByText('TimeoutError: upstream did not answer'))
  })

  task('compare two experiments', '/experiments', async ({ click, sees }, page) => {
    await click(rows(page).nth(0).getByLabel('Select the row'))
    await click(rows(page).nth(1).getByLabel('Select the row'))
    await click(page.getByRole('button', { name: 'Compare' }))
    await sees(page.locator('.differences').getByText(/better|can’t tell|worse/))
  })

  task('review 20', '/review?q=type%3Dllm&give=helpful', async ({ press, sees }, page) => {
    for (let done = 0; done < 20; done++) {
      await sees(page.getByText(`${done} done`, { exact: false }))
      await press('1', 'Enter')
    }
    await sees(page.getByText('20 done', { exact: false }))
  })

  task(
    'give a prompt to one call in ten',
    '/prompts',
    async ({ click, press, type, sees }, page) => {
      await click(page.getByRole('link', { name: 'support' }))
      await click(page.getByRole('tab', { name: 'Rollout' }))
      await click(page.getByRole('spinbutton', { name: 'Percent of version 1' }))
      await press('Control+a')
      await type('10')
      await click(page.getByRole('button', { name: 'Set the split' }))
      await sees(page.getByText('The split is stored.'))
    },
  )

  task('the slowest calls of a week to a model', '/generations', async (doing, page) => {
    await doing.press('/')
    await doing.type('model=gpt-4o')
    await doing.press('Enter')
    await page.waitForURL(/q=model/)
    await page.getByLabel('Time range').selectOption('7d')
    doing.row.clicks += 2
    await page.waitForURL(/range=7d/)
    await doing.click(page.getByRole('columnheader', { name: 'Dur.' }).getByRole('button').first())
    await page.waitForURL(/sort=duration/)
    await doing.sees(rows(page))
    const { data } = await stand.stepwell.api.getGenerations({
      first: 1,
      query: 'model=gpt-4o',
      orderBy: { column: 'duration', direction: 'DESC' },
    })
    await expect.poll(() => rows(page).first().getAttribute('data-key')).toBe(data[0]?.id)
  })

  task('a failing step into a dataset', '/threads', async ({ click, press, sees }, page) => {
    await click(page.locator('tr[data-key="conversation-6"] td').nth(2))
    await sees(page.locator('.tree-row.is-selected', { hasText: 'lookup_order' }))
    await press('d')
    await sees(page.getByRole('dialog').getByLabel('Dataset'))
    await press('Enter')
    await sees(page.getByRole('link', { name: 'Added to the dataset' }))
  })

  task('a tool failed, and the user gave thumbs down', '/threads', async (doing, page) => {
    await doing.press('/')
    await doing.type('any(type=tool error:any) any(score[feedback]=0)')
    await doing.press('Enter')
    await page.waitForURL(/q=any/)
    await doing.sees(page.locator('tr[data-key="conversation-6"]'))
    await expect.poll(() => page.locator('tr[data-key="conversation-1"]').count()).toBe(0)
    expect(await page.locator('tr[data-key="conversation-6"]').count()).toBe(1)
  })

  task('share what one sees', '/threads?q=error%3Aany', async ({ click, press, sees }, page) => {
    await click(page.locator('tr[data-key="conversation-1"] td').nth(2))
    await sees(page.locator('.tree-row.is-selected'))
    await press('c')
    await sees(page.getByText(/copied/i))
  })

  task('read a hundred turns', '/threads', async ({ click, sees }, page) => {
    await click(page.locator('tr[data-key="long"] td').nth(2))
    const chat = page.getByRole('region', { name: 'Conversation' })
    const first = chat.getByText('Question number 1', { exact: true })
    const last = chat.getByText(`Answer number ${TURNS}`, { exact: true })
    await sees(first)
    await first.hover()
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 4000)
        return last.isVisible()
      })
      .toBe(true)
    await sees(last)
  })

  task('compare two threads', '/threads', async ({ click, sees }, page) => {
    await click(page.locator('tr[data-key="conversation-2"]').getByLabel('Select the row'))
    await click(page.locator('tr[data-key="conversation-7"]').getByLabel('Select the row'))
    await click(page.getByRole('link', { name: 'Compare', exact: true }))
    await sees(page.getByText(/turns?: .*differ/))
  })

  task('the cost of a user and of a model', '/users', async ({ click, sees, row }, page) => {
    const user = page.locator('tbody tr', { hasText: 'ada@example.org' })
    await sees(user.getByText(/\$/))
    await click(page.getByRole('link', { name: 'Overview' }))
    await page.getByLabel('Split').selectOption('model')
    row.clicks += 2
    await sees(page.getByText('gpt-4o-mini'))
    await sees(page.getByRole('figure', { name: /cost/i }))
  })

  task('connect a new application', '/settings/connect', async ({ click, sees }, page) => {
    await click(page.getByRole('button', { name: 'Record an example' }))
    await sees(page.getByRole('link', { name: /The example is recorded/ }))
    await click(page.getByRole('link', { name: /The example is recorded/ }))
    await sees(page.locator('.tree-row', { hasText: 'carrier' }))
  })
})
