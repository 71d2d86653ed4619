import { afterAll, beforeAll, expect, test } from 'vitest'
import { isSigned, Receiver } from '../../server/test/support/receiver.js'
import { intercept, useStand } from './support.js'

let receiver: Receiver
beforeAll(async () => {
  receiver = await Receiver.open()
})
afterAll(() => receiver?.close())

const stand = useStand((stepwell) => stepwell.api.createStep({ name: 'lookup', type: 'tool' }), {
  webhookHosts: ['127.0.0.1'],
})

test('an alert on a list fires, is tested, changed, paused and deleted', async () => {
  const page = await stand.open('/steps?q=type%3Dtool')
  await page.getByRole('button', { name: 'views', exact: true }).click()
  await page.getByRole('link', { name: 'Alert on this list…' }).click()
  const form = page.getByRole('dialog', { name: 'Add an alert' })
  await expect.poll(() => form.getByLabel('Query').inputValue()).toBe('type=tool')
  await form.getByLabel('Name', { exact: true }).fill('many tools')
  await form.getByLabel(/^Value/).selectOption('COUNT')
  await form.getByLabel('Threshold').fill('0')
  await form.getByLabel('Webhook URL').fill('https://10.0.0.1/hook')
  await form.getByLabel('Call nobody in quiet hours').check()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText('expected a public address').waitFor()
  await form.getByLabel('Call nobody in quiet hours').uncheck()
  await form.getByLabel('Webhook URL').fill(receiver.url)
  await form.getByRole('button', { name: 'Save' }).click()
  const told = page.getByRole('dialog', { name: 'The secret of the webhook' })
  const secret = await told.getByText(/^whsec_/).innerText()
  await told.getByRole('button', { name: 'Done' }).click()
  expect(new URL(page.url()).search).toBe('')

  await expect.poll(() => receiver.types).toEqual(['alert.firing'])
  expect(receiver.calls.every((call) => isSigned(call, secret))).toBe(true)
  await page.reload()
  const row = page.getByRole('row', { name: /many tools/ })
  await row.getByText('firing').waitFor()
  await row.getByText('number of steps above 0 over 15 minutes').waitFor()

  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  let tests = 0
  await intercept(page, '**/api/graphql', async (route) => {
    if (route.request().postData()?.includes('TestAlert') === true) {
      tests++
      await held
    }
    await route.continue()
  })
  await row.getByRole('button', { name: 'Test' }).dblclick()
  answer()
  await page.getByText('The test: delivered (200).').waitFor()
  expect(tests).toBe(1)
  await page.unroute('**/api/graphql')
  expect(receiver.types).toEqual(['alert.firing', 'alert.test'])
  // The values are late, and no window says 0 meanwhile.
  let tell = () => {}
  const late = new Promise<void>((resolve) => {
    tell = resolve
  })
  await intercept(page, '**/api/graphql', async (route) => {
    if (route.request().postData()?.includes('metrics(')) await late
    await route.continue()
  })
  await row.getByRole('button', { name: 'History' }).click()
  const events = page.getByRole('table', { name: 'Events' })
  await events.getByText('test').waitFor()
  await expect.poll(() => events.locator('tbody tr').count()).toBe(2)
  await events.getByText('delivered (200)').first().waitFor()
  const values = page.getByRole('figure', { name: /^Values, of each 15 minutes/ })
  await values.getByRole('button', { name: 'table' }).click()
  // The last window is that of the last evaluation.
  await expect.poll(() => values.locator('tbody tr').count()).toBe(48)
  const last = values.locator('tbody tr').last()
  expect(await last.innerText()).toMatch(/\t–\t0\t$/)
  tell()
  await expect.poll(() => last.innerText()).toMatch(/\t1\t0\t1 step$/)
  await page.unroute('**/api/graphql')

  await row.getByRole('button', { name: 'Change' }).click()
  const change = page.getByRole('dialog', { name: 'Change the alert' })
  await change.getByLabel('Threshold').fill('5')
  await change.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => receiver.types.slice(2)).toEqual(['alert.resolved'])
  await row.getByRole('button', { name: 'Pause' }).click()
  await row.getByText('paused').waitFor()
  await row.getByRole('button', { name: 'Delete' }).click()
  await row.getByRole('button', { name: 'Delete it?' }).click()
  await page.getByText('There is no alert yet.').waitFor()
})
