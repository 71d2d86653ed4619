import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { runCommand } from '../support/run-command.js'
import { useServiceProcess } from '../support/service-process.js'
import { StubbornReceiver } from '../support/stubborn-receiver.js'

// Projects of one service: one to read from and one to write to for each test.
const service = useServiceProcess(16)
const folder = mkdtempSync(join(tmpdir(), 'stepwell-to-otlp-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let taken = 0
const newClient = () => {
  const apiKey = service.apiKeys[taken++] ?? ''
  return { apiKey, client: new StepwellClient({ apiKey, apiUrl: service.url, flushAtExit: false }) }
}
let from: ReturnType<typeof newClient>
let to: ReturnType<typeof newClient>
const receiver = new StubbornReceiver(() => ({ url: service.url, apiKey: to.apiKey }))
beforeAll(() => receiver.start())
afterAll(() => receiver.stop())
beforeEach(() => {
  from = newClient()
  to = newClient()
  receiver.requests = 0
  receiver.headers = []
  receiver.decide = () => 'forward'
})
afterEach(async () => {
  await from.client.close({ timeoutMs: 1000 })
})

const environment = () => ({ STEPWELL_API_URL: service.url, STEPWELL_API_KEY: from.apiKey })
const send = (...options: string[]) =>
  runCommand(['export', '--to-otlp', receiver.url, '--quiet', ...options], environment())

/** All steps of a project by id, without what only the service of each can say. */
const stepsOf = async (client: StepwellClient) => {
  const steps = new Map<string, unknown>()
  for await (const {
    createdAt: _,
    attachments: __,
    generation,
    scores,
    ...step
  } of client.api.getSteps.all({ first: 200 })) {
    const { id: ___, createdAt: ____, startedAt: _____, ...call } = generation ?? {}
    steps.set(step.id, {
      ...step,
      generation: generation && call,
      scores: scores.map(({ createdAt: _, updatedAt: __, ...score }) => score),
    })
  }
  return Object.fromEntries([...steps].sort(([one], [other]) => (one < other ? -1 : 1)))
}
const threadsOf = async (client: StepwellClient) => {
  const threads: unknown[] = []
  for await (const {
    id,
    name,
    metadata,
    tags,
    environment: of,
    participant,
  } of client.api.getThreads.all({}))
    threads.push({ id, name, metadata, tags, environment: of, user: participant?.identifier })
  return threads.sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)))
}

/** Records what applications record: agents, tools, calls of models, messages, failures, judgements. */
const recordAll = async (client: StepwellClient) => {
  await client.api.createUser('ada', { plan: 'pro' })
  await client
    .thread({
      id: 'shop',
      name: 'Where is it?',
      tags: ['vip'],
      metadata: { deep: { er: [1, null] } },
      participantId: 'ada',
    })
    .wrap(async () => {
      client.step({ name: 'ada', type: 'user_message', output: { content: 'Where?' } }).end()
      await client
        .run({
          name: 'agent',
          input: { question: 'Where?' },
          tags: ['a', 'b'],
          metadata: { attempt: 1, none: null, __proto__x: {} },
        })
        .wrap(async () => {
          await client
            .step({ name: 'find', type: 'tool', input: { order: 1, exact: 1.5 } })
            .wrap(async () => ['x'])
          client
            .step({
              name: 'gpt',
              type: 'llm',
              input: { messages: [{ role: 'user', content: 'not the one' }] },
              output: { choices: [{ message: { role: 'assistant', content: 'nor this' } }] },
              generation: {
                type: 'CHAT',
                provider: 'openai',
                model: 'gpt-5',
                settings: {
                  temperature: 0.5,
                  stop: ['END'],
                  n: 2,
                  response_format: { type: 'json' },
                  text: 'x',
                },
                messages: [
                  { role: 'system', content: 'Be kind.' },
                  {
                    role: 'user',
                    content: [
                      { type: 'text', text: 'See' },
                      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
                    ],
                  },
                  {
                    role: 'assistant',
                    content: null,
                    tool_calls: [
                      { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
                    ],
                  },
                  { role: 'tool', tool_call_id: 'c', content: '[{"type":"text"}]' },
                ],
                messageCompletion: {
                  role: 'assistant',
                  content: 'There.',
                  reasoning: 'thought',
                  finish_reason: 'stop',
                },
                tools: [
                  { type: 'function', function: { name: 'f', parameters: { type: 'object' } } },
                ],
                variables: { name: 'Ada' },
                usage: { input: 12, cached: 4, output: 3, total: 15 },
                cost: 0.25,
                ttFirstToken: 250,
                duration: 1.25,
                tags: ['g'],
                metadata: { route: 'eu' },
              },
              scores: [
                { name: 'good', type: 'AI', value: 0.75, comment: 'as asked', scorer: 'judge' },
                { name: 'nice', type: 'HUMAN', value: 1, label: 'yes', tags: ['t'] },
              ],
            })
            .end()
          client
            .step({
              name: 'odd arguments',
              type: 'llm',
              generation: {
                type: 'CHAT',
                model: 'm',
                messages: [
                  { role: 'user', content: '', uuid: 'u', templated: true },
                  {
                    role: 'assistant',
                    content: [],
                    tool_calls: [
                      { id: 1, type: 'function', function: { name: 'f', arguments: '{ "a": 1 }' } },
                    ],
                  },
                ],
                messageCompletion: { role: 'x', content: { not: 'a text' } },
              },
            })
            .end()
          client
            .step({
              name: 'complete',
              type: 'llm',
              generation: {
                type: 'COMPLETION',
                model: 'm',
                prompt: 'Once',
                completion: ' upon',
                inputTokenCount: 1,
              },
            })
            .end()
          client
            .step({ name: 'embed', type: 'embedding', generation: { type: 'CHAT', model: 'e' } })
            .end()
          await client
            .step({ name: 'fails', type: 'retrieval' })
            .wrap(async () => {
              throw new Error('out of "stock"\n\u0001')
            })
            .catch(() => undefined)
        })
      client.step({ name: 'ranked', type: 'rerank', output: { list: [] } }).end()
    })
  await client.flush()
  const { refused } = (
    await client.api.sendSteps([
      { id: 'no thread', type: 'run', name: '', environment: 'prod' },
      {
        id: 'ümlaut/😀',
        parentId: 'no thread',
        type: 'undefined',
        startTime: '2026-03-04T05:06:07.123456Z',
        endTime: '2026-03-04T05:06:07.123457Z',
      },
      {
        id: 'backwards',
        parentId: 'never came',
        startTime: '2026-03-04T05:06:07Z',
        endTime: '2026-03-04T05:06:06Z',
        error: '',
      },
      { id: 'before 1970', startTime: '1960-01-01T00:00:00Z', endTime: '1960-01-01T00:00:01Z' },
      { id: 'circle 1', parentId: 'circle 2' },
      { id: 'circle 2', parentId: 'circle 1' },
      {
        id: 'texts',
        input: { content: '[1,2]' },
        output: { content: '\ud800 lone' },
        metadata: { 'stepwell.step.id': 'other', text: '{"a":1}' },
      },
      { id: 'inner', parentId: 'outer', rootRunId: 'outer run', type: 'tool' },
      { id: 'outer', parentId: 'outer run', rootRunId: 'outer run', type: 'tool', input: {} },
      { id: 'outer run', type: 'run' },
    ])
  ).data.ingestSteps
  expect(refused).toEqual([])
}

/** Spans of another tracer, which are steps with the ids of spans. */
const recordSpans = async (apiKey: string) => {
  const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })
  const response = await fetch(`${service.url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [attribute('service.name', 'other')] },
          scopeSpans: [
            {
              scope: { name: 'tracer' },
              spans: [
                {
                  traceId: 'ab'.repeat(16),
                  spanId: 'cd'.repeat(8),
                  name: 'HTTP',
                  kind: 2,
                  startTimeUnixNano: '1700000000000000001',
                  endTimeUnixNano: '1700000001000000000',
                  attributes: [
                    attribute('gen_ai.conversation.id', 'spans'),
                    attribute('user.id', 'bob'),
                  ],
                },
                {
                  traceId: 'ab'.repeat(16),
                  spanId: 'ef'.repeat(8),
                  parentSpanId: 'cd'.repeat(8),
                  name: 'chat',
                  startTimeUnixNano: '1700000000000000000',
                  endTimeUnixNano: '1700000000500000000',
                  attributes: [
                    attribute('gen_ai.operation.name', 'chat'),
                    attribute('gen_ai.request.model', 'm'),
                  ],
                  events: [{ name: 'x', timeUnixNano: '1700000000000000000' }],
                },
              ],
            },
          ],
        },
      ],
    }),
  })
  expect(response.status).toBe(200)
}

test('steps, scores, threads and users that are exported to another service are the same there', async () => {
  await recordAll(from.client)
  await recordSpans(from.apiKey)
  const report = join(folder, 'report.json')
  const { code, stdout, stderr } = await send('--report', report)
  expect([code, stderr]).toEqual([0, ''])
  const expected = await stepsOf(from.client)
  expect(Object.keys(expected).length).toBe(21)
  expect(await stepsOf(to.client)).toEqual(expected)
  expect(await threadsOf(to.client)).toEqual(await threadsOf(from.client))
  const { steps } = JSON.parse(readFileSync(report, 'utf8')).kinds
  expect(steps).toMatchObject({ read: 21, kept: 21, dropped: {} })
  expect(
    steps.changed['it ends before it starts: its start stands for its end'].examples,
  ).toContain('backwards')
  expect(stdout).toContain('not sent: contents of files')
  // The same spans once more change nothing.
  expect((await send()).code).toBe(0)
  expect(await stepsOf(to.client)).toEqual(expected)
})

test('a filter narrows, a header goes with each request, and without contents no text leaves', async () => {
  await recordAll(from.client)
  const bodies: string[] = []
  receiver.decide = (_, body) => {
    bodies.push(gunzipSync(body).toString('latin1'))
    return { status: 200 }
  }
  const { code, stdout } = await send(
    '--query',
    'type=llm',
    '--no-content',
    '--header',
    'x-secret: s: 1',
    '--resource',
    'service.name=shop',
  )
  expect([code, /steps +3 +3/.test(stdout)]).toEqual([0, true])
  expect(
    receiver.headers.map((one) => [one['x-secret'], one['content-type'], one['content-encoding']]),
  ).toEqual([['s: 1', 'application/x-protobuf', 'gzip']])
  const all = bodies.join('')
  expect(all).toContain('gpt-5')
  expect(all).toContain('shop')
  for (const text of ['Be kind', 'There.', 'not the one', 'route', 'Ada', 'as asked'])
    expect(all).not.toContain(text)
})

const manySteps = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `s${String(index).padStart(5, '0')}`,
    threadId: `t${index % 7}`,
    type: 'tool' as const,
    ...(index % 10 === 0 ? {} : { parentId: `s${String(index - (index % 10)).padStart(5, '0')}` }),
    startTime: '2026-03-04T05:06:07Z',
    endTime: '2026-03-04T05:06:08Z',
    input: { text: 'x'.repeat(2000), index },
  }))

test('a receiver that answers 429, 500 and 503, drops connections and loses answers gets all spans, each under one id', async () => {
  await from.client.api.sendSteps(manySteps(3000))
  const faults = [
    { status: 429, headers: { 'retry-after': '0' } },
    'drop',
    { status: 500 },
    'drop answer',
    { status: 503, headers: { 'retry-after': '0' } },
  ] as const
  receiver.decide = (index) =>
    index % 3 === 2 ? 'forward' : (faults[index % faults.length] ?? 'forward')
  const { code, stdout } = await send()
  expect([code, /steps +3,000 +3,000 +0 +0/.test(stdout)]).toEqual([0, true])
  expect(receiver.requests).toBeGreaterThan(12)
  expect(await stepsOf(to.client)).toEqual(await stepsOf(from.client))
})

test('an export that was killed goes on where it was, and the next one sends what came since', async () => {
  await from.client.api.sendSteps(manySteps(2000))
  const file = join(folder, 'progress.json')
  const options = ['--resume', file, '--settle', '0']
  receiver.decide = (index) => (index < 3 ? 'forward' : 'hold')
  const bin = join(import.meta.dirname, '../../bin/stepwell.js')
  const child = spawn(
    process.execPath,
    [bin, 'export', '--to-otlp', receiver.url, '--quiet', ...options],
    {
      env: { ...process.env, ...environment() },
      stdio: 'ignore',
    },
  )
  await expect.poll(() => receiver.requests).toBe(4)
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(existsSync(file)).toBe(true)
  const again: Buffer[] = []
  receiver.decide = (_, body) => {
    again.push(gunzipSync(body))
    return 'forward'
  }
  const resumed = await send(...options)
  expect([resumed.code, /steps +2,000 +2,000 +0 +0/.test(resumed.stdout)]).toEqual([0, true])
  expect(await stepsOf(to.client)).toEqual(await stepsOf(from.client))
  // Only what was left.
  expect(again.some((body) => body.includes('s00001'))).toBe(false)
  expect(again.some((body) => body.includes('s01999'))).toBe(true)
  await from.client.api.sendSteps([{ id: 'since' }])
  const next = await send(...options)
  expect([next.code, /steps +1 +1 /.test(next.stdout)]).toEqual([0, true])
  const other = await send('--resume', file, '--query', 'type=llm')
  expect([other.code, other.stderr]).toEqual([
    2,
    expect.stringContaining('with the same service, receiver and filter'),
  ])
  writeFileSync(file, '{}')
  expect((await send('--resume', file)).stderr).toContain('the progress of an export')
})

test('steps that arrived just now are read again by the next export, as others may come before them', async () => {
  await from.client.api.sendSteps(manySteps(10))
  const options = ['--resume', join(folder, 'settling.json')]
  for (const _ of [1, 2]) expect((await send(...options)).stdout).toMatch(/steps +10 +10 /)
})

/** Writes the answer of a receiver that rejects some spans. */
const partial = (rejected: number, message: string) => {
  const text = Buffer.from(message)
  const inner = Buffer.concat([Buffer.from([8, rejected, 18, text.length]), text])
  return Buffer.concat([Buffer.from([10, inner.length]), inner])
}

test('spans that a receiver rejects are counted with its reason, and one that is refused keeps no other out', async () => {
  await from.client.api.sendSteps(manySteps(40))
  receiver.decide = () => ({
    status: 200,
    headers: { 'content-type': 'application/x-protobuf' },
    body: partial(3, 'too old'),
  })
  const some = await send()
  expect([some.code, /steps +40 +37 +0 +3/.test(some.stdout)]).toEqual([1, true])
  expect(some.stdout).toContain('steps dropped: the receiver rejects it: too old (3)')
  receiver.decide = () => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"why"}}',
  })
  expect((await send()).stdout).toContain('the receiver rejects it: why (1)')
  receiver.decide = () => ({
    status: 200,
    headers: { 'content-type': 'application/x-protobuf' },
    body: partial(0, 'slow down'),
  })
  const warned = await send()
  expect([warned.code, warned.stdout.includes('the receiver says: slow down')]).toEqual([0, true])
  receiver.decide = (_, body) =>
    gunzipSync(body).includes('s00007')
      ? { status: 400, body: '{"message":"bad span"}' }
      : { status: 200 }
  const one = await send()
  expect([one.code, one.stdout]).toEqual([
    1,
    expect.stringContaining('steps dropped: status 400: bad span (1: s00007)'),
  ])
})

test('a step of any size arrives whole, and without its contents where a receiver takes no span so large', async () => {
  const large = { text: 'x'.repeat(2_900_000) }
  const messages = [{ role: 'user', content: 'z'.repeat(2_900_000) }]
  await from.client.api.sendSteps([
    {
      id: 'large',
      name: 'kept',
      type: 'llm',
      input: large,
      output: large,
      generation: { type: 'CHAT', messages },
    },
    ...manySteps(5),
  ])
  expect((await send()).code).toBe(0)
  expect(await stepsOf(to.client)).toEqual(await stepsOf(from.client))
  const sizes: number[] = []
  receiver.decide = (_, body) => {
    sizes.push(gunzipSync(body).length)
    return (sizes.at(-1) ?? 0) > 4_000_000 ? { status: 413 } : 'forward'
  }
  const { code, stdout } = await send()
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('without contents, as the receiver takes no span so large (1: large)'),
  ])
  expect(Math.max(...sizes)).toBeGreaterThan(8_700_000)
  const { data } = await to.client.api.getSteps({ query: 'name=kept' })
  expect(data.map(({ input }) => input === null)).toContain(true)
})

test('a target that takes no traces, or is no target, ends the export with a reason, and no secret is told', async () => {
  await from.client.api.sendSteps(manySteps(60))
  for (const [answer, message] of [
    [{ status: 401 }, 'takes no traces at this address: status 401'],
    [{ status: 404, body: 'nothing here' }, 'status 404: nothing here'],
    [
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
      'status 200: a page in HTML',
    ],
    [{ status: 302, headers: { location: 'http://elsewhere.test/' } }, 'status 302'],
    [{ status: 400, body: 'not like this' }, 'takes none of the spans: status 400: not like this'],
  ] as const) {
    receiver.decide = () => answer
    const { code, stderr } = await send('--header', 'authorization: Bearer hush')
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(stderr).not.toContain('hush')
  }
  const help = await runCommand(['export', '--to-otlp', '--help'], environment())
  expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('--resume FILE')])
  for (const [options, message] of [
    [['--to-otlp', 'ftp://x'], 'url: expected the http address'],
    [['--to-otlp', 'http://user:hush@x'], 'without user and password'],
    [['--to-otlp', receiver.url, '--header', 'hush'], '--header: expected NAME: VALUE'],
    [['--to-otlp', receiver.url, '--patience', 'x'], '--patience: expected seconds'],
    [['--to-otlp', receiver.url, '--patience', '1e12'], '--patience: expected seconds'],
    [['--to-otlp', receiver.url, '--settle', '90000'], '--settle: expected seconds, up to 86400'],
    [['--to-otlp', receiver.url, '--filters', '{}'], '--filters: expected a list as JSON'],
    [['--to-otlp', receiver.url, '--query', 'type=('], 'query'],
    [['--to-otlp', ''], '--to-otlp: expected the address'],
    [['--to-otlp', 'http://127.0.0.1:1', '--patience', '0'], 'no answer from http://127.0.0.1:1'],
  ] as const) {
    const { code, stderr } = await runCommand(['export', ...options], environment())
    expect([code, stderr], stderr).toEqual([2, expect.stringContaining(message)])
    expect(stderr).not.toContain('hush')
  }
})
