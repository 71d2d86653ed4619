import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { seriousProblems, useStand } from './support.js'

const LONG = Array.from({ length: 30 }, (_, index) => `Rule ${index}: be kind to {{name}}.`)

const stand = useStand(async ({ api }) => {
  for (const content of ['Be helpful.', 'Be patient.', 'Be brief.'])
    await api.getOrCreatePrompt('support', [
      { role: 'system', content },
      { role: 'user', content: '{{question}}' },
    ])
  for (const last of ['Goodbye.', 'See you.'])
    await api.getOrCreatePrompt('long', [
      { role: 'system', content: [...LONG, last].join('\n') },
      { role: 'user', content: 'Hello' },
    ])
})

/** Counts the clicks of somebody with a mouse. */
const counted = (page: Page) => {
  let clicks = 0
  return {
    click: async (...target: Parameters<Page['getByRole']>) => {
      clicks++
      await page.getByRole(...target).click()
    },
    count: () => clicks,
  }
}

describe('a rollout', () => {
  test('one click in the list, and three in the prompt, give a version a tenth of the calls', async () => {
    const { api } = stand.stepwell
    const page = await stand.open('/prompts')
    const { click, count } = counted(page)
    await click('link', { name: 'support' })
    await click('tab', { name: 'Rollout' })
    await click('spinbutton', { name: 'Percent of version 2' })
    await page.keyboard.press('Control+a')
    await page.keyboard.type('10')
    await page.getByText('v2: 0 % → 10 %').waitFor()
    await click('button', { name: 'Set the split' })
    await page.getByText('The split is stored.').waitFor()
    expect(count()).toBeLessThanOrEqual(4)
    expect(await api.getPromptAbTesting('support')).toContainEqual({ version: 2, rollout: 10 })
  })

  test('that gives a version half a percent of the calls says so, and keeps it when another version gets some', async () => {
    const { api } = stand.stepwell
    for (const content of ['one', 'two', 'three'])
      await api.getOrCreatePrompt('canary', [{ role: 'user', content }])
    await api.updatePromptAbTesting('canary', [
      { version: 0, rollout: 99.5 },
      { version: 1, rollout: 0.5 },
    ])
    const page = await stand.open('/prompts')
    await page.getByText('v0 99.5 % · v1 0.5 %').waitFor()
    await page.getByRole('link', { name: 'canary' }).click()
    await page.getByRole('tab', { name: 'Rollout' }).click()
    await page.getByLabel('Percent of version 2').fill('10')
    await page.getByText('sum 100 %').waitFor()
    await page.getByRole('button', { name: 'Set the split' }).click()
    await page.getByText('The split is stored.').waitFor()
    expect(await api.getPromptAbTesting('canary')).toEqual(
      expect.arrayContaining([
        { version: 1, rollout: 0.45 },
        { version: 2, rollout: 10 },
      ]),
    )
    await page.getByLabel('Percent of version 1').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('0.25')
    await page.getByText('v1: 0.45 % → 0.25 %').waitFor()
  })
})

describe('a new version', () => {
  const promptOf = async (name: string, versions: number) => {
    for (let version = 0; version < versions; version++)
      await stand.stepwell.api.getOrCreatePrompt(
        name,
        [{ role: 'system', content: `Text of version ${version}.` }],
        { provider: 'openai', model: 'small' } as never,
      )
  }

  test('begins with its base, also when that was written while the page knew older ones', async () => {
    await promptOf('growing', 1)
    const page = await stand.open('/prompts/growing/new?from=0')
    await page.getByText('Text of version 0.').first().waitFor()
    await page.getByRole('link', { name: 'Prompts', exact: true }).first().click()
    await page.getByRole('link', { name: 'growing' }).waitFor()
    await promptOf('growing', 2)
    await page.evaluate((path) => {
      history.pushState(null, '', path)
    }, `${stand.base}/prompts/growing/new?from=1`)
    await page.getByText('Text of version 1.').first().waitFor()
    expect(await page.getByText('There is no version').count()).toBe(0)
  })

  test('of a version that is not there is not begun', async () => {
    await promptOf('short', 1)
    const page = await stand.open('/prompts/short/new?from=7')
    await page.getByText('There is no version 7 of this prompt.').waitFor()
    expect(await page.getByRole('textbox', { name: 'Message 1', exact: true }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /Save/ }).isDisabled()).toBe(true)
  })
})

describe('labels', () => {
  test('a label is set, moved and removed, and its moves are listed', async () => {
    const { api } = stand.stepwell
    const page = await stand.open('/prompts/support?v=1&tab=labels')
    // A label that is rejected stays, to be corrected.
    await page.getByLabel('New label').fill('   ')
    await page.getByLabel('New label').press('Enter')
    await page.getByText('expected a text of 1 to 100').waitFor()
    expect(await page.getByLabel('New label').inputValue()).toBe('   ')
    await page.getByLabel('New label').fill('production')
    await page.getByRole('button', { name: 'Label v1' }).click()
    await page.getByText('production leads to v1 now.').waitFor()
    expect(await api.getPrompt('support', { label: 'production' })).toMatchObject({ version: 1 })
    await page.locator('.version-list .label-chip', { hasText: 'production' }).waitFor()
    await page.getByLabel('Version of production').selectOption('2')
    await page.getByText('production leads to v2 now.').waitFor()
    await page.getByText('production from v1 to v2').waitFor()
    expect(await api.getPrompt('support', { label: 'production' })).toMatchObject({ version: 2 })
    expect(await seriousProblems(page)).toEqual([])
    await page.goto(`${stand.base}/prompts`)
    await page.getByText('production v2').waitFor()
    await page.goto(`${stand.base}/prompts/support?tab=labels`)
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Remove the label?' }).click()
    await page.getByText('production is removed.').waitFor()
    expect(await api.getPromptLabels('support')).toEqual([])
  })
})

describe('the diff', () => {
  test('reads from the older to the newer version, whichever was chosen first', async () => {
    for (const address of ['v=0&against=2', 'v=2&against=0']) {
      const page = await stand.open(`/prompts/support?${address}&tab=diff`)
      await page.getByRole('heading', { name: 'v0 → v2' }).waitFor()
      await page.locator('del', { hasText: 'helpful' }).waitFor()
      await page.locator('ins', { hasText: 'brief' }).waitFor()
    }
  })

  test('shows the changed message alone, and folds its unchanged lines', async () => {
    const page = await stand.open('/prompts/long?v=1&tab=diff')
    await page.locator('ins').first().waitFor()
    expect(await page.getByText('1 of 2 messages changed.').count()).toBe(1)
    expect(await page.getByRole('region', { name: 'Message 2' }).count()).toBe(0)
    expect(await page.getByText('Rule 3:').count()).toBe(0)
    await page.getByText('Rule 29:').waitFor()
    await page.getByRole('button', { name: /unchanged lines/ }).click()
    await page.getByText('Rule 3:').waitFor()
  })
})

describe('what is not stored yet', () => {
  test('of two tabs is one draft each, which a reload finds again, and saving leaves the other', async () => {
    const page = await stand.open('/prompts/support/new?from=0')
    const other = await page.context().newPage()
    await other.goto(page.url())
    const field = 'Change in this version'
    await page.getByLabel(field).fill('of the first tab')
    await other.getByLabel(field).fill('of the second tab')
    await page.reload()
    await page.getByText('This is an earlier draft').waitFor()
    expect(await page.getByLabel(field).inputValue()).toBe('of the first tab')
    await page.getByRole('button', { name: 'Save Ctrl S' }).click()
    await page.waitForURL(/\?v=/)
    await other.reload()
    await other.getByText('This is an earlier draft').waitFor()
    expect(await other.getByLabel(field).inputValue()).toBe('of the second tab')
    await other.close()
    await page.goto(`${stand.base}/prompts/support/new?from=0`)
    await page.getByText('This is an earlier draft').waitFor()
    expect(await page.getByLabel(field).inputValue()).toBe('of the second tab')
    await page.getByRole('button', { name: 'Start over' }).click()
    await page.reload()
    await page.getByLabel(field).waitFor()
    expect(await page.getByLabel(field).inputValue()).toBe('')
  })

  test('of a split stays while another tab of the prompt is looked at', async () => {
    const page = await stand.open('/prompts/long?tab=rollout')
    await page.getByLabel('Percent of version 1').fill('30')
    await page.getByRole('tab', { name: 'Diff' }).click()
    await page.getByRole('tab', { name: 'Rollout' }).click()
    expect(await page.getByLabel('Percent of version 1').inputValue()).toBe('30')
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.getByLabel('Percent of version 1').inputValue()).not.toBe('30')
  })
})

test('a version that the prompt does not have is named, with the one that is shown', async () => {
  const page = await stand.open('/prompts/long?v=9999')
  await page.getByText('There is no version 9999 of this prompt. This is version 1.').waitFor()
  await page.goto(`${stand.base}/prompts/long?v=1`)
  await page.getByRole('tab', { name: 'Diff' }).waitFor()
  expect(await page.getByText('There is no version').count()).toBe(0)
})
