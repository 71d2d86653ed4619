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
