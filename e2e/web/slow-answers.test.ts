// Pages whose answers are on their way, while the reader goes on and others make changes.
import { expect, test } from 'vitest'
import { hold, isOperation, useStand } from './support.js'

const stand = useStand(async ({ api }) => {
  await api.setScoreDefinition({ name: 'solved', kind: 'BOOLEAN' })
  await api.sendSteps(
    Array.from({ length: 4 }, (_, at) => ({
      id: `call${at}`,
      name: `call ${at}`,
      type: 'llm' as const,
      output: { content: `answer ${at}` },
    })),
  )
})

const scoresOf = async (stepId: string) =>
  (await stand.stepwell.api.getStep(stepId))?.scores.map(({ name, value, comment }) => ({
    name,
    value,
    comment,
  }))

test('the next item is judged while the judgement of the one before is on its way, and a comment on it stays', async () => {
  const page = await stand.open('/review?q=type%3Dllm&order=oldest&give=solved')
  await page.locator('.review-item h2', { hasText: 'call 0' }).waitFor()
  await page.locator('.review-form [aria-pressed]').first().waitFor()
  const answers = await hold(page, 'GiveScore')
  await page.keyboard.press('1')
  await page.keyboard.press('Enter')
  await answers.waitFor(1)
  await page.keyboard.press('ArrowRight')
  await page.locator('.review-item h2', { hasText: 'call 1' }).waitFor()
  await page.keyboard.press('1')
  await page.keyboard.press('Enter')
  await answers.waitFor(2)
  await page.keyboard.press('ArrowRight')
  await page.locator('.review-item h2', { hasText: 'call 2' }).waitFor()
  await page
    .getByLabel('Comment')
    .or(page.locator('.review-form textarea'))
    .first()
    .fill('half a thought')
  await answers.release()
  await page.getByText('2 done').waitFor()
  expect(await page.locator('.review-form textarea').inputValue()).toBe('half a thought')
  expect(await page.locator('.review-item h2').textContent()).toContain('call 2')
  for (const id of ['call0', 'call1'])
    expect(await scoresOf(id)).toMatchObject([{ name: 'solved' }])
  expect(await scoresOf('call2')).toEqual([])
})

test('the rules that are saved are those whose loss was shown', async () => {
  const old = new Date(Date.now() - 5 * 86_400_000).toISOString()
  await stand.stepwell.api.sendSteps([
    { id: 'old', name: 'old', type: 'run', threadId: 'old', startTime: old, endTime: old },
  ])
  const page = await stand.open('/settings/retention')
  await page.getByLabel('Days', { exact: true }).fill('1')
  const answers = await hold(page, 'PreviewRetention')
  await page.getByRole('button', { name: 'Save' }).click()
  await answers.waitFor(1)
  await page.getByLabel('Days', { exact: true }).fill('3650')
  const answered = page.waitForResponse((response) =>
    isOperation('PreviewRetention')(response.request()),
  )
  await answers.release()
  await answered
  // Nothing is confirmed for what the field says now.
  await page.getByRole('button', { name: 'Save' }).waitFor()
  expect(await page.getByRole('button', { name: 'Delete and save' }).count()).toBe(0)
  expect((await stand.stepwell.api.getRetention()).rules).toEqual([])
})

test('a message and a selected step that are written again are shown as they are now', async () => {
  const { api } = stand.stepwell
  const startTime = new Date().toISOString()
  const steps = (content: string, endTime: string | null) =>
    api.sendSteps([
      {
        id: 'm',
        threadId: 'live',
        name: 'Bot',
        type: 'assistant_message',
        startTime,
        endTime,
        output: { content },
      },
      {
        id: 'c',
        threadId: 'live',
        name: 'model',
        type: 'llm',
        startTime,
        endTime,
        output: { content: `${content} by the model` },
      },
    ])
  await steps('partial', null)
  const page = await stand.open('/threads/live?step=c')
  const message = page.locator('.message.assistant_message')
  await message.getByText('partial').waitFor()
  await page.locator('section[aria-label=Step]').getByText('partial by the model').waitFor()
  await steps('complete', new Date(Date.now() + 1000).toISOString())
  await message.getByText('complete').waitFor()
  await page.locator('section[aria-label=Step]').getByText('complete by the model').waitFor()
})

test('all that match are deleted only as many as were announced', async () => {
  const { api } = stand.stepwell
  const more = (from: number, count: number) =>
    api.sendSteps(
      Array.from({ length: count }, (_, at) => ({
        id: `bulk${from + at}`,
        threadId: `bulk${from + at}`,
        name: 'bulk',
        type: 'run' as const,
        environment: 'dev' as const,
      })),
    )
  await more(0, 3)
  const page = await stand.open('/threads?env=dev')
  await page.getByText('3 threads').first().waitFor()
  await page.locator('tbody input[type=checkbox]').first().check()
  await page.getByRole('button', { name: 'All that match' }).click()
  await page
    .locator('.selection-bar')
    .getByRole('button', { name: /Delete/ })
    .click()
  await page.getByText('Delete 3 threads').first().waitFor()
  await more(3, 4)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Delete/ })
    .click()
  await page.getByText('Now 7 threads match').waitFor()
  expect(
    (await api.getThreads({ filters: [{ field: 'environment', operator: 'eq', value: 'dev' }] }))
      .data,
  ).toHaveLength(7)
  await page.getByText('Delete 7 threads').first().waitFor()
})

test('a score that another person changed is edited as it is now, and keeps what was not changed here', async () => {
  const { api } = stand.stepwell
  const score = await api.createScore({
    stepId: 'call3',
    name: 'solved',
    type: 'HUMAN',
    value: 0,
    comment: 'old',
  })
  const page = await stand.open('/steps/call3')
  const entry = page.locator('section[aria-label=Step]')
  await entry
    .getByRole('button', { name: /Scores/ })
    .or(entry.getByRole('tab', { name: /Scores/ }))
    .first()
    .click()
  await entry.getByText('old').waitFor()
  await entry.getByRole('button', { name: 'Edit' }).click()
  await api.updateScore(score?.id ?? '', { comment: 'a reason by another person' })
  await entry.locator('form [aria-pressed=false], form [type=radio]:not(:checked)').first().click()
  await entry.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => scoresOf('call3'))
    .toMatchObject([{ value: 1, comment: 'a reason by another person' }])
})

test('what the arrows have chosen stays chosen when late answers come before it', async () => {
  await stand.stepwell.api.upsertThread({ threadId: 'themes', name: 'Theme of the week' })
  const page = await stand.open('/threads')
  await page.locator('tbody tr[data-key]').first().waitFor()
  const answers = await hold(page, 'FindAny')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('nothing has this name')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('theme')
  const chosen = page.locator('.palette [aria-selected=true]')
  await expect.poll(() => chosen.innerText()).toContain('Theme: light')
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => chosen.innerText()).toContain('Theme: dark')
  await expect.poll(() => answers.state.seen).toBeGreaterThan(0)
  await answers.release()
  await page.getByRole('option', { name: 'Theme of the week' }).waitFor()
  expect(await chosen.innerText()).toContain('Theme: dark')
})

test('an arrow before the first answer chooses nothing, and Enter opens what is found', async () => {
  await stand.stepwell.api.upsertThread({ threadId: 'found', name: 'Quagmire' })
  const page = await stand.open('/threads')
  await page.locator('tbody tr[data-key]').first().waitFor()
  const answers = await hold(page, 'FindAny')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('quagmire')
  await expect.poll(() => page.locator('.palette [role=option]').count()).toBe(0)
  await page.keyboard.press('ArrowDown')
  await answers.release()
  await page.getByRole('option', { name: 'Quagmire' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${stand.base}/threads/found`)
})

test('values of one field are not offered for another one', async () => {
  const page = await stand.open('/steps')
  const field = page.getByLabel('Filter', { exact: true })
  await field.pressSequentially('name=')
  await page.getByRole('option', { name: 'call 0' }).waitFor()
  const answers = await hold(page, 'Facets')
  await field.fill('')
  await field.pressSequentially('tags:')
  await answers.waitFor(1)
  await page.getByRole('option', { name: 'none' }).waitFor()
  expect(await page.getByRole('option', { name: 'call 0' }).count()).toBe(0)
  await answers.release()
})

test('a label of a prompt goes to the version that was chosen, one choice at a time', async () => {
  const { api } = stand.stepwell
  for (const content of ['one', 'two', 'three'])
    await api.getOrCreatePrompt('labelled', [{ role: 'user', content }])
  await api.setPromptLabel({ name: 'labelled', label: 'production', version: 0 })
  const page = await stand.open('/prompts/labelled?tab=labels')
  const choice = page.getByLabel('Version of production')
  const answers = await hold(page, 'MoveLabel')
  await choice.selectOption('1')
  await answers.waitFor(1)
  await expect.poll(() => choice.isDisabled()).toBe(true)
  expect(await choice.inputValue()).toBe('1')
  await answers.release()
  await page.getByText('production leads to v1 now.').waitFor()
  expect(await choice.inputValue()).toBe('1')
  await choice.selectOption('2')
  await page.getByText('production leads to v2 now.').waitFor()
  expect((await api.getPrompt('labelled', { label: 'production' }))?.version).toBe(2)
})
