import { expect, test } from 'vitest'
import { useStand } from './support.js'

const stand = useStand((stepwell) =>
  stepwell.api.sendSteps([{ id: 'new', name: 'new', type: 'run', threadId: 'chat' }]),
)

test('rules for the age of data are saved, and shown again', async () => {
  const page = await stand.open('/settings/retention')
  await page.getByText('Nothing was deleted so far.').waitFor()
  await page.getByLabel('Days', { exact: true }).fill('90')
  await page.getByLabel('Days of dev').fill('7')
  await page.getByLabel('threads and runs with a score by a person').check()
  await page.getByLabel('go on to count what was deleted').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The rules are saved.').waitFor()
  expect(await stand.stepwell.api.getRetention()).toMatchObject({
    rules: expect.arrayContaining([
      { environment: null, days: 90 },
      { environment: 'dev', days: 7 },
    ]),
    keep: ['scoredByPeople'],
    keepMetrics: true,
  })
  await page.reload()
  await expect.poll(() => page.getByLabel('Days of dev').inputValue()).toBe('7')
  expect(await page.getByLabel('go on to count what was deleted').isChecked()).toBe(true)

  await page.getByLabel('Days', { exact: true }).fill('')
  await page.getByLabel('Days of dev').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await stand.stepwell.api.getRetention()).rules).toEqual([])
})
