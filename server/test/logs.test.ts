import { afterEach, expect, test, vi } from 'vitest'
import { outageOf } from '../src/database/failures.js'
import { createService, type Service } from '../src/index.js'
import { DomainError } from '../src/kernel/errors.js'
import { FaultLog } from '../src/kernel/watching/fault-log.js'
import { Logger } from '../src/kernel/watching/logger.js'
import { createLog } from '../src/service-log.js'
import { asker, post } from './support/ask.js'

const now = () => new Date('2026-11-23T10:00:00Z')
const ends: (() => unknown)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const end of ends.splice(0)) await end()
})

const collected = (format: 'pretty' | 'json' = 'json', level: 'debug' | 'warn' = 'debug') => {
  const lines: string[] = []
  return { lines, logger: new Logger({ format, level, now, write: (line) => lines.push(line) }) }
}

test('a line has its time, level, message and fields, for people or as JSON', () => {
  const people = collected('pretty')
  people.logger.log('warn', 'a\nb', { count: 2, name: 'x y', none: undefined, stack: '  at c' })
  expect(people.lines).toEqual([
    '2026-11-23T10:00:00.000Z WARN stepwell: a b count=2 name="x y"\n  at c\n',
  ])
  const json = collected()
  json.logger.log('warn', 'a\nb', { count: 2, none: undefined })
  expect(json.lines).toEqual([
    '{"time":"2026-11-23T10:00:00.000Z","level":"warn","message":"a\\nb","count":2}\n',
  ])
})

test('lines below the level are not written', () => {
  const { lines, logger } = collected('json', 'warn')
  logger.log('info', 'no')
  logger.log('error', 'yes')
  expect(lines).toHaveLength(1)
})

test('a repeated fault has a line at once, then one a minute with its count, until it is over', () => {
  vi.useFakeTimers()
  const { lines, logger } = collected()
  const faults = new FaultLog(logger)
  const fail = (text: string) => faults.report(Object.assign(new Error(text), { stack: text }))
  for (let minute = 0; minute < 3; minute++) {
    for (let time = 0; time < 100; time++) fail('boom')
    vi.advanceTimersByTime(60_000)
  }
  vi.advanceTimersByTime(120_000)
  fail('boom')
  fail('another')
  faults.close()
  expect(
    lines.map((line) => JSON.parse(line)).map(({ message, count }) => [message, count]),
  ).toEqual([
    ['boom', undefined],
    ['boom (again)', 99],
    ['boom (again)', 100],
    ['boom (again)', 100],
    ['boom', undefined],
    ['another', undefined],
  ])
})

test('faults of a thousand kinds take bounded memory and lines', () => {
  const { lines, logger } = collected()
  const faults = new FaultLog(logger)
  for (let kind = 0; kind < 1000; kind++)
    faults.report(Object.assign(new Error(), { stack: `kind ${kind}` }))
  faults.close()
  expect(lines).toHaveLength(202)
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
    message: 'other faults (again)',
    count: 799,
  })
})

test('all errors of a database that is away are one fault', () => {
  const lines: string[] = []
  const { faults } = createLog({ format: 'json', write: (line) => lines.push(line) })
  const errors = [
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    Object.assign(new Error('terminating connection'), { code: '57P01' }),
    new Error('Connection terminated unexpectedly'),
  ]
  for (const error of errors) faults.report(error)
  for (const error of errors) faults.report(outageOf(error))
  faults.close()
  expect(lines.map((line) => JSON.parse(line))).toMatchObject(
    [
      { level: 'error', message: /the database is unreachable/, code: 'ECONNREFUSED' },
      { level: 'error', count: 5 },
    ].map(({ message, ...rest }) => ({
      ...rest,
      message: expect.stringMatching(message ?? /again/),
    })),
  )
  expect(outageOf(new DomainError('UNAVAILABLE', 'the service is overloaded'))).toBeUndefined()
})

const serviceWith = async (access: 'off' | 'failures' | 'all'): Promise<[Service, string[]]> => {
  const lines: string[] = []
  const service = await createService({
    apiKey: 'secret-key',
    log: { format: 'json', access, write: (line) => lines.push(line) },
  })
  ends.push(() => service.close())
  return [service, lines]
}

test("a request keeps its caller's id, in the answer and in the log", async () => {
  const [service, lines] = await serviceWith('all')
  const idOf = async (headers: Record<string, string>) =>
    (await service.fetch('http://x/healthz', { headers })).headers.get('x-request-id')
  const trace = '0af7651916cd43dd8448eb211c80319c'
  const traceparent = `00-${trace}-b7ad6b7169203331-01`
  expect(await idOf({ 'x-request-id': 'mine-1' })).toBe('mine-1')
  expect(await idOf({ traceparent })).toBe(trace)
  expect(await idOf({ traceparent, 'x-request-id': 'mine-2' })).toBe('mine-2')
  const made = /^[\da-f-]{36}$/
  expect(await idOf({})).toMatch(made)
  expect(await idOf({ 'x-request-id': 'a b' })).toMatch(made)
  expect(await idOf({ 'x-request-id': 'x'.repeat(129) })).toMatch(made)
  expect(await idOf({ traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` })).toMatch(made)
  expect(lines.map((line) => JSON.parse(line).requestId).slice(0, 3)).toEqual([
    'mine-1',
    trace,
    'mine-2',
  ])
})

test('the access log has routes and ids of keys, and no path, key or payload', async () => {
  const [service, lines] = await serviceWith('all')
  await asker(service, 'secret-key')('mutation { upsertThread(id: "private", name: "n") { id } }')
  await service.fetch('http://x/files/p/private.txt?signature=private')
  await post(service, '/api/graphql', '{}', { 'x-api-key': 'private' })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { route: '/api/graphql', status: 200, key: expect.any(String), level: 'info' },
    { route: '/files', method: 'GET' },
    { route: '/api/graphql', status: 401, refused: '1 request UNAUTHENTICATED' },
  ])
  expect(lines.join()).not.toMatch(/private|secret-key/)
})

test('a batch that is stored in part is in the log of failures, and is counted by item', async () => {
  const [service, lines] = await serviceWith('failures')
  const ask = asker(service, 'secret-key')
  await ask('mutation { ingestSteps(steps: [{ id: "a" }]) { ok } }')
  expect(lines).toEqual([])
  await ask(
    `mutation { ingestSteps(steps: [{ id: "a" }, { id: "" }, { id: "b", environment: "b" }]) { ok } }`,
  )
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { status: 200, refused: '2 item INVALID_ARGUMENT' },
  ])
  const answer = await service.fetch('http://x/metrics', { headers: { 'x-api-key': 'secret-key' } })
  expect(await answer.text()).toContain(
    'stepwell_refusals_total{part="item",code="INVALID_ARGUMENT"} 2',
  )
})

const refusedItems = async (service: Service, code: string): Promise<number> => {
  const answer = await service.fetch('http://x/metrics', { headers: { 'x-api-key': 'secret-key' } })
  const name = `stepwell_refusals_total{part="item",code="${code}"} `
  const line = (await answer.text()).split('\n').find((one) => one.startsWith(name))
  return Number(line?.slice(name.length))
}

test('rejected items are counted from 0 on, so that an alert sees the first ones', async () => {
  const [service] = await serviceWith('off')
  expect(await refusedItems(service, 'TOO_LARGE')).toBe(0)
  expect(await refusedItems(service, 'INVALID_ARGUMENT')).toBe(0)
})

test('spans and events of models that belong to no step are rejected items; other log records are none', async () => {
  const [service, lines] = await serviceWith('failures')
  const send = async (path: string, body: object) =>
    (await post(service, path, body, { 'x-api-key': 'secret-key' })).body
  const spans = [
    { traceId: 'none', name: 'a' },
    { spanId: 'none', name: 'b' },
  ]
  expect(await send('/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] })).toMatchObject({
    partialSuccess: { rejectedSpans: '2' },
  })
  const logsOf = (logRecords: object[]) => ({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
  expect(await send('/v1/logs', logsOf([{ eventName: 'gen_ai.choice' }]))).toMatchObject({
    partialSuccess: { rejectedLogRecords: '1' },
  })
  expect(await send('/v1/logs', logsOf([{ eventName: 'of something else' }]))).toMatchObject({
    partialSuccess: { rejectedLogRecords: '1' },
  })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { route: '/v1/traces', status: 200, refused: '2 item INVALID_ARGUMENT' },
    { route: '/v1/logs', status: 200, refused: '1 item INVALID_ARGUMENT' },
  ])
  expect(await refusedItems(service, 'INVALID_ARGUMENT')).toBe(3)
})
