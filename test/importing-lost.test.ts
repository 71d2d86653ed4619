import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runCommand } from './support/run-command.js'
import { useServiceProcess } from './support/service-process.js'

const service = useServiceProcess(1)
const folder = mkdtempSync(join(tmpdir(), 'stepwell-import-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('an import ends when the service is lost, counts the rows that it did not try, and a second run adds them', async () => {
  const file = join(folder, 'many.jsonl')
  writeFileSync(
    file,
    Array.from({ length: 300 }, (_, n) => JSON.stringify({ input: `q${n}` })).join('\n'),
  )
  let calls = 0
  // Stands before the service, and lets no request through once 30 items are stored.
  const gate = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    if (body.includes('mutation CreateDatasetItem(') && ++calls > 30)
      return request.socket.destroy()
    const answer = await fetch(new URL(request.url ?? '', service.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': service.apiKeys[0] ?? '' },
      body,
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  })
  await once(gate.listen(0, '127.0.0.1'), 'listening')
  const { port } = gate.address() as AddressInfo
  const run = (url: string) =>
    runCommand(['dataset', 'import', file, '--dataset', 'lost'], {
      STEPWELL_API_URL: url,
      STEPWELL_API_KEY: service.apiKeys[0] ?? '',
    })
  const cut = await run(`http://127.0.0.1:${port}`)
  gate.close()
  expect(cut.code).toBe(1)
  expect(cut.stdout).toContain('30 items added to lost\n')
  expect(cut.stderr).toContain('stepwell: rows that are not in the dataset: 270\n')
  expect(cut.stderr).toMatch(/ended, for 20 rows in a row failed: .*; run the same command again\n/)
  expect(calls).toBeLessThan(100)
  const whole = await run(service.url)
  // One that takes seconds says how far it is.
  const faults = whole.stderr.replaceAll(/stepwell: \d+ of 300 rows\n/g, '')
  expect([whole.code, faults]).toEqual([0, ''])
  expect(whole.stdout).toContain('270 items added to lost, 30 were there\n')
})
