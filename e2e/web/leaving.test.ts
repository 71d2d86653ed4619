// Pages that are left while what they send is on its way.
import type { Page } from 'playwright-core'
import { StepwellClient } from 'stepwell'
import { expect, test } from 'vitest'
import { WebCreateViewDocument } from '../../web/generated/operations.js'
import { hold, intercept, isOperation, useStand } from './support.js'

const ids = { dataset: '', experiment: '' }

const stand = useStand(
  async (stepwell) => {
    const { api } = stepwell
    await api.setScoreDefinition({ name: 'solved', kind: 'BOOLEAN' })
    await api.sendSteps(
      ['one', 'two', 'three', 'four', 'five'].map((id) => ({
        id,
        threadId: id,
        name: id,
        type: 'llm' as const,
      })),
    )
    for (const content of ['Hello', 'Good day'])
      await api.getOrCreatePrompt('greeting', [{ role: 'system', content }])
    await api.setModelEndpoint({
      name: 'large',
      protocol: 'OPENAI',
      baseUrl: 'https://models.example.org/v1',
      model: 'large',
    })
    await api.createAlert({
      name: 'errors',
      subject: 'STEPS',
      query: '',
      metric: 'ERROR_COUNT',
      comparison: 'ABOVE',
      threshold: 0,
      windowMinutes: 60,
      webhookUrl: 'https://hooks.example.org/',
    })
    await stepwell.query(WebCreateViewDocument, {
      subject: 'CHARTS',
      name: 'calls',
      query: '',
      chart: { subject: 'steps', metric: 'count' },
      range: '7d',
    })
    ids.dataset = (await api.createDataset({ name: 'examples' })).id
    ids.experiment = (await api.createExperiment({ name: 'trial' })).id
  },
  { expected: /^Failed to load resource/ },
)

const button = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).click()
}

const judge = async (page: Page) => {
  await page.locator('.review-item h2').waitFor()
  await page.locator('.review-form [aria-pressed]').first().waitFor()
  await page.keyboard.press('1')
  await page.keyboard.press('Enter')
}

/** Requests of a page that is left before the answer: the operation, the page, and the presses that send it. */
const SENT: Record<
  string,
  { operation: string; path: () => string; presses: readonly ((page: Page) => Promise<void>)[] }
> = {
  'a view': {
    operation: 'WebCreateView',
    path: () => '/threads?q=error%3Aany',
    presses: [
      button('views'),
      button('Save as…'),
      async (page) => {
        await page.getByLabel('Name').fill('failed')
        await page.keyboard.press('Enter')
      },
    ],
  },
  'a new version of a prompt': {
    operation: 'NewVersion',
    path: () => '/prompts/greeting/new?from=0',
    presses: [
      async (page) => {
        await page.getByLabel('Change in this version').fill('shorter')
        await page.keyboard.press('Control+s')
      },
    ],
  },
  'a new prompt': {
    operation: 'NewLineage',
    path: () => '/prompts',
    presses: [
      button('New prompt'),
      async (page) => {
        await page.getByLabel('Name').fill('farewell')
        await page.keyboard.press('Enter')
      },
    ],
  },
  'a judgement': { operation: 'GiveScore', path: () => '/review?give=solved', presses: [judge] },
  'a judgement that is taken back': {
    operation: 'RemoveScore',
    path: () => '/review?give=solved',
    presses: [
      async (page) => {
        const item = page.locator('.review-item h2')
        const judged = await item.innerText()
        await judge(page)
        await expect.poll(() => item.innerText()).not.toBe(judged)
        await page.keyboard.press('u')
      },
    ],
  },
  'the end of a dataset': {
    operation: 'RemoveDataset',
    path: () => `/datasets/${ids.dataset}`,
    presses: [button('Delete…'), button('Delete it with its items')],
  },
  'the end of an experiment': {
    operation: 'RemoveExperiment',
    path: () => `/experiments/${ids.experiment}`,
    presses: [button('Delete…'), button('Delete it with its results')],
  },
}

/** Goes to another page by the keyboard, out of all dialogs. */
const leave = async (page: Page) => {
  while ((await page.getByRole('dialog').count()) > 0) {
    const before = await page.getByRole('dialog').count()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBeLessThan(before)
  }
  await page.getByRole('link', { name: 'Users' }).first().click()
  await page.getByRole('heading', { name: 'Users' }).waitFor()
}

test.each(Object.entries(SENT))(
  '%s that is answered late does not lead back to the page that was left',
  async (_, { operation, path, presses }) => {
    const page = await stand.open(path())
    const answers = await hold(page, operation)
    for (const press of presses) await press(page)
    await answers.waitFor(1)
    await leave(page)
    const visited: string[] = []
    page.on('framenavigated', (frame) => visited.push(frame.url().slice(stand.base.length)))
    const answered = page.waitForResponse((response) => isOperation(operation)(response.request()))
    await answers.release()
    await answered
    // The consequences of the answer have come by the time another page has its own.
    await page.getByRole('link', { name: 'Steps' }).first().click()
    await page.locator('tbody tr[data-key]').first().waitFor()
    expect(visited).toEqual(['/steps'])
  },
)

test.each(['a new version of a prompt', 'a judgement'])(
  '%s that fails after its page was left says so',
  async (name) => {
    const { operation, path, presses } = SENT[name] ?? expect.fail('no such case')
    const page = await stand.open(path())
    const answers = await hold(page, operation)
    for (const press of presses) await press(page)
    await answers.waitFor(1)
    await leave(page)
    await page.context().clearCookies()
    await answers.release()
    await page.locator('.toast').getByRole('link', { name: 'Sign in' }).waitFor()
  },
)

const edit = (field: string, send: string) => async (page: Page) => {
  const text = page.getByRole('dialog').getByLabel(field, { exact: true })
  await text.fill(`${await text.inputValue()} more`)
  await page.getByRole('dialog').getByRole('button', { name: send }).click()
}

/** Dialogs: what opens one, a text field in it, and what sends it. */
const DIALOGS: Record<
  string,
  {
    operation: string
    path: () => string
    open: (page: Page) => Promise<void>
    field: string
    send: string
  }
> = {
  'the form of a thread': {
    operation: 'WebUpdateThread',
    path: () => '/threads/one',
    open: button('More'),
    field: 'Name',
    send: 'Save',
  },
  'a model': {
    operation: 'SaveModel',
    path: () => '/settings/models',
    open: button('Change'),
    field: 'Name',
    send: 'Save',
  },
  'an alert': {
    operation: 'UpdateAlert',
    path: () => '/settings/alerts',
    open: button('Change'),
    field: 'Name',
    send: 'Save',
  },
  'a chart': {
    operation: 'WebUpdateView',
    path: () => '/charts',
    open: button('Edit calls'),
    field: 'Name',
    send: 'Save',
  },
}

test.each(Object.entries(DIALOGS))(
  '%s that is opened again stays with what is typed when the answer to the first one comes',
  async (_, { operation, path, open, field, send }) => {
    const page = await stand.open(path())
    await open(page)
    const answers = await hold(page, operation)
    await edit(field, send)(page)
    await answers.waitFor(1)
    const dialog = page.getByRole('dialog')
    await page.keyboard.press('Escape')
    await expect.poll(() => dialog.count()).toBe(0)
    await open(page)
    await dialog.getByLabel(field, { exact: true }).fill('half a thought')
    const answered = page.waitForResponse((response) => isOperation(operation)(response.request()))
    await answers.release()
    await (await answered).finished()
    // The page reads again what was changed.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
    expect(await dialog.getByLabel(field, { exact: true }).inputValue()).toBe('half a thought')
  },
)

test.each([
  ['Keys', '/settings/keys', 'Create a key', 'late'],
  ['Connect', '/settings/connect', 'Create a key and put it into these lines', 'made by Connect'],
])(
  'a key of %s that comes after its page was left is shown by Keys, once',
  async (_, path, label, name) => {
    const page = await stand.open(path)
    if (name === 'late') await page.getByLabel('Name', { exact: true }).fill(name)
    const answers = await hold(page, 'MakeKey')
    await page.getByRole('button', { name: label }).click()
    await answers.waitFor(1)
    await leave(page)
    await answers.release()
    await page
      .locator('.toast')
      .getByRole('link', { name: `The key “${name}” is there` })
      .click()
    const shown = page.getByRole('status').getByText(/^lsk_/)
    await shown.waitFor()
    const { name: project } = await new StepwellClient({
      apiUrl: stand.url,
      apiKey: await shown.innerText(),
    }).api.getProject()
    expect(project).toBe('default')
    await leave(page)
    await page.goBack()
    await page.getByRole('cell', { name, exact: true }).waitFor()
    expect(await shown.count()).toBe(0)
  },
)

test('a key whose answer was cut is listed, and closing the page before an answer asks', async () => {
  const page = await stand.open('/settings/keys')
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await page.getByLabel('Name', { exact: true }).fill('cut')
  await intercept(page, '**/api/graphql', async (route, request) => {
    if (!isOperation('MakeKey')(request)) return route.fallback()
    await route.fetch()
    await route.fulfill({ contentType: 'application/json', body: '{"data":{' })
  })
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByRole('cell', { name: 'cut', exact: true }).waitFor()
  await page.unroute('**/api/graphql')
  const answers = await hold(page, 'MakeKey')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await answers.waitFor(1)
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
})
