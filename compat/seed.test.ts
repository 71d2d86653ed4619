import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { LiteralClient } from '@literalai/client'
import { createService, type Listening, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'

let service: Service
let listening: Listening
beforeAll(async () => {
  service = await createService({ apiKey: 'seeded' })
  listening = await listen(service, '127.0.0.1', 0)
  await promisify(execFile)(process.execPath, ['scripts/run.js', 'compat/seed.ts'], {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, STEPWELL_API_KEY: 'seeded', STEPWELL_API_URL: listening.url },
  })
})
afterAll(async () => {
  await listening?.stop()
  await service?.close()
})

test("the data equals the expectations of the clients' own suites", async () => {
  const { api } = new LiteralClient({ apiKey: 'seeded', apiUrl: listening.url })
  expect(await api.getDatasets()).toHaveLength(1)
  const prompt = await api.getPrompt('Default')
  expect(prompt).toMatchObject({ version: 0, provider: 'openai' })
  const list = '* item 0\n* item 1\n* item 2\n'
  const greeting = (name: string) =>
    `Hello, this is a ${name} and this\n\n${list}\nis a templated list.`
  expect(prompt?.formatMessages()).toMatchObject([
    { role: 'user', content: greeting('test value') },
  ])
  expect(prompt?.formatMessages({ test_var: 'Edited value' })).toMatchObject([
    { role: 'user', content: greeting('Edited value') },
  ])
})
