import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openStream, type Play, useModelServer } from '../../test/support/model-server.js'
import { useSink } from '../../test/support/sink.js'
import { CHAT_STREAM } from '../support/answers.js'
import { begins } from '../support/claude.js'

// Each program reads the first piece of a stream that does not end. `stepwell` and `came` are there; `openai` is the
// address of the model's server.
const PROGRAMS: Record<string, readonly [program: string, play?: Play]> = {
  langchain: [
    `
import { ChatOpenAI } from '@langchain/openai'
import { stepwellCallbacks } from 'stepwell/langchain'
const model = new ChatOpenAI({ model: 'gpt-4o', apiKey: 'key', configuration: { baseURL: openai } })
const callbacks = [stepwellCallbacks(stepwell)]
for await (const { content } of await model.stream('Where is my order?', { callbacks }))
  if (content !== '') setImmediate(came)
`,
  ],
  'ai-sdk 6': [
    `
import { streamText } from 'ai-6'
import { createOpenAI } from 'ai-sdk-openai-3'
import { stepwellTelemetry } from 'stepwell/ai-sdk'
const model = createOpenAI({ apiKey: 'key', baseURL: openai, fetch: stepwell.fetch }).chat('gpt-4o')
const experimental_telemetry = stepwellTelemetry(stepwell)
const { textStream } = streamText({ model, prompt: 'Where is my order?', experimental_telemetry })
for await (const _ of textStream) came()
`,
  ],
  'ai-sdk 7': [
    `
import { streamText } from 'ai-7'
import { createOpenAI } from 'ai-sdk-openai-4'
import { stepwellIntegration } from 'stepwell/ai-sdk'
const model = createOpenAI({ apiKey: 'key', baseURL: openai, fetch: stepwell.fetch }).chat('gpt-4o')
const telemetry = { integrations: [stepwellIntegration(stepwell)] }
const { textStream } = streamText({ model, prompt: 'Where is my order?', telemetry })
for await (const _ of textStream) came()
`,
  ],
  'openai-agents': [
    `
import { Agent, OpenAIChatCompletionsModel, run, setTraceProcessors, setTracingDisabled } from '@openai/agents'
import OpenAI from 'openai'
import { stepwellProcessor } from 'stepwell/openai-agents'
setTracingDisabled(false)
setTraceProcessors([stepwellProcessor(stepwell)])
const client = new OpenAI({ apiKey: 'key', baseURL: openai, fetch: stepwell.fetch })
const agent = new Agent({ name: 'clerk', model: new OpenAIChatCompletionsModel(client, 'gpt-4o') })
const result = await run(agent, 'Where is my order?', { stream: true })
for await (const _ of result.toTextStream()) came()
`,
  ],
  mastra: [
    `
import { createOpenAI } from 'ai-sdk-openai-3'
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { Observability } from '@mastra/observability'
import { stepwellBridge } from 'stepwell/mastra'
const model = createOpenAI({ apiKey: 'key', baseURL: openai, fetch: stepwell.fetch }).chat('gpt-4o')
const clerk = new Agent({ id: 'clerk', name: 'clerk', instructions: 'Be short.', model })
const bridge = stepwellBridge(stepwell)
const observability = new Observability({ configs: { default: { serviceName: 'shop', bridge } } })
const mastra = new Mastra({ agents: { clerk }, logger: false, observability })
const { textStream } = await mastra.getAgent('clerk').stream('Where is my order?')
for await (const _ of textStream) came()
`,
  ],
  'claude-agent-sdk': [
    `
import { query } from '@anthropic-ai/claude-agent-sdk'
import { recordQuery } from 'stepwell/claude-agent-sdk'
const options = { tools: [], settingSources: [], persistSession: false, includePartialMessages: true }
for await (const { event } of recordQuery(stepwell, query)({ prompt: 'Where is my order?', options }))
  if (event?.type === 'content_block_delta') came()
`,
    begins('On its'),
  ],
}

const parent = join(import.meta.dirname, '.docs')
mkdirSync(parent, { recursive: true })
const folder = mkdtempSync(join(parent, 'ends-'))
const model = useModelServer()
const sink = useSink()
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))

/** Ends what is left of a process group: it could write to the folder while that is removed. */
const endGroup = (pid = 0) => {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing was left.
  }
}

test.each(Object.entries(PROGRAMS))(
  '%s: a process that is ended in the middle of a stream delivers the step with what came',
  async (name, [program, play]) => {
    const file = join(folder, `${name.replace(' ', '-')}.mjs`)
    const before = `import { StepwellClient } from 'stepwell'
const stepwell = new StepwellClient()
const came = () => console.log('a piece came')
const openai = '${model.url}/v1'
`
    writeFileSync(file, before + program)
    model.plays(play ?? openStream(CHAT_STREAM.slice(0, 3)))
    const child = spawn(process.execPath, [file], {
      // A process group of its own: the program of Claude outlives the process that started it.
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        STEPWELL_API_KEY: 'key',
        STEPWELL_API_URL: sink.url,
        ANTHROPIC_API_KEY: 'key',
        ANTHROPIC_BASE_URL: model.url,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        HOME: folder,
      },
    })
    const ended = once(child, 'close')
    await Promise.race([once(child.stdout, 'data'), ended])
    child.kill('SIGTERM')
    await ended
    endGroup(child.pid)
    const calls = sink.taken.filter(({ type }) => type === 'llm')
    expect(calls).toMatchObject([
      {
        error: expect.any(String),
        generation: {
          messages: expect.arrayContaining([
            expect.objectContaining({ role: 'user', content: 'Where is my order?' }),
          ]),
          messageCompletion: { content: expect.stringContaining('On its') },
        },
      },
    ])
  },
)
