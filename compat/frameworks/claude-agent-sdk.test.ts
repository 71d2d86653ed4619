import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createSdkMcpServer,
  type Options,
  query,
  type SDKMessage,
  type SDKUserMessage,
  tool,
} from '@anthropic-ai/claude-agent-sdk'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { recordQuery } from '../../src/hooks/claude-agent-sdk/index.js'
import { type Recording, recordInMemory } from '../../src/testing/index.js'
import { json, type Play, useModelServer } from '../../test/support/model-server.js'
import { begins, says, text, use } from '../support/claude.js'
import { outline, sameWithAndWithout, withoutVarying } from './support.js'

const server = useModelServer()
const question = 'Where is my order?'
const home = mkdtempSync(join(tmpdir(), 'stepwell-claude-'))
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }))

const optionsOf = (recording: Recording | undefined, more: Options = {}): Options => ({
  cwd: home,
  tools: [],
  settingSources: [],
  persistSession: false,
  allowedTools: ['mcp__shop__weather', 'Agent'],
  mcpServers: {
    shop: createSdkMcpServer({
      name: 'shop',
      version: '1.0.0',
      tools: [
        tool('weather', 'The weather of a city', { city: z.string() }, async ({ city }) => {
          if (city === 'Atlantis') throw new Error('no such city')
          const look = async () => `Rain in ${city}`
          const seen = await (recording === undefined
            ? look()
            : recording.stepwell.trace('look', look))
          return { content: [{ type: 'text', text: seen }] }
        }),
      ],
    }),
  },
  env: {
    PATH: process.env.PATH,
    HOME: home,
    ANTHROPIC_API_KEY: 'key',
    ANTHROPIC_BASE_URL: server.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  },
  ...more,
})
const queryOf = (recording: Pick<Recording, 'stepwell'> | undefined): typeof query =>
  recording === undefined ? query : recordQuery(recording.stepwell, query)

/** Returns the part of messages that does not differ from run to run. */
const shown = (message: SDKMessage): unknown => {
  if (message.type === 'assistant' || message.type === 'user')
    return [
      message.type,
      message.parent_tool_use_id,
      withoutVarying(JSON.stringify(message.message.content)),
    ]
  if (message.type === 'stream_event') return [message.type, message.event]
  return message.type === 'result'
    ? [message.type, message.subtype, message.is_error, message.usage.output_tokens]
    : message.type
}
const read = async (messages: AsyncIterable<SDKMessage>): Promise<unknown[]> => {
  const all: unknown[] = []
  for await (const message of messages) if (message.type !== 'system') all.push(shown(message))
  return all
}
const ask = (plays: readonly Play[], more: Options = {}) =>
  sameWithAndWithout(server, plays, (recording) =>
    read(queryOf(recording)({ prompt: question, options: optionsOf(recording, more) })),
  )
const calls = ({ steps }: Pick<Recording, 'steps'>) => steps.filter(({ type }) => type === 'llm')
const total = (recording: Pick<Recording, 'steps'>) =>
  calls(recording).reduce((sum, { generation }) => sum + (generation?.tokenCount ?? 0), 0)

const TOOLS = [
  says(
    text('Looking.'),
    use('toolu_1', 'mcp__shop__weather', { city: 'Oslo' }),
    use('toolu_2', 'mcp__shop__weather', { city: 'Rome' }),
  ),
  says(text('On its way.')),
]

test('a question and its answer: a run with one call, whose tokens are those of the result', async () => {
  const recording = await ask([says(text('On its way.'))])
  expect(recording.steps).toMatchObject([
    {
      type: 'run',
      name: 'claude',
      isOpen: false,
      error: undefined,
      input: { prompt: question },
      output: { result: 'On its way.' },
      metadata: { claude: { turns: 1, stopReason: 'end_turn' } },
    },
    {
      type: 'llm',
      name: 'chat claude-sonnet-4-5-20250929',
      isOpen: false,
      generation: {
        type: 'CHAT',
        provider: 'anthropic',
        messages: [{ role: 'user', content: question }],
        messageCompletion: { role: 'assistant', content: 'On its way.' },
        usage: { input: 10, cached: 3, cacheWrite: 2, output: 5, total: 20 },
      },
    },
  ])
})

for (const includePartialMessages of [false, true])
  test(`parallel tools ${includePartialMessages ? 'with' : 'without'} events: a tree, with the tokens of the result, and code in a tool is inside the tool`, async () => {
    const recording = await ask(TOOLS, { includePartialMessages })
    expect(outline(recording.tree())).toEqual([
      'claude (run)',
      `  chat claude-sonnet-4-5-20250929 (llm) ${includePartialMessages ? 20 : 15} tokens`,
      '  mcp__shop__weather (tool)',
      '    look',
      '  mcp__shop__weather (tool)',
      '    look',
      `  chat claude-sonnet-4-5-20250929 (llm) ${includePartialMessages ? 20 : 15} tokens`,
      ...(includePartialMessages ? [] : ['  tokens of no shown call (llm) 10 tokens']),
    ])
    expect(total(recording)).toBe(40)
    const [first, second] = calls(recording)
    expect(first?.generation?.messageCompletion).toMatchObject({
      content: 'Looking.',
      tool_calls: [{ id: 'toolu_1' }, { id: 'toolu_2' }],
    })
    expect(second?.generation?.messages).toMatchObject([
      { role: 'user', content: question },
      { role: 'assistant', tool_calls: [{}, {}] },
      { role: 'tool', tool_call_id: 'toolu_1' },
      { role: 'tool', tool_call_id: 'toolu_2' },
    ])
    expect(recording.steps.find(({ type }) => type === 'tool')).toMatchObject({
      input: { city: 'Oslo' },
      output: { output: 'Rain in Oslo' },
      isOpen: false,
    })
    if (includePartialMessages) expect(first?.generation?.ttFirstToken).toBeGreaterThan(0)
  })

test('a subagent: its calls and tools are inside the tool that began it', async () => {
  const options = {
    tools: ['Agent'],
    agents: {
      expert: { description: 'Knows', prompt: 'You know.', tools: ['mcp__shop__weather'] },
    },
  }
  const recording = await ask(
    [
      says(
        use('toolu_a', 'Agent', {
          description: 'look',
          prompt: 'Look there.',
          subagent_type: 'expert',
          run_in_background: false,
        }),
      ),
      says(use('toolu_b', 'mcp__shop__weather', { city: 'Oslo' })),
      says(text('Rain.')),
      says(text('On its way.')),
    ],
    options,
  )
  expect(outline(recording.tree())).toEqual([
    'claude (run)',
    '  chat claude-sonnet-4-5-20250929 (llm) 15 tokens',
    '  Agent (tool)',
    '    chat claude-sonnet-4-5-20250929 (llm) 15 tokens',
    '    mcp__shop__weather (tool)',
    '      look',
    '  chat claude-sonnet-4-5-20250929 (llm) 15 tokens',
    '  tokens of no shown call (llm) 35 tokens',
  ])
  expect(total(recording)).toBe(80)
  expect(calls(recording)[1]?.generation?.messages).toMatchObject([
    { role: 'user', content: 'Look there.' },
  ])
})

test('several turns of one query are runs of their own, with the tokens of each', async () => {
  const recording = await sameWithAndWithout(
    server,
    [says(text('Today.')), says(text('At noon.'))],
    async (recording) => {
      let next = () => {}
      const first = new Promise<void>((resolve) => {
        next = resolve
      })
      async function* prompt(): AsyncGenerator<SDKUserMessage> {
        const said = (content: string): SDKUserMessage => ({
          type: 'user',
          message: { role: 'user', content },
          parent_tool_use_id: null,
        })
        yield said('When?')
        await first
        yield said('At which hour?')
      }
      const results: unknown[] = []
      for await (const message of queryOf(recording)({
        prompt: prompt(),
        options: optionsOf(recording),
      }))
        if (message.type === 'result') {
          results.push(shown(message))
          next()
        }
      return results
    },
  )
  expect(recording.steps.map(({ type, input, output }) => [type, input ?? output])).toEqual([
    ['run', { prompt: 'When?' }],
    ['llm', undefined],
    ['run', { prompt: 'At which hour?' }],
    ['llm', undefined],
  ])
  const starts = recording.steps.map(({ startTime }) => startTime)
  expect(starts).toEqual([...starts].sort())
  expect(recording.steps[3]?.generation).toMatchObject({
    messages: [{ content: 'When?' }, { content: 'Today.' }, { content: 'At which hour?' }],
    tokenCount: 20,
  })
})

test('a tool that fails has the error', async () => {
  const recording = await ask([
    says(use('toolu_1', 'mcp__shop__weather', { city: 'Atlantis' })),
    says(text('No.')),
  ])
  expect(recording.steps.find(({ type }) => type === 'tool')).toMatchObject({
    error: expect.stringContaining('no such city'),
  })
})

test('an error of the model is that of the call and of the run; a repetition after 429 is noted at the call', async () => {
  const error = (message: string) => ({ type: 'error', error: { type: 'x', message } })
  const failed = await ask([json(error('Too long'), 400)])
  expect(failed.steps).toMatchObject([
    { type: 'run', error: expect.stringContaining('Too long') },
    { type: 'llm', error: expect.stringContaining('Too long') },
  ])
  const saved = await ask([json(error('Slow down'), 429, { 'retry-after': '0' }), TOOLS[1] as Play])
  expect(saved.steps).toMatchObject([
    { type: 'run', error: undefined },
    {
      type: 'llm',
      error: undefined,
      generation: { tokenCount: 20 },
      metadata: { retries: [{ attempt: 1, status: 429 }] },
    },
  ])
})

test('a query that is aborted has failed, one that is left has not, and both keep what came', async () => {
  const run = (how: 'abort' | 'leave') =>
    sameWithAndWithout(server, [begins('On its')], async (recording) => {
      const abortController = new AbortController()
      const options = optionsOf(recording, { abortController, includePartialMessages: true })
      for await (const message of queryOf(recording)({ prompt: question, options }))
        if (message.type === 'stream_event' && message.event.type === 'content_block_delta')
          if (how === 'leave') break
          else abortController.abort()
    })
  const came = { messageCompletion: { role: 'assistant', content: 'On its' } }
  expect((await run('abort')).steps).toMatchObject([
    { type: 'run', isOpen: false, error: expect.stringMatching(/abort/i) },
    { type: 'llm', isOpen: false, error: expect.stringMatching(/abort/i), generation: came },
  ])
  expect((await run('leave')).steps).toMatchObject([
    { type: 'run', isOpen: false, error: undefined, metadata: { ended: 'cancelled' } },
    { type: 'llm', isOpen: false, error: undefined, generation: came },
  ])
})

test('a session is a thread where the application wants it', async () => {
  server.plays(says(text('On its way.')))
  const { stepwell, steps, threads } = recordInMemory()
  const recorded = recordQuery(stepwell, query, { threads: true })
  let session: string | undefined
  for await (const message of recorded({ prompt: question, options: optionsOf(undefined) }))
    if (message.type === 'result') session = message.session_id
  expect(session).toBeDefined()
  expect(steps.map(({ threadId }) => threadId)).toEqual([session, session])
  expect(threads.map(({ id }) => id)).toEqual([session])
})

test('a process that ends in the middle leaves the step with what came', async () => {
  server.plays(begins('On its'))
  const { stepwell, steps } = recordInMemory()
  const options = optionsOf(undefined, { includePartialMessages: true })
  const messages = recordQuery(stepwell, query)({ prompt: question, options })
  for (let event = ''; event !== 'content_block_delta'; ) {
    const { value } = await messages.next()
    if (value?.type === 'stream_event') event = value.event.type
  }
  stepwell.recorder.recordOpen('the process ended')
  expect(steps).toMatchObject([
    { type: 'run', error: 'the process ended' },
    {
      type: 'llm',
      error: 'the process ended',
      generation: { messageCompletion: { content: 'On its' } },
    },
  ])
  await messages.return(undefined)
})
