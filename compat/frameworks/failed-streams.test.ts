import { ChatOpenAI } from '@langchain/openai'
import { Agent as MastraAgent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { Observability } from '@mastra/observability'
import {
  Agent,
  OpenAIChatCompletionsModel,
  run,
  setTraceProcessors,
  setTracingDisabled,
} from '@openai/agents'
import { createOpenAI } from 'ai-sdk-openai-3'
import OpenAI from 'openai'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { stepwellCallbacks } from '../../src/hooks/langchain/index.js'
import { stepwellBridge } from '../../src/hooks/mastra/index.js'
import { stepwellProcessor } from '../../src/hooks/openai-agents/index.js'
import { type Recording, recordInMemory } from '../../src/testing/index.js'
import { eventually } from '../../test/support/eventually.js'
import { openStream, useModelServer } from '../../test/support/model-server.js'
import { CHAT_STREAM } from '../support/answers.js'
import { read } from './support.js'

// The AI SDK has a file of its own, as it tells of such streams in three ways.
const server = useModelServer()
const question = 'Where is my order?'
const cut = openStream(CHAT_STREAM.slice(0, 3), (response) => {
  response.socket?.destroySoon()
})
// The Agents SDK traces nothing where NODE_ENV is `test`.
beforeAll(() => setTracingDisabled(false))
afterEach(() => setTraceProcessors([]))

type Values = AsyncIterable<unknown>
type Fetch = typeof globalThis.fetch | undefined

/** Each asks for a stream, and reads it until it breaks. */
const PROGRAMS: Record<string, (recording: Recording, fetch: Fetch) => Promise<unknown>> = {
  LangChain: async ({ stepwell }, fetch) => {
    const model = new ChatOpenAI({
      model: 'gpt-4o',
      apiKey: 'key',
      maxRetries: 0,
      configuration: { baseURL: `${server.url}/v1`, ...(fetch && { fetch }) },
    })
    return read(await model.stream(question, { callbacks: [stepwellCallbacks(stepwell)] }))
  },
  'Agents SDK': async ({ stepwell }, fetch) => {
    setTraceProcessors([stepwellProcessor(stepwell)])
    const client = new OpenAI({
      apiKey: 'key',
      baseURL: `${server.url}/v1`,
      maxRetries: 0,
      ...(fetch && { fetch }),
    })
    const model = new OpenAIChatCompletionsModel(client as never, 'gpt-4o')
    const result = await run(new Agent({ name: 'clerk', model }), question, { stream: true })
    await Promise.all([read(result.toTextStream() as Values), result.completed])
  },
  Mastra: async ({ stepwell }, fetch) => {
    const provider = createOpenAI({
      apiKey: 'key',
      baseURL: `${server.url}/v1`,
      ...(fetch && { fetch }),
    })
    const clerk = new MastraAgent({
      id: 'clerk',
      name: 'clerk',
      instructions: 'Be short.',
      model: provider.chat('gpt-4o'),
    })
    const configs = { default: { serviceName: 'shop', bridge: stepwellBridge(stepwell) } }
    const observability = new Observability({ configs })
    const mastra = new Mastra({ agents: { clerk }, logger: false, observability })
    return read((await mastra.getAgent('clerk').stream(question)).textStream as Values)
  },
}

for (const [name, program] of Object.entries(PROGRAMS))
  for (const isTapped of [true, false])
    test(`${name}, ${isTapped ? 'with stepwell.fetch too' : 'by the hook alone'}: a connection that breaks ends the call, and those around it, with the error`, async () => {
      server.plays(cut)
      const recording = recordInMemory({ streamTimeoutMs: 600_000 })
      await program(recording, isTapped ? recording.stepwell.fetch : undefined).catch(() => {})
      await eventually(() => {
        expect(recording.steps.map(({ isOpen }) => isOpen)).toContain(false)
        expect(recording.steps.map(({ isOpen }) => isOpen)).not.toContain(true)
      })
      const { steps } = recording
      // The Agents SDK tells the end of the trace as if nothing had failed.
      const failed = steps.filter((step) => step.name !== 'Agent workflow')
      expect(failed.map(({ error }) => error)).toEqual(
        failed.map(() => expect.stringMatching(/terminated|Failed to process/)),
      )
      expect(steps.filter(({ type }) => type === 'llm')).toHaveLength(1)
    })
