// Actions that can't be undone, which need a second decision.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { isOperation, useStand } from './support.js'

const stand = useStand(async ({ api }) => {
  await api.setScoreDefinition({ name: 'first', kind: 'BOOLEAN' })
  await api.setScoreDefinition({ name: 'second', kind: 'BOOLEAN' })
})

/** Opens a dataset of its own, and counts the requests to delete it. */
const openDataset = async (name: string) => {
  const dataset = await stand.stepwell.api.createDataset({ name })
  const page = await stand.open(`/datasets/${dataset.id}`)
  const removals: string[] = []
  page.on('request', (request) => {
    if (isOperation('RemoveDataset')(request)) removals.push(request.url())
  })
  const button = page.getByRole('button', { name: 'Delete…' })
  await button.waitFor()
  return { page, button, removals, confirm: page.getByRole('button', { name: 'Delete it with' }) }
}

describe('a button that deletes', () => {
  test.each([
    ['a double click', (page: Page) => page.getByRole('button', { name: 'Delete…' }).dblclick()],
    [
      'a held Enter',
      async (page: Page) => {
        await page.getByRole('button', { name: 'Delete…' }).focus()
        // Without a key that goes up between them, the second and third are repetitions.
        for (const _ of [1, 2, 3]) await page.keyboard.down('Enter')
        await page.keyboard.up('Enter')
      },
    ],
  ])('only asks after %s, and deletes after one more press', async (how, press) => {
    const { page, confirm, removals } = await openDataset(how)
    await press(page)
    await confirm.waitFor()
    expect(removals).toEqual([])
    await confirm.click()
    await page.waitForURL(/\/datasets$/)
    expect(removals).toHaveLength(1)
  })

  test('asks anew once the focus has left it', async () => {
    const { page, button, confirm, removals } = await openDataset('left')
    await button.click()
    await confirm.waitFor()
    await page.keyboard.press('Tab')
    await button.waitFor()
    await button.click()
    await confirm.waitFor()
    expect(removals).toEqual([])
  })
})

describe('settings', () => {
  test('a definition of a score is removed by a second press', async () => {
    const page = await stand.open('/settings/scores')
    const row = page.locator('tr', { hasText: 'second' })
    await row.getByRole('button', { name: 'Remove' }).click()
    const confirm = row.getByRole('button', { name: 'Remove it?' })
    await confirm.waitFor()
    expect(await stand.stepwell.api.getScoreDefinitions()).toHaveLength(2)
    await confirm.click()
    await row.waitFor({ state: 'detached' })
  })

  test('a half-typed definition is not replaced by a click on the row of another', async () => {
    const page = await stand.open('/settings/scores')
    await page.getByRole('button', { name: 'Define a score' }).click()
    await page.getByLabel('Question that the score answers').fill('half a question')
    await page
      .locator('tr', { hasText: 'first' })
      .getByRole('button', { name: 'Edit' })
      .click({ timeout: 1000 })
      .catch(() => undefined)
    expect(await page.getByLabel('Question that the score answers').inputValue()).toBe(
      'half a question',
    )
  })

  test('a price of the project is removed by a second press', async () => {
    await stand.stepwell.api.setPrices([
      { model: 'of-the-project', rates: { input: 1, output: 2 } },
    ])
    const page = await stand.open('/settings/prices')
    const row = page
      .getByRole('table', { name: 'Prices of the project' })
      .locator('tr', { hasText: 'of-the-project' })
    await row.getByRole('button', { name: 'Remove' }).click()
    await row.getByRole('button', { name: 'Remove it?' }).click()
    await row.waitFor({ state: 'detached' })
  })
})
