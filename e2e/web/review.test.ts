// The queue of things to judge, while others write and delete, and the fields that choose it.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hold, isOperation, useStand } from './support.js'

const stand = useStand(async ({ api }) => {
  await api.setScoreDefinition({ name: 'quality', kind: 'BOOLEAN' })
})

/** Records calls of a model, the first of them the oldest, and returns the address of their review. */
const queueOf = async (name: string, count: number) => {
  const begin = Date.now() - 60_000
  await stand.stepwell.api.sendSteps(
    Array.from({ length: count }, (_, at) => ({
      id: `${name}-${at + 1}`,
      name,
      type: 'llm' as const,
      startTime: new Date(begin + at * 1000).toISOString(),
      output: { content: `answer ${at + 1}` },
    })),
  )
  return `/review?q=name%3D${name}&give=quality&order=oldest`
}

const answer = (page: Page, number: number) =>
  page.locator('.review-item').getByText(`answer ${number}`)

const leaveAndReturn = async (page: Page, meanwhile: () => Promise<unknown>) => {
  await page.getByRole('link', { name: 'Threads', exact: true }).first().click()
  await page.waitForURL(/\/threads/)
  await meanwhile()
  await page.goBack()
  await page.locator('.review-form').waitFor()
}

describe('a deleted step', () => {
  test('that is opened says so, takes no score, and is left by Enter', async () => {
    const page = await stand.open(await queueOf('lost', 3))
    await answer(page, 1).waitFor()
    await stand.stepwell.api.deleteStep('lost-2')
    const scores: string[] = []
    page.on('request', (request) => {
      if (isOperation('GiveScore')(request)) scores.push(request.url())
    })
    await page.keyboard.press('ArrowRight')
    await page.getByText('This step has been deleted.').waitFor()
    expect(await page.getByRole('button', { name: /Save and next/ }).isDisabled()).toBe(true)
    await page.keyboard.press('1')
    await page.keyboard.press('Enter')
    await answer(page, 3).waitFor()
    await page.getByText('0 done · 2 left').waitFor()
    expect(scores).toEqual([])
    await page.keyboard.press('1')
    await page.keyboard.press('Enter')
    await page.getByText('1 done · 1 left').waitFor()
  })

  test('that was still shown takes no score, and says so', async () => {
    const page = await stand.open(await queueOf('shown', 2))
    await answer(page, 1).waitFor()
    await page.locator('.review-form [aria-pressed]').first().waitFor()
    await stand.stepwell.api.deleteStep('shown-1')
    await page.keyboard.press('1')
    await page.keyboard.press('Enter')
    await page.getByText('This step has been deleted.').waitFor()
    const { data } = await stand.stepwell.api.getScores({
      filters: [{ field: 'stepId', operator: 'eq', value: 'shown-1' }],
    })
    expect(data).toEqual([])
    await page.keyboard.press('Enter')
    await answer(page, 2).waitFor()
  })

  test('that an address names is said to be missing, and the queue begins', async () => {
    const page = await stand.open(`${await queueOf('named', 1)}&item=no-such-step`)
    await page.getByText('There is no step with the id “no-such-step” of this address').waitFor()
    await answer(page, 1).waitFor()
  })

  test('that is the last one ends the queue', async () => {
    const page = await stand.open(await queueOf('only', 1))
    await answer(page, 1).waitFor()
    await leaveAndReturn(page, () => stand.stepwell.api.deleteStep('only-1'))
    await page.getByText(/This step has been deleted|No step matches/).waitFor()
    expect(await page.locator('.review-item').getByText('answer').count()).toBe(0)
  })
})

test('a deleted conversation says so, and takes no score', async () => {
  const { api } = stand.stepwell
  for (const at of [1, 2]) {
    await api.sendSteps([
      {
        id: `talk-${at}`,
        threadId: `talk-${at}`,
        type: 'user_message',
        name: 'Ada',
        startTime: new Date(Date.now() - 60_000 + at * 1000).toISOString(),
        output: { content: `answer ${at}` },
      },
    ])
    await api.upsertThread({ threadId: `talk-${at}`, name: 'talk' })
  }
  const page = await stand.open('/review?of=threads&q=name%3Dtalk&give=quality&order=oldest')
  await answer(page, 1).waitFor()
  await api.deleteThread('talk-2')
  await page.keyboard.press('ArrowRight')
  await page.getByText('This conversation has been deleted.').waitFor()
  expect(await page.getByRole('button', { name: /Save and next/ }).isDisabled()).toBe(true)
})

describe('an item that is opened again is read again', () => {
  test('a step', async () => {
    const page = await stand.open(await queueOf('grows', 1))
    await answer(page, 1).waitFor()
    await leaveAndReturn(page, () =>
      stand.stepwell.api.sendSteps([
        { id: 'grows-1', name: 'grows', type: 'llm', output: { content: 'now whole' } },
      ]),
    )
    await page.locator('.review-item').getByText('now whole').waitFor()
  })

  test('a conversation', async () => {
    const { api } = stand.stepwell
    const message = (id: string, content: string) =>
      api.sendSteps([
        { id, threadId: 'grown', type: 'user_message', name: 'Ada', output: { content } },
      ])
    await message('m1', 'the first question')
    await api.upsertThread({ threadId: 'grown', name: 'grown' })
    const page = await stand.open('/review?of=threads&q=name%3Dgrown&give=quality')
    await page.getByText('the first question').waitFor()
    await leaveAndReturn(page, () => message('m2', 'the second question'))
    await page.locator('.review-item').getByText('the second question').waitFor()
  })

  test('the next one is shown from its preload while it is read', async () => {
    const page = await stand.open(await queueOf('ahead', 2))
    await answer(page, 1).waitFor()
    await page.waitForLoadState('networkidle')
    const reads = await hold(page, 'StepWhole')
    await page.keyboard.press('ArrowRight')
    await reads.waitFor(1)
    await answer(page, 2).waitFor()
    await reads.release()
  })
})

test('an emptied filter stands for all steps, also in the address', async () => {
  await stand.stepwell.api.sendSteps([{ id: 'tool', name: 'a lone tool', type: 'tool' }])
  const page = await stand.open('/review?order=newest&give=quality')
  const filter = page.getByLabel('Filter', { exact: true })
  expect(await filter.inputValue()).toBe('type=llm')
  await filter.fill('')
  await filter.press('Enter')
  await page.getByText('a lone tool').waitFor()
  expect(await filter.inputValue()).toBe('')
  await page.reload()
  await page.getByText('a lone tool').waitFor()
  expect(await filter.inputValue()).toBe('')
})

describe('the scores to give', () => {
  const form = (page: Page) => page.locator('.review-form .score-field strong').allTextContents()

  test('are names without spaces around them, each once', async () => {
    const page = await stand.open(await queueOf('names', 1))
    const field = page.getByLabel('Scores to give, separated by commas')
    await field.fill('quality, tone, quality,')
    await expect.poll(() => form(page)).toEqual(['quality', 'tone'])
    expect(await field.inputValue()).toBe('quality, tone, quality,')
    await page.goto(`${stand.base}/review?q=name%3Dnames&give=%20tone%20,tone`)
    await expect.poll(() => form(page)).toEqual(['tone'])
  })

  test('are typed anew into an emptied field', async () => {
    const page = await stand.open(await queueOf('emptied', 1))
    await answer(page, 1).waitFor()
    const field = page.getByLabel('Scores to give, separated by commas')
    await field.fill('')
    // The address follows the field.
    await expect.poll(() => new URL(page.url()).searchParams.has('give')).toBe(false)
    await field.pressSequentially('politeness')
    expect(await field.inputValue()).toBe('politeness')
    await expect.poll(() => form(page)).toEqual(['politeness'])
  })
})

test('claims no numbers and asks for no scores while the queue is read', async () => {
  const page = await stand.open('/settings/appearance')
  const [queue, definitions] = [await hold(page, 'ReviewQueue'), await hold(page, 'Definitions')]
  await page.goto(`${stand.base}/review?order=oldest`)
  await queue.waitFor(1)
  await definitions.waitFor(1)
  await page.locator('.review-form').waitFor()
  expect(await page.locator('main').innerText()).not.toMatch(/\d done|Enter the scores/)
  await definitions.release()
  await queue.release()
  await page.getByText(/\d+ done · \d+ left/).waitFor()
})

test('a comment stays with its item while the reviewer looks at others', async () => {
  const page = await stand.open(await queueOf('noted', 2))
  await answer(page, 1).waitFor()
  const comment = page.locator('.review-form textarea')
  await page.keyboard.press('1')
  await comment.fill('thought about for long')
  await comment.press('Escape')
  await page.keyboard.press('ArrowRight')
  await answer(page, 2).waitFor()
  await expect.poll(() => comment.inputValue()).toBe('')
  await page.keyboard.press('ArrowLeft')
  await answer(page, 1).waitFor()
  await expect.poll(() => comment.inputValue()).toBe('thought about for long')
  await page.keyboard.press('Enter')
  await page.getByText('1 done · 1 left').waitFor()
  const [score] = (await stand.stepwell.api.getStep('noted-1'))?.scores ?? []
  expect(score).toMatchObject({ value: 1, comment: 'thought about for long' })
  await page.keyboard.press('ArrowLeft')
  await answer(page, 1).waitFor()
  expect(await comment.inputValue()).toBe('')
})
