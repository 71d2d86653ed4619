import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import type { Domain } from '../src/domain/domain.js'
import type { Caller } from '../src/kernel/caller.js'
import { excerptOf } from '../src/kernel/excerpts/excerpt.js'
import { findExcerpts } from '../src/storage/excerpts/excerpts.js'
import { findThreads } from '../src/storage/threads.js'
import { useDomain } from './support/new-domain.js'

let db: Database
let domain: Domain
const made = useDomain()
beforeAll(() => {
  ;({ db, domain } = made)
})

const caller = { projectId: 'p', environment: 'prod', scopes: ['admin'] } as unknown as Caller
type Sent = Parameters<Domain['steps']['ingest']>[1]

const send = async (...steps: Sent) => {
  for (const { refusal } of await domain.steps.ingest(caller, steps)) expect(refusal).toBeNull()
}
const excerpt = async (id: string) => {
  const [row] = await findExcerpts(db, 'p', [id])
  return row === undefined ? undefined : { input: row.input, output: row.output }
}
const thread = async (id: string) => {
  await domain.threads.sumUp(caller, [id])
  const [row] = await findThreads(db, 'p', [id])
  return { first: row?.firstMessage, last: row?.lastMessage, error: row?.firstError }
}
/** Makes stored steps those of a version without excerpts. */
const forgetExcerpts = () =>
  sql`UPDATE steps SET input_excerpt = NULL, output_excerpt = NULL, gen_prompt_excerpt = NULL,
    gen_completion_excerpt = NULL, gen_messages_excerpt = NULL, gen_message_completion_excerpt = NULL`.execute(
    db,
  )

const asked = (content: string) => [{ role: 'user', content }]
const answered = (content: string) => ({ role: 'assistant', content })

test('a model call has the last message that was asked and the answer; a tool its arguments and its result', async () => {
  await send(
    {
      id: 'call',
      type: 'llm',
      input: { raw: 1 },
      generation: { messages: asked('Where?'), messageCompletion: answered('Here.') },
    },
    { id: 'completion', type: 'llm', generation: { prompt: 'Once upon', completion: 'a time' } },
    { id: 'tool', type: 'tool', input: { city: 'Rome' }, output: { bags: 3 } },
    { id: 'bare', type: 'run' },
  )
  expect(await excerpt('call')).toEqual({ input: 'Where?', output: 'Here.' })
  expect(await excerpt('completion')).toEqual({ input: 'Once upon', output: 'a time' })
  expect(await excerpt('tool')).toEqual({ input: 'city: Rome', output: 'bags: 3' })
  expect(await excerpt('bare')).toEqual({ input: null, output: null })
})

/** Values of a step in parts, each of which may be sent several times with other contents. */
const part = fc.oneof(
  ...(['input', 'output'] as const).map((field) =>
    fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 2 })).map((value) => ({ [field]: value })),
  ),
  fc.string().map((text) => ({ generation: { messages: asked(text) } })),
  fc.string().map((text) => ({ generation: { messageCompletion: answered(text) } })),
  fc.string().map((text) => ({ generation: { prompt: text } })),
  fc.string().map((text) => ({ generation: { completion: text } })),
)

let runs = 0
test('in any order of parts, late, repeated and cleared ones too, excerpts are those of the stored values', async () => {
  const parts = fc.array(fc.tuple(part, fc.integer({ min: 1, max: 20 }), fc.boolean()), {
    minLength: 1,
    maxLength: 8,
  })
  await fc.assert(
    fc.asyncProperty(parts, fc.boolean(), fc.boolean(), async (sent, isOrdered, isOld) => {
      const id = `parted-${++runs}`
      const batches: Record<string, unknown>[][] = [[]]
      for (const [value, sequence, isNew] of sent) {
        const order = isOrdered ? { sessionId: 'session', sequence } : {}
        if (isNew) batches.push([])
        batches.at(-1)?.push({ id, ...order, ...value })
      }
      for (const [index, batch] of batches.entries()) {
        if (batch.length > 0) await send(...(batch as unknown as Sent))
        if (isOld && index === 0) await forgetExcerpts()
      }
      const step = await domain.steps.find(caller, id)
      const of = (...values: unknown[]) => {
        const texts = values.flatMap((value) => (value == null ? [] : [excerptOf(value)]))
        return texts.find((text) => text !== '') ?? null
      }
      const { input, output } = (await excerpt(id)) ?? {}
      expect(input || null).toBe(of(step?.genMessages, step?.genPrompt, step?.input))
      expect(output || null).toBe(of(step?.genMessageCompletion, step?.genCompletion, step?.output))
    }),
    { numRuns: 60 },
  )
})

test('a cleared value takes its excerpt with it, and an update replaces it', async () => {
  await send({ id: 'changed', input: 'a secret', output: 'a secret' })
  await send({ id: 'changed', input: null })
  await domain.steps.update(caller, { id: 'changed', output: 'another' })
  expect(await excerpt('changed')).toEqual({ input: null, output: 'another' })
})

test('steps of a version without excerpts have them once they are read, of large values too', async () => {
  const long = 'x'.repeat(50_000)
  await send(
    { id: 'old', input: 'asked', output: 'answered' },
    { id: 'old call', generation: { messages: asked('Where?'), completion: 'a time' } },
    { id: 'old and large', input: long, output: { list: [long] } },
    { id: 'old and long', generation: { messages: [...asked(long), ...asked('Where?')] } },
    { id: 'old and very long', generation: { messages: [...asked('Where?'), ...asked(long)] } },
  )
  const ids = ['old', 'old call', 'old and large', 'old and long', 'old and very long']
  const before = await findExcerpts(db, 'p', ids)
  await forgetExcerpts()
  const byId = (rows: typeof before) => new Map(rows.map((row) => [row.id, row]))
  const after = byId(await findExcerpts(db, 'p', ids))
  // The beginning of a large value that is neither a text nor a message is that of its JSON.
  for (const row of before)
    if (row.id !== 'old and large') expect(after.get(row.id)).toEqual(row)
    else expect(after.get(row.id)?.input).toBe(row.input)
  const { rows } = await sql`SELECT 1 FROM steps WHERE input IS NOT NULL AND input_excerpt IS NULL
    AND id LIKE 'old%'`.execute(db)
  expect(rows).toEqual([])
})

test('a thread has its first message, its last answer and its first error', async () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
  await send(
    {
      id: 'a2',
      threadId: 'chat',
      type: 'assistant_message',
      output: 'And there.',
      startTime: at(4),
    },
    { id: 'u1', threadId: 'chat', type: 'user_message', output: 'Where?', startTime: at(1) },
    { id: 'f2', threadId: 'chat', type: 'tool', error: 'second', startTime: at(3) },
    { id: 'f1', threadId: 'chat', type: 'tool', error: 'first\n  of all', startTime: at(2) },
    { id: 'a1', threadId: 'chat', type: 'assistant_message', output: 'Here.', startTime: at(2) },
  )
  expect(await thread('chat')).toEqual({
    first: 'Where?',
    last: 'And there.',
    error: 'first of all',
  })
  await send({
    id: 'a3',
    threadId: 'chat',
    type: 'assistant_message',
    output: 'Yes.',
    startTime: at(5),
  })
  expect((await thread('chat')).last).toBe('Yes.')
})

test('a thread without messages has what its root step, or else its models, were asked and answered', async () => {
  await send(
    { id: 'root', threadId: 'trace', type: 'run', input: { question: 'Where?' }, output: 'Here.' },
    {
      id: 'inner',
      threadId: 'trace',
      parentId: 'root',
      type: 'llm',
      generation: { prompt: 'x', completion: 'y' },
    },
    {
      id: 'alone',
      threadId: 'calls',
      type: 'llm',
      generation: { messages: asked('One?'), messageCompletion: answered('1') },
    },
    { id: 'tool', threadId: 'tools', type: 'tool', input: { a: 1 }, output: 'b' },
  )
  expect(await thread('trace')).toMatchObject({ first: 'question: Where?', last: 'Here.' })
  expect(await thread('calls')).toMatchObject({ first: 'One?', last: '1' })
  expect(await thread('tools')).toEqual({ first: null, last: null, error: null })
})

const called = { role: 'assistant', tool_calls: [{ function: { name: 'look', arguments: '{}' } }] }
const result = { role: 'tool', content: '{"rows":[1,2]}' }

test.each([
  ['a tool of OpenAI', [...asked('Find it'), called, result]],
  [
    'a tool of Anthropic',
    [
      ...asked('Find it'),
      { role: 'assistant', content: [{ type: 'tool_use', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', content: '{"rows":[1,2]}' }] },
    ],
  ],
  [
    'a tool of Google',
    [
      { role: 'user', parts: [{ text: 'Find it' }] },
      { role: 'user', parts: [{ functionResponse: { response: { rows: [1, 2] } } }] },
    ],
  ],
])(
  'a thread whose first call ends with the result of %s begins with the words of a person',
  async (_, messages) => {
    await send(
      { id: `call ${_}`, threadId: `call ${_}`, type: 'llm', generation: { messages } },
      { id: `run ${_}`, threadId: `run ${_}`, type: 'run', input: { messages } },
      { id: `list ${_}`, threadId: `list ${_}`, type: 'run', input: messages as never },
    )
    for (const kind of ['call', 'run', 'list'])
      expect(await thread(`${kind} ${_}`)).toMatchObject({ first: 'Find it' })
  },
)

test('a thread whose first call has no words of a person begins with what there is', async () => {
  await send({
    id: 'nobody',
    threadId: 'nobody',
    type: 'llm',
    generation: { messages: [called, result, 5, null, 'x', [], { role: 7 }, result] },
  })
  expect(await thread('nobody')).toMatchObject({ first: '{"rows":[1,2]}' })
})

test('of a list above 100 kB, however little its repetitions take on the disk, the last message counts', async () => {
  const messages = (count: number) => [
    { role: 'user', content: 'Find it' },
    ...Array.from({ length: count }, () => ({ role: 'assistant', content: 'again '.repeat(1000) })),
    result,
  ]
  await send(
    { id: 'long', threadId: 'long', type: 'llm', generation: { messages: messages(10) } },
    { id: 'longer', threadId: 'longer', type: 'llm', generation: { messages: messages(100) } },
  )
  expect(await thread('long')).toMatchObject({ first: 'Find it' })
  expect(await thread('longer')).toMatchObject({ first: '{"rows":[1,2]}' })
})

test('the words of a deleted step are in no row any more, before its thread is read again', async () => {
  await send(
    { id: 'q', threadId: 'left', type: 'user_message', output: 'unheard-of' },
    {
      id: 'w',
      threadId: 'left',
      type: 'assistant_message',
      output: 'unheard-of',
      error: 'unheard-of',
    },
  )
  expect(await thread('left')).toEqual({
    first: 'unheard-of',
    last: 'unheard-of',
    error: 'unheard-of',
  })
  await domain.steps.delete(caller, 'q')
  await domain.steps.delete(caller, 'w')
  for (const table of ['steps', 'threads']) {
    const { rows } = await sql`SELECT id FROM ${sql.table(table)} AS one
      WHERE row_to_json(one)::text LIKE '%unheard-of%'`.execute(db)
    expect(rows).toEqual([])
  }
  expect(await thread('left')).toEqual({ first: null, last: null, error: null })
})
