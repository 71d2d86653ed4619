import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { eventually } from './support/eventually.js'
import { runCommand } from './support/run-command.js'

const folder = mkdtempSync(join(tmpdir(), 'stepwell-downloads-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A service whose exports have two lines: the second one when it is asked for. */
const inTwoLines = async () => {
  const open: ServerResponse[] = []
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/jsonl' })
    response.write(`{"id":"${open.push(response)}"}\n`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const settings = { STEPWELL_API_URL: `http://127.0.0.1:${port}`, STEPWELL_API_KEY: 'k' }
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { open, settings, stop }
}

test('two downloads to one file at once leave the whole of the one that ends last', async () => {
  const { open, settings, stop } = await inTwoLines()
  const own = join(folder, 'overlapping')
  const out = join(own, 'steps.jsonl')
  const download = () => runCommand(['download', 'steps', '--out', out], settings)
  const written = () => readdirSync(own).map((name) => statSync(join(own, name)).size)
  const results = [download()]
  await eventually(() => expect(written()).toEqual([11]))
  results.push(download())
  await eventually(() => expect(written()).toEqual([11, 11]))
  for (const [at, response] of open.entries()) {
    response.end('{"id":"last"}\n')
    expect(await results[at]).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(out, 'utf8')).toBe(`{"id":"${at + 1}"}\n{"id":"last"}\n`)
  }
  expect(readdirSync(own)).toEqual(['steps.jsonl'])
  stop()
})

test('a download that a signal ends leaves nothing behind', async () => {
  const { settings, stop } = await inTwoLines()
  const own = join(folder, 'ended')
  const bin = join(import.meta.dirname, '../bin/stepwell.js')
  const args = [bin, 'download', 'steps', '--out', join(own, 'steps.jsonl')]
  const child = spawn(process.execPath, args, { env: { ...process.env, ...settings } })
  const ended = once(child, 'close')
  await eventually(() => expect(readdirSync(own)).toHaveLength(1))
  child.kill('SIGINT')
  expect(await ended).toEqual([null, 'SIGINT'])
  expect(readdirSync(own)).toEqual([])
  stop()
})
