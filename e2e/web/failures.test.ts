import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { seed } from './seed.js'
import { intercept, useStand } from './support.js'

const ids = { dataset: '', item: '', experiment: '', other: '', user: '' }

const stand = useStand(
  async (stepwell) => {
    await seed(stepwell, 6)
    const { api } = stepwell
    const [dataset] = await api.getDatasets()
    const { data: experiments } = await api.getExperiments({ datasetId: dataset?.id ?? '' })
    const { data: items } = await api.getDatasetItems({ datasetId: dataset?.id ?? '', first: 1 })
    const [user] = (await api.getUsers()).data
    Object.assign(ids, {
      dataset: dataset?.id,
      item: items[0]?.id,
      experiment: experiments[0]?.id,
      other: experiments[1]?.id,
      user: user?.id,
    })
  },
  // The browser's messages about answers that this test makes fail.
  { expected: /^Failed to load resource/ },
)

const MESSAGE = 'the disk is on fire'

/** The ways in which an answer fails. */
const WAYS: Record<string, (route: Route) => Promise<void>> = {
  'data is null': (route) =>
    route.fulfill({
      json: {
        data: null,
        errors: [{ message: MESSAGE, extensions: { code: 'INTERNAL' } }],
      },
    }),
  'a part is null': async (route) => {
    const { data } = await (await route.fetch()).json()
    const [root = ''] = Object.keys(data)
    await route.fulfill({
      json: {
        data: { ...data, [root]: null },
        errors: [{ message: MESSAGE, path: [root], extensions: { code: 'INTERNAL' } }],
      },
    })
  },
  'a page of a proxy': (route) =>
    route.fulfill({ status: 500, contentType: 'text/html', body: '<h1>Oh no</h1>' }),
  'the network is cut': (route) => route.abort(),
  'the session is over': (route) =>
    route.fulfill({
      status: 401,
      json: { errors: [{ message: MESSAGE, extensions: { code: 'UNAUTHENTICATED' } }] },
    }),
}

/** Returns two ways for each operation, in turn, so that no test takes long. */
const waysFor = (turn: number) => {
  const [first, ...others] = Object.entries(WAYS)
  return [first, others[turn % others.length]].filter((way) => way !== undefined)
}

/** Replaces the answers of an operation; all others come from the service. */
const answerWith = async (page: Page, operation: string, answer: (route: Route) => unknown) => {
  await intercept(page, '**/api/graphql', async (route) => {
    if (route.request().postDataJSON()?.operationName !== operation) return route.fallback()
    // A page that was left no longer takes an answer.
    await Promise.resolve(answer(route)).catch(() => undefined)
  })
}

/** Texts that readers would take for facts. */
const CLAIMS =
  /can't be shown|There is no|No such|No \w+ yet|No step matches|Page not found|are judged|deleted/

test.each([
  ['/threads', ['ThreadTable']],
  ['/steps', ['StepTable']],
  ['/generations', ['GenerationTable']],
  ['/scores', ['ScoreTable']],
  ['/users', ['UserTable']],
  ['/overview', ['Measure', 'ThreadTable', 'LowestScores', 'Facets']],
  ['/overview?by=model', ['Measure']],
  [
    '/threads/conversation-0',
    ['ThreadPage', 'ThreadOutline', 'StepFacts', 'StepContents', 'Messages'],
  ],
  ['/steps/conversation-0-question', ['StepLocation']],
  ['/users/:user', ['UserPage', 'ThreadTable', 'Measure']],
  ['/review', ['ReviewQueue', 'StepWhole', 'Definitions']],
  ['/review?of=threads', ['ReviewThreads', 'ReviewConversation', 'Definitions']],
  ['/datasets', ['DatasetTable']],
  ['/datasets/:dataset', ['DatasetPage']],
  ['/datasets/:dataset?tab=experiments', ['DatasetPage', 'ExperimentTable']],
  [
    '/datasets/:dataset/compare?base=:experiment&with=:other',
    ['CompareResults', 'CompareDetails', 'ExperimentTable', 'Definitions'],
  ],
  ['/experiments', ['ExperimentTable']],
  ['/experiments/:experiment', ['ExperimentPage', 'ExperimentTable']],
  ['/datasets/:dataset/items/:item', ['ItemHistory']],
  ['/prompts', ['PromptTable']],
  ['/prompts/support', ['PromptPage']],
  ['/prompts/support/new', ['PromptPage']],
  ['/settings/keys', ['KeyTable']],
  ['/settings/environments', ['Environments']],
  ['/settings/scores', ['Definitions']],
  ['/settings/conversations', ['ConversationEndRule']],
  ['/settings/storage', ['SettingsPage']],
] as const)(
  '%s reports the failure, claims nothing, and continues after Retry',
  async (path, operations) => {
    const address = path.replace(/:(\w+)/g, (_, name) => ids[name as keyof typeof ids])
    const page = await stand.open('/settings/appearance')
    for (const [place, operation] of operations.entries())
      for (const [way, fail] of waysFor(path.length + place)) {
        const where = `${operation}, ${way}`
        let asked = 0
        let isBroken = true
        await answerWith(page, operation, async (route) => {
          asked++
          return isBroken ? fail(route) : route.fallback()
        })
        await page.goto(`${stand.base}${address}`)
        const alert = page.locator('.problem[role=alert]').first()
        await alert.waitFor().catch(() => expect.fail(`${where}: nothing says so`))
        expect(asked, where).toBeGreaterThan(0)
        const text = (await page.locator('#content, main, body').first().innerText()) ?? ''
        expect(text, where).not.toMatch(CLAIMS)
        expect(text, where).not.toContain('<h1>')
        if (way === 'the session is over')
          expect(await alert.getByRole('link', { name: 'Sign in' }).count(), where).toBe(1)
        isBroken = false
        await expect
          .poll(
            async () => {
              const retry = page.getByRole('button', { name: 'Retry' }).first()
              if ((await retry.count()) > 0)
                await retry.click({ timeout: 1000 }).catch(() => undefined)
              return page.locator('.problem[role=alert]').count()
            },
            { timeout: 10_000, message: where },
          )
          .toBe(0)
        await page.unroute('**/api/graphql')
      }
  },
)

test('a list keeps its rows when the next answer fails', async () => {
  const page = await stand.open('/threads')
  const rows = page.locator('tbody tr[data-key]')
  await rows.first().waitFor()
  const before = await rows.count()
  await answerWith(page, 'ThreadTable', WAYS['data is null'] as (route: Route) => unknown)
  await page.getByLabel('Filter', { exact: true }).fill('error:any')
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.innerText()).toContain(MESSAGE)
  expect(await alert.innerText()).toContain('are not up to date')
  expect(await rows.count()).toBe(before)
  await page.unroute('**/api/graphql')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  await expect.poll(() => rows.count()).toBeLessThan(before)
})

test('late answers never replace the current one, in any order of arrival', async () => {
  const page = await stand.open('/threads')
  await page.locator('tbody tr[data-key]').first().waitFor()
  const held: { route: Route; text: string }[] = []
  await answerWith(page, 'ThreadTable', (route) => {
    held.push({ route, text: JSON.stringify(route.request().postDataJSON().variables.query) })
  })
  const field = page.getByLabel('Filter', { exact: true })
  await field.fill('id=conversation-1')
  await expect.poll(() => held.some(({ text }) => text.includes('conversation-1'))).toBe(true)
  await field.fill('id=conversation-2')
  await expect.poll(() => held.some(({ text }) => text.includes('conversation-2'))).toBe(true)
  for (const { route } of held.toReversed()) await route.fallback().catch(() => undefined)
  await expect
    .poll(() =>
      page
        .locator('tbody tr[data-key]')
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key'))),
    )
    .toEqual(['conversation-2'])
})

test('a failed search reports that only names were searched', async () => {
  const page = await stand.open('/threads/conversation-0')
  await page.locator('.tree-row').first().waitFor()
  await answerWith(page, 'OutlineMatches', WAYS['data is null'] as (route: Route) => unknown)
  await page.getByLabel('Find in the thread').fill('refund')
  await page.getByText(`in names only: ${MESSAGE}`).waitFor()
  await answerWith(page, 'FindAny', WAYS['the network is cut'] as (route: Route) => unknown)
  await page.keyboard.press('Control+k')
  await page.getByText('Only pages were searched').waitFor()
})

test('the page of a returning user stays when the check of the session is cut, and the check is repeated', async () => {
  const page = await stand.open('/threads')
  await page.locator('tbody tr[data-key]').first().waitFor()
  let cut = 0
  await intercept(page, '**/api/sessions', (route) =>
    cut++ === 0 ? route.abort() : route.fallback(),
  )
  await page.reload()
  await expect.poll(() => cut).toBe(2)
  await page.locator('tbody tr[data-key]').first().waitFor()
  expect(await page.locator('main.sign-in').count()).toBe(0)
})

test('a list whose first answer failed is not called live', async () => {
  const page = await stand.open('/prompts')
  await page.getByRole('link', { name: 'Steps', exact: true }).waitFor()
  await answerWith(page, 'StepTable', WAYS['the session is over'] as (route: Route) => unknown)
  await page.getByRole('link', { name: 'Steps', exact: true }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('status').filter({ hasText: 'live' }).allInnerTexts()).toEqual([
    'not live',
  ])
})

test('what failed without a network is read again with one', async () => {
  const page = await stand.open('/prompts')
  await page.getByRole('link', { name: 'Steps', exact: true }).waitFor()
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Steps', exact: true }).click()
  await page.getByRole('alert').getByText("The service can't be reached").waitFor()
  await page.context().setOffline(false)
  await page.locator('tbody tr[data-key]').first().waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})
