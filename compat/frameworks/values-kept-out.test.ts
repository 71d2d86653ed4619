import { Agent as MastraAgent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { createTool } from '@mastra/core/tools'
import { Observability } from '@mastra/observability'
import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
  setTraceProcessors,
  setTracingDisabled,
} from '@openai/agents'
import { createOpenAI } from 'ai-sdk-openai-3'
import OpenAI from 'openai'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { stepwellBridge } from '../../src/hooks/mastra/index.js'
import { stepwellProcessor } from '../../src/hooks/openai-agents/index.js'
import { type Recording, recordInMemory } from '../../src/testing/index.js'
import { eventually } from '../../test/support/eventually.js'
import { json, useModelServer } from '../../test/support/model-server.js'
import { CHAT, CHAT_WITH_TOOLS, RESPONSE } from '../support/answers.js'

const server = useModelServer()
const ASKED = 'Where is my order?'
const ANSWERED = 'On its way.'
const REFUSED = json({ error: { message: `Do not ask: ${ASKED}` } }, 400)
const ANSWER = { ...RESPONSE, output: RESPONSE.output.slice(0, 2) }
// The Agents SDK traces nothing where NODE_ENV is `test`.
beforeAll(() => setTracingDisabled(false))
afterEach(() => setTraceProcessors([]))

const ended = ({ steps }: Recording) =>
  eventually(() => {
    expect(steps.length).toBeGreaterThan(0)
    expect(steps.filter(({ isOpen }) => isOpen)).toEqual([])
  })
const calls = ({ steps }: Recording) => steps.filter(({ type }) => type === 'llm')

for (const isKept of [false, true])
  for (const api of ['chat', 'responses'])
    test(`Agents SDK, ${api}: traceIncludeSensitiveData: ${isKept} holds for stepwell.fetch too`, async () => {
      const recording = recordInMemory()
      const { stepwell } = recording
      setTraceProcessors([stepwellProcessor(stepwell)])
      const client = new OpenAI({
        apiKey: 'key',
        baseURL: `${server.url}/v1`,
        maxRetries: 0,
        fetch: stepwell.fetch,
      }) as never
      const model =
        api === 'chat'
          ? new OpenAIChatCompletionsModel(client, 'gpt-4o')
          : new OpenAIResponsesModel(client, 'gpt-5')
      const agent = new Agent({ name: 'clerk', model })
      const runner = new Runner({ traceIncludeSensitiveData: isKept })
      server.plays(json(api === 'chat' ? CHAT : ANSWER), REFUSED)
      const { finalOutput } = await runner.run(agent, ASKED)
      expect(finalOutput).toBe(ANSWERED)
      await expect(runner.run(agent, ASKED)).rejects.toThrow(ASKED)
      await ended(recording)
      const [answered, refused] = calls(recording)
      expect(answered?.generation?.tokenCount).toBe(api === 'chat' ? 25 : 42)
      expect(refused?.generation?.error).toMatch(isKept ? /^HTTP 400: Do not/ : /^HTTP 400$/)
      for (const [call, values] of [
        [answered, [ASKED, ANSWERED]],
        [refused, [ASKED]],
      ] as const)
        for (const value of values)
          expect(JSON.stringify([call?.generation, call?.metadata]).includes(value)).toBe(isKept)
    })

for (const place of ['bridge', 'exporters'])
  for (const hidden of [['hideInput'], ['hideOutput'], ['hideInput', 'hideOutput'], []]) {
    // Exporters of Mastra are not told that outputs are kept out.
    if (place === 'exporters' && hidden.includes('hideOutput')) continue
    test(`Mastra, ${place}: ${hidden.join(' and ') || 'no setting'} holds for stepwell.fetch too`, async () => {
      const recording = recordInMemory()
      const { stepwell } = recording
      const bridge = stepwellBridge(stepwell)
      const provider = createOpenAI({
        apiKey: 'key',
        baseURL: `${server.url}/v1`,
        fetch: stepwell.fetch,
      })
      const weather = createTool({
        id: 'weather',
        description: 'The weather of a city',
        inputSchema: z.object({ city: z.string() }),
        execute: async () => 'Rain',
      })
      const clerk = new MastraAgent({
        id: 'clerk',
        name: 'clerk',
        instructions: 'Be short.',
        model: provider.chat('gpt-4o'),
        tools: { weather },
      })
      const mastra = new Mastra({
        agents: { clerk },
        logger: false,
        observability: new Observability({
          configs: {
            default: {
              serviceName: 'shop',
              ...(place === 'bridge' ? { bridge } : { exporters: [bridge] }),
            },
          },
        }),
      })
      server.plays(json(CHAT_WITH_TOOLS), json(CHAT))
      const tracingOptions = Object.fromEntries(hidden.map((name) => [name, true]))
      const { text } = await mastra.getAgent('clerk').generate(ASKED, { tracingOptions })
      expect(text).toBe(ANSWERED)
      await ended(recording)
      const made = calls(recording)
      expect(made.map(({ generation }) => generation?.tokenCount)).toEqual([25, 25])
      const told = JSON.stringify(recording.steps)
      expect(told.includes(ASKED)).toBe(!hidden.includes('hideInput'))
      if (hidden.includes('hideInput'))
        expect(made.map(({ generation }) => generation?.messages)).toEqual([undefined, undefined])
      const isTold = made[1]?.generation?.messageCompletion !== undefined
      expect(isTold).toBe(!hidden.includes('hideOutput'))
    })
  }
