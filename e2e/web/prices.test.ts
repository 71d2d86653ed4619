import { expect, test } from 'vitest'
import { useStand } from './support.js'

const stand = useStand((stepwell) =>
  stepwell.api.createGeneration({
    provider: 'own',
    type: 'CHAT',
    model: 'house-model',
    inputTokenCount: 1_000_000,
    outputTokenCount: 0,
  }),
)

test('a price is set, applied to stored calls, and removed', async () => {
  const page = await stand.open('/settings/prices')
  const stored = page.getByRole('region', { name: 'Stored calls' })
  await page.getByLabel('Model', { exact: true }).fill('house-model')
  await page.getByLabel('From, empty for always').fill('2020-01-31')
  await page.getByLabel('$ per million tokens in', { exact: true }).fill('2.5')
  await page.getByLabel('out', { exact: true }).fill('10')
  await page.getByRole('button', { name: 'Set price' }).click()
  const row = page.getByRole('row', { name: /house-model/ })
  await row.getByText('2.5').waitFor()

  const costOf = async () =>
    (await stand.stepwell.api.getGenerations()).data.map(({ cost }) => cost)
  expect(await costOf()).toEqual([null])
  await stored.getByRole('button', { name: 'Compute all costs anew' }).click()
  await stored.getByText('1 call priced anew').waitFor()
  expect(await costOf()).toEqual([2.5])

  await page.reload()
  await row.getByRole('button', { name: 'Remove' }).click()
  await row.getByRole('button', { name: 'Remove it?' }).click()
  await row.waitFor({ state: 'detached' })
  await stored.getByRole('button', { name: 'Compute all costs anew' }).click()
  await expect.poll(costOf).toEqual([null])
})

test('a stored cost is not taken for the sum of the parts by the prices of now', async () => {
  const { api } = stand.stepwell
  const tokens = { inputTokenCount: 1_000_000, outputTokenCount: 0 }
  await api.setPrices([{ model: 'club-model', rates: { input: 3, output: 1 } }])
  await api.sendSteps([
    {
      id: 'priced',
      type: 'llm',
      name: 'call',
      generation: { provider: 'own', type: 'CHAT', model: 'club-model', ...tokens },
    },
    { id: 'unpriced', parentId: 'priced', type: 'tool', name: 'look up' },
  ])
  await api.setPrices([{ model: 'club-model', rates: { input: 4, output: 1 } }])
  const page = await stand.open('/runs/priced?step=priced&tab=generation')
  const cost = page.getByRole('region', { name: 'Cost' })
  await cost.getByText('By those of now (club-model) it would be $4.00, as below.').waitFor()
  expect(await cost.locator('p').first().innerText()).toBe('$3.00 by a price of the project')
  await cost.getByRole('table', { name: 'Cost by part, by the prices of now' }).waitFor()

  // On paper, figures stand below each other, whether or not a step has a cost.
  await page.emulateMedia({ media: 'print' })
  const ends = await page.locator('.tree-head, .tree-row').evaluateAll((rows) =>
    rows.map((row) => {
      const cells = [...row.children].filter((cell) => cell.getBoundingClientRect().width > 0)
      return cells.map((cell) => Math.round(cell.getBoundingClientRect().right)).join(' ')
    }),
  )
  expect(ends).toHaveLength(3)
  expect(new Set(ends).size).toBe(1)
})

test('a price from a later day is not said to hold now', async () => {
  const page = await stand.open('/settings/prices')
  await page.getByLabel('Model', { exact: true }).fill('next-model')
  await page.getByLabel('From, empty for always').fill('2999-01-31')
  await page.getByLabel('$ per million tokens in', { exact: true }).fill('1')
  await page.getByLabel('out', { exact: true }).fill('2')
  await page.getByRole('button', { name: 'Set price' }).click()
  await page.getByText('holds for calls from 2999-01-31 on').waitFor()
  expect(await page.getByText('from now on').count()).toBe(0)
})

test.each([640, 700])('prices are as wide as their page at %i px', async (width) => {
  const page = await stand.open('/settings/prices', { viewport: { width, height: 800 } })
  await page.getByRole('table', { name: 'Price book' }).waitFor()
  expect(await page.locator('.page').evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0)
})
