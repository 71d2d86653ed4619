// Forms after what they sent was refused.
import { expect, test } from 'vitest'
import { useStand } from './support.js'

const stand = useStand(async ({ api }) => {
  await api.sendSteps([
    { id: 'call', threadId: 'talk', type: 'llm', name: 'call', output: { content: 'answer' } },
  ])
})

test('a dialog says after the end of the session what to do', async () => {
  const page = await stand.open('/datasets')
  await page.getByRole('button', { name: 'New dataset' }).click()
  await page.getByLabel('Name').fill('a new one')
  await page.context().clearCookies()
  await page.keyboard.press('Enter')
  const alert = page.getByRole('alert')
  await alert.getByRole('link', { name: 'Sign in' }).waitFor()
  expect(await alert.innerText()).toMatch(/session is over.*Sign in again/)
})

test('a score of a review that is refused leads to signing in', async () => {
  const page = await stand.open('/review?give=solved&order=oldest')
  await page.getByText('answer').waitFor()
  await page.locator('.review-form [aria-pressed]').first().waitFor()
  await page.keyboard.press('1')
  await page.context().clearCookies()
  await page.keyboard.press('Enter')
  await page.locator('.review-form').getByRole('link', { name: 'Sign in' }).waitFor()
})
