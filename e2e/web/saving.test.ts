// Forms while what they send is on its way, and after it was refused.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hold, useStand } from './support.js'

const stand = useStand(async ({ api }) => {
  await api.sendSteps([
    { id: 'call', threadId: 'talk', type: 'llm', name: 'call', output: { content: 'answer' } },
  ])
  await api.upsertThread({ threadId: 'talk', name: 'talk' })
  await api.createScore({ stepId: 'call', name: 'tone', type: 'HUMAN', value: 0, comment: 'old' })
  await api.createDataset({ name: 'examples' })
  for (const content of ['Hello', 'Good day'])
    await api.getOrCreatePrompt('greeting', [{ role: 'system', content }])
})

/** A form, with the operation that stores it and a field of it. */
interface Case {
  operation: string
  /** The operation that looks before at what is stored, if there is one. */
  look?: string
  /** Opens it, filled in so that it can be sent. */
  open: () => Promise<Page>
  field: (page: Page) => ReturnType<Page['getByLabel']>
  send: string
}

const CASES: Record<string, Case> = {
  'a dialog': {
    operation: 'NewDataset',
    open: async () => {
      const page = await stand.open('/datasets')
      await page.getByRole('button', { name: 'New dataset' }).click()
      await page.getByLabel('Name').fill('a new one')
      return page
    },
    field: (page) => page.getByLabel('Name'),
    send: 'Create',
  },
  'the form of a thread': {
    operation: 'WebUpdateThread',
    look: 'ThreadPage',
    open: async () => {
      const page = await stand.open('/threads/talk')
      // A request of the page after the end of its session would ask for signing in, too.
      await page.getByRole('tabpanel').getByText('answer').first().waitFor()
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByLabel('Name').fill('talk')
      return page
    },
    field: (page) => page.getByLabel('Name'),
    send: 'Save',
  },
  'the entry of a score': {
    operation: 'ChangeScore',
    open: async () => {
      const page = await stand.open('/threads/talk?step=call&tab=scores')
      await page.getByText('old').waitFor()
      await page.locator('section[aria-label=Step]').getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Comment').fill('new')
      return page
    },
    field: (page) => page.getByLabel('Comment'),
    send: 'Save',
  },
}

describe.each(Object.entries(CASES))(
  '%s',
  (_, { operation, look = operation, open, field, send }) => {
    test('takes no text while it is sent, says so in the same width, and closes when it is stored', async () => {
      const page = await open()
      const answers = await hold(page, operation)
      const button = page.getByRole('button', { name: send })
      const form = page.locator('form', { has: button })
      const width = (await button.boundingBox())?.width
      expect(await form.getAttribute('aria-busy')).toBe('false')
      await button.click()
      await answers.waitFor(1)
      const sending = page.getByRole('button', { name: 'Saving…' })
      await sending.waitFor()
      expect((await sending.boundingBox())?.width).toBe(width)
      expect(await page.locator('form[aria-busy=true]').count()).toBe(1)
      expect(await field(page).isEditable()).toBe(false)
      expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
      await answers.release()
      await sending.waitFor({ state: 'detached' })
      expect(answers.state.seen).toBe(1)
    })

    test('says after the end of the session what to do, and forgets that at the next attempt', async () => {
      const page = await open()
      await page.context().clearCookies()
      await field(page).focus()
      await page.getByRole('button', { name: send }).click()
      const alert = page.getByRole('alert')
      await alert.getByRole('link', { name: 'Sign in' }).waitFor()
      expect(await alert.innerText()).toMatch(/session is over.*Sign in again/)
      expect(await alert.innerText()).not.toContain('x-api-key')
      const answers = await hold(page, look)
      await page.getByRole('button', { name: send }).click()
      await answers.waitFor(1)
      expect(await page.getByRole('alert').count()).toBe(0)
      await answers.release()
      await alert.waitFor()
    })
  },
)

test('an item takes no text while it is sent', async () => {
  const [dataset] = await stand.stepwell.api.getDatasets()
  const page = await stand.open(`/datasets/${dataset?.id}?item=new`)
  const editor = page.getByRole('textbox', { name: 'Metadata', exact: true })
  await editor.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('{"kept":true}')
  const answers = await hold(page, 'NewItem')
  await page.getByRole('button', { name: 'Save' }).click()
  await answers.waitFor(1)
  await editor.click()
  await page.keyboard.insertText('typed too late')
  expect(await editor.innerText()).toContain('{"kept":true}')
  expect(await editor.innerText()).not.toContain('late')
  await answers.release()
  await page.getByText('The item is added.').waitFor()
})

test('a field has the focus again after a failure, and a failure of a closed form is shown', async () => {
  const page = await stand.open('/datasets')
  await page.getByRole('button', { name: 'New dataset' }).click()
  await page.getByLabel('Name').fill('a second one')
  await page.context().clearCookies()
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await page.keyboard.type(' and more')
  expect(await page.getByLabel('Name').inputValue()).toBe('a second one and more')
  const answers = await hold(page, 'NewDataset')
  await page.keyboard.press('Enter')
  await answers.waitFor(1)
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await answers.release()
  await page.locator('.toast').getByRole('link', { name: 'Sign in' }).waitFor()
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

/** Forms that stay in the page, each with a field and the button that sends it. */
const STAYING: Record<string, Omit<Case, 'open'> & { path: string; typed: string }> = {
  'a new key': {
    operation: 'MakeKey',
    path: '/settings/keys',
    typed: 'first',
    field: (page) => page.getByLabel('Name', { exact: true }),
    send: 'Create a key',
  },
  'the rules of retention': {
    operation: 'SetRetention',
    path: '/settings/retention',
    typed: '3650',
    field: (page) => page.getByLabel('Days', { exact: true }),
    send: 'Save',
  },
  'the end of conversations': {
    operation: 'ChangeConversationEnd',
    path: '/settings/conversations',
    typed: '30',
    field: (page) => page.getByLabel('Minutes without activity'),
    send: 'Save',
  },
  'a label of a prompt': {
    operation: 'MoveLabel',
    path: '/prompts/greeting?tab=labels',
    typed: 'staging',
    field: (page) => page.getByLabel('New label'),
    send: 'Label v1',
  },
  'a new version of a prompt': {
    operation: 'NewVersion',
    path: '/prompts/greeting/new?from=0',
    typed: 'shorter',
    field: (page) => page.getByLabel('Change in this version'),
    send: 'Save Ctrl S',
  },
  'the split of a prompt': {
    operation: 'SetRollout',
    path: '/prompts/greeting?tab=rollout',
    typed: '30',
    field: (page) => page.getByLabel('Percent of version 0'),
    send: 'Set the split',
  },
}

test.each(Object.entries(STAYING))(
  '%s takes no text while it is sent, and no key of the page',
  async (_, given) => {
    const page = await stand.open(given.path)
    await given.field(page).fill(given.typed)
    const answers = await hold(page, given.operation)
    await given.field(page).focus()
    await page.getByRole('button', { name: given.send }).click()
    await answers.waitFor(1)
    expect(await given.field(page).isEditable()).toBe(false)
    const address = page.url()
    await page.keyboard.type('gt')
    expect(page.url()).toBe(address)
    await answers.release()
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
    expect(answers.state.seen).toBe(1)
  },
)

test('a comment of a review takes no text while it is stored, and the next one does', async () => {
  const page = await stand.open('/review?give=tone&order=oldest')
  await page.getByText('answer').waitFor()
  await page.locator('.review-form [aria-pressed]').first().waitFor()
  await page.keyboard.press('0')
  const comment = page.locator('.review-form textarea')
  await comment.fill('polite')
  const answers = await hold(page, 'GiveScore')
  await comment.press('Control+Enter')
  await answers.waitFor(1)
  await page.keyboard.type(' too late')
  expect(await comment.inputValue()).toBe('polite')
  await answers.release()
  await page.getByText('1 done').waitFor()
  const { scores } = (await stand.stepwell.api.getStep('call')) ?? {}
  expect(scores?.map(({ comment }) => comment)).toContain('polite')
})
