import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'
import { stepwellCallbacks } from '../../src/hooks/langchain/index.js'
import type { Recording } from '../../src/testing/index.js'
import { json, stream, useModelServer } from '../../test/support/model-server.js'
import { CHAT, CHAT_STREAM } from '../support/answers.js'
import { outline, read, sameWithAndWithout } from './support.js'

// LangChain repeats calls by itself: the client inside it counts from zero for each attempt.
const server = useModelServer()
const question = 'Where is my order?'
const busy = json({ error: { message: 'Slow down' } }, 429, { 'retry-after': '0.01' })
const refused = json({ error: { message: 'Too long', type: 'invalid_request_error' } }, 400)

const modelOf = (recording: Recording | undefined, isTapped: boolean, maxRetries: number) =>
  new ChatOpenAI({
    model: 'gpt-4o',
    apiKey: 'key',
    maxRetries,
    configuration: {
      baseURL: `${server.url}/v1`,
      ...(isTapped && recording ? { fetch: recording.stepwell.fetch } : {}),
    },
  })
const hooked = (recording: Recording | undefined) =>
  recording === undefined ? {} : { callbacks: [stepwellCallbacks(recording.stepwell)] }

for (const isTapped of [true, false]) {
  const kind = isTapped ? 'with stepwell.fetch too' : 'by the hook alone'
  const attempts = isTapped
    ? { metadata: { modelCall: { status: 200, attempts: [{ status: 429 }, { status: 200 }] } } }
    : {}

  test(`a call that LangChain repeats is one step, ${kind}, and its tokens count once`, async () => {
    const { steps, tree, asked } = await sameWithAndWithout(
      server,
      [busy, json(CHAT)],
      async (recording) =>
        (await modelOf(recording, isTapped, 1).invoke(question, hooked(recording))).content,
    )
    expect(asked).toHaveLength(2)
    expect(outline(tree())).toEqual(['ChatOpenAI (llm) 25 tokens'])
    expect(steps).toMatchObject([{ error: undefined, ...attempts }])
    expect(steps[0]?.generation).not.toHaveProperty('error')
  })

  test(`a stream that LangChain asks for again is one step, ${kind}`, async () => {
    const { steps, tree } = await sameWithAndWithout(
      server,
      [busy, stream(CHAT_STREAM, 33)],
      async (recording) =>
        (await read(await modelOf(recording, isTapped, 1).stream(question, hooked(recording)))).map(
          ({ content }) => content,
        ),
    )
    expect(outline(tree())).toEqual(['ChatOpenAI (llm) 25 tokens'])
    expect(steps).toMatchObject([{ error: undefined, ...attempts }])
  })

  test(`a repetition that fails as well is one step with its error, ${kind}`, async () => {
    const { steps } = await sameWithAndWithout(server, [busy, refused], async (recording) =>
      modelOf(recording, isTapped, 2).invoke(question, hooked(recording)),
    )
    expect(steps).toMatchObject([{ type: 'llm', error: expect.stringContaining('Too long') }])
  })

  test(`attempts of withRetry are runs of LangChain, ${kind}: a step each, and tokens at the last`, async () => {
    const { steps, tree } = await sameWithAndWithout(
      server,
      [busy, json(CHAT)],
      async (recording) => {
        const model = modelOf(recording, isTapped, 0).withRetry({ stopAfterAttempt: 2 })
        return (await model.invoke(question, hooked(recording))).content
      },
    )
    expect(outline(tree())).toEqual([
      'ChatOpenAI (run)',
      expect.stringMatching(/^ {2}ChatOpenAI \(llm\) error "Error: 429 Slow down/),
      '  ChatOpenAI (llm) 25 tokens',
    ])
    expect(steps.at(-1)?.tags).toEqual(['retry:attempt:2'])
  })
}
