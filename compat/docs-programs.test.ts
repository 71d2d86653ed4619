import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { compileErrors } from '../test/support/compile.js'
import { json, type Play, stream, useModelServer } from '../test/support/model-server.js'
import { useSink } from '../test/support/sink.js'
import {
  CHAT,
  CHAT_STREAM,
  CLAUDE_STREAM,
  GEMINI_TEXT,
  RESPONSE_STREAM,
  TOOL_STREAM,
} from './support/answers.js'
import {
  partsOf,
  programsOf,
  runProgram,
  writeProgram,
  writeSource,
} from './support/docs-program.js'

// The programs of the pages about clients of models, unchanged but for the names under which the clients are installed here, and
// for addresses that a client reads from no setting.
const INSTALLED: Record<string, string> = {
  openai: 'openai-6',
  ai: 'ai-6',
  '@ai-sdk/openai': 'ai-sdk-openai-3',
}
const ADDRESSES = [
  'https://shop.openai.azure.com',
  'https://api.mistral.ai',
  'https://openrouter.ai/api',
  'http://127.0.0.1:11434',
]
const folder = join(import.meta.dirname, '.docs')
const model = useModelServer()
const sink = useSink()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const embeddings = json({
  object: 'list',
  model: 'text-embedding-3-small',
  data: [0, 1].map((index) => ({ object: 'embedding', index, embedding: [0.1] })),
  usage: { prompt_tokens: 2, total_tokens: 2 },
})
const findOrder = [
  {
    ...TOOL_STREAM[0],
    choices: [
      {
        index: 0,
        delta: {
          role: 'assistant',
          tool_calls: [
            {
              index: 0,
              id: 'call_1',
              type: 'function',
              function: { name: 'find_order', arguments: '{"id":"7"}' },
            },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
  },
  '[DONE]',
]
const ollamaPart = (content: string, rest: object = {}) =>
  JSON.stringify({
    model: 'llama3.2',
    created_at: '2026-11-01T00:00:00Z',
    message: { role: 'assistant', content },
    done: false,
    ...rest,
  })
const ollama: Play = (response) => {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  const end = ollamaPart('', {
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 20,
    eval_count: 5,
  })
  response.end(`${ollamaPart('On its')}\n${ollamaPart(' way.')}\n${end}\n`)
}

/** The settings of a program. With an address of its own, that of Azure takes no other. */
const settings = (page = ''): Record<string, string> => ({
  STEPWELL_API_KEY: 'key',
  STEPWELL_API_URL: sink.url,
  OPENAI_API_KEY: 'key',
  ...(page.includes('azure') ? {} : { OPENAI_BASE_URL: `${model.url}/v1` }),
  AZURE_OPENAI_API_KEY: 'key',
  ANTHROPIC_API_KEY: 'key',
  ANTHROPIC_BASE_URL: model.url,
  MISTRAL_API_KEY: 'key',
  GROQ_API_KEY: 'key',
  GROQ_BASE_URL: model.url,
  OPENROUTER_API_KEY: 'key',
  GEMINI_API_KEY: 'key',
  GOOGLE_GEMINI_BASE_URL: model.url,
})

/** A program, the answers that it gets, its output, and the tokens of each call that is recorded. */
const PROGRAMS: readonly (readonly [
  page: string,
  index: number,
  plays: readonly Play[],
  output: string,
  tokens: readonly (number | null)[],
])[] = [
  ['guides/recording', 0, [stream(findOrder), stream(CHAT_STREAM)], 'On its way.', [null, 25]],
  ['integrations/openai', 0, [json(CHAT)], 'On its way.', [25]],
  ['integrations/openai', 1, [embeddings], '2', [2]],
  ['integrations/azure-openai', 0, [json(CHAT)], 'On its way.', [25]],
  ['integrations/anthropic', 0, [stream(CLAUDE_STREAM)], 'On its way.', [1160]],
  ['integrations/google-genai', 0, [json(GEMINI_TEXT)], 'On its way.', [50]],
  ['integrations/mistral', 0, [json(CHAT)], 'On its way.', [25]],
  ['integrations/groq', 0, [stream(CHAT_STREAM)], 'On its way.', [25]],
  ['integrations/openrouter', 0, [json(CHAT)], 'On its way.', [25]],
  [
    'integrations/openrouter',
    1,
    [json({ ...CHAT, system_fingerprint: 'fp_1' })],
    'On its way.',
    [25],
  ],
  ['integrations/ollama', 0, [ollama], 'On its way.', [25]],
  ['integrations/ollama', 1, [json(CHAT)], 'On its way.', [25]],
  ['integrations/ai-sdk', 0, [stream(RESPONSE_STREAM)], 'On its way.', [42]],
]

test.each(PROGRAMS)(
  'the program %s %i runs and records its calls',
  async (page, index, plays, output, tokens) => {
    model.plays(...plays)
    const addresses = Object.fromEntries(ADDRESSES.map((from) => [from, model.url]))
    const source = programsOf(page)[index] ?? ''
    const file = writeProgram(folder, `${page}-${index}`, source, INSTALLED, addresses)
    const { status, stdout, stderr } = await runProgram(file, settings(page))
    expect(stderr).toBe('')
    expect(status).toBe(0)
    expect(stdout).toContain(output)
    const calls = sink.taken.filter(({ type }) => type === 'llm' || type === 'embedding')
    expect(calls.map(({ generation }) => generation)).toMatchObject(
      tokens.map((tokenCount) =>
        tokenCount === null ? {} : { tokenCount, usage: { total: tokenCount } },
      ),
    )
  },
)

test('with the second part of the guide, calls and tools are in one tree', async () => {
  model.plays(stream(findOrder), stream(CHAT_STREAM))
  const [whole = ''] = programsOf('guides/recording')
  const part = partsOf('guides/recording').find((text) => text.includes('stepwell.traced(')) ?? ''
  const start = whole.indexOf('const findOrder')
  const call = whole.slice(whole.indexOf('const runner'), whole.indexOf('await stepwell.flush'))
  const source = `${whole.slice(0, start)}${part.replace('runTools()', `(async () => {${call}})()`)}\nawait stepwell.flush()`
  const file = writeProgram(folder, 'one-tree', source, INSTALLED)
  const { status, stderr } = await runProgram(file, settings())
  expect(stderr).toBe('')
  expect(status).toBe(0)
  const [agent] = sink.taken.filter(({ name }) => name === 'agent')
  expect(agent).toMatchObject({ type: 'run', threadId: 'chat-7' })
  const inside = sink.taken.filter(({ parentId }) => parentId === agent?.id)
  expect(inside.map(({ type }) => type)).toEqual(['llm', 'tool', 'llm'])
  expect(inside[1]).toMatchObject({
    name: 'find_order',
    output: { output: 'Order 7 left on Monday.' },
  })
})

test('they pass the compiler, with the types that users get', () => {
  const files = PROGRAMS.map(([page, index]) =>
    writeSource(folder, `${page}-${index}`, programsOf(page)[index] ?? '', INSTALLED),
  )
  expect(compileErrors(files)).toEqual([])
})

test('every program of these pages is among them', () => {
  const pages = new Set(PROGRAMS.map(([page]) => page))
  for (const page of pages)
    expect(programsOf(page)).toHaveLength(PROGRAMS.filter(([of]) => of === page).length)
})
