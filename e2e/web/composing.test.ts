// Words of Chinese and Japanese are composed: Enter takes one of several candidates, before it does anything else.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useStand } from './support.js'

const stand = useStand(async ({ api }) => {
  await api.sendSteps(
    Array.from({ length: 2 }, (_, at) => ({
      id: `step-${at}`,
      threadId: 'composed',
      type: 'tool' as const,
      name: `返金 ${at}`,
    })),
  )
  await api.upsertThread({ threadId: 'composed', name: '返金' })
})

/** Composes a text in the field that has the focus, as an input method does. */
const compose = async (page: Page, text: string) => {
  const debuggee = await page.context().newCDPSession(page)
  const caret = { selectionStart: text.length, selectionEnd: text.length }
  await debuggee.send('Input.imeSetComposition', { text, ...caret })
  return () => debuggee.send('Input.insertText', { text })
}

test('Enter that takes a candidate applies no half filter, and the next one applies the whole', async () => {
  const page = await stand.open('/threads')
  await page.locator('tr[data-key]').first().waitFor()
  const field = page.getByLabel('Filter', { exact: true })
  await field.pressSequentially('name:')
  const commit = await compose(page, '返金')
  await page.keyboard.press('Enter')
  expect(new URL(page.url()).search).toBe('')
  await commit()
  await page.keyboard.press('Escape')
  await field.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toContain('返金')
})

test('Enter that takes a candidate opens nothing that was found, and the next one does', async () => {
  const page = await stand.open('/steps')
  await page.locator('tr[data-key]').first().waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /any id/ }).waitFor()
  const commit = await compose(page, '返金')
  await page.getByRole('option', { name: '返金' }).first().waitFor()
  await page.keyboard.press('Enter')
  expect(new URL(page.url()).pathname).toMatch(/\/steps$/)
  await commit()
  await page.getByRole('option', { name: '返金' }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/threads\/composed/)
})
