import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { useStand } from './support.js'

const DEEP = { id: 'deep', threadId: 'talk', type: 'tool', name: 'deep' } as const

const stand = useStand(async ({ api }) => {
  await api.sendSteps([
    { id: 'call', threadId: 'talk', type: 'run', name: 'call', error: 'broken', output: { a: 1 } },
    DEEP,
    // Equal by the hash that urql makes of their ids.
    { id: 'step-ab', threadId: 'thread-ab', type: 'run', name: 'of ab' },
    { id: 'step-bA', threadId: 'thread-bA', type: 'run', name: 'of bA' },
  ])
  for (const id of ['ab', 'bA'])
    await api.upsertThread({ threadId: `thread-${id}`, name: `the ${id}` })
  await api.upsertThread({ threadId: 'talk', name: 'talk', tags: ['one, two', ' "three" '] })
})

/** Members in no alphabetical order, with names that objects have themselves. */
const WRITTEN =
  '{"zebra":1e+21,"apple":[{"y":1,"x":2}],"__proto__":{"b":1,"a":2},"toJSON":"no function","constructor":null}'

/** Returns the text of the service's answer. */
const answerTo = async (query: string, id: string): Promise<string> => {
  const response = await fetch(`${stand.url}/api/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': stand.service.apiKey ?? '' },
    body: JSON.stringify({ query, variables: { id } }),
  })
  return response.text()
}

/** Writes into an editor, which must not close brackets on its own. */
const writeInto = async (page: Page, name: string, text: string) => {
  await page.getByRole('textbox', { name, exact: true }).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

describe('saving', () => {
  test('an item stores the written JSON, and leaves untouched parts unchanged', async () => {
    const { api } = stand.stepwell
    const dataset = await api.createDataset({ name: 'kept' })
    const page = await stand.open(`/datasets/${dataset.id}?item=new`)
    await writeInto(page, 'Input', WRITTEN)
    await writeInto(page, 'Metadata', WRITTEN)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The item is added.').waitFor()
    const { items } = (await api.getDataset({ id: dataset.id })) ?? {}
    const id = items?.[0]?.id ?? ''
    const stored = () =>
      answerTo('query ($id: String!) { datasetItem(id: $id) { input metadata } }', id)
    expect(await stored()).toContain(`"input":${WRITTEN},"metadata":${WRITTEN}`)
    await page.goto(`${stand.base}/datasets/${dataset.id}?item=${id}`)
    await writeInto(page, 'Metadata', '{"b":1,"a":2}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The item is changed.').waitFor()
    expect(await stored()).toContain(`"input":${WRITTEN},"metadata":{"b":1,"a":2}`)
  })

  test('an item keeps untouched parts that another user changed', async () => {
    const { api } = stand.stepwell
    const dataset = await api.createDataset({ name: 'exact' })
    const { id } = await api.createDatasetItem(dataset.id, { input: { a: 1 } })
    const page = await stand.open(`/datasets/${dataset.id}?item=${id}`)
    await writeInto(page, 'Metadata', '{"b":1}')
    await fetch(`${stand.url}/api/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': stand.service.apiKey ?? '' },
      body: `{"query":"mutation ($id: String!, $input: Json) { updateDatasetItem(id: $id, input: $input) { id } }","variables":{"id":"${id}","input":{"a":"elsewhere"}}}`,
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The item is changed.').waitFor()
    expect(
      await answerTo('query ($id: String!) { datasetItem(id: $id) { input metadata } }', id),
    ).toContain('"input":{"a":"elsewhere"},"metadata":{"b":1}')
  })

  test('a prompt stores the written JSON', async () => {
    const { api } = stand.stepwell
    await api.createPromptLineage('tools')
    const page = await stand.open('/prompts/tools/new')
    await writeInto(page, 'Message 1', 'hello')
    await writeInto(page, 'Settings', WRITTEN)
    await writeInto(page, 'Tools', `[${WRITTEN}]`)
    await page.getByRole('button', { name: /Save/ }).click()
    await page.waitForURL(/\?v=0/)
    const { id } = (await api.getPrompt('tools', 0)) ?? { id: '' }
    expect(
      await answerTo('query ($id: String!) { promptVersion(id: $id) { settings tools } }', id),
    ).toContain(`"settings":${WRITTEN},"tools":[${WRITTEN}]`)
  })
})

test('Back does not open the sheet of an item again that was closed', async () => {
  const { id } = await stand.stepwell.api.createDataset({ name: 'closed' })
  const page = await stand.open('/datasets')
  await page.getByRole('link', { name: 'closed' }).click()
  await page.getByRole('button', { name: 'New item' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.goBack()
  expect(new URL(page.url()).pathname).toMatch(new RegExp(`/datasets/${id}$`))
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.goBack()
  await page.waitForURL(/\/datasets$/)
})

test('two threads with similar ids never show each other', async () => {
  const page = await stand.open('/threads')
  for (const id of ['ab', 'bA', 'ab', 'bA']) {
    await page.locator(`tr[data-key="thread-${id}"]`).click({ position: { x: 300, y: 10 } })
    await expect.poll(() => page.locator('h1').textContent()).toBe(`the ${id}`)
    await page.locator('.tree-row', { hasText: `of ${id}` }).waitFor()
    await page.goBack()
  }
})

describe('by keys', () => {
  test('d and Enter add the step to a dataset', async () => {
    const { api } = stand.stepwell
    const dataset = await api.createDataset({ name: 'by keys' })
    const page = await stand.open('/threads/talk?step=call')
    await page.locator('.tree-row.is-selected').waitFor()
    await page.keyboard.press('d')
    await page
      .getByRole('dialog')
      .getByRole('option', { name: /by keys/ })
      .waitFor({ state: 'attached' })
    await page.getByRole('dialog').getByRole('combobox').selectOption(dataset.id)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Added to the dataset' }).waitFor()
    expect((await api.getDataset({ id: dataset.id }))?.items).toHaveLength(1)
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('d and Enter add it before the list of datasets has loaded', async () => {
    const { api } = stand.stepwell
    const newest = await api.createDataset({ name: 'the newest' })
    const page = await stand.open('/threads/talk?step=call')
    await page.locator('.tree-row.is-selected').waitFor()
    await page.keyboard.press('d')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Added to the dataset' }).click()
    await page.waitForURL(new RegExp(newest.id))
  })

  test.each([
    ['/threads/talk?step=call', 's', 'Name of the score'],
    ['/threads/talk?step=call', 'd', 'Dataset'],
    ['/datasets', 'New dataset', 'Name'],
    ['/prompts', 'New prompt', 'Name'],
    ['/threads/talk', 'More', 'Name'],
    ['/threads', 'columns', 'Err'],
    ['/threads', '?', 'Close'],
  ])('a dialog of %s (%s) begins at %s, and returns the focus', async (path, opener, field) => {
    const page = await stand.open(path)
    const button = page.getByRole('button', { name: opener, exact: true })
    if (opener.length > 1) {
      // It waits for the data of the page.
      await expect.poll(() => button.isEnabled()).toBe(true)
      await button.focus()
      await page.keyboard.press('Enter')
    } else {
      await page.locator('.tree-row.is-selected, tr[data-key]').first().waitFor()
      await page.keyboard.press(opener)
    }
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    const labelled =
      field === 'Dataset'
        ? dialog.getByRole('combobox')
        : dialog.getByLabel(field, { exact: true }).first()
    await expect
      .poll(() => labelled.evaluate((element) => element === document.activeElement))
      .toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    if (opener.length > 1)
      expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('Escape leaves a filter, and keeps it', async () => {
    const page = await stand.open('/threads')
    const filter = page.getByLabel('Filter', { exact: true })
    await filter.fill('-error:any')
    await page.locator('tr[data-key="thread-ab"]').waitFor()
    await expect.poll(() => page.locator('tr[data-key="talk"]').count()).toBe(0)
    await page.keyboard.press('Escape')
    expect(await filter.inputValue()).toBe('-error:any')
    expect(await filter.evaluate((element) => element === document.activeElement)).toBe(false)
    await page.waitForURL(/q=-error/)
    await page.goto(`${stand.base}/threads/talk?find=deep`)
    const find = page.getByLabel('Find in the thread')
    await find.press('Escape')
    expect(await find.inputValue()).toBe('deep')
  })
})

describe('a toast', () => {
  const changeThread = async (page: Page) => {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    const toast = page.locator('.toast', { hasText: 'The thread is changed.' })
    await toast.waitFor()
    return toast
  }

  test('stays while the pointer is on it, and closes after that', async () => {
    const page = await stand.open('/threads/talk')
    await page.clock.install()
    const toast = await changeThread(page)
    await toast.hover()
    await page.clock.fastForward(60_000)
    expect(await toast.count()).toBe(1)
    await page.mouse.move(0, 0)
    await page.clock.fastForward(60_000)
    await toast.waitFor({ state: 'detached' })
  })

  test('stays while it has the focus, and its button closes it', async () => {
    const page = await stand.open('/threads/talk')
    await page.clock.install()
    const toast = await changeThread(page)
    const dismiss = toast.getByRole('button', { name: 'Dismiss' })
    await dismiss.focus()
    await page.clock.fastForward(60_000)
    expect(await toast.count()).toBe(1)
    await page.keyboard.press('Enter')
    await toast.waitFor({ state: 'detached' })
  })
})
