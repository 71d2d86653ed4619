import { expect, test } from 'vitest'
import { seriousProblems, useStand } from './support.js'

// Conversations: their end, their review, and their copies in datasets.

const AT = '2026-01-01T10:00:0'
const stand = useStand(async ({ api }) => {
  await api.sendSteps(
    ['first', 'second'].flatMap((threadId) => [
      {
        id: `${threadId} u1`,
        threadId,
        type: 'user_message' as const,
        startTime: `${AT}0Z`,
        output: { content: `Where is the ${threadId} one?` },
      },
      {
        id: `${threadId} t1`,
        threadId,
        type: 'tool' as const,
        name: 'search',
        startTime: `${AT}1Z`,
        input: { order: 7 },
        output: { city: 'Lyon' },
      },
      {
        id: `${threadId} a1`,
        threadId,
        type: 'assistant_message' as const,
        startTime: `${AT}2Z`,
        output: { content: 'It is in Lyon.' },
      },
      {
        id: `${threadId} u2`,
        threadId,
        type: 'user_message' as const,
        startTime: `${AT}3Z`,
        output: { content: 'Thank you' },
      },
    ]),
  )
  await api.upsertThread({ threadId: 'second', tags: ['resolved'] })
  await api.sendSteps([
    {
      id: 'call',
      threadId: 'third',
      type: 'llm',
      generation: {
        type: 'CHAT',
        messages: [{ role: 'user', content: 'Only the model saw this' }],
        messageCompletion: { role: 'assistant', content: 'and answered' },
      },
    },
  ])
  await api.setScoreDefinition({ name: 'solved', min: 0, max: 1 })
  await api.setScoreDefinition({ name: 'tone', min: 1, max: 5 })
  // A judge was here before.
  for (const threadId of ['first', 'second'])
    await api.createScore({ threadId, name: 'solved', type: 'AI', value: 0.75, scorer: 'judge' })
})

const scoresNamed = async (name: string) =>
  (
    await stand.stepwell.api.getScores({
      filters: [{ field: 'name', operator: 'eq', value: name }],
    })
  ).data.filter(({ type }) => type === 'HUMAN')

test('the rule for the end is set in the settings, and threads show and filter by it', async () => {
  const { api } = stand.stepwell
  const page = await stand.open('/settings/conversations')
  await page.getByLabel('Minutes without activity').fill('30')
  await page.getByLabel('Tags of the thread, one per line').fill('resolved\nlost\n')
  await page.getByLabel('Tools that are called').fill('hang_up')
  expect(await seriousProblems(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The rule is saved.').waitFor()
  expect((await api.getProject()).conversationEnd).toEqual({
    idleMinutes: 30,
    tags: ['resolved', 'lost'],
    toolNames: ['hang_up'],
  })
  await page.goto(`${stand.base}/threads/first`)
  await page.locator('.thread-facts', { hasText: 'ended' }).waitFor()
  await page.goto(`${stand.base}/threads?q=${encodeURIComponent('ended:none')}`)
  await expect.poll(() => page.locator('tbody tr[data-key]').count()).toBe(1)
  await page.goto(`${stand.base}/settings/conversations`)
  await expect.poll(() => page.getByLabel('Minutes without activity').inputValue()).toBe('30')
  await page.getByLabel('Tags of the thread').fill('x'.repeat(201))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('tags[0]').waitFor()
})

test('conversations are reviewed one after the other by keys, without a value from a judge', async () => {
  const page = await stand.open('/review?of=threads&order=oldest&give=solved,tone')
  const region = page.getByRole('region', { name: 'The conversation to judge' })
  await region.locator('.message', { hasText: 'Where is the first one?' }).waitFor()
  await region.locator('.message', { hasText: 'It is in Lyon.' }).waitFor()
  await region.getByText('search').waitFor()
  await page.getByText(/0 done · 3 left/).waitFor()
  expect(await page.locator('.review-form [aria-pressed=true]').count()).toBe(0)
  expect(await page.getByLabel('Another value of solved', { exact: true }).inputValue()).toBe('')
  expect(await seriousProblems(page)).toEqual([])
  // The range of the definition, in quarters.
  await page.getByRole('group', { name: 'Value of solved' }).waitFor()
  expect(
    await page.getByRole('group', { name: 'Value of solved' }).getByRole('button').count(),
  ).toBe(5)
  await page.keyboard.press('3')
  await page.keyboard.press('4')
  await page.keyboard.press('Enter')
  await page.getByText(/1 done · 2 left/).waitFor()
  expect(await scoresNamed('solved')).toMatchObject([
    { threadId: 'first', stepId: null, value: 0.5, scorer: 'Mira' },
  ])
  expect(await scoresNamed('tone')).toMatchObject([{ threadId: 'first', value: 4 }])
  await region.locator('.message', { hasText: 'Where is the second one?' }).waitFor()
  await page.getByLabel('Another value of solved', { exact: true }).fill('0.9')
  await page.getByRole('button', { name: 'Save and next' }).click()
  await page.getByText(/2 done · 1 left/).waitFor()
  expect((await scoresNamed('solved')).map(({ value }) => value).sort()).toEqual([0.5, 0.9])
  // A thread without recorded messages shows those that the model saw.
  await region.locator('.message', { hasText: 'Only the model saw this' }).waitFor()
  await region.locator('.message', { hasText: 'and answered' }).waitFor()
  await page.keyboard.press('u')
  await page.getByText(/1 done · 2 left/).waitFor()
  await expect.poll(async () => (await scoresNamed('solved')).length).toBe(1)
  await region.locator('.message', { hasText: 'Where is the second one?' }).waitFor()
})

test('a message of a conversation is judged by itself, and the conversation stays', async () => {
  const page = await stand.open('/review?of=threads&order=oldest&give=polite&item=second')
  const region = page.getByRole('region', { name: 'The conversation to judge' })
  await region.locator('.message', { hasText: 'Where is the second one?' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.locator('.review-form h2', { hasText: 'A message' }).waitFor()
  await page.keyboard.press('1')
  await page.keyboard.press('Enter')
  await page.getByText('The message is judged.').waitFor()
  await page.locator('.review-form h2', { hasText: 'The conversation' }).waitFor()
  await region.locator('.tag', { hasText: 'polite 1' }).waitFor()
  expect(await scoresNamed('polite')).toMatchObject([{ stepId: 'second a1', threadId: null }])
  await region.locator('.message', { hasText: 'Where is the second one?' }).waitFor()
})

test('a conversation becomes an item, up to a step, and is shown as a conversation', async () => {
  const { api } = stand.stepwell
  const page = await stand.open('/threads/first?step=first%20a1')
  await page.getByRole('button', { name: 'Add to dataset…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name of the dataset').fill('talks')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('link', { name: '1 item added to the dataset' }).click()
  await page.waitForURL(/\/datasets\//)
  const dataset = await api.getDataset({ name: 'talks' })
  expect(dataset?.items).toMatchObject([
    {
      input: { messages: [{ role: 'user', content: 'Where is the first one?' }] },
      expectedOutput: { role: 'assistant', content: 'It is in Lyon.' },
      metadata: { group: 'first' },
      stepId: 'first a1',
    },
  ])
  await page.goto(`${stand.base}/datasets/${dataset?.id}?item=${dataset?.items[0]?.id}`)
  const sheet = page.getByRole('dialog')
  await sheet.getByRole('region', { name: 'Conversation' }).getByText('first one?').waitFor()
  await sheet.getByRole('region', { name: 'Expected answer' }).getByText('in Lyon').waitFor()
  expect(await seriousProblems(page)).toEqual([])
  await sheet.getByRole('button', { name: 'Show and edit as JSON' }).click()
  await sheet.getByRole('textbox', { name: 'Input' }).waitFor()
})
