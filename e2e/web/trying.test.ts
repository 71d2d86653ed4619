import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seriousProblems, useStand } from './support.js'

/** An endpoint that speaks OpenAI's protocol: it answers with the last message, in capitals. */
let endpoint: Server
let endpointUrl = ''
const asked: {
  authorization: string | undefined
  body: { messages: { content: string }[]; temperature?: number }
}[] = []
/** Answers that wait for the test to let them end. */
let held: ServerResponse[] | undefined

const piece = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`

beforeAll(async () => {
  endpoint = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const body = JSON.parse(text)
    asked.push({ authorization: request.headers.authorization, body })
    if (request.headers.authorization === 'Bearer wrong') {
      response.writeHead(401, { 'content-type': 'application/json' })
      return response.end('{"error":{"message":"no such key"}}')
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(piece('Begun. '))
    if (held !== undefined) return held.push(response)
    response.write(piece(body.messages.at(-1).content.toUpperCase()))
    const usage = { prompt_tokens: 11, completion_tokens: 7 }
    return response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`)
  })
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  endpointUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`
})
beforeEach(() => {
  asked.length = 0
  held = undefined
})
afterAll(() => {
  endpoint?.closeAllConnections()
  endpoint?.close()
})

let datasetId = ''
const stand = useStand(
  async (stepwell) => {
    const { api } = stepwell
    for (const content of ['First: {{question}}', 'Second: {{question}}'])
      await api.getOrCreatePrompt('support', [{ role: 'user', content }])
    const prompt = await api.getPrompt('support', 0)
    await api.createGeneration({
      messages: prompt?.format({ question: 'where is it?' }) as never[],
      model: 'gpt-4o',
    })
    const dataset = await api.createDataset({ name: 'cases' })
    datasetId = dataset.id
    for (const question of ['one', 'two', 'three', 'four'])
      await api.createDatasetItem(dataset.id, { input: { question } })
  },
  { modelHosts: ['127.0.0.1'] },
)

const addModel = async (page: Page, name: string, key: string, isStored = false) => {
  await page.goto(`${stand.base}/settings/models`)
  await page.getByRole('button', { name: 'Add a model' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Base URL').fill(endpointUrl)
  await dialog.getByLabel('Model', { exact: true }).fill('small')
  await dialog.getByLabel('Name', { exact: true }).fill(name)
  await dialog.getByLabel('API key').fill(key)
  if (isStored) await dialog.getByRole('checkbox').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name, exact: true }).waitFor()
}

const tryWith = async (page: Page, model: string, search = '') => {
  await page.goto(`${stand.base}/prompts/support/try?${search}`)
  await page.getByRole('combobox', { name: 'Model', exact: true }).selectOption({ label: model })
}

const run = (page: Page) => page.getByRole('button', { name: /^Run/ }).click()
const answers = (page: Page) => page.locator('.trial-answers article')

describe('models', () => {
  test('without one, the page leads to the settings', async () => {
    const page = await stand.open('/prompts/support?v=1')
    await page.getByRole('link', { name: 'Try', exact: true }).click()
    await page.getByRole('link', { name: 'Set up a model' }).click()
    await page.getByRole('button', { name: 'Add a model' }).waitFor()
    expect(await seriousProblems(page)).toEqual([])
  })

  test('a key stays in its tab, unless the service is to keep it', async () => {
    const page = await stand.open('/prompts')
    await addModel(page, 'tab', 'of the tab'.replaceAll(' ', '-'))
    await page.getByRole('cell', { name: 'in this tab' }).waitFor()
    await addModel(page, 'kept', 'of-the-service', true)
    await page.getByRole('cell', { name: 'in the service' }).waitFor()
    await tryWith(page, 'tab')
    await run(page)
    await page.getByText('done').waitFor()
    await tryWith(page, 'kept')
    await run(page)
    await page.getByText('done').waitFor()
    const other = await stand.open('/prompts')
    await tryWith(other, 'tab')
    await run(other)
    await other.getByText('done').waitFor()
    expect(asked.map(({ authorization }) => authorization)).toEqual([
      'Bearer of-the-tab',
      'Bearer of-the-service',
      undefined,
    ])
  })
})

describe('a trial', () => {
  test('shows two versions side by side on several items of a dataset', async () => {
    const page = await stand.open('/prompts')
    await addModel(page, 'm', 'k')
    await tryWith(page, 'm', `v=0&against=1&from=${datasetId}`)
    await page.getByRole('checkbox').nth(3).waitFor()
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(3)
    await run(page)
    await expect.poll(() => answers(page).count()).toBe(6)
    await expect.poll(() => page.getByText('11 → 7 tokens').count()).toBe(6)
    const texts = await answers(page).locator('pre').allTextContents()
    for (const [number, word] of ['First', 'Second'].entries())
      expect(
        texts.filter((text) => text.startsWith(`Begun. ${word.toUpperCase()}: `)),
        String(number),
      ).toHaveLength(3)
    expect(await seriousProblems(page)).toEqual([])
  })

  test('fills variables from a generation of the prompt', async () => {
    const page = await stand.open('/prompts')
    await addModel(page, 'm2', 'k')
    await tryWith(page, 'm2', 'v=1')
    await page.getByRole('combobox', { name: 'Variables from' }).selectOption('generations')
    await page.getByText('where is it?').first().waitFor()
    await run(page)
    await page.getByText('SECOND: WHERE IS IT?').waitFor()
  })

  test('is shown as it comes, and ends when it is stopped', async () => {
    held = []
    const page = await stand.open('/prompts')
    await addModel(page, 'm3', 'k')
    await tryWith(page, 'm3')
    await page.getByLabel('question', { exact: true }).fill('slow')
    await run(page)
    await page.getByText('Begun.').waitFor()
    await page.getByText('running').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('stopped').waitFor()
    await expect.poll(() => held?.[0]?.closed).toBe(true)
    await page.getByRole('button', { name: /^Run/ }).waitFor()
  })

  test('says what the endpoint says against it', async () => {
    const page = await stand.open('/prompts')
    await addModel(page, 'm4', 'wrong')
    await tryWith(page, 'm4')
    await run(page)
    await page.getByText('the endpoint answered 401: no such key').waitFor()
  })

  test('of a draft is saved as a version; names of variables are coloured and completed', async () => {
    const { api } = stand.stepwell
    const page = await stand.open('/prompts')
    await addModel(page, 'm5', 'k')
    await tryWith(page, 'm5', 'v=1')
    await page.getByLabel('question', { exact: true }).fill('why')
    await page.getByRole('button', { name: 'Edit a copy of v1' }).click()
    const editor = page.getByRole('textbox', { name: 'Message 1' })
    await editor.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('Third: {{que')
    await page.getByRole('option', { name: 'question' }).click()
    await page.locator('.cm-variable', { hasText: '{{question}}' }).waitFor()
    await page.getByRole('spinbutton', { name: 'Temperature' }).fill('0.3')
    await page.getByRole('textbox', { name: 'Settings' }).getByText('0.3').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('THIRD: WHY').waitFor()
    await page.getByText('SECOND: WHY').waitFor()
    await page.getByRole('button', { name: 'Save as version' }).click()
    await page.getByText('Version 2 is saved.').waitFor()
    expect(await api.getPrompt('support', 2)).toMatchObject({
      templateMessages: [{ role: 'user', content: 'Third: {{question}}' }],
      settings: { temperature: 0.3 },
    })
    expect(asked.map(({ body }) => body.temperature).sort()).toEqual([0.3, undefined])
  })

  test('leads to signing in after the end of the session', async () => {
    const page = await stand.open('/prompts')
    await addModel(page, 'm7', 'k')
    await tryWith(page, 'm7', 'v=1')
    await page.getByLabel('question', { exact: true }).fill('why')
    await page.context().clearCookies()
    await run(page)
    await answers(page).getByRole('link', { name: 'Sign in' }).waitFor()
    expect(await answers(page).innerText()).not.toContain('x-api-key')
  })

  test('of a draft keeps what was written when the page is left or loaded anew, until it is discarded', async () => {
    const page = await stand.open('/prompts')
    await addModel(page, 'm6', 'k')
    await tryWith(page, 'm6', 'v=1')
    const written = () => page.getByRole('textbox', { name: 'Message 1' }).innerText()
    await page.getByRole('button', { name: 'Edit a copy of v1' }).click()
    await page.getByRole('textbox', { name: 'Message 1' }).click()
    await page.keyboard.type('Thought about for long. ')
    await page.reload()
    await page.getByText('This is an earlier draft').waitFor()
    expect(await written()).toContain('Thought about for long.')
    await page.getByRole('link', { name: 'Threads', exact: true }).click()
    await page.waitForURL('**/threads')
    await page.goBack()
    await page.getByRole('heading', { name: 'Draft from v1', exact: true }).waitFor()
    expect(await written()).toContain('Thought about for long.')
    await page.getByRole('button', { name: 'Discard the draft' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Edit a copy of v1' }).waitFor()
    expect(await page.getByText('This is an earlier draft').count()).toBe(0)
  })
})
