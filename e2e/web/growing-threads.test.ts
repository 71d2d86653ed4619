// Threads that go on while they are read.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { StepInput } from '../../generated/schema.js'
import { intercept, isOperation, useStand } from './support.js'

const stand = useStand(async () => {})

const send = (...steps: StepInput[]) =>
  stand.stepwell.api.sendSteps(steps as Parameters<typeof stand.stepwell.api.sendSteps>[0])

/** The moment some seconds before now; the run begins a minute ago. */
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()

const run = (threadId: string): StepInput => ({
  id: `${threadId}-run`,
  threadId,
  type: 'run',
  name: 'agent',
  startTime: ago(59),
})

const call = (threadId: string, at: number, more: Partial<StepInput> = {}): StepInput => ({
  id: `${threadId}-call-${at}`,
  threadId,
  parentId: `${threadId}-run`,
  type: 'tool',
  name: `tool_${at}`,
  startTime: ago(50 - at),
  endTime: ago(50 - at),
  ...more,
})

const rowOf = (page: Page, name: string) => page.locator('.tree-row', { hasText: name })

test('a score that is being written stays when a later step fails', async () => {
  await send(run('typed'))
  const page = await stand.open('/threads/typed')
  await page.locator('.inspector-head h2', { hasText: 'agent' }).waitFor()
  await page.keyboard.press('s')
  await page.locator('dialog textarea').fill('a long reason')
  await send(call('typed', 1, { error: 'no seats' }))
  await rowOf(page, 'tool_1').waitFor()
  expect(await page.locator('dialog textarea').inputValue()).toBe('a long reason')
  await page.keyboard.press('Escape')
  expect(await page.locator('.inspector-head h2').textContent()).toContain('agent')
})

test('calls that were unfolded stay so when more arrive, and when one of them fails', async () => {
  const calls = Array.from({ length: 20 }, (_, at) => call('unfolded', at))
  const question: StepInput = {
    id: 'unfolded-question',
    threadId: 'unfolded',
    type: 'user_message',
    name: 'ada',
    startTime: ago(60),
    output: { content: 'Where is my order?' },
  }
  await send(question, run('unfolded'), ...calls)
  const page = await stand.open('/threads/unfolded')
  const chat = page.getByRole('region', { name: 'Conversation' })
  await chat.getByRole('button', { name: /more calls/ }).click()
  const entries = chat.locator('[data-key^="tool "]')
  await expect.poll(() => entries.count()).toBe(20)
  await send(call('unfolded', 9, { error: 'no seats' }), call('unfolded', 20))
  await expect.poll(() => entries.count()).toBe(21)
  expect(await chat.getByRole('button', { name: /more call/ }).count()).toBe(0)
})

test.each([
  ['thread', '/threads/sent', 'sent'],
  ['run without a thread', '/steps/alone-run', 'alone'],
])('a %s that goes on is sent in what changed, and not again as a whole', async (_, path, name) => {
  const place = name === 'sent' ? {} : { threadId: null }
  const begun = { ...run(name), ...place }
  const calls = Array.from({ length: 40 }, (_, at) => call(name, at, place))
  await send(begun, ...calls)
  const page = await stand.open(path)
  await rowOf(page, 'tool_1').first().waitFor()
  const sent: (string[] | undefined)[] = []
  const revisions: unknown[] = []
  let wholes = 0
  page.on('request', (request) => {
    if (isOperation('ThreadOutline')(request)) wholes++
  })
  page.on('response', async (response) => {
    if (!isOperation('OutlineChanges')(response.request())) return
    revisions.push(response.request().postDataJSON().variables.revision)
    sent.push((await response.json()).data.outline.changes?.id)
  })
  await send(call(name, 41, { ...place, parentId: `${name}-call-3`, name: 'below' }))
  await rowOf(page, 'below').waitFor()
  await send({ ...begun, endTime: ago(1), error: 'no seats' })
  await page.locator('.step-name.bad', { hasText: 'agent' }).waitFor()
  expect(wholes).toBe(0)
  await expect.poll(() => sent).toEqual([[`${name}-call-41`], [`${name}-run`]])
  // The service looked for changes before, and is asked for what it found.
  expect(revisions).toEqual([expect.any(String), expect.any(String)])
  // Steps from before are in their places.
  await rowOf(page, 'tool_39').waitFor()
})

test('a thread of which nothing has ended has no duration', async () => {
  await send(run('running'))
  const page = await stand.open('/threads?q=id%3Drunning')
  const row = page.locator('tr[data-key="running"]')
  await row.waitFor()
  expect(await row.textContent()).not.toContain('0 ms')
  await page.goto(`${stand.base}/threads/running`)
  await page.locator('.thread-facts', { hasText: '1 step' }).waitFor()
  expect(await page.locator('.thread-facts').textContent()).not.toContain('0 ms')
})

test('feedback that a user gives meanwhile is shown, in the conversation, in the step and of the thread', async () => {
  const { api } = stand.stepwell
  await send(
    run('judged'),
    {
      id: 'judged-answer',
      threadId: 'judged',
      parentId: 'judged-run',
      type: 'assistant_message',
      name: 'Bot',
      startTime: ago(20),
      endTime: ago(19),
      output: { content: 'Here it is.' },
    },
    { ...run('judged'), endTime: ago(18) },
  )
  const page = await stand.open('/threads/judged?step=judged-answer&tab=scores')
  await page.locator('.chat').getByText('Here it is.').waitFor()
  await page.getByText('No scores yet.').waitFor()
  await api.createScore({ stepId: 'judged-answer', name: 'liked', type: 'HUMAN', value: 1 })
  await page.locator('.chat .tag', { hasText: 'liked' }).waitFor()
  await page.locator('section[aria-label=Step]').getByText('liked').waitFor()
  await api.createScore({ threadId: 'judged', name: 'solved', type: 'HUMAN', value: 1 })
  await page.locator('.thread-facts .tag', { hasText: 'solved' }).waitFor()
})

test('all rows of a long thread are printed, and its conversation, on as many pages as they need', async () => {
  const calls = Array.from({ length: 150 }, (_, at) =>
    call('printed', at % 50, {
      id: `printed-${at}`,
      name: `${at % 2 ? 'look' : 'find'}_${at}`,
    }),
  )
  await send(run('printed'), ...calls, {
    id: 'printed-answer',
    threadId: 'printed',
    type: 'assistant_message',
    name: 'Bot',
    startTime: ago(1),
    endTime: ago(1),
    output: { content: 'The last word.' },
  })
  const page = await stand.open('/threads/printed')
  await page.locator('.chat').getByText('The last word.').waitFor()
  await page.getByRole('treegrid').getByText('find_0', { exact: true }).waitFor()
  await page.emulateMedia({ media: 'print' })
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
  for (const name of ['find_0', 'look_149'])
    expect(await page.getByText(name, { exact: true }).first().isVisible(), name).toBe(true)
  expect(await page.locator('.rail').isVisible()).toBe(false)
  const shown = await page
    .locator('.message header time')
    .first()
    .evaluate((time) => getComputedStyle(time, '::after').content)
  expect(shown).toMatch(/^"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/)
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeGreaterThan(3000)
  const paper = (await page.pdf({ format: 'A4' })).toString('latin1')
  expect(paper.match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThan(2)
})

test('a thread of which later steps are not known says so, until the service answers again', async () => {
  await send(run('behind'))
  const page = await stand.open('/threads/behind')
  await rowOf(page, 'agent').waitFor()
  const mark = page.getByText('not up to date', { exact: true })
  await intercept(page, '**/api/graphql', (route) =>
    route.fulfill({ json: { errors: [{ message: 'The disk is on fire' }] } }),
  )
  await mark.waitFor()
  await send(call('behind', 1))
  await page.unroute('**/api/graphql')
  await rowOf(page, 'tool_1').waitFor()
  await mark.waitFor({ state: 'detached' })
  await page.context().clearCookies()
  const alert = page.getByRole('alert').filter({ hasText: 'Your session is over' })
  await alert.getByText('The steps below are not up to date.').waitFor()
  await alert.getByRole('link', { name: 'Sign in' }).waitFor()
})
