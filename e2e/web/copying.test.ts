// Copies where a browser allows none, or only those of a selection, as without HTTPS.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useStand } from './support.js'

const stand = useStand(({ api }) =>
  api.sendSteps([{ id: 'step', threadId: 'thread', type: 'run', name: 'step', output: { a: 1 } }]),
)

/** Opens the thread in a browser that lets a page write to no clipboard. */
const open = async (canCopySelection: boolean): Promise<Page> => {
  const page = await stand.open('/threads')
  await page.addInitScript((can) => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined })
    if (!can) document.execCommand = () => false
  }, canCopySelection)
  await page.goto(`${stand.base}/threads/thread`)
  await page.locator('.tree-row').first().waitFor()
  return page
}

test('a copy that is not allowed says so, wherever it was asked for', async () => {
  const page = await open(false)
  const said = page.getByText('Nothing is copied')
  await page.getByRole('button', { name: 'Copy id' }).click()
  await said.waitFor()
  await page.getByRole('button', { name: 'Copy Output' }).click()
  await expect.poll(() => said.count()).toBe(2)
  await page.keyboard.press('c')
  await expect.poll(() => said.count()).toBe(3)
})

test('a copy by selection leaves the focus on its button', async () => {
  const page = await open(true)
  const button = page.getByRole('button', { name: 'Copy id' })
  await button.focus()
  await page.keyboard.press('Enter')
  await page.getByText('The id is copied.').waitFor()
  expect(await button.evaluate((one) => one === document.activeElement)).toBe(true)
  await page.getByPlaceholder('find in the thread').focus()
  await page.keyboard.press('Control+v')
  expect(await page.getByPlaceholder('find in the thread').inputValue()).toBe('step')
})
