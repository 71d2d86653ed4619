import { ChatOpenAI } from '@langchain/openai'
import {
  Agent,
  OpenAIChatCompletionsModel,
  run,
  setTraceProcessors,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import * as ai from 'ai-7'
import { createOpenAI } from 'ai-sdk-openai-4'
import OpenAI from 'openai'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { stepwellIntegration } from '../../src/hooks/ai-sdk/index.js'
import { stepwellCallbacks } from '../../src/hooks/langchain/index.js'
import { stepwellProcessor } from '../../src/hooks/openai-agents/index.js'
import { type Recording, recordInMemory } from '../../src/testing/index.js'
import { eventually } from '../../test/support/eventually.js'
import { json, stream, useModelServer } from '../../test/support/model-server.js'
import { CHAT, CHAT_STREAM, CHAT_WITH_TOOLS } from '../support/answers.js'
import { outline, read } from './support.js'

const server = useModelServer()
const question = 'Where is my order?'
// The Agents SDK traces nothing where NODE_ENV is `test`.
beforeAll(() => setTracingDisabled(false))
afterEach(() => setTraceProcessors([]))

const ended = ({ steps }: Recording) =>
  eventually(() => {
    expect(steps.length).toBeGreaterThan(0)
    expect(steps.filter(({ isOpen }) => isOpen)).toEqual([])
  })
/** Runs a function in steps of all recordings, one inside the other. */
const inSteps = async (
  [recording, ...others]: readonly Recording[],
  name: string,
  work: () => Promise<string>,
): Promise<string> =>
  recording === undefined
    ? work()
    : recording.stepwell.trace(name, () => inSteps(others, name, work))

const reports: string[] = []
const recordAll = () =>
  recordInMemory({
    onReport: (message) => {
      reports.push(message)
    },
  })
afterEach(() => expect(reports).toEqual([]))

const runAgent = async (recordings: readonly Recording[]) => {
  server.plays(json(CHAT_WITH_TOOLS), json(CHAT))
  const client = new OpenAI({ apiKey: 'key', baseURL: `${server.url}/v1` })
  const weather = tool({
    name: 'weather',
    description: 'The weather of a city',
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => inSteps(recordings, `look at ${city}`, async () => 'Rain'),
  })
  const model = new OpenAIChatCompletionsModel(client as never, 'gpt-4o')
  await run(new Agent({ name: 'clerk', model, tools: [weather] }), question)
}
const AGENT = [
  'Agent workflow (run)',
  '  clerk (run)',
  '    chat gpt-4o (llm) 25 tokens',
  '    weather (tool)',
  '      look at Oslo',
  '    weather (tool)',
  '      look at Rome',
  '    chat gpt-4o (llm) 25 tokens',
]

const generate = async (recordings: readonly Recording[], integrations: object[]) => {
  server.plays(json(CHAT_WITH_TOOLS), json(CHAT))
  const settings = {
    model: createOpenAI({ apiKey: 'key', baseURL: `${server.url}/v1` }).chat('gpt-4o'),
    prompt: question,
    stopWhen: ai.stepCountIs(3),
    tools: {
      weather: ai.tool({
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }) => inSteps(recordings, `look at ${city}`, async () => 'Rain'),
      }),
    },
    telemetry: { functionId: 'answer', integrations },
  }
  await ai.generateText(settings)
  server.plays(stream(CHAT_STREAM, 33))
  await read(ai.streamText({ ...settings, tools: {} }).textStream)
}
const GENERATED = [
  'answer (run)',
  '  chat gpt-4o (llm) 25 tokens',
  '  weather (tool)',
  '    look at Oslo',
  '  weather (tool)',
  '    look at Rome',
  '  chat gpt-4o (llm) 25 tokens',
  'answer (run)',
  '  chat gpt-4o (llm) 25 tokens',
]

test('a processor of the Agents SDK that is added twice records once', async () => {
  const recording = recordAll()
  setTraceProcessors([stepwellProcessor(recording.stepwell), stepwellProcessor(recording.stepwell)])
  await runAgent([recording])
  await ended(recording)
  expect(outline(recording.tree())).toEqual(AGENT)
})

test('processors of two clients of the Agents SDK record the whole tree each', async () => {
  const recordings = [recordAll(), recordAll()]
  setTraceProcessors(recordings.map(({ stepwell }) => stepwellProcessor(stepwell)))
  await runAgent(recordings)
  for (const recording of recordings) {
    await ended(recording)
    expect(outline(recording.tree())).toEqual(AGENT)
  }
})

test('an integration of the AI SDK 7 that is given twice records once', async () => {
  const recording = recordAll()
  await generate(
    [recording],
    [stepwellIntegration(recording.stepwell), stepwellIntegration(recording.stepwell)],
  )
  await ended(recording)
  expect(outline(recording.tree())).toEqual(GENERATED)
})

test('integrations of two clients of the AI SDK 7 record the whole tree each', async () => {
  const recordings = [recordAll(), recordAll()]
  await generate(
    recordings,
    recordings.map(({ stepwell }) => stepwellIntegration(stepwell)),
  )
  for (const recording of recordings) {
    await ended(recording)
    expect(outline(recording.tree())).toEqual(GENERATED)
  }
})

test('callbacks of two clients of LangChain record a call each, also with the fetch of one', async () => {
  const recordings = [recordAll(), recordAll()]
  server.plays(json(CHAT))
  const model = new ChatOpenAI({
    model: 'gpt-4o',
    apiKey: 'key',
    configuration: { baseURL: `${server.url}/v1`, fetch: recordings[0]?.stepwell.fetch },
  })
  const callbacks = recordings.map(({ stepwell }) => stepwellCallbacks(stepwell))
  await model.invoke(question, { callbacks: [...callbacks, ...callbacks] })
  for (const { tree } of recordings) expect(outline(tree())).toEqual(['ChatOpenAI (llm) 25 tokens'])
})
