import { expect, test } from 'vitest'
import { hold, intercept, seriousProblems, signInByLink, useStand } from './support.js'

const stand = useStand(
  async ({ api }) => {
    await api.sendSteps(
      Array.from({ length: 230 }, (_, at) => ({
        id: `s${at}`,
        threadId: `t${at}`,
        type: 'run',
        name: at % 2 ? 'odd' : 'even',
        tags: ['old'],
        output: { content: `answer ${at}` },
      })),
    )
    // One deletion is broken off on purpose.
  },
  { expected: /ERR_FAILED|status of 503/ },
)

/** Each row is a request of its own. */
const MANY_ROWS_MS = 50_000

const countOf = async (field: string, value: unknown, operator = 'in') =>
  (await stand.stepwell.api.getSteps({ first: 1, filters: [{ field, operator, value } as never] }))
    .totalCount

test(
  'all rows that match are tagged, on all pages, and the tags are as before when it is undone',
  { timeout: 120_000 },
  async () => {
    const page = await stand.open('/steps?q=name:odd')
    await page.getByText('115 steps').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'All that match' }).click()
    await page.getByText('all 115 steps that match').waitFor()
    await page.getByRole('button', { name: 'Tags…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('115 steps that match the filter. Their other tags stay.').waitFor()
    await dialog.getByLabel('Tags').fill('checked, good')
    expect(await seriousProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Add the tags' }).click()
    await dialog.getByText('115 steps of 115 steps tagged.').waitFor({ timeout: MANY_ROWS_MS })
    expect(await countOf('tags', ['checked'])).toBe(115)
    expect(await countOf('tags', ['old'])).toBe(230)
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await dialog.getByText('115 steps of 115 steps as before.').waitFor({ timeout: MANY_ROWS_MS })
    expect(await countOf('tags', ['checked'])).toBe(0)
    expect(await countOf('tags', ['old'])).toBe(230)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    expect(await page.locator('.selection-bar').count()).toBe(0)
  },
)

test('chosen rows get a score, and become items of a new dataset', async () => {
  const page = await stand.open('/steps?q=id:s2')
  await page.getByText('1 step', { exact: true }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByRole('button', { name: 'Score…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name of the score').fill('quality')
  await dialog.getByRole('button', { name: '1 good' }).click()
  await dialog.getByRole('button', { name: 'Give the score' }).click()
  await dialog.getByText('1 step of 1 step scored.').waitFor()
  expect((await stand.stepwell.api.getStep('s2'))?.scores).toMatchObject([
    { name: 'quality', value: 1, type: 'HUMAN' },
  ])
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByRole('button', { name: 'To a dataset…' }).click()
  await dialog.getByLabel('Name of the dataset').fill('chosen')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByText('1 step of 1 step added to the dataset.').waitFor()
  expect((await stand.stepwell.api.getDataset({ name: 'chosen' }))?.items).toMatchObject([
    { stepId: 's2', expectedOutput: { content: 'answer 2' } },
  ])
})

test('a deletion says what goes, and failures name their rows', async () => {
  const page = await stand.open('/threads')
  await page.getByText('230 threads').waitFor()
  for (const _ of [1, 2, 3]) {
    await page.keyboard.press('j')
    await page.keyboard.press('x')
  }
  await page.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Delete 3 threads?').waitFor()
  await dialog.getByText("This can't be undone").waitFor()
  let broken = 0
  await intercept(page, '**/api/graphql', (route) => {
    const isBroken = /deleteThread/.test(route.request().postData() ?? '') && broken++ === 0
    return isBroken ? route.abort() : route.continue()
  })
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('2 threads of 3 threads deleted').waitFor()
  expect(await dialog.getByRole('alert').textContent()).toMatch(/1 thread failed:.*t\d+/)
  expect(await dialog.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('228 threads').waitFor()
})

/** Selects all steps of a name, and opens the dialog that gives them a tag. */
const openTags = async (name: string, tag: string) => {
  const page = await stand.open(`/steps?q=name:${name}`)
  const totalCount = await countOf('name', name, 'eq')
  const count = `${totalCount} steps`
  await page.getByText(count, { exact: true }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByRole('button', { name: 'All that match' }).click()
  await page.getByRole('button', { name: 'Tags…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Tags').fill(tag)
  return { page, dialog, totalCount, count }
}

test('an action goes on where its session ended, or the service was gone for a moment', async () => {
  const { page, dialog, totalCount, count } = await openTags('even', 'late')
  let writes = 0
  const rejection = {
    status: 503,
    json: { errors: [{ message: 'it restarts', extensions: { code: 'UNAVAILABLE' } }] },
  }
  await intercept(page, '**/api/graphql', async (route) => {
    const isWrite = /mutation/.test(route.request().postData() ?? '')
    if (isWrite) writes++
    // Nobody needs to do anything about this one.
    if (isWrite && writes === 10) return route.fulfill(rejection)
    if (isWrite && writes === 20) await page.context().clearCookies()
    return route.continue()
  })
  await dialog.getByRole('button', { name: 'Add the tags' }).click()
  const alert = dialog.getByRole('alert')
  await alert.getByRole('link', { name: 'Sign in' }).waitFor()
  expect(await alert.innerText()).toMatch(/session is over.*Sign in again/)
  await dialog.getByText(`of ${count} tagged; the others are as they were.`).waitFor()
  await signInByLink(page.context(), stand.service.signInLink(stand.url))
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await dialog.getByText(`${count} of ${count} tagged.`).waitFor({ timeout: MANY_ROWS_MS })
  expect(await alert.count()).toBe(0)
  expect(await countOf('tags', ['late'])).toBe(totalCount)
})

test('a dialog that is closed while its action runs says how far that came', async () => {
  const { page, dialog, count } = await openTags('odd', 'begun')
  const answers = await hold(page, 'BulkStepTags')
  await dialog.getByRole('button', { name: 'Add the tags' }).click()
  await answers.waitFor(4)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await answers.release()
  await page.getByText(`4 steps of ${count} tagged; the others are as they were.`).waitFor()
  expect(await countOf('tags', ['begun'])).toBe(4)
})

test('a dialog that is closed while it reads the rows changes none of them', async () => {
  const before = await stand.stepwell.api.getThreads({ first: 1 })
  const page = await stand.open('/threads')
  await page.getByText(`${before.totalCount} threads`).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByRole('button', { name: 'All that match' }).click()
  await page.getByText(`all ${before.totalCount} threads that match`).waitFor()
  await page.getByRole('button', { name: 'Delete…' }).click()
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let deletions = 0
  await intercept(page, '**/api/graphql', async (route) => {
    const { query, variables } = route.request().postDataJSON()
    if (/deleteThread/.test(query)) deletions++
    if (variables.first === 200) await held
    await route.continue()
  })
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByText('Reading the threads…').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  const answered = page.waitForResponse((response) =>
    /"first":200/.test(response.request().postData() ?? ''),
  )
  release()
  await answered
  // A list that is read again is behind every deletion that would have begun.
  await page.reload()
  await page.getByText(`${before.totalCount} threads`).waitFor()
  expect(deletions).toBe(0)
})

test('all that match can be chosen only while their number is known', async () => {
  const page = await stand.open('/nothing')
  let isCut = true
  await intercept(page, '**/api/graphql', (route) =>
    isCut && route.request().postDataJSON().variables.totalCount === true
      ? route.abort()
      : route.continue(),
  )
  await page.goto(`${stand.base}/threads`)
  await page.getByText('not counted').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  const all = page.getByRole('button', { name: 'All that match' })
  await all.waitFor()
  expect(await all.isDisabled()).toBe(true)
  isCut = false
  await page.getByRole('button', { name: 'Count again' }).click()
  await all.click()
  await page.getByText(/^all \d+ threads that match$/).waitFor()
})

test('chosen generations are tagged, and deleted with their steps', async () => {
  const { api } = stand.stepwell
  await api.sendSteps(
    ['g1', 'g2'].map((id) => ({
      id,
      type: 'llm' as const,
      generation: { type: 'CHAT' as const, model: 'small' },
    })),
  )
  const page = await stand.open('/generations?q=model%3Dsmall')
  await page.locator('tr[data-key="g1"]').getByLabel('Select the row').click()
  await page.getByRole('button', { name: 'Tags…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Tags').fill('checked')
  await dialog.getByRole('button', { name: 'Add the tags' }).click()
  await dialog.getByText('1 generation of 1 generation tagged.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  expect((await api.getStep('g1'))?.tags).toEqual(['checked'])
  await page.locator('tr[data-key="g1"]').getByLabel('Select the row').click()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await dialog.getByText('Their steps go with them').waitFor()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('1 generation deleted.', { exact: true }).waitFor()
  expect(await api.getStep('g1')).toBe(null)
  expect((await api.getStep('g2'))?.id).toBe('g2')
})

test('chosen scores are deleted, and what they judged stays', async () => {
  const { api } = stand.stepwell
  for (const value of [0, 1])
    await api.createScore({ stepId: 's9', name: 'passing', type: 'HUMAN', value })
  const page = await stand.open('/scores?q=name%3Dpassing')
  await page.getByText('2 scores', { exact: true }).waitFor()
  await page.locator('tbody tr[data-key]').first().getByLabel('Select the row').click()
  await page.getByRole('button', { name: 'All that match' }).click()
  await page.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The steps and threads stay.').waitFor()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  // Exactly, as the progress says "1 score of 2 scores deleted." before.
  await page.getByText('2 scores deleted.', { exact: true }).waitFor()
  expect((await api.getStep('s9'))?.scores).toEqual([])
})

test.each([320, 1280])(
  'a press beside the box of a row chooses the row at %i px, one with Shift those between, and each is described',
  async (width) => {
    const page = await stand.open('/steps', { viewport: { width, height: 800 } })
    const boxes = page.getByRole('checkbox', { name: 'Select the row' })
    await boxes.nth(3).waitFor()
    const pressBeside = async (at: number) => {
      const { x = 0, y = 0, width: own = 0, height = 0 } = (await boxes.nth(at).boundingBox()) ?? {}
      await page.mouse.click(x + own + 4, y + height / 2)
    }
    await pressBeside(0)
    await page.getByText('1 selected').waitFor()
    await page.keyboard.down('Shift')
    await pressBeside(2)
    await page.keyboard.up('Shift')
    await page.getByText('3 selected').waitFor()
    expect(new URL(page.url()).pathname).toMatch(/\/steps$/)
    const described = await boxes.nth(1).evaluate((box) => {
      const of = document.getElementById(box.getAttribute('aria-describedby') ?? '')
      return [of?.textContent, of?.closest('tr') === box.closest('tr')]
    })
    expect(described).toEqual([expect.stringMatching(/odd|even/), true])
  },
)
