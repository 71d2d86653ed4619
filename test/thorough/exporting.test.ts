import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import type { StepwellClient as SyncClient } from '../../src/sync/index.js'
import { runCommand } from '../support/run-command.js'
import { useServiceProcess } from '../support/service-process.js'

// The built module: the sources have no thread.
const built = pathToFileURL(join(import.meta.dirname, '../../dist/esm/src/sync/index.js')).href
const sync = (await import(/* @vite-ignore */ built)) as { StepwellClient: typeof SyncClient }

const service = useServiceProcess(2)
const folder = mkdtempSync(join(tmpdir(), 'stepwell-exports-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let stepwell: StepwellClient
beforeAll(async () => {
  stepwell = new StepwellClient({ apiKey: service.apiKeys[0], apiUrl: service.url })
  await stepwell.api.sendSteps(
    Array.from({ length: 900 }, (_, at) => ({ id: `s${at}`, name: at % 2 ? 'odd' : '=even' })),
  )
})

const ODD = [{ field: 'name', operator: 'eq', value: 'odd' }] as const

const textOf = async (parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) => {
  let text = ''
  for await (const part of parts) text += Buffer.from(part).toString()
  return text
}

test('a list comes whole, as filtered, in both spellings and in both flavours', async () => {
  const blocking = new sync.StepwellClient({ apiKey: service.apiKeys[0], apiUrl: service.url })
  const order = { column: 'createdAt', direction: 'ASC' } as const
  const camel = { format: 'csv', filters: ODD, orderBy: order, columns: ['id', 'name'] } as const
  const snake = { format: 'csv', filters: ODD, order_by: order, columns: ['id', 'name'] } as const
  const text = await textOf(stepwell.exportList('steps', camel))
  expect(text.split('\r\n')).toHaveLength(452)
  expect(text).toMatch(/^id,name\r\ns1,odd\r\n/)
  expect(await textOf(stepwell.export_list('steps', snake))).toBe(text)
  expect(await textOf(blocking.exportList('steps', camel))).toBe(text)
  expect(await textOf(blocking.export_list('steps', snake))).toBe(text)
})

test('Parquet comes in both flavours, and the ending of a file asks for it', async () => {
  const blocking = new sync.StepwellClient({ apiKey: service.apiKeys[0], apiUrl: service.url })
  const params = { format: 'parquet', filters: ODD, columns: ['id', 'name'] } as const
  const parts: Uint8Array[] = []
  for await (const part of stepwell.exportList('steps', params)) parts.push(part)
  const whole = Buffer.concat(parts)
  expect(Buffer.concat([...blocking.exportList('steps', params)]).equals(whole)).toBe(true)
  const out = join(folder, 'odd.parquet')
  const { code } = await runCommand(
    ['download', 'steps', '--query', 'name=odd', '--columns', 'id,name', '--out', out],
    { STEPWELL_API_URL: service.url, STEPWELL_API_KEY: service.apiKeys[0] ?? '' },
  )
  const bytes = readFileSync(out)
  expect([code, bytes.equals(whole)]).toEqual([0, true])
  const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer })
  expect(rows).toHaveLength(450)
  expect(rows.at(-1)).toEqual({ id: 's1', name: 'odd' })
})

test('a file takes an export as it is, and JSONL holds the rows as the API has them', async () => {
  const file = join(folder, 'steps.jsonl')
  await writeFile(file, stepwell.exportList('steps', { columns: ['id', 'name', 'createdAt'] }))
  const rows = readFileSync(file, 'utf8').trim().split('\n')
  const { data } = await stepwell.api.getSteps({ first: 1 })
  const { id, name, createdAt } = data[0] ?? {}
  expect(JSON.parse(rows[0] ?? '')).toEqual({ id, name, createdAt })
  expect(rows).toHaveLength(900)
})

test('errors name the parameter, before any part comes, in both flavours', async () => {
  const blocking = new sync.StepwellClient({ apiKey: service.apiKeys[0], apiUrl: service.url })
  const wrong = { columns: ['none'] }
  const message = /^columns: "none" is no column of this list/
  await expect(textOf(stepwell.exportList('steps', wrong))).rejects.toMatchObject({
    name: 'StepwellError',
    code: 'INVALID_ARGUMENT',
    message: expect.stringMatching(message),
  })
  expect(() => [...blocking.exportList('steps', wrong)]).toThrow(message)
  await expect(
    textOf(stepwell.exportList('datasetItems', { datasetId: 'none' })),
  ).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'datasetId: nothing has the id of this request',
  })
  await expect(
    textOf(new StepwellClient({ apiKey: 'none', apiUrl: service.url }).exportList('steps')),
  ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  expect(() => stepwell.exportList('../graphql' as 'steps')).toThrow('list: expected the name')
})

test('parameters may be null, and must not be anything else than an object', async () => {
  expect(await textOf(stepwell.exportList('users', null as never))).toBe('')
  expect(await textOf(stepwell.export_list('users', null as never))).toBe('')
  expect(() => stepwell.exportList('users', 'csv' as never)).toThrow('params: expected an object')
  expect(() => stepwell.export_list('users', [] as never)).toThrow('params: expected an object')
})

test('a list that is none is not taken for a wrong address of the service', async () => {
  await expect(textOf(stepwell.exportList('nothing' as 'steps'))).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringMatching(/got "nothing"$/),
  })
})

test.each([[['download', 'steps']], [['list', 'steps', '--json', '--first', '900']]])(
  'stepwell %j ends quietly when its reader has enough',
  async (args) => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, '../../bin/stepwell.js'), ...args],
      {
        env: {
          ...process.env,
          STEPWELL_API_URL: service.url,
          STEPWELL_API_KEY: service.apiKeys[0] ?? '',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    child.stdout.destroy()
    let stderr = ''
    child.stderr.on('data', (part) => {
      stderr += part
    })
    const [code] = await once(child, 'close')
    expect([code, stderr]).toEqual([141, ''])
  },
)

test.skipIf(!existsSync('/dev/full'))(
  'a command whose output fills the disk ends with the reason in one line',
  () => {
    const full = openSync('/dev/full', 'w')
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, '../../bin/stepwell.js'), '--help'],
      { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' },
    )
    closeSync(full)
    expect(stderr).toMatch(/^stepwell: ENOSPC: .*\n$/)
    expect(status).toBe(2)
  },
)

test('an export that breaks off is an error, not the end of the list', async () => {
  const broken = new StepwellClient({
    apiKey: 'k',
    fetch: async () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('{"id":"s"}\n')),
          pull: (controller) => controller.error(new TypeError('terminated')),
        }),
        { headers: { 'content-type': 'application/jsonl' } },
      ),
  })
  const parts = broken.exportList('steps')
  expect((await parts.next()).done).toBe(false)
  await expect(parts.next()).rejects.toMatchObject({ name: 'StepwellError', code: 'NETWORK' })
})

test.each(['csv', 'jsonl', 'parquet'] as const)(
  'a page that some proxy answers with status 200 is not taken for %s',
  async (format) => {
    let isLeft = false
    const page = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new TextEncoder().encode('<html>Sign in</html>')),
        cancel: () => {
          isLeft = true
        },
      })
    const headers = { 'content-type': 'text/html; charset=utf-8' }
    const elsewhere = new StepwellClient({
      apiKey: 'k',
      fetch: async () => new Response(page(), { headers }),
    })
    await expect(elsewhere.exportList('steps', { format }).next()).rejects.toMatchObject({
      name: 'StepwellError',
      code: 'NETWORK',
      retryable: false,
      message: `expected ${format} from the service, got "<html>Sign in</html>" with status 200; is apiUrl the URL of a Stepwell service?`,
    })
    await expect.poll(() => isLeft).toBe(true)
  },
)

test('stepwell download fails on a page that is no list, and writes no file', async () => {
  const portal = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>')
  }).listen(0, '127.0.0.1')
  await once(portal, 'listening')
  const { port } = portal.address() as AddressInfo
  const out = join(folder, 'portal.csv')
  const { code, stderr } = await runCommand(['download', 'steps', '--out', out], {
    STEPWELL_API_URL: `http://127.0.0.1:${port}`,
    STEPWELL_API_KEY: 'k',
  })
  portal.close()
  expect(code).not.toBe(0)
  expect(stderr).toContain('expected csv from the service, got "<html>Sign in</html>"')
  expect(existsSync(out)).toBe(false)
})

test('a service that falls silent ends an export after the time limit of the client', async () => {
  const silent = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/jsonl' }).write('{"id":"s"}\n')
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const options = { apiKey: 'k', apiUrl: `http://127.0.0.1:${port}`, timeoutMs: 300 }
  const parts = new StepwellClient(options).exportList('steps')
  expect((await parts.next()).done).toBe(false)
  await expect(parts.next()).rejects.toMatchObject({ code: 'TIMEOUT', retryable: true })
  silent.closeAllConnections()
  silent.close()
})

test('leaving the loop ends the request', async () => {
  let signal: AbortSignal | null | undefined
  const watched = new StepwellClient({
    apiKey: service.apiKeys[0],
    apiUrl: service.url,
    fetch: (input, init) => {
      signal = init?.signal
      return fetch(input, init)
    },
  })
  for await (const part of watched.exportList('steps')) {
    expect(part.length).toBeGreaterThan(0)
    break
  }
  expect(signal?.aborted).toBe(true)
})

test('stepwell download writes through links and into pipes, and keeps the mode of a file', async () => {
  const run = (out: string) =>
    runCommand(['download', 'steps', '--out', out, '--limit', '1', '--columns', 'id'], {
      STEPWELL_API_URL: service.url,
      STEPWELL_API_KEY: service.apiKeys[0] ?? '',
    })
  const target = join(folder, 'target.jsonl')
  await writeFile(target, 'before', { mode: 0o600 })
  const link = join(folder, 'link.jsonl')
  symlinkSync(target, link)
  expect((await run(link)).code).toBe(0)
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readFileSync(target, 'utf8')).toMatch(/^\{"id":/)
  expect(statSync(target).mode & 0o777).toBe(0o600)
  const pipe = join(folder, 'pipe')
  spawnSync('mkfifo', [pipe])
  const read = spawn('cat', [pipe])
  const text = textOf(read.stdout)
  expect((await run(pipe)).code).toBe(0)
  expect(await text).toMatch(/^\{"id":/)
  expect(lstatSync(pipe).isFIFO()).toBe(true)
})

test('stepwell download writes a file once it is whole, and names what is wrong', async () => {
  const run = (...args: string[]) =>
    runCommand(['download', ...args], {
      STEPWELL_API_URL: service.url,
      STEPWELL_API_KEY: service.apiKeys[0] ?? '',
    })
  const file = join(folder, 'deep/steps.csv')
  const good = await run(
    'steps',
    ...['--out', file, '--filters', JSON.stringify(ODD), '--order', 'createdAt asc'],
    ...['--columns', 'id, name', '--limit', '2', '--excel'],
  )
  expect(good).toEqual({ code: 0, stdout: `28 bytes written to ${file}\n`, stderr: '' })
  expect(readFileSync(file, 'utf8')).toBe('\uFEFFid,name\r\ns1,odd\r\ns3,odd\r\n')
  expect((await run('steps', '--limit', '3', '--columns', 'id')).stdout.split('\n')).toHaveLength(4)
  const some = ['steps', '--limit', '3', '--columns', 'id']
  expect(await run(...some, '--out', '-')).toEqual(await run(...some))
  const bad = await run('steps', '--out', file, '--columns', 'none')
  expect([bad.code, bad.stderr]).toEqual([
    2,
    expect.stringMatching(/^stepwell: columns: "none" is no/),
  ])
  // Keeps the file of the earlier download.
  expect(readFileSync(file, 'utf8')).toContain('s3,odd')
  expect(readdirSync(join(folder, 'deep'))).toEqual(['steps.csv'])
  for (const [args, message] of [
    [[], 'expected a list, such as threads'],
    [['steps', '--filters', '{}'], '--filters: expected a list as JSON'],
    [['steps', '--order', 'a b'], '--order: expected a column and ASC or DESC'],
    [['steps', '--limit', 'x'], '--limit: expected a whole number'],
    [['steps', '--out', folder], 'expected a file that can be written'],
    [['nothing'], 'path: expected a list, one of threads'],
    [['steps', '--format', 'xml'], 'format: expected csv, jsonl or parquet'],
  ] as const) {
    const { code, stderr } = await run(...args)
    expect(code, stderr).toBe(2)
    expect(stderr).toContain(message)
  }
})
