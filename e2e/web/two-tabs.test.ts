// Forms that are open while somebody else changes the same thing.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hold, useStand } from './support.js'

const stand = useStand(async ({ api }) => {
  await api.sendSteps([{ id: 'call', threadId: 'talk', type: 'llm', name: 'call' }])
  await api.upsertThread({ threadId: 'talk', name: 'talk', tags: ['first'] })
  for (const content of ['Hello', 'Good day'])
    await api.getOrCreatePrompt('greeting', [{ role: 'system', content }])
})

/** Asks the service as somebody else. */
const ask = async (query: string, variables: object = {}): Promise<Record<string, unknown>> => {
  const response = await fetch(`${stand.url}/api/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': stand.service.apiKey ?? '' },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = await response.json()
  expect(errors).toBeUndefined()
  return data
}

interface Case {
  /** Stores the thing, and opens it. Returns the page and the id. */
  open: () => Promise<[page: Page, id: string]>
  /** Types a new value, and saves. */
  type: (page: Page) => Promise<unknown>
  save: string | RegExp
  /** Changes another part of it elsewhere; absent for a thing of one part. */
  other?: (id: string) => Promise<unknown>
  /** Changes the same part of it elsewhere. */
  same: (id: string) => Promise<unknown>
  /** The words that name the part. */
  part: string
  stored: (id: string) => Promise<unknown>
  /** As it is when both changed parts of their own. */
  merged: unknown
  /** As it is when the page replaced the part. */
  replaced: unknown
}

const split = (first: number, second: number) =>
  ask(`mutation { updatePromptLineageRollout(name: "greeting",
    rollouts: [{version: 0, rollout: ${first}}, {version: 1, rollout: ${second}}]) { ok } }`)

const inDialog = (page: Page) => page.getByRole('dialog')

const ALERT = `name: "slow", subject: STEPS, query: "", metric: COUNT, comparison: ABOVE, threshold: 1,
  windowMinutes: 15, webhookUrl: "https://hooks.example.org/x"`
const OLD = '{environment: "prod", days: 30000}'
let made = 0

const CASES: Record<string, Case> = {
  'an item of a dataset': {
    open: async () => {
      const dataset = await stand.stepwell.api.createDataset({ name: `items ${++made}` })
      const { id } = await stand.stepwell.api.createDatasetItem(dataset.id, { input: { a: 1 } })
      const page = await stand.open(`/datasets/${dataset.id}?item=${id}`)
      await page.getByRole('textbox', { name: 'Input', exact: true }).waitFor()
      return [page, id]
    },
    type: async (page) => {
      await page.getByRole('textbox', { name: 'Input', exact: true }).click()
      await page.keyboard.press('Control+a')
      await page.keyboard.insertText('{"a":"mine"}')
    },
    save: 'Save',
    other: (id) =>
      ask('mutation ($id: String!) { updateDatasetItem(id: $id, metadata: {b: 1}) { id } }', {
        id,
      }),
    same: (id) =>
      ask('mutation ($id: String!) { updateDatasetItem(id: $id, input: {a: "theirs"}) { id } }', {
        id,
      }),
    part: 'Input',
    stored: (id) => ask('query ($id: String!) { datasetItem(id: $id) { input metadata } }', { id }),
    merged: { datasetItem: { input: { a: 'mine' }, metadata: { b: 1 } } },
    replaced: { datasetItem: { input: { a: 'mine' }, metadata: {} } },
  },
  'the definition of a score': {
    open: async () => {
      const name = `tone ${++made}`
      await ask(`mutation { setScoreDefinition(name: "${name}", kind: NUMBER, min: 0) { name } }`)
      const page = await stand.open('/settings/scores')
      await page.getByRole('row', { name }).getByRole('button', { name: 'Edit' }).click()
      return [page, name]
    },
    type: (page) => inDialog(page).getByLabel('Lowest').fill('3'),
    save: 'Save',
    other: (name) =>
      ask(
        `mutation { setScoreDefinition(name: "${name}", kind: NUMBER, min: 0, description: "polite?") { name } }`,
      ),
    same: (name) =>
      ask(`mutation { setScoreDefinition(name: "${name}", kind: NUMBER, min: 2) { name } }`),
    part: 'Lowest',
    stored: async (name) =>
      (
        (await ask('{ scoreDefinitions { name min description } }')).scoreDefinitions as {
          name: string
        }[]
      ).find((one) => one.name === name),
    merged: { min: 3, description: 'polite?' },
    replaced: { min: 3, description: null },
  },
  'an alert': {
    open: async () => {
      for (const { id } of await stand.stepwell.api.getAlerts())
        await ask(`mutation { deleteAlert(id: "${id}") { id } }`)
      const { createAlert } = (await ask(
        `mutation { createAlert(${ALERT}) { alert { id } } }`,
      )) as {
        createAlert: { alert: { id: string } }
      }
      const page = await stand.open('/settings/alerts')
      await page.getByRole('button', { name: /^(Edit|Change)/ }).click()
      return [page, createAlert.alert.id]
    },
    type: (page) => inDialog(page).getByLabel('Threshold').fill('7'),
    save: 'Save',
    other: (id) => ask(`mutation { updateAlert(id: "${id}", name: "renamed") { id } }`),
    same: (id) => ask(`mutation { updateAlert(id: "${id}", threshold: 5) { id } }`),
    part: 'Threshold',
    stored: () => ask('{ alerts { name threshold } }'),
    merged: { alerts: [{ name: 'renamed', threshold: 7 }] },
    replaced: { alerts: [{ name: 'slow', threshold: 7 }] },
  },
  'a chart': {
    open: async () => {
      const name = `chart ${++made}`
      const { createView } = (await ask(
        `mutation { createView(subject: CHARTS, name: "${name}", query: "", chart: {subject: generations, metric: count}) { id } }`,
      )) as { createView: { id: string } }
      const page = await stand.open('/charts')
      await page.getByRole('button', { name: `Edit ${name}` }).click()
      return [page, createView.id]
    },
    type: (page) => inDialog(page).getByLabel('Name').fill(`mine ${made}`),
    save: 'Save',
    other: (id) =>
      ask(
        `mutation { updateView(id: "${id}", chart: {subject: generations, metric: errors}) { id } }`,
      ),
    same: (id) => ask(`mutation { updateView(id: "${id}", name: "theirs ${made}") { id } }`),
    part: 'Name',
    stored: async (id) => {
      const { views } = (await ask('{ views { id name chart { metric } } }')) as {
        views: { id: string; name: string; chart: { metric: string } }[]
      }
      const { name = '', chart } = views.find((one) => one.id === id) ?? {}
      return [name.replace(/\d+/, 'n'), chart?.metric]
    },
    merged: ['mine n', 'errors'],
    replaced: ['mine n', 'count'],
  },
  'the filter of a view': {
    open: async () => {
      const { createView } = (await ask(
        `mutation { createView(subject: THREADS, name: "view ${++made}", query: "error:any") { id } }`,
      )) as { createView: { id: string } }
      const page = await stand.open(`/threads?view=${createView.id}&q=error:none`)
      await page.getByRole('button', { name: /^view: view/ }).click()
      await page.getByRole('button', { name: /^Save view/ }).waitFor()
      return [page, createView.id]
    },
    type: async () => undefined,
    save: /^Save view/,
    same: (id) => ask(`mutation { updateView(id: "${id}", query: "user:ada") { id } }`),
    part: 'Filter',
    stored: async (id) => {
      const { views } = (await ask('{ views { id query } }')) as {
        views: { id: string; query: string }[]
      }
      return views.find((one) => one.id === id)?.query
    },
    merged: 'error:none',
    replaced: 'error:none',
  },
  'a thread': {
    open: async () => {
      await ask('mutation { updateThread(id: "talk", name: "talk", tags: ["first"]) { id } }')
      const page = await stand.open('/threads/talk')
      await page.getByRole('button', { name: 'More', exact: true }).click()
      return [page, 'talk']
    },
    type: (page) => inDialog(page).getByLabel('Name').fill('mine'),
    save: 'Save',
    other: () => ask('mutation { updateThread(id: "talk", tags: ["first", "second"]) { id } }'),
    same: () => ask('mutation { updateThread(id: "talk", name: "theirs") { id } }'),
    part: 'Name',
    stored: () => ask('{ thread: threadDetail(id: "talk") { name tags } }'),
    merged: { thread: { name: 'mine', tags: ['first', 'second'] } },
    replaced: { thread: { name: 'mine', tags: ['first'] } },
  },
  'a model': {
    open: async () => {
      const { setModelEndpoint } = (await ask(
        `mutation { setModelEndpoint(name: "model ${++made}", protocol: OPENAI, baseUrl: "https://models.example.org/v1", model: "a") { id } }`,
      )) as { setModelEndpoint: { id: string } }
      const page = await stand.open('/settings/models')
      await page
        .getByRole('row', { name: `model ${made}` })
        .getByRole('button', { name: /^(Edit|Change)/ })
        .click()
      return [page, setModelEndpoint.id]
    },
    type: (page) => inDialog(page).getByLabel('Model', { exact: true }).fill('mine'),
    save: 'Save',
    other: (id) =>
      ask(
        `mutation { setModelEndpoint(id: "${id}", name: "model ${made}", protocol: OPENAI, baseUrl: "https://models.example.org/v2", model: "a") { id } }`,
      ),
    same: (id) =>
      ask(
        `mutation { setModelEndpoint(id: "${id}", name: "model ${made}", protocol: OPENAI, baseUrl: "https://models.example.org/v1", model: "theirs") { id } }`,
      ),
    part: 'Model',
    stored: async (id) => {
      const { modelEndpoints } = (await ask('{ modelEndpoints { id baseUrl model } }')) as {
        modelEndpoints: { id: string }[]
      }
      return modelEndpoints.find((one) => one.id === id)
    },
    merged: { baseUrl: 'https://models.example.org/v2', model: 'mine' },
    replaced: { baseUrl: 'https://models.example.org/v1', model: 'mine' },
  },
  'the rules for the age of data': {
    open: async () => {
      await ask(`mutation { setRetention(rules: [${OLD}], keep: []) { keep } }`)
      const page = await stand.open('/settings/retention')
      await page.getByLabel('Days of dev').waitFor()
      return [page, '']
    },
    type: (page) => page.getByLabel('Days of dev').fill('300'),
    save: 'Save',
    other: () => ask(`mutation { setRetention(rules: [${OLD}], keep: [scored]) { keep } }`),
    same: () =>
      ask(`mutation { setRetention(rules: [${OLD}, {environment: "dev", days: 900}]) { keep } }`),
    part: 'Days of dev',
    stored: () => ask('{ retention { keep rules { environment days } } }'),
    merged: { retention: { keep: ['scored'], rules: [{ days: 300 }, { days: 30_000 }] } },
    replaced: { retention: { keep: [], rules: [{ days: 300 }, { days: 30_000 }] } },
  },
  'the split of a prompt': {
    open: async () => {
      await split(100, 0)
      const page = await stand.open('/prompts/greeting?tab=rollout')
      await page.getByLabel('Percent of version 1').waitFor()
      return [page, '']
    },
    type: (page) => page.getByLabel('Percent of version 1').fill('25'),
    save: 'Set the split',
    same: () => split(40, 60),
    part: 'v0 40 %, v1 60 %',
    stored: () => ask('{ promptLineage(name: "greeting") { rollouts { rollout } } }'),
    merged: {},
    replaced: { promptLineage: { rollouts: [{ rollout: 75 }, { rollout: 25 }] } },
  },
  'the rule for the end of a conversation': {
    open: async () => {
      await ask('mutation { setConversationEnd(tags: ["resolved"]) { tags } }')
      const page = await stand.open('/settings/conversations')
      await page.getByLabel('Minutes').waitFor()
      return [page, '']
    },
    type: (page) => page.getByLabel('Minutes').fill('30'),
    save: 'Save',
    other: () =>
      ask('mutation { setConversationEnd(tags: ["resolved"], toolNames: ["end"]) { tags } }'),
    same: () => ask('mutation { setConversationEnd(tags: ["resolved"], idleMinutes: 5) { tags } }'),
    part: 'Minutes without activity',
    stored: () => ask('{ project { conversationEnd { idleMinutes tags toolNames } } }'),
    merged: {
      project: { conversationEnd: { idleMinutes: 30, tags: ['resolved'], toolNames: ['end'] } },
    },
    replaced: {
      project: { conversationEnd: { idleMinutes: 30, tags: ['resolved'], toolNames: [] } },
    },
  },
}

describe.each(Object.entries(CASES))('%s', (_, one) => {
  const saveIn = (page: Page) => page.getByRole('button', { name: one.save }).last().click()

  test.runIf(one.other !== undefined)(
    'keeps the other part that somebody changed meanwhile',
    async () => {
      const [page, id] = await one.open()
      await one.type(page)
      await one.other?.(id)
      await saveIn(page)
      await expect.poll(() => one.stored(id)).toMatchObject(one.merged as object)
    },
  )

  test('says that the same part was changed meanwhile, and replaces it when told again', async () => {
    const [page, id] = await one.open()
    await one.type(page)
    await one.same(id)
    const theirs = await one.stored(id)
    await saveIn(page)
    const said = page.getByText(/changed this meanwhile/)
    await said.waitFor({ timeout: 5000 })
    expect(await said.innerText()).toContain(one.part)
    expect(await one.stored(id)).toEqual(theirs)
    await saveIn(page)
    if (typeof one.replaced === 'string') await expect.poll(() => one.stored(id)).toBe(one.replaced)
    else await expect.poll(() => one.stored(id)).toMatchObject(one.replaced as object)
  })
})

test('tags that a thread gets while its form is open stay, also when the page has heard of them', async () => {
  await ask('mutation { updateThread(id: "talk", name: "talk", tags: ["first"]) { id } }')
  const page = await stand.open('/threads/talk')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await inDialog(page).getByLabel('Name').fill('mine')
  await ask('mutation { updateThread(id: "talk", tags: ["first", "second"]) { id } }')
  await stand.stepwell.api.sendSteps([
    { id: 'later', threadId: 'talk', type: 'tool', name: 'later', error: 'no' },
  ])
  await page.locator('.thread-facts').getByText('second').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => ask('{ threadDetail(id: "talk") { name tags } }'))
    .toEqual({ threadDetail: { name: 'mine', tags: ['first', 'second'] } })
})

/** Forms that stay in the page, with the operation that reads what they begin with. */
const STAYING = {
  conversations: {
    label: 'Minutes',
    operation: 'ConversationEndRule',
    elsewhere: () => ask('mutation { setConversationEnd(tags: ["elsewhere"]) { tags } }'),
  },
  retention: {
    label: 'Days of dev',
    operation: 'GetRetention',
    elsewhere: () => ask(`mutation { setRetention(rules: [${OLD}], keep: [inDataset]) { keep } }`),
  },
} as const

describe.each(Object.entries(STAYING))('in the settings, %s', (section, one) => {
  test('keep what is typed when what is stored arrives late', async () => {
    const page = await stand.open(`/settings/${section}`)
    await page.getByLabel(one.label).waitFor()
    await page.getByRole('link', { name: 'Appearance' }).click()
    await page.getByLabel('Theme').waitFor()
    await one.elsewhere()
    const answers = await hold(page, one.operation)
    await page.goBack()
    await answers.waitFor(1)
    await page.getByLabel(one.label).fill('777')
    const answered = page.waitForResponse((response) =>
      new RegExp(one.operation).test(response.request().postData() ?? ''),
    )
    await answers.release()
    await (await answered).finished()
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
    expect(await page.getByLabel(one.label).inputValue()).toBe('777')
  })

  test('show what somebody else stored, and keep the focus when they are saved', async () => {
    await one.elsewhere()
    const page = await stand.open(`/settings/${section}`)
    const typed = String(20_000 + ++made)
    const field = page.getByLabel(one.label)
    await field.fill(typed)
    await page.keyboard.press('Enter')
    await page.getByText(/The rules? (is|are) saved/).waitFor()
    await expect.poll(() => page.locator('form[aria-busy=true]').count()).toBe(0)
    expect(await field.inputValue()).toBe(typed)
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
  })
})
