import { HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'
import { stepwellCallbacks } from '../../src/hooks/langchain/index.js'
import { json, stream, useModelServer } from '../../test/support/model-server.js'
import { CHAT, CHAT_STREAM } from '../support/answers.js'
import { VERSIONS } from './ai-sdk-versions.js'
import { read, sameWithAndWithout } from './support.js'

// Gateways such as OpenRouter tell in the usage of an answer, whole or streamed, the dollars that they take for it.
const server = useModelServer()
const COST = 0.00123
const question = 'Where is my order?'
const whole = { ...CHAT, usage: { ...CHAT.usage, cost: COST } }
const streamed = CHAT_STREAM.map((part) =>
  typeof part === 'object' && 'usage' in part && part.usage !== null
    ? { ...part, usage: { ...(part.usage as object), cost: COST } }
    : part,
)

const ANSWERS = [
  ['an answer', false, json(whole), COST],
  ['an answer that tells none', false, json(CHAT), undefined],
  ['a stream', true, stream(streamed, 100), COST],
  ['a stream that tells none', true, stream(CHAT_STREAM, 100), undefined],
] as const

// The provider of OpenAI keeps the counts that it knows alone; those of gateways keep the usage as it was sent.
const asSent = { specificationVersion: 'v4', wrapGenerate, wrapStream } as never

async function wrapGenerate({ doGenerate }: Wrapped) {
  const result = await doGenerate()
  return { ...result, usage: { ...result.usage, raw: result.response.body.usage } }
}

async function wrapStream({ doStream }: Wrapped) {
  const { stream: parts, ...rest } = await doStream()
  const withRaw = new TransformStream({
    transform(part, controller) {
      if (part.type !== 'finish') return controller.enqueue(part)
      const raw = { ...part.usage.raw, cost: COST }
      controller.enqueue({ ...part, usage: { ...part.usage, raw } })
    },
  })
  return { ...rest, stream: parts.pipeThrough(withRaw) }
}

interface Wrapped {
  // Both differ from version to version.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  doGenerate(): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: see above
  doStream(): Promise<any>
}

for (const { name, ai, create, hooked } of VERSIONS.filter((version) => version.name === '7'))
  test.each(ANSWERS.slice(0, 3))(
    `ai ${name}: the cost of %s is that of its model call`,
    async (_, isStream, answer, cost) => {
      const { steps } = await sameWithAndWithout(server, [answer], async (recording) => {
        const model = create({ apiKey: 'key', baseURL: `${server.url}/v1` }).chat('gpt-4o')
        const asked = {
          model: ai.wrapLanguageModel({ model, middleware: asSent }),
          prompt: question,
          maxRetries: 0,
          ...hooked(recording, { functionId: 'answer' }),
        }
        if (!isStream) return (await ai.generateText(asked)).text
        return (await read(ai.streamText(asked).textStream)).join('')
      })
      const costs = steps.map(({ type, generation }) => [type, generation?.cost])
      // The run has none of its own: it would count twice.
      expect(costs).toEqual([
        ['run', undefined],
        ['llm', cost],
      ])
    },
  )

test.each(ANSWERS)(
  'langchain: the cost of %s is that of its model call',
  async (_, isStream, answer, cost) => {
    const { steps } = await sameWithAndWithout(server, [answer], async (recording) => {
      const model = new ChatOpenAI({
        model: 'gpt-4o',
        apiKey: 'key',
        maxRetries: 0,
        configuration: { baseURL: `${server.url}/v1` },
      })
      const options =
        recording === undefined ? {} : { callbacks: [stepwellCallbacks(recording.stepwell)] }
      const asked = [new HumanMessage(question)]
      if (!isStream) return (await model.invoke(asked, options)).content
      return (await read(await model.stream(asked, options))).map(({ content }) => content)
    })
    expect(steps).toHaveLength(1)
    expect(steps[0]?.generation?.tokenCount).toBe(25)
    expect(steps[0]?.generation?.cost).toBe(cost)
  },
)
