import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { intercept, seriousProblems, useStand } from './support.js'

const stand = useStand(
  (stepwell) =>
    stepwell.api.sendSteps([
      { id: 's1', threadId: 't1', name: 'first', output: { content: 'one' } },
      { id: 's2', threadId: 't1', name: 'second', output: { content: 'two' } },
    ]),
  { expected: /status of 40[03]/ },
)

const link = (query: string, variables = '') =>
  `/settings/query?${new URLSearchParams({ query, variables })}`
const editor = (page: Page, label: string) => page.getByRole('textbox', { name: label })
const replace = async (page: Page, label: string, text: string) => {
  await editor(page, label).click()
  await page.keyboard.press('ControlOrMeta+a')
  // Chromium itself would carry the style of what is replaced over, which the policy of the page refuses.
  await page.keyboard.press('Backspace')
  await page.keyboard.insertText(text)
}
const result = (page: Page) => editor(page, 'Result')

describe('the query page', () => {
  test('runs the example, with the status and the time', async () => {
    const page = await stand.open('/settings/query')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByText(/^status 200, /).waitFor()
    await expect.poll(() => result(page).innerText()).toContain('"stepCount": 2')
  })

  test('completes fields of the schema from the keyboard, and Ctrl+Enter runs', async () => {
    const page = await stand.open(link('{ threadDetail(id: "t1") {  } }'))
    await editor(page, 'Query').click()
    await page.keyboard.press('ControlOrMeta+End')
    for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('stepCo')
    const options = page.getByRole('option')
    await options.filter({ hasText: 'stepCount' }).waitFor()
    await page.waitForTimeout(150) // The editor ignores Enter just after its list appears.
    await page.keyboard.press('Enter')
    await expect.poll(() => editor(page, 'Query').innerText()).toContain('stepCount')
    await page.keyboard.press('ControlOrMeta+Enter')
    await expect.poll(() => result(page).innerText()).toContain('"stepCount": 2')
  })

  test('what is typed is in the address, and a link shows it without running it', async () => {
    const page = await stand.open('/settings/query')
    await replace(page, 'Query', 'query A($id: String!) { step(id: $id) { name } }')
    await replace(page, 'Variables', '{"id": "s2"}')
    await expect.poll(() => new URL(page.url()).searchParams.get('variables')).toBe('{"id": "s2"}')
    const asked: string[] = []
    const other = await stand.open(page.url())
    other.on('request', (request) => asked.push(request.postData() ?? ''))
    await expect.poll(() => editor(other, 'Query').innerText()).toContain('step(id: $id)')
    expect(asked.filter((body) => body.includes('step(id: $id)'))).toEqual([])
    await other.getByRole('button', { name: /^Run/ }).click()
    await expect.poll(() => result(other).innerText()).toContain('"second"')
  })

  test('an error is shown with its place, and variables that are no JSON before anything is sent', async () => {
    const page = await stand.open(link('{\n  threadDetail(id: "t1") { nothing }\n}', '{ id'))
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByRole('alert').filter({ hasText: 'Variables: expected JSON' }).waitFor()
    await replace(page, 'Variables', '{}')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page
      .getByRole('alert')
      .filter({ hasText: /line 2, column 28: .*nothing/ })
      .waitFor()
    await page.getByText(/^status 400, /).waitFor()
  })

  test('a query that takes long is aborted', async () => {
    const page = await stand.open(link('{ project { name } }'))
    await page.getByRole('button', { name: /^Run/ }).waitFor()
    await intercept(page, '**/api/graphql', () => undefined)
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByRole('button', { name: 'Abort' }).click()
    await page.getByRole('alert').filter({ hasText: 'Aborted.' }).waitFor()
    await page.unroute('**/api/graphql')
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByText(/^status 200, /).waitFor()
  })

  test('somebody whose key only reads can not change anything', async () => {
    const key = await stand.stepwell.api.createApiKey({ name: 'reader', scopes: ['read'] })
    const page = await stand.open(link('mutation { deleteStep(id: "s1") { id } }'), {
      storageState: { cookies: [], origins: [] },
    })
    const signedIn = await page.context().request.post(`${stand.url}/api/sign-in`, {
      headers: { origin: stand.url },
      data: { apiKey: key.key },
    })
    expect(signedIn.status()).toBe(200)
    await page.reload()
    await page.getByText('which are to read').waitFor()
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByRole('alert').filter({ hasText: 'deleteStep' }).waitFor()
    expect(await stand.stepwell.api.getStep('s1')).not.toBeNull()
  })

  test.each(['light', 'dark'] as const)(
    'fits a narrow screen and is fit for all, %s',
    async (colorScheme) => {
      const viewport = { width: 390, height: 844 }
      const page = await stand.open('/settings/query', { viewport, colorScheme })
      await page.getByRole('button', { name: /^Run/ }).click()
      await page.getByText(/^status 200, /).waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        390,
      )
      if (process.env.SHOTS !== undefined)
        await page.screenshot({
          path: `${process.env.SHOTS}/query-${colorScheme}.png`,
          fullPage: true,
        })
      expect(await seriousProblems(page)).toEqual([])
    },
  )
})
