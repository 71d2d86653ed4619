import { expect, test } from 'vitest'
import { z } from 'zod'
import { type Recording, recordInMemory } from '../../src/testing/index.js'
import { eventually } from '../../test/support/eventually.js'
import {
  json,
  openStream,
  type Play,
  stream,
  useModelServer,
} from '../../test/support/model-server.js'
import { CHAT_STREAM, TOOL_STREAM } from '../support/answers.js'
import { VERSIONS, type Version } from './ai-sdk-versions.js'

const server = useModelServer()
const begun = CHAT_STREAM.slice(0, 3)
const cut: Play = openStream(begun, (response) => {
  response.socket?.destroySoon()
})
const overloaded = {
  error: { message: 'Overloaded', type: 'server_error', code: null, param: null },
}
const broken = stream([...begun, overloaded, '[DONE]'])
const refused = json({ error: { message: 'Too long', type: 'invalid_request_error' } }, 400)

const ended = ({ steps }: Recording) =>
  eventually(() => expect(steps.filter(({ isOpen }) => isOpen).map(({ name }) => name)).toEqual([]))

/** Reads a stream to its end, or to its error, which it returns with the types of its parts. */
const outcomeOf = async (parts: AsyncIterable<{ type: string }>): Promise<unknown[]> => {
  const types: unknown[] = []
  try {
    for await (const { type } of parts) types.push(type)
  } catch (error) {
    types.push(error instanceof Error ? error.message : error)
  }
  return types
}

type Options = Parameters<Version['ai']['streamText']>[0]

for (const { name: version, ai, create, hooked } of VERSIONS)
  for (const isTapped of [true, false]) {
    const kind = isTapped ? 'with stepwell.fetch too' : 'by the hook alone'
    const play = async (
      plays: Play[],
      options: Partial<Options> | (() => Partial<Options>) = {},
      isRead = true,
    ) => {
      // A stream that ended by the time of silence would fail the test.
      const recording = recordInMemory({ streamTimeoutMs: 600_000 })
      const outcomes: unknown[] = []
      // Without a reader, the program has no result to compare.
      for (const given of isRead ? [undefined, recording] : [recording]) {
        const model = create({
          apiKey: 'key',
          baseURL: `${server.url}/v1`,
          ...(isTapped && given ? { fetch: given.stepwell.fetch } : {}),
        }).chat('gpt-4o')
        server.clear()
        server.plays(...plays)
        const { fullStream } = ai.streamText({
          model,
          prompt: 'Where is my order?',
          maxRetries: 0,
          onError: () => {},
          ...(typeof options === 'function' ? options() : options),
          ...hooked(given),
        } as Options)
        if (isRead) outcomes.push(await outcomeOf(fullStream))
      }
      expect(outcomes[1]).toEqual(outcomes[0])
      await eventually(() => expect(recording.steps.length).toBeGreaterThan(plays.length))
      await ended(recording)
      return recording
    }
    const errors = ({ steps }: Recording) => steps.map(({ type, error }) => [type, error])
    const both = (text: RegExp) => [
      ['run', expect.stringMatching(text)],
      ['llm', expect.stringMatching(text)],
    ]

    test(`ai ${version}, ${kind}: a connection that breaks ends the call and its operation with the error`, async () => {
      const recording = await play([cut])
      expect(errors(recording)).toEqual(both(/terminated|closed/))
      expect(recording.steps[1]?.generation?.messages).toEqual([
        { role: 'user', content: 'Where is my order?' },
      ])
    })

    test(`ai ${version}, ${kind}: an error that the model streams is that of the call`, async () => {
      const recording = await play([broken])
      expect(errors(recording)[1]).toEqual(['llm', expect.stringContaining('Overloaded')])
    })

    test(`ai ${version}, ${kind}: a stream that is refused ends with the error, also when nobody reads it`, async () => {
      const recording = await play([refused])
      expect(errors(recording)).toEqual(both(/Too long/))
      const unread = await play([refused], {}, false)
      expect(errors(unread)).toEqual(both(/Too long/))
    })

    test(`ai ${version}, ${kind}: a stream that is aborted ends at once, as failed`, async () => {
      const controllers: AbortController[] = []
      const begun = openStream(CHAT_STREAM.slice(0, 3), () => controllers.at(-1)?.abort())
      for (const answer of [begun, () => controllers.at(-1)?.abort()] as Play[])
        for (const isRead of [true, false]) {
          const recording = await play(
            [answer],
            () => {
              const controller = new AbortController()
              controllers.push(controller)
              return { abortSignal: controller.signal }
            },
            isRead,
          )
          expect(errors(recording)).toEqual(both(/abort/i))
        }
    })

    test(`ai ${version}, ${kind}: the second call of an operation fails, and its tools have not`, async () => {
      const tools = {
        weather: ai.tool({
          inputSchema: z.object({ city: z.string() }),
          execute: async ({ city }) => `Rain in ${city}`,
        }),
      }
      const recording = await play([stream(TOOL_STREAM), cut], {
        tools,
        stopWhen: ai.stepCountIs(3),
      })
      expect(errors(recording)).toEqual([
        ['run', expect.stringMatching(/terminated|closed/)],
        ['llm', undefined],
        ['tool', undefined],
        ['tool', undefined],
        ['llm', expect.stringMatching(/terminated|closed/)],
      ])
    })

    // Version 7 has no event for it, and asks the model outside of all functions of telemetry.
    if (version === '7') continue
    test(`ai ${version}, ${kind}: a stream of an object that breaks, or is aborted, ends with the error`, async () => {
      for (const isAborted of [false, true]) {
        const recording = recordInMemory({ streamTimeoutMs: 600_000 })
        const controller = new AbortController()
        const left = openStream(CHAT_STREAM.slice(0, 3), () => controller.abort())
        server.plays(isAborted ? left : cut)
        const { fullStream } = ai.streamObject({
          model: create({
            apiKey: 'key',
            baseURL: `${server.url}/v1`,
            ...(isTapped ? { fetch: recording.stepwell.fetch } : {}),
          }).chat('gpt-4o'),
          schema: z.object({ city: z.string() }),
          prompt: 'Where is my order?',
          abortSignal: controller.signal,
          onError: () => {},
          ...hooked(recording),
        })
        await outcomeOf(fullStream)
        await ended(recording)
        expect(errors(recording)).toEqual(both(isAborted ? /abort/i : /terminated|closed/))
      }
    })
  }
