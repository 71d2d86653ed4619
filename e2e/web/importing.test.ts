import { expect, test } from 'vitest'
import { intercept, seriousProblems, useStand } from './support.js'

const stand = useStand(
  async ({ api }) => {
    const { id } = await api.createDataset({ name: 'asked' })
    await api.createDatasetItem(id, {
      input: { question: 'Who?' },
      expectedOutput: { answer: 'Me' },
    })
    await api.createDataset({ name: 'many' })
    await api.createDataset({ name: 'behind a proxy' })
    // A proxy that gives up is one of the test's.
  },
  { expected: /status of 504/ },
)

const openImport = async (name: string) => {
  const { id = '' } = (await stand.stepwell.api.getDataset({ name })) ?? {}
  const page = await stand.open(`/datasets/${id}`)
  await page.getByRole('button', { name: 'Import…' }).click()
  return { page, dialog: page.getByRole('dialog') }
}

const csv = (name: string, text: string) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(text),
})

test('a file is mapped, says before what will happen, and adds only what the dataset lacks', async () => {
  const { page, dialog } = await openImport('asked')
  const file = csv('rows.csv', 'question,answer,topic\nWho?,Me,\nWhere?,Here,place\nbroken\n')
  await dialog.locator('input[type=file]').setInputFiles(file)
  await dialog.getByText("1 row can't be imported: 4").waitFor()
  await dialog.getByText('2 items', { exact: true }).waitFor()
  expect(await dialog.getByLabel('Part of the item for answer').inputValue()).toBe('expectedOutput')
  await dialog.getByLabel('Path in the part for topic').fill('about.')
  await dialog.getByText('Expected names with dots').waitFor()
  expect(await dialog.getByRole('button', { name: 'Import' }).isDisabled()).toBe(true)
  await dialog.getByLabel('Path in the part for topic').fill('about.topic')
  await dialog.getByText('Expected names with dots').waitFor({ state: 'detached' })
  expect(await seriousProblems(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Import 2 items' }).click()
  await dialog.getByText('1 item of 2 items added, 1 item already there').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('Items 2').waitFor()
  const { items = [] } = (await stand.stepwell.api.getDataset({ name: 'asked' })) ?? {}
  expect(items.map(({ input, metadata }) => [input, metadata])).toEqual([
    [{ question: 'Who?' }, {}],
    [{ question: 'Where?' }, { about: { topic: 'place' } }],
  ])
})

test('an import that is stopped goes on later without a second item of any row', async () => {
  const { page, dialog } = await openImport('many')
  const lines = Array.from({ length: 600 }, (_, at) => JSON.stringify({ input: { at } }))
  let sent = 0
  await intercept(page, '**/api/graphql', async (route) => {
    if (route.request().postDataJSON().operationName === 'ImportItem' && ++sent === 40)
      await dialog.getByRole('button', { name: 'Stop' }).click()
    await route.continue()
  })
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ ...csv('rows.jsonl', lines.join('\n')), mimeType: 'application/jsonl' })
  await dialog.getByRole('button', { name: 'Import 600 items' }).click()
  await dialog.getByRole('button', { name: 'Go on' }).waitFor()
  await page.unrouteAll()
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await dialog.getByRole('button', { name: 'Stop' }).waitFor()
  await dialog.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached', timeout: 60_000 })
  await dialog.getByText(/^\d+ items of 600 items added, \d+ items already there/).waitFor()
  const { items = [] } = (await stand.stepwell.api.getDataset({ name: 'many' })) ?? {}
  const ats = items.map(({ input }) => (input as { at: number }).at)
  expect(ats.toSorted((a, b) => a - b)).toEqual(lines.map((_, at) => at))
})

test('a file that can not be read says why, and another one can be chosen', async () => {
  const { dialog } = await openImport('asked')
  await dialog.locator('input[type=file]').setInputFiles(csv('twice.csv', 'a,a\n1,2\n'))
  await dialog.getByText('column 2: expected a name of its own, got "a" again').waitFor()
  await dialog.getByRole('button', { name: 'Another file' }).click()
  await dialog.getByText('Drop a CSV or JSONL file here').waitFor()
})

test('a row whose answer a proxy did not wait for is no second item', async () => {
  const { page, dialog } = await openImport('behind a proxy')
  let sent = 0
  await intercept(page, '**/api/graphql', async (route) => {
    if (route.request().postDataJSON().operationName !== 'ImportItem' || sent++ > 0)
      return route.fallback()
    await route.fetch()
    await route.fulfill({ status: 504, contentType: 'text/html', body: 'Gateway timeout' })
  })
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ ...csv('rows.jsonl', '{"input":{"at":1}}'), mimeType: 'application/jsonl' })
  await dialog.getByRole('button', { name: 'Import 1 item' }).click()
  await dialog.getByText(/status 504/).waitFor()
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await dialog.getByText('0 items of 1 item added, 1 item already there').waitFor()
  const { items = [] } = (await stand.stepwell.api.getDataset({ name: 'behind a proxy' })) ?? {}
  expect(items.map(({ input }) => input)).toEqual([{ at: 1 }])
})
