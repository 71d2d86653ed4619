import { expect, test } from 'vitest'
import { useStand } from './support.js'

const stand = useStand(async ({ api }) => {
  await api.sendSteps([{ id: 'new', name: 'new', type: 'run', threadId: 'chat' }])
  await api.createPromptLineage('greeting')
  await api.createApiKey({ name: 'reader', scopes: ['read'] })
  await api.deleteThread('chat')
})

test('the log shows who did what, and is filtered by action, key and time', async () => {
  const page = await stand.open('/settings/audit')
  const rows = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr')
  const deletion = rows.filter({ hasText: 'delete thread' })
  await deletion.waitFor()
  expect(await deletion.innerText()).toContain('sha256:')
  expect(await deletion.innerText()).toContain('steps 1')
  await rows.filter({ hasText: 'create prompt' }).filter({ hasText: 'greeting' }).waitFor()
  await rows.filter({ hasText: 'create project' }).filter({ hasText: 'the service' }).waitFor()

  await page.getByLabel('Action').selectOption('create key')
  await expect.poll(() => rows.filter({ hasText: 'delete thread' }).count()).toBe(0)
  await rows.filter({ hasText: 'reader' }).filter({ hasText: 'read' }).first().waitFor()
  await page.getByRole('combobox', { name: 'By', exact: true }).selectOption('the operator')
  await page.getByText('There are no such entries.').waitFor()
  await page.getByRole('combobox', { name: 'By', exact: true }).selectOption('the service')
  await page.getByLabel('Action').selectOption('all')
  await rows.filter({ hasText: 'create project' }).waitFor()
  expect(await rows.filter({ hasText: 'reader' }).count()).toBe(0)

  // The address has the filters.
  await page.reload()
  await rows.filter({ hasText: 'create project' }).waitFor()
  expect(await rows.filter({ hasText: 'reader' }).count()).toBe(0)
  await page.getByRole('combobox', { name: 'By', exact: true }).selectOption('all')
  await rows.filter({ hasText: 'delete thread' }).waitFor()
  await page.getByLabel('To', { exact: true }).fill('2020-01-01')
  await page.getByText('There are no such entries.').waitFor()
  await page.getByLabel('To', { exact: true }).fill('')
  await page.getByLabel('From', { exact: true }).fill('2020-01-01')
  await rows.filter({ hasText: 'delete thread' }).waitFor()
})
