import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  getDefaultEnvironment,
  StdioClientTransport,
} from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../test/support/eventually.js'
import { json, type Play, useModelServer } from '../../test/support/model-server.js'
import { useSink } from '../../test/support/sink.js'
import { CHAT, RESPONSE } from '../support/answers.js'
import { text as said, says } from '../support/claude.js'
import { programsOf, runProgram, writeProgram } from '../support/docs-program.js'

// The programs of the pages about frameworks, unchanged but for the names under which the AI SDK is installed here. That of the
// Agents SDK would send traces to OpenAI: it runs with the other call that the page names. The second one of LangChain is a
// module without a call.
const INSTALLED: Record<string, string> = { ai: 'ai-6', '@ai-sdk/openai': 'ai-sdk-openai-3' }
const NEWER: Record<string, string> = { ai: 'ai-7', '@ai-sdk/openai': 'ai-sdk-openai-4' }
const folder = join(import.meta.dirname, '.docs')
const model = useModelServer()
const sink = useSink()
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))

const answered = json({ ...RESPONSE, output: RESPONSE.output.slice(0, 2) })
const PROGRAMS: readonly (readonly [string, number, Record<string, string>, Play, number])[] = [
  ['langchain', 0, INSTALLED, json(CHAT), 25],
  ['ai-sdk-hooks', 0, NEWER, answered, 42],
  ['ai-sdk-hooks', 1, INSTALLED, answered, 42],
  ['mastra', 0, INSTALLED, json(CHAT), 25],
  ['claude-agent-sdk', 0, INSTALLED, says(said('On its way.')), 20],
]

const settings = () => ({
  STEPWELL_API_KEY: 'key',
  STEPWELL_API_URL: sink.url,
  OPENAI_API_KEY: 'key',
  OPENAI_BASE_URL: `${model.url}/v1`,
  ANTHROPIC_API_KEY: 'key',
  ANTHROPIC_BASE_URL: model.url,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  HOME: folder,
})

test.each(PROGRAMS)(
  'the program %s %i runs and records',
  async (page, index, names, play, tokens) => {
    model.plays(play)
    const source = programsOf(`integrations/${page}`)[index] ?? ''
    const file = writeProgram(folder, `${page}-${index}`, source, names)
    const { status, stdout } = await runProgram(file, settings())
    expect(stdout).toContain('On its way.')
    expect(status).toBe(0)
    const calls = sink.taken.filter(({ type }) => type === 'llm')
    expect(calls).toMatchObject([{ generation: { tokenCount: tokens } }])
  },
)

test('the program of the Agents SDK runs and records, without traces to OpenAI', async () => {
  model.plays(answered)
  const [source = ''] = programsOf('integrations/openai-agents')
  const alone = source
    .replace(
      'addTraceProcessor(stepwellProcessor(stepwell))',
      'setTraceProcessors([stepwellProcessor(stepwell)])',
    )
    .replace('addTraceProcessor', 'setTraceProcessors')
  const file = writeProgram(folder, 'openai-agents', alone, {})
  // Vitest sets it, and the Agents SDK then traces nothing.
  const { status, stdout } = await runProgram(file, { ...settings(), NODE_ENV: 'development' })
  expect(stdout).toContain('On its way.')
  expect(status).toBe(0)
  const calls = sink.taken.filter(({ type }) => type === 'llm')
  expect(calls).toMatchObject([{ generation: { tokenCount: 42 } }])
})

test('the server of MCP records a call of its tool, given its settings as the page says', async () => {
  const [source = ''] = programsOf('integrations/mcp')
  const args = [writeProgram(folder, 'mcp', source, {})]
  const env = { ...getDefaultEnvironment(), ...settings() }
  const client = new Client({ name: 'a', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }))
  const { content } = await client.callTool({ name: 'now' })
  await client.close()
  expect(content).toEqual([{ type: 'text', text: 'Rain' }])
  await eventually(() =>
    expect(sink.taken.map(({ name }) => name).sort()).toEqual(['look out', 'now']),
  )
})
