import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { seed } from './seed.js'
import { seedSettings } from './seed-settings.js'
import { colourProblems, problems, useStand } from './support.js'

// Every dialog, open: usable by everybody, and no wider than the page.

const stand = useStand(async (stepwell) => {
  await seed(stepwell, 8)
  await seedSettings(stepwell)
})

const button = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name, exact: true }).first().click()
}
const key = (name: string) => async (page: Page) => {
  await page.locator('h1').first().waitFor()
  await page.keyboard.press(name)
}
const chosen = (name: string) => async (page: Page) => {
  await page.locator('tbody input[type=checkbox]').first().check()
  await page.locator('.selection-bar').getByRole('button', { name }).click()
}
const inDataset = (open: (page: Page) => Promise<void>) => async (page: Page) => {
  await page.getByRole('link', { name: 'support-cases' }).click()
  await open(page)
}

type Case = readonly [name: string, path: string, open: (page: Page) => Promise<void>]

const DIALOGS: readonly Case[] = [
  ['keys', '/threads', key('?')],
  ['finding', '/threads', key('Control+k')],
  ['tags of many', '/threads', chosen('tags…')],
  ['a score of many', '/threads', chosen('score…')],
  ['many to a dataset', '/threads', chosen('To a dataset…')],
  ['deleting many', '/threads', chosen('delete…')],
  ['views', '/threads', button('views')],
  [
    'a view',
    '/threads?q=error%3Aany',
    async (page) => {
      await button('views')(page)
      await button('Save as…')(page)
    },
  ],
  [
    'a range of time',
    '/threads',
    async (page) => {
      await page.getByLabel('Time range').selectOption({ label: 'between…' })
    },
  ],
  ['the menu of a thread', '/threads/conversation-0', button('More')],
  ['scores of a thread', '/threads/conversation-0', button('Score the thread')],
  ['a thread to a dataset', '/threads/conversation-0', button('Add to dataset…')],
  ['a new dataset', '/datasets', button('New dataset')],
  ['a new item', '/datasets', inDataset(button('New item'))],
  ['importing', '/datasets', inDataset(button('Import…'))],
  ['a new prompt', '/prompts', button('New prompt')],
  ['a new chart', '/charts', button('Add a chart')],
  ['a chart', '/charts', button('Edit Failing tools')],
  ['a model', '/settings/models', button('Add a model')],
  [
    'an alert',
    '/settings/alerts',
    async (page) => {
      await button('Add an alert')(page)
      await page.getByRole('checkbox', { name: 'Call nobody in quiet hours' }).check()
    },
  ],
]

describe('axe finds nothing in both themes, and nothing is cut, in the dialog of', () => {
  test.each(DIALOGS)('%s', async (_, path, open) => {
    const page = await stand.open(path)
    await open(page)
    const dialog = page.getByRole('dialog').last()
    await dialog.waitFor()
    const found: string[] = []
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme: 'light' })
      for (const problem of await problems(page)) found.push(`${width} ${problem}`)
      await page.emulateMedia({ colorScheme: 'dark' })
      for (const problem of await colourProblems(page)) found.push(`${width} dark ${problem}`)
      const box = await dialog.boundingBox()
      if (box === null || box.x < 0 || box.x + box.width > width) found.push(`${width} is cut`)
    }
    expect(found).toEqual([])
  })
})
