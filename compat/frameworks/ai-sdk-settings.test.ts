import { expect, test } from 'vitest'
import { z } from 'zod'
import { stepwellTelemetry } from '../../src/hooks/ai-sdk/index.js'
import { type Recording, recordInMemory } from '../../src/testing/index.js'
import { eventually } from '../../test/support/eventually.js'
import { json, stream, useModelServer } from '../../test/support/model-server.js'
import { CHAT, CHAT_STREAM, CHAT_WITH_TOOLS } from '../support/answers.js'
import { VERSIONS } from './ai-sdk-versions.js'
import { read } from './support.js'

const server = useModelServer()
const ASKED = 'Where is my order?'
const ANSWERED = 'On its way.'
const OBJECT = {
  ...CHAT,
  choices: [{ ...CHAT.choices[0], message: { role: 'assistant', content: '{"city":"Oslo"}' } }],
}
const EMBEDDED = {
  object: 'list',
  model: 'text-embedding-3-small',
  data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
  usage: { prompt_tokens: 3, total_tokens: 3 },
}
const REFUSED = { error: { message: `Do not ask: ${ASKED}`, type: 'invalid_request_error' } }

const ended = ({ steps }: Recording) =>
  eventually(() => expect(steps.filter(({ isOpen }) => isOpen)).toEqual([]))
const told = ({ steps }: Recording) => JSON.stringify(steps)

for (const { name: version, ai, create, hooked } of VERSIONS)
  for (const isTapped of [true, false]) {
    const kind = isTapped ? 'with stepwell.fetch too' : 'by the hook alone'
    const providerOf = ({ stepwell }: Recording) =>
      create({
        apiKey: 'key',
        baseURL: `${server.url}/v1`,
        ...(isTapped ? { fetch: stepwell.fetch } : {}),
      })

    const texts = async (settings: object) => {
      const recording = recordInMemory()
      const options = {
        model: providerOf(recording).chat('gpt-4o'),
        prompt: ASKED,
        temperature: 0.1,
        ...hooked(recording, settings),
      }
      server.plays(json(CHAT), stream(CHAT_STREAM, 33))
      await ai.generateText(options)
      await read(ai.streamText(options).textStream)
      await ended(recording)
      const calls = recording.steps.filter(({ type }) => type === 'llm')
      expect(calls.map(({ generation }) => generation?.tokenCount)).toEqual([25, 25])
      expect(calls.map(({ generation }) => generation?.settings)).toMatchObject([
        { temperature: 0.1 },
        { temperature: 0.1 },
      ])
      return recording
    }

    test(`ai ${version}, ${kind}: recordInputs: false keeps inputs out, and outputs in`, async () => {
      const recording = await texts({ recordInputs: false })
      expect(told(recording)).not.toContain(ASKED)
      for (const { generation } of recording.steps.filter(({ type }) => type === 'llm')) {
        expect(generation?.messageCompletion).toMatchObject({ content: ANSWERED })
        expect(generation?.messages ?? undefined).toBeUndefined()
      }
    })

    test(`ai ${version}, ${kind}: recordOutputs: false keeps outputs out, and inputs in`, async () => {
      const recording = await texts({ recordOutputs: false })
      expect(told(recording)).not.toContain('On its')
      for (const { generation } of recording.steps.filter(({ type }) => type === 'llm'))
        expect(generation?.messages).toEqual([{ role: 'user', content: ASKED }])
    })

    test(`ai ${version}, ${kind}: neither inputs nor outputs of objects and embeddings`, async () => {
      const recording = recordInMemory()
      const provider = providerOf(recording)
      const settings = hooked(recording, { recordInputs: false, recordOutputs: false })
      server.plays(json(OBJECT), json(EMBEDDED))
      await ai.generateObject({
        model: provider.chat('gpt-4o'),
        schema: z.object({ city: z.string() }),
        prompt: ASKED,
        ...settings,
      })
      await ai.embed({
        model: provider.textEmbeddingModel('text-embedding-3-small'),
        value: ASKED,
        ...settings,
      })
      const { steps } = recording
      expect(steps.map(({ type }) => type)).toEqual(['run', 'llm', 'run', 'embedding'])
      expect(steps.map(({ generation }) => generation?.tokenCount)).toEqual([
        undefined,
        25,
        undefined,
        3,
      ])
      for (const value of [ASKED, 'Oslo', 'city']) expect(told(recording)).not.toContain(value)
      expect(steps.map(({ input, output }) => [input, output])).toEqual(
        steps.map(() => [undefined, undefined]),
      )
    })

    test(`ai ${version}, ${kind}: recordInputs: false keeps arguments of tools out`, async () => {
      const recording = recordInMemory()
      server.plays(json(CHAT_WITH_TOOLS), json(CHAT))
      await ai.generateText({
        model: providerOf(recording).chat('gpt-4o'),
        prompt: ASKED,
        stopWhen: ai.stepCountIs(3),
        tools: {
          weather: ai.tool({
            inputSchema: z.object({ city: z.string() }),
            execute: async () => ({ degrees: 7 }),
          }),
        },
        ...hooked(recording, { recordInputs: false }),
      })
      await ended(recording)
      const tools = recording.steps.filter(({ type }) => type === 'tool')
      expect(tools.map(({ input }) => input)).toEqual([undefined, undefined])
      expect(tools.map(({ output }) => JSON.stringify(output))).toEqual([
        expect.stringContaining('7'),
        expect.stringContaining('7'),
      ])
    })

    if (isTapped)
      test(`ai ${version}: a refusal does not tell in the values of the request what the settings keep out`, async () => {
        const recording = recordInMemory()
        server.plays(json(REFUSED, 400))
        const asking = ai.generateText({
          model: providerOf(recording).chat('gpt-4o'),
          prompt: ASKED,
          maxRetries: 0,
          ...hooked(recording, { recordInputs: false }),
        })
        await expect(asking).rejects.toThrow(ASKED)
        const [, call] = recording.steps
        expect(call).toMatchObject({ type: 'llm', generation: { error: 'HTTP 400' } })
        expect(JSON.stringify([call?.generation, call?.metadata])).not.toContain(ASKED)
      })
  }

for (const { name: version, ai, create } of VERSIONS.filter(({ name }) => name !== '7'))
  test(`ai ${version}: recordInputs: false that is added to the settings afterwards holds for stepwell.fetch too`, async () => {
    const recording = recordInMemory()
    const { stepwell, steps } = recording
    const provider = create({ apiKey: 'key', baseURL: `${server.url}/v1`, fetch: stepwell.fetch })
    server.plays(json(CHAT))
    await ai.generateText({
      model: provider.chat('gpt-4o'),
      prompt: ASKED,
      experimental_telemetry: { ...stepwellTelemetry(stepwell), recordInputs: false },
    })
    expect(told(recording)).not.toContain(ASKED)
    expect(steps.at(-1)?.generation).toMatchObject({ messageCompletion: { content: ANSWERED } })
  })
