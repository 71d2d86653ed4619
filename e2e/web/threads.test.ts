import type { Page } from 'playwright-core'
import type { StepwellClient } from 'stepwell'
import { describe, expect, test } from 'vitest'
import type { StepInput } from '../../generated/schema.js'
import { seriousProblems, useStand } from './support.js'

const TURNS = 100
const FAILED_TURN = 57
const PAUSE_MS = 40_000

/** Records a conversation of turns with an agent that calls tools; some turns can be left out. */
const record = async (
  { api }: StepwellClient,
  threadId: string,
  { without, answer }: { without?: number; answer?: (turn: number) => string } = {},
): Promise<void> => {
  const begin = Date.parse('2025-05-14T09:00:00Z')
  const steps: StepInput[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    if (turn === without) continue
    const at = (ms: number) => new Date(begin + turn * PAUSE_MS + ms).toISOString()
    const step = (id: string, more: Omit<StepInput, 'id'>) =>
      steps.push({ id: `${threadId}-${id}-${turn}`, threadId, ...more })
    const parentId = `${threadId}-run-${turn}`
    step('question', {
      type: 'user_message',
      name: 'ada',
      startTime: at(0),
      output: { content: `Question ${turn}: ${'where is this order? '.repeat(1 + (turn % 9))}` },
    })
    step('run', { type: 'run', name: 'agent', startTime: at(200), endTime: at(5000) })
    step('plan', {
      parentId,
      type: 'llm',
      name: 'plan',
      startTime: at(300),
      endTime: at(1500),
      generation: { type: 'CHAT', inputTokenCount: 500, outputTokenCount: 50 },
    })
    step('tool', {
      parentId,
      type: 'tool',
      name: 'lookup_order',
      startTime: at(1600),
      endTime: at(2000),
      input: { order_id: turn, note: 'two\nlines' },
      ...(turn === FAILED_TURN
        ? { error: 'TimeoutError: upstream did not answer' }
        : { output: { status: `sent-${turn}` } }),
    })
    // The last turn searches many times, once slowly.
    for (let call = 0; turn === TURNS - 1 && call < 12; call++)
      steps.push({
        id: `${threadId}-search-${call}`,
        threadId,
        parentId,
        type: 'retrieval',
        name: 'search',
        startTime: at(2100 + call * 100),
        endTime: at(2100 + call * 100 + (call === 5 ? 900 : 60)),
      })
    step('answer', {
      type: 'assistant_message',
      name: 'Assistant',
      startTime: at(5200),
      output: { content: answer?.(turn) ?? `Answer ${turn}.\n\n${'- a point\n'.repeat(turn % 7)}` },
    })
  }
  for (let from = 0; from < steps.length; from += 200)
    await api.sendSteps(steps.slice(from, from + 200) as Parameters<typeof api.sendSteps>[0])
  await api.upsertThread({ threadId, name: `conversation ${threadId}` })
}

const stand = useStand(async (stepwell) => {
  await record(stepwell, 'first')
  await record(stepwell, 'second', {
    without: 20,
    answer: (turn) =>
      turn === 60 ? 'Something else.' : `Answer ${turn}.\n\n${'- a point\n'.repeat(turn % 7)}`,
  })
})

/** The sum of layout shifts that no input explains, as the browser counts them. */
const shiftOf = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & {
            value: number
            hadRecentInput: boolean
          })[])
            if (!entry.hadRecentInput) sum += entry.value
        })
        observer.observe({ type: 'layout-shift', buffered: true })
        // Buffered entries are reported before the next frame is over.
        requestAnimationFrame(() => setTimeout(() => resolve(sum), 100))
      }),
  )

const MAX_SHIFT = 0.02

const chatOf = (page: Page) => page.getByRole('region', { name: 'Conversation' })

/** Waits until all entries of a conversation of this size are in the page. */
const untilWhole = async (page: Page): Promise<void> => {
  await expect.poll(() => chatOf(page).locator('.message').count()).toBe(2 * TURNS)
}

describe('a conversation of 100 turns', () => {
  test('is read from its list by one click and the wheel, and nothing moves on its own', async () => {
    const page = await stand.open('/threads')
    await page.locator('tr[data-key="first"]').click({ position: { x: 300, y: 10 } })
    await chatOf(page).getByText(`Question ${FAILED_TURN}:`).waitFor()
    await untilWhole(page)
    const box = chatOf(page).locator('.chat')
    await box.hover()
    const seen = new Set<string>()
    const atEnd = () =>
      box.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight < 2)
    await page.keyboard.press('Tab')
    await box.focus()
    await page.keyboard.press('Home')
    await expect.poll(() => box.evaluate((element) => element.scrollTop)).toBe(0)
    while (!(await atEnd())) {
      for (const text of await box.locator('.message.user_message').evaluateAll((all) => {
        const frame = document.querySelector('.chat')?.getBoundingClientRect()
        return all
          .filter((one) => {
            const { top, bottom } = one.getBoundingClientRect()
            return frame !== undefined && bottom > frame.top && top < frame.bottom
          })
          .map((one) => /Question \d+/.exec(one.textContent ?? '')?.[0] ?? '')
      }))
        seen.add(text)
      await page.mouse.wheel(0, 600)
      const before = await box.evaluate((element) => element.scrollTop)
      await expect
        .poll(async () => (await atEnd()) || (await box.evaluate((e) => e.scrollTop)) >= before)
        .toBe(true)
    }
    await expect.poll(() => seen.size).toBeGreaterThanOrEqual(TURNS - 1)
    expect(await shiftOf(page)).toBeLessThan(MAX_SHIFT)
  })

  test('opens at the step of a link far down, and both follow a choice in the other', async () => {
    const page = await stand.open('/threads/first?step=first-tool-80')
    const selected = chatOf(page).locator('.tool-call.is-selected')
    await selected.getByText('"order_id":80').waitFor()
    const isInView = () =>
      selected.evaluate((element) => {
        const frame = element.closest('.chat')?.getBoundingClientRect()
        const { top, bottom } = element.getBoundingClientRect()
        return frame !== undefined && top >= frame.top && bottom <= frame.bottom
      })
    expect(await isInView()).toBe(true)
    await untilWhole(page)
    expect(await isInView()).toBe(true)
    expect(await shiftOf(page)).toBeLessThan(MAX_SHIFT)
    // The conversation follows the tree …
    await page.getByRole('treegrid').focus()
    await page.keyboard.press('e')
    await page.waitForURL(/step=first-tool-57/)
    await selected.getByText('"order_id":57').waitFor()
    await expect.poll(isInView).toBe(true)
    // … and the tree the conversation.
    await chatOf(page).getByText('Question 3:').scrollIntoViewIfNeeded()
    await chatOf(page).getByText('Question 3:').click()
    await page.waitForURL(/step=first-question-3/)
    await page.locator('.tree-row.is-selected', { hasText: 'ada' }).waitFor()
    expect(
      await page.locator('.tree-row.is-selected').evaluate((row) => {
        const frame = row.parentElement?.getBoundingClientRect()
        const { top, bottom } = row.getBoundingClientRect()
        return frame !== undefined && top >= frame.top && bottom <= frame.bottom
      }),
    ).toBe(true)
  })

  test('shows why it failed without a click: the call, its error, and on request its arguments', async () => {
    const page = await stand.open('/threads/first')
    const call = chatOf(page).locator('.tool-call.is-selected')
    await call.getByText('failed', { exact: true }).waitFor()
    await call.getByText('TimeoutError: upstream did not answer').waitFor()
    const given = call.getByRole('region', { name: 'Arguments' })
    expect(await given.count()).toBe(0)
    await call.getByRole('button', { name: /lookup_order/ }).click()
    await given.getByText('two').waitFor()
  })

  test('unfolds the steps behind a message, which lead to the step', async () => {
    const page = await stand.open('/threads/first?step=first-question-0')
    await chatOf(page)
      .getByRole('button', { name: /3 steps/ })
      .first()
      .click()
    await page.waitForURL(/step=first-run-0/)
    await chatOf(page).locator('.work-list').getByRole('button', { name: /plan/ }).click()
    await page.waitForURL(/step=first-plan-0/)
    await page.locator('.tree-row.is-selected', { hasText: 'plan' }).waitFor()
  })

  test('ends where End leads: in the tree at the last row, in the conversation at the last message', async () => {
    const page = await stand.open('/threads/first?step=first-question-0')
    await page.locator('.tree-row.is-selected').waitFor()
    await page.keyboard.press('End')
    await page.waitForURL(/step=first-answer-99/)
    await page.keyboard.press('Home')
    await page.waitForURL(/step=first-question-0/)
    await chatOf(page).locator('.chat').focus()
    await page.keyboard.press('End')
    await expect
      .poll(() =>
        chatOf(page)
          .locator('.chat')
          .evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight),
      )
      .toBeLessThan(2)
    await chatOf(page).getByText('Answer 99.').waitFor()
    expect(page.url()).toContain('first-question-0')
  })
})

describe('the tree', () => {
  test('keeps to the window that is drawn on the map, and moves there', async () => {
    const page = await stand.open('/threads/first?step=first-question-0&idle=shown')
    await page.locator('.tree-row').first().waitFor()
    const map = await page.locator('.minimap').boundingBox()
    if (map === null) throw new Error('the map is not drawn')
    await page.mouse.move(map.x + map.width * 0.5, map.y + 10)
    await page.mouse.down()
    await page.mouse.move(map.x + map.width * 0.52, map.y + 10)
    await page.mouse.up()
    await page.waitForURL(/t=\d+-\d+/)
    const [, from = '', to = ''] = /t=(\d+)-(\d+)/.exec(page.url()) ?? []
    const axis = await page.locator('.tree-head .lane span').allTextContents()
    const minutes = (ms: string) => `${Math.floor(Math.round(Number(ms) / 1000) / 60)} m`
    expect(axis[0]).toContain(minutes(from))
    expect(axis.at(-1)).toContain(minutes(to))
    // The first visible row is one of the window.
    const turn = Math.ceil(Number(from) / PAUSE_MS)
    await expect
      .poll(() =>
        page.locator('.tree').evaluate((tree) => {
          const { top } = tree.getBoundingClientRect()
          return [...tree.querySelectorAll('.tree-row')]
            .find((row) => row.getBoundingClientRect().bottom > top + 1)
            ?.getAttribute('aria-label')
        }),
      )
      .toMatch(/starts at (3[2-4]) m/)
    expect(turn).toBeGreaterThan(40)
    // Steps outside have no bar, but a sign of the side where they are.
    await page.getByRole('treegrid').focus()
    await page.keyboard.press('Home')
    await page.locator('.tree-row.is-selected .bar-beyond').waitFor()
    await page.getByRole('button', { name: 'all of it' }).click()
    await page.locator('.tree-row.is-selected .bar').first().waitFor()
  })

  test('folds like steps to one row with its count and the outlier, which one click shows', async () => {
    const page = await stand.open('/threads/first?step=first-answer-99')
    const fold = page.locator('.tree-row', { hasText: '×12' })
    await fold.waitFor()
    expect(await fold.textContent()).toContain('≈ 60 ms')
    await fold.getByText('1 outlier 900 ms').click()
    await page.waitForURL(/step=first-search-5/)
    await page.locator('.tree-row.is-selected', { hasText: '900 ms' }).waitFor()
  })

  test('shows on a parent the tokens of the steps below', async () => {
    const page = await stand.open('/threads/first?step=first-run-0')
    const row = page.locator('.tree-row.is-selected')
    await row.waitFor()
    expect(await row.getByTitle('With all steps below').textContent()).toBe('550')
  })

  test('cuts every pause between turns, and shows them on request', async () => {
    const page = await stand.open('/threads/first?step=first-question-0')
    const cut = page.getByRole('button', { name: /cut idle/ })
    await cut.waitFor()
    // 99 pauses of 34.8 seconds.
    expect(await cut.textContent()).toContain('57 m 25 s')
    const width = () =>
      page
        .locator('.tree-row', { hasText: 'agent' })
        .first()
        .locator('.bar')
        .evaluate((bar) => bar.getBoundingClientRect().width)
    expect(await cut.getAttribute('aria-pressed')).toBe('true')
    await cut.click()
    await page.waitForURL(/idle=shown/)
    expect(await cut.getAttribute('aria-pressed')).toBe('false')
    expect(await width()).toBeLessThanOrEqual(3)
  })
})

describe('two threads side by side', () => {
  test('are reached from the list by three clicks, and aligned past a turn that one of them lacks', async () => {
    const page = await stand.open('/threads')
    await page.locator('tr[data-key="first"]').getByLabel('Select the row').check()
    await page.locator('tr[data-key="second"]').getByLabel('Select the row').check()
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.waitForURL(/\/threads\/(first|second)\/beside\/(first|second)$/)
    await page.getByText('100 turns: 2 differ').waitFor()
    const rows = page.locator('.beside-row.differs')
    expect(await rows.count()).toBe(2)
    expect(await rows.nth(0).textContent()).toMatch(/Turn 21only in the (left|right) thread/)
    expect(await rows.nth(1).locator('> header').textContent()).toContain('Turn 61different answer')
    await rows.nth(1).getByRole('button', { name: 'changed words' }).click()
    expect(await rows.nth(1).locator('ins').count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'only differences' }).click()
    await page.waitForURL(/only=differences/)
    await expect.poll(() => page.locator('.beside-row').count()).toBe(2)
    const again = await stand.open(page.url())
    await again.getByText('100 turns: 2 differ').waitFor()
    expect(await again.locator('.beside-row').count()).toBe(2)
    expect(await shiftOf(again)).toBeLessThan(MAX_SHIFT)
  })

  test('are reached from the menu of one, and a step leads back to it', async () => {
    const page = await stand.open('/threads/first')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Compare with…' }).click()
    await page.getByLabel('Name or id').fill('second')
    await page
      .getByRole('dialog')
      .getByRole('link', { name: 'conversation second' })
      .first()
      .click()
    await page.waitForURL(/\/threads\/first\/beside\/second$/)
    await page.getByText('100 turns: 2 differ').waitFor()
    await page.getByRole('link', { name: 'Swap' }).click()
    await page.waitForURL(/\/threads\/second\/beside\/first$/)
    await page.getByText('only in the right thread').waitFor()
    await page.getByRole('link', { name: 'conversation first' }).click()
    await page.waitForURL(/\/threads\/first$/)
  })

  test('say that one of them is gone', async () => {
    const page = await stand.open('/threads/first/beside/nowhere')
    await page.getByText('One of these threads is not here').waitFor()
  })
})

test.each(['/threads/first', '/threads/first?view=steps', '/threads/first/beside/second'])(
  '%s is usable with assistive technology at 1280 and 390 pixels, and never wider than the window',
  async (path) => {
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      const page = await stand.open(path, { viewport: { width, height } })
      await page.waitForLoadState('networkidle')
      expect(await seriousProblems(page), `${path} at ${width}`).toEqual([])
      expect(
        await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ),
      ).toBe(0)
    }
  },
)

test('on a narrow screen the facts of a thread and the heads of its tree are there', async () => {
  const page = await stand.open('/threads/first?view=steps', {
    viewport: { width: 390, height: 844 },
  })
  await page.locator('.thread-facts').getByText('512 steps').waitFor()
  expect(await page.locator('.tree-head').getByText('Dur.').isVisible()).toBe(true)
  expect(await page.locator('.tree-head .lane span').first().isVisible()).toBe(true)
})
