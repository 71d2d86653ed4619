// Contrast themes of the system, which take the place of the colours of a page.
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { seed } from './seed.js'
import { seedSettings } from './seed-settings.js'
import { useStand } from './support.js'

const stand = useStand(async (stepwell) => {
  await seed(stepwell, 8)
  await seedSettings(stepwell)
})

const open = (path: string) => stand.open(path, { forcedColors: 'active', colorScheme: 'dark' })

const style = (element: Locator, name: string) =>
  element.first().evaluate((it, of) => getComputedStyle(it).getPropertyValue(of), name)

test('the chosen page, tab and step differ from those beside them', async () => {
  const page = await open('/threads/conversation-0?step=conversation-0-plan&tab=generation')
  await page.locator('.tree-row.is-selected').waitFor()
  const entry = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
  for (const [chosen, other, property] of [
    [entry.filter({ hasText: 'Threads' }), entry.filter({ hasText: 'Users' }), 'background-color'],
    [
      page.getByRole('tab', { name: 'Generation' }),
      page.getByRole('tab', { name: 'Content' }),
      'border-bottom-color',
    ],
    [
      page.locator('.tree-row.is-selected'),
      page.locator('.tree-row:not(.is-selected)'),
      'outline-style',
    ],
    [
      page.locator('.button[aria-pressed=true]'),
      page.locator('.button[aria-pressed=false]'),
      'background-color',
    ],
  ] as const)
    expect(await style(chosen, property), property).not.toBe(await style(other, property))
})

test('the steps have bars over time, and the lines of a chart their colours', async () => {
  const page = await open('/threads/conversation-0?step=conversation-0-plan')
  const bar = page.locator('.tree-row .bar:not(.pale)')
  await bar.first().waitFor()
  expect(await style(bar, 'background-color')).not.toBe(
    await style(page.locator('body'), 'background-color'),
  )
  await page.goto(`${stand.base}/charts`)
  const keys = page.locator('.chart-key i')
  await keys.nth(1).waitFor()
  const colours = await keys.evaluateAll((all) =>
    all.map((it) => getComputedStyle(it).backgroundColor),
  )
  expect(new Set(colours).size).toBeGreaterThan(1)
})

test('words that were added differ from those that stayed, on paper too, where no background is printed', async () => {
  const page = await open('/prompts/support?v=2&against=1&tab=diff')
  const added = page.locator('ins')
  await added.first().waitFor()
  const line = () => style(added, 'text-decoration-line')
  expect(await line()).toBe('underline')
  await page.emulateMedia({ forcedColors: 'none' })
  expect(await line()).toBe('none')
  await page.emulateMedia({ forcedColors: 'none', media: 'print' })
  expect(await line()).toBe('underline')
})
