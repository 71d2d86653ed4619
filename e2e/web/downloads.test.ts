import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { signInByLink, useStand } from './support.js'

const stand = useStand(async ({ api }) => {
  await api.sendSteps(
    Array.from({ length: 260 }, (_, at) => ({
      id: `s${at}`,
      threadId: `t${at}`,
      type: 'run',
      name: 'agent',
      ...(at % 2 ? { error: 'broken' } : {}),
    })),
  )
  await api.upsertThread({ threadId: 't1', name: '=HYPERLINK("x")' })
})

test('a list is downloaded as filtered, on all its pages, and the dialog says what will come', async () => {
  const page = await stand.open('/threads?q=error:any')
  await page.getByText('130 threads').waitFor()
  await page.getByRole('button', { name: 'download' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('130 threads that match the filter').waitFor()
  const [csv] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(csv.suggestedFilename()).toMatch(/^threads-\d{4}-\d\d-\d\d\.csv$/)
  const text = await readFile(await csv.path(), 'utf8')
  expect(text).toMatch(/^\uFEFFid,/)
  expect(text.split('\r\n')).toHaveLength(132)
  expect(text).toContain('"\'=HYPERLINK(""x"")"')
  await page.getByText('The download has begun').waitFor()
  await page.getByRole('button', { name: 'download' }).click()
  await dialog.getByLabel('Format').selectOption('jsonl')
  const [jsonl] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ])
  const rows = (await readFile(await jsonl.path(), 'utf8')).trim().split('\n')
  expect(rows.map((row) => JSON.parse(row).errorCount)).toEqual(Array(130).fill(1))
  await page.getByRole('button', { name: 'download' }).click()
  await dialog.getByLabel('Format').selectOption('parquet')
  const [parquet] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(parquet.suggestedFilename()).toMatch(/\.parquet$/)
  const bytes = await readFile(await parquet.path())
  expect([bytes.subarray(0, 4), bytes.subarray(-4)].map(String)).toEqual(['PAR1', 'PAR1'])
})

test('a download after the end of the session leads to signing in, and begins at the next press', async () => {
  const page = await stand.open('/threads')
  await page.getByText('260 threads').waitFor()
  await page.getByRole('button', { name: 'download' }).click()
  await page.context().clearCookies()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Download' }).click()
  const alert = dialog.getByRole('alert')
  await alert.getByRole('link', { name: 'Sign in' }).waitFor()
  expect(await alert.innerText()).toMatch(/session is over.*Sign in again/)
  expect(await alert.innerText()).not.toContain('x-api-key')
  await signInByLink(page.context(), stand.service.signInLink(stand.url))
  const begun = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download' }).click()
  expect((await readFile(await (await begun).path(), 'utf8')).split('\r\n')).toHaveLength(262)
})
