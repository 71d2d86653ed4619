import { describe, expect, test } from 'vitest'
import { useStand } from './support.js'

const IDS = [
  'a/b?c#d%25&e=f+g h',
  '"\'<b>`{}|\\^~[]',
  '../up',
  '..',
  '\u202Egnp.exe\u200B',
  'שלום עליכם',
  '👩‍👩‍👧‍👦 family',
  '\uD800 alone',
  'constructor',
  '__proto__',
  'x'.repeat(250),
]
const TAGS = Array.from({ length: 5000 }, (_, index) => `tag ${index}`)

const stand = useStand(
  async ({ api }) => {
    await api.sendSteps(
      IDS.map((id, index) => ({
        id: `${id} step`,
        threadId: id,
        type: 'run' as const,
        name: `named ${index} ${id}`,
        output: { content: id },
        generation: { model: id, provider: id },
        scores: [{ name: id, type: 'HUMAN' as const, value: index - 5 }],
        tags: [id],
      })) as Parameters<typeof api.sendSteps>[0],
    )
    for (const [index, id] of IDS.entries()) {
      await api.upsertThread({
        threadId: id,
        name: `the thread ${index}`,
        participantId: id,
        tags: index === 0 ? TAGS : [id, 'with, comma', ' "quoted" '],
      })
      await api.createPromptLineage(id).catch(() => undefined)
    }
  },
  // The browser's message about a request that the service refuses, as it should.
  { expected: /status of 400/ },
)

describe('odd names', () => {
  test('are in lists, and their links lead to pages that show them', async () => {
    const page = await stand.open('/threads')
    for (const index of IDS.keys()) {
      const link = page.getByRole('link', { name: `the thread ${index}`, exact: true })
      await link.click()
      await expect.poll(() => page.locator('h1').textContent()).toBe(`the thread ${index}`)
      await page.locator('.tree-row', { hasText: `named ${index}` }).waitFor()
      await page.reload()
      await page.locator('.tree-row', { hasText: `named ${index}` }).waitFor()
      await page.goBack()
    }
  })

  test.each([
    '/steps',
    '/generations',
    '/scores',
    '/users',
    '/prompts',
    '/overview',
    '/overview?by=model',
    '/review',
    '/review?of=threads',
    '/datasets',
  ])('%s shows them', async (path) => {
    const page = await stand.open(path)
    await page.waitForLoadState('networkidle')
    expect(await page.locator('body').innerText()).not.toContain("can't be shown")
  })

  test.each([
    '/settings/constructor',
    '/prompts/constructor?tab=toString&v=x',
    '/threads/constructor?view=valueOf&tab=constructor&only=constructor&idle=__proto__&t=x&fold=constructor&step=__proto__',
    '/threads?sort=constructor&size=-1&range=constructor&env=toString&cols=__proto__,constructor&after=x',
    '/threads?size=1e9&range=..&row=%00',
    '/overview?range=toString&by=constructor&score=__proto__',
    '/overview?range=2026-01-01..1999-01-01&by=__proto__',
    '/users?sort=constructor%20ASC',
    '/review?of=constructor&order=oldest',
    '/review?order=constructor&give=__proto__&item=constructor',
    '/datasets/constructor/compare?base=constructor&with=__proto__,x,y,z,a',
    '/experiments?after=constructor',
    '/datasets/__proto__?item=constructor&tab=constructor',
  ])('%s is a page', async (path) => {
    const page = await stand.open(path)
    await page.waitForLoadState('networkidle')
    await page.locator('h1').first().waitFor({ state: 'attached' })
    expect(await page.locator('body').innerText()).not.toContain("can't be shown")
  })
})

describe('beside other tabs', () => {
  test('a thread deleted elsewhere is reported as deleted, and one that continues is counted again', async () => {
    const { api } = stand.stepwell
    await api.sendSteps([{ id: 'first', threadId: 'live', type: 'run', name: 'first' }])
    const page = await stand.open('/threads/live')
    await page.getByText('1 step', { exact: true }).waitFor()
    await api.sendSteps([{ id: 'second', threadId: 'live', type: 'run', name: 'second' }])
    await page.getByText('2 steps', { exact: true }).waitFor()
    await api.deleteThread('live')
    await page.getByText('There is no thread with this id here').waitFor()
  })

  test('tags with commas stay as they are when another one is added', async () => {
    const { api } = stand.stepwell
    await api.upsertThread({ threadId: 'tagged', name: 'tagged', tags: ['one, two', ' "three" '] })
    await api.sendSteps([{ id: 'of tagged', threadId: 'tagged', type: 'run' }])
    const page = await stand.open('/threads/tagged')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    const field = page.getByRole('dialog').getByLabel(/^Tags/)
    await field.fill(`${await field.inputValue()}, four`)
    await page.keyboard.press('Enter')
    await page.getByText('The thread is changed.').waitFor()
    expect((await api.getThread('tagged'))?.tags).toEqual(['one, two', ' "three" ', 'four'])
  })

  test('a selection on one page of a list is not counted on another', async () => {
    const page = await stand.open('/threads?size=5')
    await page.locator('tbody tr[data-key]').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    await page.getByRole('button', { name: 'older ›' }).click()
    await page.waitForURL(/after=/)
    await expect.poll(() => page.getByText('1 selected').count()).toBe(0)
  })
})

test('a long name of its dataset leaves an experiment its title', async () => {
  const { api } = stand.stepwell
  const dataset = await api.createDataset({ name: 'word '.repeat(400) })
  const { id } = await api.createExperiment({ name: 'trial of the title', datasetId: dataset.id })
  const page = await stand.open(`/experiments/${id}`)
  const title = page.getByRole('heading', { name: 'trial of the title' })
  await title.waitFor({ state: 'attached' })
  await page.getByText('0 items').first().waitFor()
  const box = await title.boundingBox()
  expect(box?.y ?? -1).toBeGreaterThanOrEqual(0)
  expect(box?.width ?? 0).toBeGreaterThan(60)
  expect((await page.locator('header.top').boundingBox())?.height).toBeLessThan(60)
})

test('what has only white space for a name has links that are seen', async () => {
  const { api } = stand.stepwell
  const dataset = await api.createDataset({ name: ' ' })
  const { id } = await api.createExperiment({ name: ' ', datasetId: dataset.id })
  const list = await stand.open('/datasets')
  await list.getByRole('link', { name: dataset.id }).click()
  await list.waitForURL(/\/datasets\/[^/]+$/)
  const experiments = await stand.open('/experiments')
  await experiments.getByRole('link', { name: dataset.id }).waitFor()
  await experiments.getByRole('link', { name: id }).click()
  await experiments.waitForURL(/\/experiments\/[^/]+$/)
})

test('a definition of white space has a name that is seen', async () => {
  await stand.stepwell.api.setScoreDefinition({ name: ' ', kind: 'BOOLEAN' })
  const page = await stand.open('/settings/scores')
  await page.getByRole('table', { name: 'Score definitions' }).getByText('“ ”').waitFor()
})

test('a score is chosen by its name as it is, and shown with its hidden characters marked', async () => {
  const { api } = stand.stepwell
  const name = 'two  spaces\u200b'
  await api.sendSteps([{ id: 'of two spaces', type: 'run', name: 'agent' }])
  await api.createScore({ stepId: 'of two spaces', name, type: 'CODE', value: 0.5 })
  const page = await stand.open('/overview')
  await page.getByLabel('Score', { exact: true }).selectOption('two spaces⟨U+200B⟩')
  await expect.poll(() => new URL(page.url()).searchParams.get('score')).toBe(name)
  await page.getByText('n 1', { exact: true }).first().waitFor()
})

test('a message in the form of a definition of Markdown is read, and a long title leaves the way back', async () => {
  const { api } = stand.stepwell
  const content =
    '[ERROR]: timeout\n\nSee [the page][1].\n\n[1]: https://one.example\n[2]: https://two.example'
  await api.sendSteps([
    { id: 'defined', threadId: 'defined', type: 'user_message', output: { content } },
  ])
  await api.upsertThread({ threadId: 'defined', name: 'a long title '.repeat(50) })
  const page = await stand.open('/threads/defined?view=chat')
  const said = page.locator('.prose').first()
  await said.waitFor()
  expect((await said.innerText()).split(/\n+/)).toEqual([
    '[ERROR]: timeout',
    'See the page.',
    '[2]: https://two.example',
  ])
  const back = page.locator('header.top').getByRole('link', { name: 'Threads' })
  expect(await back.evaluate((link) => link.scrollWidth - link.clientWidth)).toBe(0)
})

test('names without a space leave settings, labels and the head of a thread as wide as their page', async () => {
  const { api } = stand.stepwell
  const name = 'W'.repeat(100)
  await api.setScoreDefinition({ name, kind: 'CATEGORY', labels: [{ value: 0, label: name }] })
  await api.setPrices([{ model: name, provider: name, rates: { input: 1, output: 1 } }])
  await api.getOrCreatePrompt('with a long label', [{ role: 'system', content: 'Be brief' }])
  await api.setPromptLabel({ name: 'with a long label', label: name, version: 0 })
  const { id } = await api.createUser(name)
  await api.sendSteps([{ id: 'of a long user', threadId: 'of a long user', type: 'run' }])
  await api.upsertThread({ threadId: 'of a long user', participantId: id })
  for (const [path, width, part] of [
    ['/settings/scores', 1280, 'table'],
    ['/settings/prices', 1280, 'table'],
    ['/prompts/with%20a%20long%20label?tab=labels', 1280, 'table'],
    ['/threads/of%20a%20long%20user', 320, '.thread-facts a'],
  ] as const) {
    const page = await stand.open(path, { viewport: { width, height: 800 } })
    await page.locator(`main ${part}`, { hasText: 'WWW' }).first().waitFor()
    const most = await page.evaluate(() =>
      Math.max(
        ...[...document.querySelectorAll('main, .main, .page')].map(
          (one) => one.scrollWidth - one.clientWidth,
        ),
      ),
    )
    expect(most, path).toBeLessThan(2)
  }
})

test.each([
  ['quotes', `${'>'.repeat(1000)} the innermost word`],
  [
    'lists',
    Array.from({ length: 30 }, (_, depth) => `${'  '.repeat(depth)}- the innermost word`).join(
      '\n',
    ),
  ],
])('%s in each other stay in their pane, also in a narrow window', async (id, content) => {
  await stand.stepwell.api.sendSteps([
    { id: `of ${id}`, threadId: id, type: 'user_message', output: { content } },
  ])
  for (const width of [320, 1280]) {
    const page = await stand.open(`/threads/${id}?view=chat`, { viewport: { width, height: 800 } })
    const message = page.locator('.message').first()
    await message.getByText('the innermost word').last().waitFor()
    const most = await message.evaluate((one) => one.scrollWidth - one.clientWidth)
    expect(most, String(width)).toBeLessThan(2)
    const last = await message.getByText('the innermost word').last().boundingBox()
    // No word is squeezed to a letter in each line.
    expect(last?.height ?? 0, String(width)).toBeLessThan(80)
  }
})

test('a name from right to left that is too long for its place shows its beginning', async () => {
  const { api } = stand.stepwell
  const name = 'مرحبا أين طلبي وأنا أنتظر منذ أسبوع كامل '.repeat(8)
  await api.sendSteps([
    { id: 'to the left', threadId: 'to the left', type: 'run', name, output: { content: name } },
  ])
  await api.upsertThread({ threadId: 'to the left', name })
  for (const [path, place] of [
    ['/threads', 'tr[data-key="to the left"] td.main-cell'],
    ['/steps?q=id%3A%22to%20the%20left%22', 'tr[data-key] td.main-cell'],
    ['/threads/to%20the%20left?view=step', 'h1'],
    ['/threads/to%20the%20left?view=step', 'section[aria-label=Step] h2'],
  ] as const) {
    const page = await stand.open(path)
    const shown = page.locator(place).first()
    await shown.getByText('مرحبا').first().waitFor()
    const hidden = await shown.evaluate((element) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      let text = walker.nextNode()
      while (text !== null && !text.textContent?.includes('مرحبا')) text = walker.nextNode()
      const first = document.createRange()
      first.setStart(text as Node, 0)
      first.setEnd(text as Node, 1)
      return first.getBoundingClientRect().right - element.getBoundingClientRect().right
    })
    expect(hidden, `${path} ${place}`).toBeLessThan(2)
  }
})

test('a user, a prompt and the pages on it are named where their own name is white space alone', async () => {
  const { api } = stand.stepwell
  const { id } = await api.createUser('   ')
  await api.getOrCreatePrompt('   ', [{ role: 'user', content: 'hello' }])
  const users = await stand.open('/users')
  const link = users.locator(`a[href$="/users/${id}"]`)
  await link.waitFor()
  expect((await link.innerText()).trim()).toBe(id)
  const prompt = encodeURIComponent('   ')
  for (const [path, place] of [
    [`/prompts/${prompt}`, 'h1'],
    [`/prompts/${prompt}/new`, '.breadcrumbs > a'],
    [`/prompts/${prompt}/try`, '.breadcrumbs > a'],
  ] as const) {
    const page = await stand.open(path)
    await page.locator(place).first().waitFor()
    expect(await page.locator(place).first().innerText(), path).toContain('“')
  }
})

test('the name of an experiment stays readable beside the long names of its dataset and of others', async () => {
  const { api } = stand.stepwell
  const long = 'W'.repeat(300)
  const { id: datasetId } = await api.createDataset({ name: long })
  await api.createExperiment({ name: long, datasetId })
  const { id } = await api.createExperiment({ name: 'The second trial', datasetId })
  for (const width of [1024, 1280]) {
    const page = await stand.open(`/experiments/${id}`, { viewport: { width, height: 800 } })
    await page.getByLabel('Compare with').waitFor()
    const isWhole = await page
      .locator('h1')
      .evaluate((it) => it.clientWidth > 0 && it.scrollWidth <= it.clientWidth)
    expect(isWhole, String(width)).toBe(true)
  }
})

test('long names and many labels leave the columns beside them in sight', async () => {
  const { api } = stand.stepwell
  for (const content of ['one', 'two'])
    await api.getOrCreatePrompt('labelled', [{ role: 'user', content }])
  for (const label of ['production', 'staging', 'the newest one', 'for partners'])
    await api.setPromptLabel({ name: 'labelled', label, version: 1 })
  await api.createDataset({ name: 'W'.repeat(2000) })
  await api.createApiKey({ name: 'W'.repeat(200), scopes: ['read'] })
  for (const [path, least] of [
    ['/settings/keys', 'Expires'],
    ['/settings/audit', 'Details'],
    ['/prompts/labelled', 'Split'],
  ] as const) {
    const page = await stand.open(path)
    await page.locator('tbody tr td').first().waitFor()
    const head = page.getByRole('columnheader', { name: least, exact: true })
    await head.waitFor()
    const right = await head.evaluate((it) => {
      const box = it.closest('table')?.parentElement?.getBoundingClientRect()
      return it.getBoundingClientRect().right - (box?.right ?? 0)
    })
    expect(right, path).toBeLessThanOrEqual(1)
  }
})

test('the lengths of pauses between turns do not overlap', async () => {
  const begin = Date.parse('2025-05-14T09:00:00Z')
  await stand.stepwell.api.sendSteps(
    Array.from({ length: 40 }, (_, at) => ({
      id: `turn-${at}`,
      threadId: 'with pauses',
      type: 'run' as const,
      name: `turn ${at}`,
      startTime: new Date(begin + at * 3_000_000).toISOString(),
      endTime: new Date(begin + at * 3_000_000 + 1000).toISOString(),
    })),
  )
  const page = await stand.open('/threads/with%20pauses')
  const labels = page.locator('.cut-label')
  await labels.nth(1).waitFor()
  const boxes = await labels.evaluateAll((all) =>
    all.map((it) => it.getBoundingClientRect()).map(({ left, right }) => ({ left, right })),
  )
  for (const [at, { left }] of boxes.entries())
    expect(left).toBeGreaterThanOrEqual(boxes[at - 1]?.right ?? 0)
})
