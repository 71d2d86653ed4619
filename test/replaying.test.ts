import type { RunFixture, StepwellClient } from 'stepwell/testing'
import { assertSameRun, fixtureOf, recordInMemory, replayInMemory } from 'stepwell/testing'
import 'stepwell/testing/vitest'
import { describe, expect, test, vi } from 'vitest'
import { json, useModelServer } from './support/model-server.js'

const server = useModelServer()

interface Message {
  role: string
  content: string | null
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** Books a flight for real. */
const book = vi.fn(async ({ flight }: { flight: string }) => ({ booked: flight, seats: [12] }))

/** The application of these tests: a model that calls tools until it has an answer. */
const agentAt =
  (url: string, { prompt = 'Be brief.', temperature = 0 } = {}) =>
  async (question: string, stepwell: StepwellClient): Promise<string | null> => {
    const booked = stepwell.traced(book, { name: 'book', type: 'tool' })
    return stepwell.trace({ name: 'agent', type: 'run', input: { question } }, async () => {
      const messages: Message[] = [
        { role: 'system', content: prompt },
        { role: 'user', content: question },
      ]
      for (;;) {
        const response = await stepwell.fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: 'Bearer sk-live-0123456789abcdef' },
          body: JSON.stringify({ model: 'gpt-4o', messages, temperature }),
        })
        const { choices } = (await response.json()) as { choices: { message: Message }[] }
        const message = choices[0]?.message as Message
        messages.push(message)
        if (message.tool_calls === undefined) return message.content
        for (const { id, function: called } of message.tool_calls) {
          const output = await booked(JSON.parse(called.arguments))
          messages.push({ role: 'tool', content: JSON.stringify(output), tool_call_id: id })
        }
      }
    })
  }

const calling = (flight: string, usage = { prompt_tokens: 20, completion_tokens: 5 }) =>
  json({
    id: 'answer-1',
    model: 'gpt-4o-2024-08-06',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: `call-of-${flight}`,
              type: 'function',
              function: { name: 'book', arguments: JSON.stringify({ flight }) },
            },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  })

const saying = (content: string) =>
  json({
    id: 'answer-2',
    model: 'gpt-4o-2024-08-06',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 40, completion_tokens: 3, total_tokens: 43, cost: 0.002 },
  })

/** Records the application against a server, as in production. */
const recorded = async (...plays: Parameters<typeof server.plays>) => {
  server.plays(...plays)
  const { stepwell, steps } = recordInMemory()
  await agentAt(server.url)('Book HAT001 and HAT002.', stepwell)
  return JSON.parse(JSON.stringify(fixtureOf(steps))) as RunFixture
}

const conversation = () => recorded(calling('HAT001'), calling('HAT002'), saying('Both booked.'))

/** An address at which nothing listens. */
const NOWHERE = 'http://nowhere.invalid'

describe('a replay', () => {
  test('answers models and tools from the record, and the run is the same', async () => {
    const fixture = await conversation()
    book.mockClear()
    server.clear()
    const { replay, steps } = replayInMemory()
    const answers = await replay(fixture, async (input, stepwell) =>
      agentAt(NOWHERE)((input as { question: string }).question, stepwell),
    )
    expect(answers).toEqual(['Both booked.'])
    expect(steps.map(({ name }) => name)).toEqual([
      'agent',
      'chat gpt-4o',
      'book',
      'chat gpt-4o',
      'book',
      'chat gpt-4o',
    ])
    expect(steps).toBeSameRun(fixture, { outputs: 'exact' })
    expect(steps[1]?.generation).toMatchObject({
      model: 'gpt-4o-2024-08-06',
      usage: { input: 20, output: 5, total: 25 },
    })
    expect(steps[5]?.generation).toMatchObject({ cost: 0.002, tokenCount: 43 })
    expect(book).not.toHaveBeenCalled()
    expect(server.asked).toEqual([])
  })

  test('without an application does what was recorded once more', async () => {
    const fixture = await conversation()
    const { replay, steps, tree } = replayInMemory()
    await replay(fixture)
    expect(steps).toBeSameRun(fixture, { outputs: 'exact' })
    expect(tree()).toContain('book (tool) input { flight: "HAT001" }')
    await replay(fixture)
    expect(steps).toHaveLength(6)
  })

  test('names the first request that was not recorded, and the nearest, though the application caught the error', async () => {
    const fixture = await conversation()
    const { replay } = replayInMemory()
    const changed = replay(fixture, async (input, stepwell) => {
      const { question } = input as { question: string }
      await agentAt(NOWHERE, { prompt: 'Be polite.' })(question, stepwell).catch(() => {})
      await agentAt(NOWHERE, { prompt: 'Be rude.' })(question, stepwell).catch(() => {})
    })
    await expect(changed).rejects.toThrow(
      /^replay: request 1 \(POST http:\/\/nowhere\.invalid\/v1\/chat\/completions, gpt-4o, 2 messages\) has no recorded answer\. The nearest is number 1: chat gpt-4o .*\n {2}messages\[0\]\.content: expected "Be brief\.", got "Be polite\."$/,
    )
    await expect(changed).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const warmer = replay(fixture, (input, stepwell) =>
      agentAt(NOWHERE, { temperature: 1 })((input as { question: string }).question, stepwell),
    )
    await expect(warmer).rejects.toThrow('settings.temperature: expected 0, got 1')
  })

  test('names a request that is asked again, and a call of a tool with other arguments', async () => {
    const fixture = await conversation()
    book.mockClear()
    const { replay } = replayInMemory()
    const twice = replay(fixture, async (input, stepwell) => {
      for (let time = 0; time < 2; time++)
        await agentAt(NOWHERE)((input as { question: string }).question, stepwell)
    })
    await expect(twice).rejects.toThrow('it was asked once, and has been answered')
    const other = replay(fixture, (_, stepwell) =>
      stepwell.traced(book, { name: 'book', type: 'tool' })({ flight: 'HAT009' }),
    )
    await expect(other).rejects.toThrow(
      /the call of book input \{ flight: "HAT009" \} has no recorded answer\. The nearest is book \(tool\) input \{ flight: "HAT001" \}.*\n {2}input\.flight: expected "HAT001", got "HAT009"/,
    )
    expect(book).not.toHaveBeenCalled()
  })

  test('lets tools work that are named, and ignores what may differ', async () => {
    const fixture = await conversation()
    book.mockClear()
    const { replay, steps } = replayInMemory({ live: ['book'], ignore: [/HAT00\d/] })
    await replay(fixture, (_, stepwell) => agentAt(NOWHERE)('Book HAT003 and HAT002.', stepwell))
    expect(book).toHaveBeenCalledTimes(2)
    expect(steps).toBeSameRun(fixture, { ignore: [/HAT00\d/] })
    expect(steps).not.toBeSameRun(fixture)
  })

  test('fails as it was recorded to fail: by a status, and by a tool', async () => {
    book.mockRejectedValueOnce(new TypeError('no such flight'))
    server.plays(calling('HAT404'))
    const { stepwell, steps: before } = recordInMemory()
    const run = (client: StepwellClient) => agentAt(server.url)('Book.', client)
    await expect(run(stepwell)).rejects.toThrow('no such flight')
    const failing = fixtureOf(before)
    const { replay, steps } = replayInMemory()
    await replay(failing, (_, client) => run(client))
    expect(steps).toBeSameRun(failing, { outputs: 'exact' })
    expect(steps).toHaveStep({ name: 'book', error: 'TypeError: no such flight' })

    server.plays(json({ error: { message: 'slow down' } }, 429))
    const limited = recordInMemory()
    const ask = async (client: StepwellClient, url: string) => {
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })
      const request = { method: 'POST', body }
      const answer = await client.fetch(`${url}/v1/chat/completions`, request)
      return [answer.status, await answer.text()]
    }
    await ask(limited.stepwell, server.url)
    const fixture = fixtureOf(limited.steps)
    // Clients repeat such a request: each time it is answered.
    const answers = await replay(fixture, async (_, client) => [
      await ask(client, NOWHERE),
      await ask(client, NOWHERE),
    ])
    expect(answers).toEqual([Array(2).fill([429, '{"error":{"message":"slow down"}}'])])
    expect(steps).toHaveStep({ error: 'HTTP 429: slow down' })
  })

  test('takes a model that is named less exactly, and no other one', async () => {
    const fixture = await conversation()
    const { replay } = replayInMemory()
    const ask = (model: string) =>
      replay(fixture, (_, stepwell) =>
        stepwell.fetch(`${NOWHERE}/v1/chat/completions`, {
          method: 'POST',
          body: JSON.stringify({
            model,
            messages: [
              { role: 'system', content: 'Be brief.' },
              { role: 'user', content: [{ type: 'text', text: 'Book HAT001 and HAT002.' }] },
            ],
            temperature: 0,
          }),
        }),
      )
    await expect(ask('gpt-4o')).resolves.toHaveLength(1)
    await expect(ask('gpt-4')).rejects.toThrow('model: expected "gpt-4o", got "gpt-4"')
  })

  test('answers nothing but models, and says so', async () => {
    const fixture = await conversation()
    const { replay } = replayInMemory()
    const other = replay(fixture, (_, stepwell) => stepwell.fetch('https://shop.example/orders'))
    await expect(other).rejects.toThrow('GET https://shop.example/orders asks no model')
    const embedding = replay(fixture, (_, stepwell) =>
      stepwell.fetch('https://api.openai.com/v1/embeddings', {
        method: 'POST',
        body: JSON.stringify({ model: 'e', input: 'text' }),
      }),
    )
    await expect(embedding).rejects.toThrow(/expected an API whose answers can be written/)
    await expect(replay({ version: 2, name: '', steps: [] })).rejects.toThrow('expected version 1')
    await expect(replay({} as RunFixture)).rejects.toThrow('got no steps')
  })

  test('gives each user message of a thread without runs to the application', async () => {
    const { stepwell, steps } = recordInMemory()
    await stepwell.thread({ id: 't' }).wrap(async () => {
      for (const content of ['Hello', 'Bye']) {
        stepwell.step({ type: 'user_message', name: 'ada', output: { content } }).end()
        stepwell.step({ type: 'assistant_message', output: { content: 'Yes?' } }).end()
      }
    })
    const { replay } = replayInMemory()
    expect(await replay(fixtureOf(steps), (input) => `${input}!`)).toEqual(['Hello!', 'Bye!'])
  })
})

describe('the same run', () => {
  /** Changes the fixture that a run is compared with. */
  const compared = async (change: (fixture: RunFixture) => object) => {
    const fixture = await conversation()
    const { replay, steps } = replayInMemory()
    await replay(fixture)
    const expected = { ...fixture, ...change(fixture) } as RunFixture
    return () => assertSameRun(steps, expected)
  }

  test.each<[name: string, change: (fixture: RunFixture) => object, message: RegExp]>([
    [
      'a missing call',
      ({ steps }) => ({ steps: [...steps, { ...steps[2], id: 'lost', depth: 1 }] }),
      /missing: book \(tool\) .*\(recorded as lost\)/,
    ],
    [
      'an extra call',
      ({ steps }) => ({ steps: steps.filter((_, place) => place !== 2) }),
      /not recorded before: book \(tool\) input \{ flight: "HAT001" \}/,
    ],
    [
      'another order',
      ({ steps: [a, b, c, d, e, f] }) => ({ steps: [a, b, e, d, c, f] }),
      /order: book \(tool\) .* is in another place; it was number/,
    ],
    [
      'another argument',
      ({ steps }) => ({
        steps: steps.map((step, place) =>
          place === 2 ? { ...step, input: { flight: 'HAT009' } } : step,
        ),
      }),
      /input\.flight: expected "HAT009", got "HAT001"/,
    ],
    [
      'another message to the model',
      ({ messages = [] }) => ({
        messages: [{ role: 'system', content: 'Be loud.' }, ...messages.slice(1)],
      }),
      /messages\[0\]\.content: expected "Be loud\.", got "Be brief\."/,
    ],
    [
      'other tokens',
      ({ steps }) => ({
        steps: steps.map((step, place) =>
          place === 1
            ? {
                ...step,
                generation: {
                  ...step.generation,
                  inputTokenCount: 22,
                  usage: { input: 22, output: 5, total: 27 },
                },
              }
            : step,
        ),
      }),
      /tokens\.input: expected 22, got 20/,
    ],
    [
      'another cost',
      ({ steps }) => ({
        steps: steps.map((step, place) =>
          place === 5 ? { ...step, generation: { ...step.generation, cost: 0.003 } } : step,
        ),
      }),
      /cost: expected 0\.003, got 0\.002/,
    ],
    [
      'another structure',
      ({ steps }) => ({
        steps: steps.map((step, place) =>
          place === 2 ? { ...step, output: { booked: 'HAT001', seats: ['12A'], gate: 1 } } : step,
        ),
      }),
      /output\.seats\[0\]: expected a text, got a number[\s\S]*output\.gate: expected a number, got none/,
    ],
    [
      'another score',
      ({ steps }) => ({
        steps: steps.map((step, place) =>
          place === 0 ? { ...step, scores: [{ name: 'kind', type: 'AI', value: 1 }] } : step,
        ),
      }),
      /scores: expected kind 1 \(AI\), got none like it/,
    ],
    [
      'a score of the thread',
      () => ({ scores: [{ name: 'solved', type: 'HUMAN', value: 0 }] }),
      /thread: scores: expected solved 0 \(HUMAN\), got none like it/,
    ],
  ])('is not one with %s', async (_, change, message) => {
    expect(await compared(change)).toThrow(message)
  })

  test('is one with other values of the same structure, unless values are asked for', async () => {
    const fixture = await conversation()
    const { replay, steps } = replayInMemory()
    await replay(fixture)
    const other = {
      ...fixture,
      steps: fixture.steps.map((step, place) =>
        place === 2 ? { ...step, output: { booked: 'HAT001', seats: [1, 2] } } : step,
      ),
    }
    expect(steps).toBeSameRun(other)
    expect(() => assertSameRun(steps, other, { outputs: 'exact' })).toThrow('output.seats[0]')
    expect(steps).toBeSameRun(other, { outputs: false })
    expect(() => assertSameRun(steps, other, { outputs: 'some' as 'exact' })).toThrow(
      'outputs: expected exact, structure or false',
    )
    expect(() => assertSameRun(steps, other, { output: false } as object)).toThrow('options')
  })

  test('leaves out types of steps, any order and a share of the cost, where asked to', async () => {
    const fixture = await conversation()
    const { replay, steps } = replayInMemory()
    await replay(fixture)
    const [a, b, c, d, e, f] = fixture.steps
    const reordered = { ...fixture, steps: [a, b, e, d, c, f] } as RunFixture
    expect(steps).not.toBeSameRun(reordered)
    expect(steps).toBeSameRun(reordered, { order: false, arguments: false, cost: false })
    const without = { ...fixture, steps: [a, b, d, f] } as RunFixture
    expect(steps).toBeSameRun(without, { leaveOut: ['tool'] })
    const dearer = {
      ...fixture,
      steps: fixture.steps.map((step, place) =>
        place === 5 ? { ...step, generation: { ...step.generation, cost: 0.0021 } } : step,
      ),
    }
    expect(steps).not.toBeSameRun(dearer)
    expect(steps).toBeSameRun(dearer, { cost: 0.1 })
  })
})

describe('a fixture', () => {
  test('has no secrets of known forms, wherever they are', async () => {
    const secrets = {
      openai: 'sk-proj-abcdefghijklmnopqrstuvwx',
      anthropic: 'sk-ant-api03-abcdefghijklmnop',
      bearer: 'abcdefghijklmnop',
      basic: 'dXNlcjpwYXNz',
      letters: 'abcdefghijklmnopqrstuvwxyz',
      google: `AIza${'x'.repeat(35)}`,
      amazon: 'AKIAABCDEFGHIJKLMNOP',
      github: `ghp_${'a'.repeat(36)}`,
      slack: 'xoxb-1234567890-abcdef',
      jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
      ours: 'lsk_abcdefghijklmnopqrstuvwx',
      member: 'correct horse',
      inside: 'battery staple',
      address: 'hunter2hunter2',
    }
    const { stepwell, steps } = recordInMemory()
    await stepwell.trace('agent', async (step) => {
      step.input = {
        text: `${secrets.openai} and ${secrets.anthropic}`,
        header: `Authorization: Bearer ${secrets.bearer}`,
        said: `with Basic ${secrets.basic} or bearer ${secrets.letters}`,
        password: secrets.member,
        nested: [{ deep: `key ${secrets.google} ${secrets.amazon}` }],
      }
      step.error = `401 for https://ada:${secrets.address}@db.example with ${secrets.ours}`
      step.generation = {
        messages: [{ role: 'user', content: `${secrets.github} ${secrets.slack}` }],
        messageCompletion: {
          role: 'assistant',
          content: secrets.jwt,
          tool_calls: [
            { function: { name: 'sign', arguments: `{"api_key":"${secrets.inside}","n":1}` } },
          ],
        },
      }
      return 'the token count is 12; token generation; Basic Economy. basic economy; sketch-of-a-plan'
    })
    const text = JSON.stringify(fixtureOf(steps))
    for (const [name, secret] of Object.entries(secrets)) expect(text, name).not.toContain(secret)
    expect(text).toContain(
      'the token count is 12; token generation; Basic Economy. basic economy; sketch-of-a-plan',
    )
    expect(text).toContain('Authorization: Bearer [secret]')
    expect(text).toContain('\\"n\\":1')
  })

  test('has each message once, and the mask of the user before all', async () => {
    const fixture = await conversation()
    expect(fixture.messages).toHaveLength(7)
    expect(fixture.steps[5]?.generation).toMatchObject({ messages: '0-5', answer: 6 })
    const { stepwell, steps } = recordInMemory()
    await stepwell.trace({ name: 'a', input: { name: 'Ada' } }, () => {})
    const masked = fixtureOf(steps, { mask: (value, field) => (field === 'input' ? {} : value) })
    expect(JSON.stringify(masked)).not.toContain('Ada')
    expect(() => fixtureOf([])).toThrow('expected a list of recorded steps')
  })
})
