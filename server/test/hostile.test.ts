import { randomBytes } from 'node:crypto'
import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { post } from './support/ask.js'

// To any request, the answer is not a 5xx or a fault of the service, and names what was wrong.
let service: Service
const faults: unknown[] = []
beforeAll(async () => {
  service = await createService({ apiKey: 'k', onError: (error) => faults.push(error) })
})
afterAll(() => service?.close())

const send = async (body: unknown, path = '/api/graphql', headers: Record<string, string> = {}) => {
  const answer = await post(service, path, body, { 'x-api-key': 'k', ...headers })
  expect(faults, JSON.stringify(answer.body).slice(0, 300)).toEqual([])
  expect(answer.status).toBeLessThan(500)
  return answer
}
const ask = (query: string, variables: unknown = {}) => send({ query, variables })
const messageOf = ({ body }: { body: { errors?: { message: string }[] } }) =>
  body.errors?.[0]?.message ?? ''

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const INGEST =
  'mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message accepted refused { index id message } } }'

test.each([
  [
    'pages of many fields',
    `{ ${Array.from({ length: 10 }, (_, page) => `p${page}: steps(first: 1000) { edges { node { ${Array.from({ length: 90 }, (_, at) => `a${at}: name b${at}: id`).join(' ')} } } }`).join(' ')} }`,
  ],
  [
    'figures of many times',
    `{ metrics(subject: steps, from: "2026-01-01", to: "2026-02-01", buckets: 500) { series { ${Array.from({ length: 50 }, (_, at) => `b${at}: buckets { ${Array.from({ length: 30 }, (_, place) => `c${place}: count`).join(' ')} }`).join(' ')} } } }`,
  ],
  [
    'long lists of ids',
    `{ ${Array.from({ length: 20 }, (_, at) => `s${at}: stepsById(ids: [${Array.from({ length: 200 }, () => '"x"')}]) { ${Array.from({ length: 100 }, (_, place) => `a${place}: name b${place}: id`).join(' ')} }`).join(' ')} }`,
  ],
])('a short document with %s asks for more values than an answer may have', async (_, query) => {
  expect(messageOf(await ask(query))).toContain('asks for more than 500,000 values')
})

test('the values of a document are those of the sizes that its variables have', async () => {
  const fields = Array.from({ length: 90 }, (_, at) => `a${at}: name b${at}: id`).join(' ')
  const query = `query ($first: Int = 1000) { ${Array.from({ length: 10 }, (_, page) => `p${page}: steps(first: $first) { edges { node { ${fields} } } }`).join(' ')} }`
  expect((await ask(query, { first: 20 })).body).toHaveProperty('data.p9.edges')
  for (const variables of [{ first: 1000 }, {}])
    expect(messageOf(await ask(query, variables))).toContain('asks for more than 500,000 values')
  // Sizes that no page may have keep their own errors, and take nothing from the others.
  for (const first of [-5, 1_000_000_000])
    expect(messageOf(await ask(`{ steps(first: ${first}) { edges { node { id } } } }`))).toContain(
      'first:',
    )
  const outline = '{ outline(threadId: "none", first: 2000000000) { stepCount } }'
  expect((await ask(outline)).body).toEqual({ data: { outline: null } })
})

describe('bodies', () => {
  test.each([
    ['nothing', '', 'body'],
    ['garbage', '\u0000\u0001{', 'body: expected JSON'],
    ['half a body', '{"query": "{ steps', 'body: expected JSON'],
    ['a list', '[]', 'body: expected a JSON object'],
    ['null', 'null', 'body: expected a JSON object'],
    ['no query', '{}', 'query: expected'],
    ['a number as query', '{"query": 5}', 'query: expected'],
    [
      'a list as variables',
      '{"query": "{ steps { totalCount } }", "variables": []}',
      'variables: expected',
    ],
    [
      'a number as operation',
      '{"query": "{ steps { totalCount } }", "operationName": 5}',
      'operationName: expected',
    ],
    [
      'an operation that is not there',
      '{"query": "{ steps { totalCount } }", "operationName": "x"}',
      'operationName: expected',
    ],
    ['a document that breaks off', '{"query": "{ steps("}', 'Syntax Error'],
    ['an unknown field', '{"query": "{ nothing }"}', 'nothing'],
    ['a very deep body', deep(100_000), 'body'],
    ['a very deep document', JSON.stringify({ query: '{a'.repeat(20_000) }), 'deep'],
    [
      'a very deep literal',
      JSON.stringify({ query: `mutation { ingestStep(id: "a", input: ${deep(20_000)}) { ok } }` }),
      'deep',
    ],
    [
      'a list inside itself',
      JSON.stringify({
        query: '{ threads { edges { node { steps { thread { steps { thread { id } } } } } } } }',
      }),
      'inside itself',
    ],
    [
      'fragments that multiply',
      JSON.stringify({
        query: `{ ...a0 } ${Array.from({ length: 20 }, (_, n) => `fragment a${n} on Query { ...a${n + 1} ...a${n + 1} }`).join(' ')} fragment a20 on Query { steps { totalCount } }`,
      }),
      'more than',
    ],
  ])('%s', async (_, body, message) => {
    const answer = await send(body)
    expect(answer.status).toBe(400)
    expect(messageOf(answer)).toContain(message)
  })

  test('bytes that are not UTF-8', async () => {
    expect(messageOf(await send(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])))).toContain('UTF-8')
  })

  test('a body over the limit is rejected, by its length and while it is read', async () => {
    const small = await createService({ apiKey: 'k', limits: { requestBytes: 1000 } })
    const query = '{ steps { totalCount } }'
    const long = { query, variables: { padding: 'x'.repeat(2000) } }
    expect((await post(small, '/api/graphql', long, { 'x-api-key': 'k' })).status).toBe(413)
    const stream = new Blob([JSON.stringify(long)]).stream()
    const response = await small.fetch('http://x/api/graphql', {
      method: 'POST',
      headers: { 'x-api-key': 'k' },
      body: stream,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
    expect((await post(small, '/api/graphql', { query }, { 'x-api-key': 'k' })).status).toBe(200)
    await small.close()
  })

  test('methods and paths without a route', async () => {
    expect((await service.fetch('http://x/api/graphql')).status).toBe(405)
    expect((await service.fetch('http://x/nothing')).status).toBe(404)
    expect(
      (
        await service.fetch('http://x//api//graphql', {
          method: 'POST',
          headers: { 'x-api-key': 'k' },
          body: '{"query":"{ steps { totalCount } }"}',
        })
      ).status,
    ).toBe(200)
  })

  test('an unknown environment is rejected, and the message lists the known ones', async () => {
    const answer = await send({ query: '{ steps { totalCount } }' }, '/api/graphql', {
      'x-env': 'moon',
    })
    expect(answer.status).toBe(400)
    expect(messageOf(answer)).toContain('dev, staging, prod, experiment')
  })
})

describe('values', () => {
  const bad: [string, Record<string, unknown>, string][] = [
    ['no id', { name: 'x' }, 'id'],
    ['an empty id', { id: '' }, 'id: expected'],
    ['a number as id', { id: 5 }, 'id'],
    ['a long id', { id: 'x'.repeat(513) }, 'id: expected'],
    ['a bad type', { id: 'a', type: 'thought' }, 'type'],
    ['a bad moment', { id: 'a', startTime: '2026-02-30' }, 'startTime'],
    ['a moment out of range', { id: 'a', endTime: '99999-01-01T00:00:00Z' }, 'endTime'],
    [
      'a large output',
      { id: 'a', output: { x: 'x'.repeat(3_000_001) } },
      'output: expected at most 3000000 bytes',
    ],
    [
      'large metadata',
      { id: 'a', metadata: { x: 'ü'.repeat(500_001) } },
      'metadata: expected at most 1000000 bytes',
    ],
    ['a name of 10 MB', { id: 'a', name: 'x'.repeat(10_000_000) }, 'name: expected at most'],
    ['too deep an input', { id: 'a', input: JSON.parse(deep(501)) }, 'input'],
    ['a fraction of a token', { id: 'a', generation: { tokenCount: 1.5 } }, 'tokenCount'],
    ['a score without a value', { id: 'a', scores: [{ name: 'x', type: 'AI' }] }, 'scores'],
    ['an attachment without an id', { id: 'a', attachments: [{ name: 'x' }] }, 'attachments'],
    ['an unknown member', { id: 'a', colour: 'red' }, 'colour'],
    ['an unknown environment', { id: 'a', environment: 'moon' }, 'environment'],
  ]

  test.each(bad)(
    'a step with %s is rejected alone, with the field',
    async (what, step, message) => {
      const { body } = await ask(INGEST, {
        steps: [{ id: `before ${what}` }, step, { id: `after ${what}` }],
      })
      expect(body.data.ingestSteps).toMatchObject({
        ok: false,
        accepted: 2,
        refused: [{ index: 1 }],
      })
      expect(body.data.ingestSteps.refused[0].message).toContain(message)
    },
  )

  test('NUL and lone surrogates come back unchanged, wherever they are', async () => {
    const odd = 'a\u0000b\ud800c\udfffd\ufdd0e 😀'
    const step = {
      id: odd,
      threadId: odd,
      name: odd,
      error: odd,
      tags: [odd],
      metadata: { [odd]: odd },
      input: { content: odd },
      generation: { model: odd, prompt: odd },
      scores: [{ name: odd, type: 'AI', value: 1 }],
      attachments: [{ id: odd, name: odd }],
    }
    expect((await ask(INGEST, { steps: [step] })).body.data.ingestSteps.ok).toBe(true)
    const query =
      'query($id: String!, $filters: [stepsInputType!]) { step(id: $id) { id threadId name error tags metadata input generation { model prompt } scores { name } attachments { id name } } steps(filters: $filters) { edges { cursor node { id } } } }'
    const { body } = await ask(query, {
      id: odd,
      filters: [
        { field: 'name', operator: 'ilike', value: odd },
        { field: 'tags', operator: 'in', value: [odd] },
        { field: 'input', operator: 'eq', path: 'content', value: odd },
      ],
    })
    expect(body.data.step).toEqual({
      ...step,
      scores: [{ name: odd }],
      attachments: [{ id: odd, name: odd }],
    })
    expect(body.data.steps.edges[0].node.id).toBe(odd)
    const next = await ask('query($after: ID) { steps(after: $after) { totalCount } }', {
      after: body.data.steps.edges[0].cursor,
    })
    expect(next.status).toBe(200)
  })

  test('a text with JSON that nests too deeply stays a text', async () => {
    const text = `{"a":${deep(6000)}}`
    expect(
      (await ask(INGEST, { steps: [{ id: 'deep text', output: text }] })).body.data.ingestSteps.ok,
    ).toBe(true)
    expect((await ask('{ step(id: "deep text") { output } }')).body.data.step.output).toEqual({
      content: text,
    })
  })

  test('a number that none of JavaScript equals is refused with its field, and makes nothing unreadable', async () => {
    const huge = (query: string, variables: object) =>
      send(JSON.stringify({ query, variables }).replaceAll('"1e400"', '1e400'))
    const steps = [
      { id: 'finite', input: { n: 1e308 } },
      { id: 'huge', input: { n: ['1e400'] } },
    ]
    const { body } = await huge(INGEST, { steps })
    expect(body.data.ingestSteps).toMatchObject({ accepted: 1, refused: [{ id: 'huge' }] })
    expect(body.data.ingestSteps.refused[0].message).toMatch(/input.*expected JSON with numbers up/)
    const dataset = (await ask('mutation { createDataset(name: "huge") { id } }')).body.data
      .createDataset.id
    const item =
      'mutation ($id: String!, $input: Json!) { createDatasetItem(datasetId: $id, input: $input) { id } }'
    for (const input of ['1e400', { n: '1e400' }])
      expect(messageOf(await huge(item, { id: dataset, input }))).toMatch(
        /\$input.*expected JSON with numbers up/,
      )
    const literal = `mutation { createDatasetItem(datasetId: "${dataset}", input: -1e400) { id } }`
    expect(messageOf(await ask(literal))).toContain('expected JSON with numbers up')
    await huge(item, { id: dataset, input: '{"n": 1e400}' })
    const read = await ask(
      'query ($id: String!) { dataset(id: $id) { items { edges { node { input } } } } }',
      {
        id: dataset,
      },
    )
    expect(read.body.data.dataset.items.edges).toEqual([
      { node: { input: { content: '{"n": 1e400}' } } },
    ])
  })

  test.each([
    ['{ metrics(subject: steps, from: "2026-01-01",\n to: "then") { bucketSeconds } }', 6],
    ['mutation { ingestStep(id: "a",\n output: { n: 1e400 }) { ok } }', 10],
  ])('%j has a value that is refused with its line and column', async (query, column) => {
    const { body } = await ask(query)
    expect(body.errors).toMatchObject([{ locations: [{ line: 2, column }] }])
  })

  test('keys with a meaning in JavaScript are keys like any other', async () => {
    const metadata = JSON.parse('{"__proto__": {"a": 1}, "constructor": "c", "toString": null}')
    await ask('mutation($m: Json) { upsertThread(id: "proto", metadata: $m) { id } }', {
      m: metadata,
    })
    const { body } = await ask('{ threadDetail(id: "proto") { metadata } }')
    expect(Object.keys(body.data.threadDetail.metadata)).toEqual(['__proto__', 'constructor'])
  })

  test('sums of tokens stop at 32 bits', async () => {
    const generation = { inputTokenCount: 2_147_483_647, outputTokenCount: 2_147_483_647 }
    await ask(INGEST, { steps: [{ id: 'huge', threadId: 'huge', generation }] })
    const { body } = await ask(
      '{ step(id: "huge") { generation { tokenCount } } threadDetail(id: "huge") { tokenCount } }',
    )
    expect(body).toEqual({
      data: {
        step: { generation: { tokenCount: 2_147_483_647 } },
        threadDetail: { tokenCount: 2_147_483_647 },
      },
    })
  })

  test.each([
    ['{ participant { id } }', 'id, identifier'],
    ['{ promptVersion { id } }', 'id, name'],
    ['mutation { createParticipant(identifier: "") { id } }', 'identifier'],
    ['mutation { createDataset(name: "") { id } }', 'name'],
    ['mutation { createScore(name: "x", type: AI, value: 1) { id } }', 'stepId'],
    ['mutation { createDatasetExperiment(name: "x", params: "text") { id } }', 'params'],
    [
      'mutation { createPromptVersion(lineageId: "x", templateMessages: ["text"]) { id } }',
      'templateMessages[0]',
    ],
    [
      'mutation { createPromptVersion(lineageId: "nobody", templateMessages: []) { id } }',
      'nobody',
    ],
    ['mutation { updateStep(id: "nobody") { id } }', 'nobody'],
    ['mutation { updateScore(id: "nobody", value: 1) { id } }', 'nobody'],
    ['mutation { deleteDataset(id: "nobody") { id } }', 'nobody'],
    ['mutation { addStepToDataset(datasetId: "nobody", stepId: "x") { id } }', 'nobody'],
  ])('%s is rejected with the reason', async (query, message) => {
    const answer = await ask(query)
    expect(messageOf(answer)).toContain(message)
    expect(answer.status).toBe(200)
  })

  test.each(['deleteStep', 'deleteThread', 'deleteScore', 'deleteAttachment'])(
    '%s of a missing id is null, without an error',
    async (field) => {
      expect((await ask(`mutation { ${field}(id: "nobody") { id } }`)).body).toEqual({
        data: { [field]: null },
      })
    },
  )
})

test('a batch of any length is one batch: every rejected step is counted, and the first ten thousand are named', async () => {
  const { body } = await ask(INGEST, { steps: Array.from({ length: 150_000 }, () => null) })
  expect(body.data.ingestSteps).toMatchObject({ ok: false, accepted: 0 })
  expect(body.data.ingestSteps.message).toContain('150000 of 150000 steps were rejected')
  expect(body.data.ingestSteps.refused.map(({ index }: { index: number }) => index)).toEqual(
    Array.from({ length: 10_000 }, (_, index) => index),
  )
})

test('a wrong literal is rejected alone, and a variable that others use too is wrong for all', async () => {
  const literal = await ask(
    `mutation($d: Json) { a: ingestStep(id: "lit-a") { ok } b: ingestStep(id: "lit-b", input: { x: ${'[ '.repeat(300)}$d${' ]'.repeat(300)} }) { ok message } c: ingestStep(id: "lit-c") { ok } }`,
    { d: JSON.parse(deep(300)) },
  )
  expect(literal.body.data ?? null).not.toEqual(expect.objectContaining({ b: { ok: true } }))
  expect((await ask('{ step(id: "lit-b") { id } }')).body.data.step).toBeNull()
  const shared = await ask(
    'mutation($x: String!) { a: ingestStep(id: $x) { ok } b: createThread(name: $x) { id } }',
    { x: 5 },
  )
  expect(shared.status).toBe(400)
  const twice = await ask(
    'mutation($s: [StepInput!]!) { a: ingestSteps(steps: $s) { accepted } b: ingestSteps(steps: $s) { accepted } }',
    { s: [{ id: 'twice' }] },
  )
  expect(twice.body.data).toEqual({ a: { accepted: 1 }, b: { accepted: 1 } })
  const byDefault = await ask(
    'mutation($name: String = "given") { ingestStep(id: "default", name: $name) { ok } }',
  )
  expect(byDefault.body.data.ingestStep.ok).toBe(true)
  expect((await ask('{ step(id: "default") { name } }')).body.data.step.name).toBe('given')
})

test('a search through a large text takes no longer for a long pattern', async () => {
  await ask(INGEST, { steps: [{ id: 'large', output: { x: 'a'.repeat(2_900_000) } }] })
  const search = async (value: string) => {
    const { body } = await ask(
      'query($f: [stepsInputType!]) { steps(filters: $f) { edges { node { id } } } }',
      { f: [{ field: 'output', operator: 'ilike', value }] },
    )
    return body.data.steps.edges.length
  }
  expect(await search(`${'A'.repeat(5000)}b`)).toBe(0)
  expect(await search('A'.repeat(5000))).toBe(1)
})

test('a step that moves to another thread leaves the first one, with its participant', async () => {
  const upsert =
    'mutation($id: String!, $p: String) { upsertThread(id: $id, participantId: $p) { id } }'
  await ask(upsert, { id: 'from', p: 'ada' })
  await ask(upsert, { id: 'to', p: null })
  await ask(INGEST, { steps: [{ id: 'mover', threadId: 'from', generation: { tokenCount: 10 } }] })
  expect(
    (await ask('{ threadDetail(id: "from") { tokenCount } }')).body.data.threadDetail.tokenCount,
  ).toBe(10)
  await ask(INGEST, {
    steps: [
      { id: 'mover', threadId: null },
      { id: 'mover', threadId: 'to' },
    ],
  })
  const { body } = await ask(
    '{ from: threadDetail(id: "from") { tokenCount } to: threadDetail(id: "to") { tokenCount } steps(filters: [{ field: "participantIdentifiers", operator: "in", value: ["ada"] }]) { edges { node { id } } } }',
  )
  expect(body.data).toEqual({
    from: { tokenCount: null },
    to: { tokenCount: 10 },
    steps: { edges: [] },
  })
})

test.each([4000, 40_000])(
  'a text of %i characters that an index has whole is refused with its field, and keeps nothing else out',
  async (characters) => {
    const long = randomBytes(characters / 2).toString('hex')
    const score = { name: 'quality', type: 'HUMAN', value: 1 }
    const { body } = await ask(INGEST, {
      steps: [
        { id: 'tags', tags: ['a', long] },
        { id: 'whole', tags: ['a'] },
        { id: 'call', generation: { type: 'CHAT', tags: [long] } },
        { id: 'score', scores: [{ ...score, tags: [long] }] },
        { id: 'named', scores: [{ ...score, name: long }] },
      ],
    })
    const { accepted, refused } = body.data.ingestSteps
    expect(accepted).toBe(1)
    expect(refused.map(({ id }: { id: string }) => id)).toEqual(['tags', 'call', 'score', 'named'])
    const fields = characters > 10_000 ? ['tags'] : ['tags', 'generation', 'scores', 'scores']
    for (const [at, { message }] of refused.entries())
      expect(message).toMatch(
        new RegExp(`^${fields[at] ?? 'tags'}: expected .* of at most 2700 bytes when packed`),
      )
    const thread = await ask('mutation($t: [String!]) { upsertThread(id: "t", tags: $t) { id } }', {
      t: [long],
    })
    const named = await ask(
      'mutation($n: String!) { createScore(name: $n, type: HUMAN, value: 1, stepId: "whole") { id } }',
      { n: long },
    )
    for (const answer of [thread, named])
      expect(answer.body.errors?.[0].extensions.code).toBe('TOO_LARGE')
  },
)

test('when two take one identifier at once, one gets it, the other an error', async () => {
  const create = async (identifier: string) =>
    (
      await ask('mutation($i: String!) { createParticipant(identifier: $i) { id } }', {
        i: identifier,
      })
    ).body.data.createParticipant.id
  const [a, b] = [await create('one'), await create('two')]
  const rename = (id: string) =>
    ask('mutation($id: String!) { updateParticipant(id: $id, identifier: "same") { id } }', { id })
  const answers = await Promise.all([rename(a), rename(b)])
  expect(answers.map(({ body }) => body.errors?.[0].extensions.code ?? 'ok').sort()).toEqual([
    'CONFLICT',
    'ok',
  ])
})

test('REST calls with wrong members are refused with the field', async () => {
  expect(messageOf(await send({}, '/api/export/dataset'))).toContain('id, name')
  expect(messageOf(await send({ id: [] }, '/api/export/dataset'))).toContain(
    'id: expected a string',
  )
  expect(messageOf(await send({ fileName: 5 }, '/api/upload/file'))).toContain(
    'fileName: expected a string',
  )
  expect(messageOf(await send('[', '/api/upload/file'))).toContain('body: expected JSON')
})
