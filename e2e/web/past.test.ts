import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { useStand } from './support.js'

// Conversations of another year, as a backfill brings them: their moments, errors and instructions.

const RULES = `Airline policy.\n\n${'- Ask before a booking is changed.\n'.repeat(60)}\nThe last rule.`
const DAY = '2024-05-29T12:3'

const stand = useStand(async ({ api }) => {
  await api.sendSteps([
    {
      id: 'rules',
      threadId: 'past',
      type: 'system_message',
      name: 'policy',
      startTime: `${DAY}0:00Z`,
      output: { content: RULES },
    },
    {
      id: 'question',
      threadId: 'past',
      type: 'user_message',
      name: 'mia',
      startTime: `${DAY}1:00Z`,
      output: { content: 'Can I fly a day later?' },
    },
    {
      id: 'search',
      threadId: 'past',
      type: 'tool',
      name: 'search_flights',
      startTime: `${DAY}2:00Z`,
      endTime: `${DAY}3:00Z`,
      output: { flights: ['LH 400'] },
      error: 'TimeoutError: only the first page was read',
    },
    {
      id: 'call',
      threadId: 'past',
      type: 'llm',
      startTime: `${DAY}4:00Z`,
      endTime: `${DAY}5:00Z`,
      generation: {
        type: 'CHAT',
        model: 'gpt-4o',
        messageCompletion: { role: 'assistant', content: 'There is one seat left.' },
        inputTokenCount: 10,
        outputTokenCount: 5,
        error: 'ContentFilter: the answer was cut',
      },
    },
    {
      id: 'silent',
      threadId: 'silent',
      type: 'user_message',
      startTime: `${DAY}6:00Z`,
      output: { content: 'Hello?' },
    },
  ])
  for (const [threadId, identifier] of [
    ['past', 'mia'],
    ['silent', 'noah'],
  ] as const)
    await api.upsertThread({ threadId, participantId: await api.getOrCreateUser(identifier) })
  const experiment = await api.createExperiment({ name: 'past' })
  await api.createExperimentItem({
    datasetExperimentId: experiment.id,
    experimentRunId: 'call',
    input: { question: 'Which seat?' },
    output: { answer: 'half of it' },
    error: 'RangeError: no such seat',
  })
  await api.getOrCreatePrompt('past', [{ role: 'user', content: '{{question}}' }])
})

/** The texts of moments, and those that are cut off. */
const momentsOf = (page: Page) =>
  page.locator('tbody td:has(time)').evaluateAll((cells) =>
    cells.map((cell) => ({
      text: cell.querySelector('time')?.textContent,
      isCut: cell.scrollWidth > cell.clientWidth,
    })),
  )

describe('in lists', () => {
  test.each(['/threads', '/steps', '/generations', '/users'])(
    'of %s moments of another year show their day and their time in full',
    async (path) => {
      for (const width of [1280, 800]) {
        const page = await stand.open(path, { viewport: { width, height: 800 } })
        await page.locator('tbody tr[data-key] time').first().waitFor()
        const moments = await momentsOf(page)
        expect(moments.length).toBeGreaterThan(0)
        for (const { text, isCut } of moments) {
          expect(text).toMatch(/^29 May 2024 1[23]:\d\d$/)
          expect(isCut, `${width} px: ${text}`).toBe(false)
        }
      }
    },
  )

  test.each([
    ['/steps', 'search', 'TimeoutError: only the first page was read', 'LH 400'],
    ['/generations', 'call', 'ContentFilter: the answer was cut', 'one seat left'],
  ])('of %s an error is told before what was said', async (path, id, error, said) => {
    const narrow = await stand.open(path)
    const row = narrow.locator(`tr[data-key="${id}"]`)
    await row.getByText(error).waitFor()
    expect(await row.getByText(said).count()).toBe(0)
    expect(await row.locator('.bad[title]').first().getAttribute('title')).toBe(`failed: ${error}`)
    const wide = await stand.open(path, { viewport: { width: 1920, height: 1080 } })
    const wideRow = wide.locator(`tr[data-key="${id}"]`)
    await wideRow.getByText(error).waitFor()
    await wideRow.getByText(said).waitFor()
  })

  test('of threads the first error has a column on a wide screen', async () => {
    const page = await stand.open('/threads', { viewport: { width: 1920, height: 1080 } })
    await page.getByRole('columnheader', { name: 'First error' }).waitFor()
    await page
      .locator('tr[data-key="past"]')
      .getByText(/TimeoutError/)
      .waitFor()
  })

  test('of results an error is told, and so are cost and run', async () => {
    const page = await stand.open('/experiments')
    await page.getByRole('link', { name: 'past' }).click()
    const row = page.getByRole('table', { name: 'Results' }).locator('tbody tr')
    await row.getByText('RangeError: no such seat').waitFor()
    await row.getByRole('link', { name: 'its run' }).waitFor()
    for (const name of ['Cost', 'Run']) await page.getByRole('columnheader', { name }).waitFor()
  })

  test('of users nobody without a call of a model has a number of tokens', async () => {
    const page = await stand.open('/users')
    const tokensOf = (name: string) =>
      page.locator('tbody tr', { hasText: name }).locator('td').nth(2).innerText()
    await page.getByText('noah').waitFor()
    expect((await tokensOf('mia')).trim()).toMatch(/^15/)
    expect((await tokensOf('noah')).trim()).toMatch(/^–/)
  })
})

test('long instructions leave room for the conversation that follows, and unfold', async () => {
  const page = await stand.open('/threads/past?step=rules')
  const chat = page.getByRole('region', { name: 'Conversation' })
  const question = chat.getByText('Can I fly a day later?')
  await question.waitFor()
  const box = await question.boundingBox()
  expect((box?.y ?? 800) + (box?.height ?? 0)).toBeLessThan(800)
  expect(await chat.getByText('The last rule.').count()).toBe(0)
  await chat.getByRole('button', { name: /^All [\d,]+ characters$/ }).click()
  await chat.getByText('The last rule.').waitFor()
})

test('a range of years says how long its buckets are, and one that nothing can be compared with is refused', async () => {
  const page = await stand.open(
    '/overview?env=all&range=2024-01-01T00:00:00.000Z..2026-12-01T00:00:00.000Z',
  )
  await page.getByText('per ≈ 3.2 weeks').first().waitFor()
  await page.goto(`${stand.base}/overview?range=0001-01-01T00:00:00.000Z..9999-12-31T00:00:00.000Z`)
  await page.getByText(/in this address is no range/).waitFor()
  expect(await page.locator('.problem').count()).toBe(0)
})

test('a key that may only read is told why it can neither review nor write a version', async () => {
  const { key } = await stand.stepwell.api.createApiKey({ name: 'reader', scopes: ['read'] })
  const page = await stand.open('/threads')
  await page.context().clearCookies()
  await page.goto(`${stand.url}/sign-in`)
  await page.getByLabel('API key of the project').fill(key)
  await page.keyboard.press('Enter')
  await page.locator('tbody tr[data-key]').first().waitFor()
  await page.goto(`${stand.base}/review`)
  await page.getByText('a key that may write is needed').waitFor()
  await page.goto(`${stand.base}/prompts/past/new`)
  await page.getByText('A new version needs a key that may write.').waitFor()
  expect(await page.getByRole('button', { name: /Save/ }).count()).toBe(0)
})
