import { describe, expect, test, vi } from 'vitest'
import { diff, exportRows, find, outline, query, score, tools } from '../src/agents/index.js'
import { relay } from '../src/cli/agents/relay.js'
import { run } from '../src/cli/main.js'
import { sendThread, type Told } from './support/send-thread.js'
import { useService } from './support/service.js'

const onFetch = useService()
const onSocket = useService('socket')

const calls = (count: number, change: (index: number) => Told | undefined = () => undefined) =>
  Array.from(
    { length: count },
    (_, index): Told => ({
      name: 'search',
      input: { term: `term ${index}` },
      output: { hits: [index] },
      ...change(index),
    }),
  )

describe('diff', () => {
  test('names the ids of what changed, what failed and what one run alone has, and nothing else', async () => {
    const client = await onFetch.newClient()
    const base = await sendThread(client, calls(40))
    const other = await sendThread(client, [
      ...calls(40, (index) =>
        index === 10
          ? { output: { hits: [] } }
          : index === 20
            ? { error: 'no such index' }
            : index === 30
              ? { input: { term: 'changed' } }
              : undefined,
      ),
      { name: 'book', input: 'HAT001' },
    ])
    const answer = await diff(client, { base, other })
    const text = answer?.text ?? ''
    for (const index of [10, 20, 30]) {
      expect(text).toContain(base.ids[index])
      expect(text).toContain(other.ids[index])
    }
    expect(text).toMatch(
      new RegExp(
        `Failures that differ:\\n- tool "search" ${base.ids[20]} / ${other.ids[20]}: failed in other alone with "no such index"`,
      ),
    )
    expect(text).toContain(`other alone: tool "book" ${other.ids[40]}`)
    expect(text).toContain('40 pairs of steps, 3 of them differ; 0 steps in base alone, 1 in other')
    const named = [...base.ids, ...other.ids].filter((id) => text.includes(id))
    expect(named.length).toBe(7)
  })

  test('pairs what follows a missing and an additional step with its counterpart', async () => {
    const client = await onFetch.newClient()
    const all = calls(30)
    const base = await sendThread(client, all)
    const other = await sendThread(client, [
      ...all.slice(0, 5),
      ...all.slice(6, 20),
      { name: 'search', input: { term: 'once more' } },
      ...all.slice(20),
    ])
    const { text } = (await diff(client, { base, other })) ?? { text: '' }
    expect(text).toContain('29 pairs of steps, 0 of them differ; 1 steps in base alone, 1 in other')
    expect(text).toContain(`base alone: tool "search" ${base.ids[5]}`)
    expect(text).toContain(`other alone: tool "search" ${other.ids[19]}`)
  })

  test('finds a difference behind equal beginnings, and names its place', async () => {
    const client = await onFetch.newClient()
    const prompt = 'Be polite. '.repeat(500)
    const base = await sendThread(client, [{ name: 'chat', input: `${prompt}Then stop.` }])
    const other = await sendThread(client, [{ name: 'chat', input: `${prompt}Never stop.` }])
    const { text } = (await diff(client, { base, other })) ?? { text: '' }
    expect(text).toContain(`input from character ${prompt.length} on`)
    expect(text).toContain('Never stop.')
    const same = await diff(client, { base, other: base })
    expect(same?.text).toContain('Nothing differs in 1 pair of steps.')
  })

  test('of long runs that share little ends soon, and says what had no room', async () => {
    const client = await onFetch.newClient()
    const made = (seed: number) =>
      calls(2500, (index) => ({
        name: `kind ${(index * seed) % 97}`,
        input: `${seed} ${index}`,
      }))
    const base = await sendThread(client, made(7))
    const other = await sendThread(client, made(11))
    const answer = await diff(client, { base, other, budget: 1000 })
    expect(answer?.tokens).toBeLessThanOrEqual(1000)
    expect(answer?.text).toMatch(/\d+ more differences; ask with a larger budget/)
  })

  test('counts differences without room once, though failures are listed among all others too', async () => {
    const client = await onFetch.newClient()
    const failing = (name: string) =>
      calls(40, (index) => ({ name: `${name} ${index}`, error: `${name} failed` }))
    const base = await sendThread(client, failing('pack'))
    const other = await sendThread(client, failing('ship'))
    const { text } = (await diff(client, { base, other, budget: 600 })) ?? { text: '' }
    const shown = text.match(/^- (base|other) alone/gm)?.length ?? 0
    const more = [...text.matchAll(/^\((\d+) more difference/gm)].map(([, count]) => Number(count))
    expect(shown).toBeGreaterThan(0)
    expect(more).toEqual([80 - shown])
  })

  test('is null where one of the two does not exist', async () => {
    const client = await onFetch.newClient()
    const base = await sendThread(client, calls(1))
    expect(await diff(client, { base, other: { threadId: 'none' } })).toBeNull()
    expect(await diff(client, { base: { rootStepId: 'none' }, other: base })).toBeNull()
    await expect(diff(client, { base: {}, other: base })).rejects.toThrow('expected either')
  })
})

describe('query', () => {
  test('counts, splits and filters what was recorded', async () => {
    const client = await onFetch.newClient()
    await sendThread(
      client,
      calls(12, (index) => ({
        name: index % 3 === 0 ? 'book' : 'search',
        ...(index === 0 ? { error: 'full' } : {}),
      })),
    )
    const range = { from: '2026-10-31', to: '2026-11-02' }
    const all = await query(client, { subject: 'steps', ...range })
    expect(all.text).toMatch(/^all · 12 rows · 1 failed \(8.33 %\) · p50 10 ms/m)
    const split = await query(client, { subject: 'steps', by: 'name', ...range })
    expect(split.text).toMatch(/^name "search" · 8 rows ·/m)
    expect(split.text).toMatch(/^name "book" · 4 rows · 1 failed/m)
    const failed = await query(client, { subject: 'steps', query: 'error:any', ...range })
    expect(failed.text).toMatch(/^all · 1 rows/m)
    const none = await query(client, { subject: 'steps', from: '30m' })
    expect(none.text).toContain('no rows; is the range the right one?')
  })

  test('is cut to its budget, and refuses what no time is', async () => {
    const client = await onFetch.newClient()
    await sendThread(
      client,
      calls(60, () => ({ ms: 60_000 })),
    )
    const range = { from: '2026-11-01T00:00:00Z', to: '2026-11-01T01:00:00Z' }
    const { text } = await query(client, { subject: 'steps', buckets: 60, budget: 300, ...range })
    expect(text).toMatch(/\(\d+ lines more; ask with a larger budget or fewer buckets\)$/)
    for (const from of ['yesterday', '7x', '2026-99-99'])
      await expect(query(client, { subject: 'steps', from })).rejects.toThrow(
        'from: expected a time',
      )
  })
})

test('an export shows its first rows, its size and the way to all of it', async () => {
  const client = await onFetch.newClient()
  await sendThread(client, calls(100))
  const all = await exportRows(client, { list: 'steps', columns: ['id', 'name'], budget: 50_000 })
  expect(all.text.match(/"name":"search"/g)?.length).toBe(100)
  expect(all.text).toContain('100 rows, no more')
  const some = await exportRows(client, { list: 'steps', query: 'name=search', budget: 600 })
  expect(some.text).toMatch(/steps: 100 rows, about \d+ characters of JSONL/)
  expect(some.text).toContain(`${client.apiUrl}/api/export/steps.jsonl?query=name%3Dsearch`)
  const few = await exportRows(client, { list: 'steps', limit: 2, columns: ['id'] })
  expect(few.text).toContain('2 rows, no more')
  await expect(exportRows(client, { list: 'datasetItems', datasetId: 'x' })).rejects.toThrow()
})

describe('score', () => {
  test('is written on a step and on a thread that exist, and on nothing else', async () => {
    const client = await onFetch.newClient()
    const { threadId, ids } = await sendThread(client, calls(1))
    const stepId = ids[0] as string
    const one = await score(client, { stepId, name: 'right', value: 0, comment: 'wrong index' })
    expect(one?.text).toContain(`"right" 0 on step ${stepId}`)
    await score(client, { threadId, name: 'right', value: 1, type: 'HUMAN' })
    const { data } = await client.api.getScores()
    expect(data.map(({ value, type, comment }) => ({ value, type, comment }))).toEqual([
      { value: 1, type: 'HUMAN', comment: null },
      { value: 0, type: 'AI', comment: 'wrong index' },
    ])
    expect(await score(client, { stepId: 'none', name: 'right', value: 1 })).toBeNull()
    expect(await score(client, { threadId: 'none', name: 'right', value: 1 })).toBeNull()
    await expect(score(client, { name: 'right', value: 1 })).rejects.toThrow('expected either')
    expect((await client.api.getScores()).data.length).toBe(2)
  })

  test('is refused to a key that may only read', async () => {
    const { projectId, apiKey } = await onFetch.service.createProject('read only')
    const { rows } = await onFetch.service.operate({
      noun: 'key',
      verb: 'create',
      options: { project: projectId, scopes: 'read' },
    })
    const writer = await onFetch.newClient({ apiKey })
    const { ids } = await sendThread(writer, calls(1))
    const reader = await onFetch.newClient({ apiKey: rows[0]?.key ?? '' })
    for (const tool of tools.filter(({ writes }) => writes))
      await expect(
        tool.run(reader, { stepId: ids[0], name: 'right', value: 1 }),
      ).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect((await writer.api.getScores()).data).toEqual([])
  })
})

describe('the command line', () => {
  const printed = async (...args: string[]) => {
    const said = { stdout: '', stderr: '' }
    for (const stream of ['stdout', 'stderr'] as const)
      vi.spyOn(process[stream], 'write').mockImplementation((text) => {
        said[stream] += String(text)
        return true
      })
    try {
      return { status: await run(args), ...said }
    } finally {
      vi.restoreAllMocks()
    }
  }

  test('has every verb, as text and as JSON, with exit codes', async () => {
    const { apiKey } = await onSocket.service.createProject('verbs')
    const client = await onSocket.newClient({ apiKey })
    vi.stubEnv('STEPWELL_API_URL', client.apiUrl)
    vi.stubEnv('STEPWELL_API_KEY', apiKey)
    const { threadId, ids } = await sendThread(client, calls(30))
    const other = await sendThread(client, calls(29))
    for (const [args, shown] of [
      [['find', 'steps', 'name=search'], ids[0]],
      [['outline', threadId], ids[0]],
      [['read', ids[0]], 'term 0'],
      [['diff', threadId, other.threadId], ids[29]],
      [['query', 'steps', 'name=search', '--from', '2026-10-31', '--to=2026-11-02'], '59 rows'],
      [['export', 'steps', '--columns', 'id,name', '--limit', '3'], '3 rows, no more'],
      [['score', ids[0], '--name', 'right', '--value=-1', '--comment', 'no'], '"right" -1'],
      [['score', '--thread', threadId, '--name', 'right', '--value', '0.5'], '"right" 0.5'],
    ] as [string[], string][]) {
      const text = await printed(...args)
      expect(text, args.join(' ')).toMatchObject({ status: 0, stderr: '' })
      expect(text.stdout).toContain(shown)
      const { stdout } = await printed(...args, '--json')
      expect(JSON.parse(stdout).text, args.join(' ')).toContain(shown)
    }
    const cut = JSON.parse((await printed('find', 'steps', '--budget', '600', '--json')).stdout)
    expect(cut.tokens).toBeLessThanOrEqual(600)
    expect((await printed('find', 'steps', '--after', cut.next.after)).status).toBe(0)
    for (const args of [
      ['diff', threadId, 'none'],
      ['read', 'none'],
      ['score', 'none', '--name', 'right', '--value', '1'],
    ])
      expect((await printed(...args)).status, args.join(' ')).toBe(1)
    for (const args of [
      ['diff', threadId],
      ['query', 'rows'],
      ['score', ids[0] as string, '--value', '1'],
      ['score', ids[0] as string, '--name', 'right', '--value', 'high'],
      ['export', 'steps', '--limit', 'few'],
    ])
      expect(await printed(...args), args.join(' ')).toMatchObject({ status: 2, stdout: '' })
    for (const [args, message] of [
      [['query'], 'expected threads or runs or steps or generations or scores, got nothing'],
      [
        ['query', 'users'],
        'expected threads or runs or steps or generations or scores, got "users"',
      ],
      [['query', 'steps', '--by', 'models'], '--by: expected environment or model or'],
      [
        ['score', ids[0], '--name', 'right', '--value', '1', '--type', 'person'],
        '--type: expected HUMAN or CODE or AI, got "PERSON"',
      ],
    ] as [string[], string][])
      expect(await printed(...args), args.join(' ')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(`stepwell: ${message}`),
      })
    vi.unstubAllEnvs()
  })
})

describe('the relay of stepwell mcp', () => {
  const relayed = async (lines: readonly unknown[], fetch: typeof globalThis.fetch) => {
    const written: string[] = []
    const answer = relay({
      url: 'http://stepwell.test/mcp',
      apiKey: 'key',
      fetch,
      write: (line) => written.push(line),
    })
    await Promise.all(
      lines.map((line) => answer(typeof line === 'string' ? line : JSON.stringify(line))),
    )
    return written.map((line) => JSON.parse(line))
  }

  test('answers a line that is no message, and a service that is away, as errors of the protocol', async () => {
    const away = () =>
      Promise.reject(new TypeError('fetch failed', { cause: new Error('refused') }))
    expect(await relayed(['{', ''], away)).toMatchObject([{ id: null, error: { code: -32700 } }])
    expect(await relayed([{ jsonrpc: '2.0', id: 7, method: 'ping' }], away)).toEqual([
      {
        jsonrpc: '2.0',
        id: 7,
        error: { code: -32000, message: 'the service cannot be reached: refused' },
      },
    ])
    const refused = async () =>
      new Response('{"errors":[{"message":"no key"}]}', {
        status: 401,
        headers: { 'content-type': 'application/json' },
      })
    expect(await relayed([{ jsonrpc: '2.0', id: 8, method: 'ping' }], refused)).toMatchObject([
      { id: 8, error: { message: 'no key' } },
    ])
    expect(await relayed([{ jsonrpc: '2.0', method: 'notifications/initialized' }], away)).toEqual(
      [],
    )
  })

  test.each(['null', '5', '"ping"', '[]'])(
    'answers %s, which is no message, with an error, and goes on',
    async (line) => {
      const pong = async () => Response.json({ jsonrpc: '2.0', id: 9, result: {} })
      const [error, answer] = await relayed([line, { jsonrpc: '2.0', id: 9, method: 'ping' }], pong)
      expect(error).toMatchObject({ id: null, error: { code: -32600 } })
      expect(answer).toMatchObject({ id: 9, result: {} })
    },
  )

  test.each([
    ['an empty one of a proxy', 502, null, '', 502],
    ['a redirect, which would get the key', 302, null, '', 302],
    [
      'a stream that ends before the result',
      200,
      'data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n',
      'text/event-stream',
      200,
    ],
  ])('answers a request whose answer is %s', async (_, status, body, type, named) => {
    let redirect: unknown
    const broken: typeof globalThis.fetch = async (_url, init) => {
      redirect = init?.redirect
      return new Response(body, { status, headers: { 'content-type': type } })
    }
    const answers = await relayed([{ jsonrpc: '2.0', id: 7, method: 'ping' }], broken)
    expect(answers.at(-1)).toMatchObject({
      id: 7,
      error: { code: -32000, message: `the service answered ${named}, and no more` },
    })
    expect(redirect).toBe('manual')
  })

  test('a cancelled request ends without an answer', async () => {
    let isAborted = false
    const slow: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => {
          isAborted = true
          reject(init.signal?.reason)
        })
      })
    const cancelled = { method: 'notifications/cancelled', params: { requestId: 1 } }
    expect(
      await relayed([{ jsonrpc: '2.0', id: 1, method: 'tools/call' }, cancelled], slow),
    ).toEqual([])
    expect(isAborted).toBe(true)
  })

  test('names the revision, the method and the tool in headers, in ASCII', async () => {
    const seen: Headers[] = []
    const note: typeof globalThis.fetch = async (_, init) => {
      seen.push(new Headers(init?.headers))
      return new Response(null, { status: 202 })
    }
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
    await relayed(
      [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ü', _meta } }],
      note,
    )
    expect(seen[0]?.get('mcp-protocol-version')).toBe('2026-07-28')
    expect(seen[0]?.get('mcp-method')).toBe('tools/call')
    expect(seen[0]?.get('mcp-name')).toBe('=?base64?w7w=?=')
  })
})

test('the names of tools are those of the verbs', async () => {
  expect(tools.map(({ name }) => name)).toEqual([
    'find',
    'outline',
    'read',
    'diff',
    'query',
    'export',
    'score',
  ])
  expect([find, outline].every((verb) => typeof verb === 'function')).toBe(true)
})
