import { setTimeout as sleep } from 'node:timers/promises'
import { createService, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PromptOptions, type PromptSnapshot, StepwellClient } from '../src/index.js'
import { eventually } from './support/eventually.js'
import { useService } from './support/service.js'

describe('format', () => {
  const fixture = useService()
  let stepwell: StepwellClient
  beforeAll(async () => {
    stepwell = await fixture.newClient()
  })
  let count = 0
  const promptOf = (...contents: unknown[]) =>
    stepwell.api.getOrCreatePrompt(
      `format ${++count}`,
      contents.map((content) => ({ role: 'user', content }) as never),
    )
  const textOf = async (content: unknown, variables?: Record<string, unknown>) =>
    (await promptOf(content)).format(variables)[0]?.content

  test('fills in texts, lists and conditions, and escapes nothing', async () => {
    expect(await textOf('Hi {{name}}!', { name: `O'Neil & "Co" <b>` })).toBe(
      `Hi O'Neil & "Co" <b>!`,
    )
    expect(
      await textOf('{{#items}}- {{title}}\n{{/items}}{{^items}}none{{/items}}', {
        items: [{ title: 'a' }, { title: 'b' }],
      }),
    ).toBe('- a\n- b\n')
    expect(
      await textOf('{{user.name}} {{{raw}}} {{n}} {{no}}', {
        user: { name: 'Ada' },
        raw: '<>',
        n: 0,
        no: false,
      }),
    ).toBe('Ada <> 0 false')
    expect(await textOf('{{order}}', { order: { id: 7 } })).toBe('{"id":7}')
  })

  test('fills in the text parts of a message, and leaves the others unchanged', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.org/{{name}}.png' } }
    expect(await textOf([{ type: 'text', text: 'See {{name}}' }, image], { name: 'Ada' })).toEqual([
      { type: 'text', text: 'See Ada' },
      image,
    ])
  })

  test('leaves missing variables blank, or with strict throws an error that names one', async () => {
    const prompt = await promptOf('{{greeting}} {{name}}{{#items}}{{price}}{{/items}}')
    expect(prompt.format({ name: 'Ada' })[0]?.content).toBe(' Ada')
    expect(() => prompt.format({ name: 'Ada' }, { strict: true })).toThrow(
      /variables: expected greeting, items for the prompt "format \d+" \(version 0\), got name/,
    )
    expect(() =>
      prompt.format({ greeting: 'Hi', name: 'Ada', items: [{}] }, { strict: true }),
    ).toThrow('price')
    expect(
      prompt.format({ greeting: 'Hi', name: 'Ada', items: false }, { strict: true })[0]?.content,
    ).toBe('Hi Ada')
  })

  test('odd variables and templates harm nothing', async () => {
    expect(await textOf('{{#items}}[{{title}}]{{/items}}', { items: [{ title: 'a' }, null] })).toBe(
      '[a][]',
    )
    const circular: Record<string, unknown> = {}
    circular.self = circular
    expect(
      await textOf('{{circular}} {{big}} {{nested}}', { circular, big: 10n, nested: { big: 10n } }),
    ).toBe('[object Object] 10 {"big":"10"}')
    expect(await textOf('{{{order}}} {{&order}}', { order: { id: 7 } })).toBe('{"id":7} {"id":7}')
    expect(await textOf('{{constructor}}{{toString}}{{valueOf}}', { secret: 's' })).toBe('')
    expect(await textOf('{{name}}', { name: 'Ada', hasOwnProperty: 1 })).toBe('Ada')
    expect(await textOf('a {{> partial}} b')).toBe('a  b')
    const prompt = await stepwell.api.getOrCreatePrompt('\ud800x', [
      { role: 'user', content: 'Hi' },
    ])
    expect(prompt.url).toContain('%EF%BF%BDx')
  })

  test("returns a copy, so that a caller's changes to a prompt or message stay private", async () => {
    const client = await fixture.newClient({ prompts: { ttlMs: 60_000 } })
    await client.api.getOrCreatePrompt('mine', [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] } as never,
    ])
    const prompt = await client.api.getPrompt('mine')
    if (prompt === null) throw new Error('there is none')
    prompt.settings.stream = true
    const [message] = prompt.format()
    for (const part of message?.content as unknown as { image_url: { url: string } }[])
      part.image_url.url = 'changed'
    prompt.templateMessages.pop()
    const again = await client.api.getPrompt('mine')
    expect(again?.settings).toEqual({})
    expect(again?.format()).toMatchObject([{ content: [{ image_url: { url: 'x' } }] }])
  })

  test('records as much of the variables of a large model call as fits, and its prompt', async () => {
    const prompt = await promptOf('{{text}}')
    const messages = prompt.format({ text: 'x'.repeat(1_200_000) }) as never[]
    await stepwell.trace({ id: 'large', type: 'llm' }, (step) => {
      step.generation = { model: 'm', messages }
    })
    expect(await stepwell.flush()).toMatchObject({ dropped: 0 })
    const { generation } = (await stepwell.api.getStep('large')) ?? {}
    expect(generation).toMatchObject({ model: 'm', promptId: prompt.id })
    expect(JSON.stringify(generation?.messages)).toContain('[cut: ')
  })

  test('fills in defaults for missing variables', async () => {
    const query = `mutation($id: String!) {
      createPromptVersion(lineageId: $id, templateMessages: [{ role: "user", content: "{{a}} {{b}}" }],
        variablesDefaultValues: { a: "default", b: "default" }) { id }
    }`
    const lineage = await stepwell.api.createPromptLineage('defaults')
    await stepwell.query(query, { id: lineage?.id })
    const prompt = await stepwell.api.getPrompt('defaults')
    expect(prompt?.format({ b: 'given' }, { strict: true })[0]?.content).toBe('default given')
    expect(prompt?.format({ a: undefined })[0]?.content).toBe('default default')
  })

  test('adds no field that a model does not know, and none of the prompt’s methods to JSON', async () => {
    const prompt = await promptOf('Hi')
    expect(Object.keys(prompt.format()[0] as object)).toEqual(['role', 'content'])
    expect(JSON.parse(JSON.stringify(prompt))).toEqual({ ...prompt })
    expect(Object.keys(prompt)).not.toContain('format')
  })

  test('a generation has its prompt, version and variables, however it is recorded', async () => {
    const prompt = await promptOf('Hi {{name}}')
    const [message] = prompt.format({ name: 'Ada' })
    const messages = [{ ...message }, { role: 'user', content: 'more' }] as never[]
    await stepwell.trace({ id: 'traced', type: 'llm' }, (step) => {
      step.generation = { model: 'm', messages }
    })
    await stepwell.flush()
    await stepwell.api.sendSteps([{ id: 'sent', generation: { messages } }])
    await stepwell.api.send_steps({ id: 'sent-2', generation: { messages } })
    const created = await stepwell.api.createGeneration({ messages })
    for (const id of ['traced', 'sent', 'sent-2', created.id]) {
      const { generation } = (await stepwell.api.getStep(id)) ?? {}
      expect(generation, id).toMatchObject({
        promptId: prompt.id,
        variables: { name: 'Ada' },
        messages: [
          {
            role: 'user',
            content: 'Hi Ada',
            uuid: prompt.templateMessages[0]?.uuid,
            templated: true,
          },
          { role: 'user', content: 'more' },
        ],
      })
    }
    const { data } = await stepwell.api.getGenerations({
      filters: [
        { field: 'promptLineage', operator: 'eq', value: prompt.name },
        { field: 'promptVersion', operator: 'eq', value: 0 },
      ],
    })
    expect(data).toHaveLength(4)
    await stepwell.api.sendSteps([{ id: 'own', generation: { messages, promptId: 'mine' } }])
    expect((await stepwell.api.getStep('own'))?.generation?.promptId).toBe('mine')
  })

  test('the other spelling formats too', async () => {
    const { name } = await promptOf('Hi {{name}}')
    const prompt = await stepwell.api.get_prompt({ name })
    expect(prompt?.format({ name: 'Ada' })[0]?.content).toBe('Hi Ada')
    expect(prompt?.format_messages()[0]?.content).toBe('Hi ')
    expect(prompt?.template_messages).toHaveLength(1)
  })

  test('LangChain gets the messages, and the defaults as partial values', async () => {
    const prompt = await promptOf('Hi {{name}}')
    const given: unknown[] = []
    const template = prompt.toLangChain({
      fromMessages: (...parameters) => {
        given.push(...parameters)
        return 'template'
      },
    })
    expect(template).toBe('template')
    expect(given).toEqual([
      [['user', 'Hi {{name}}']],
      { templateFormat: 'mustache', partialVariables: {} },
    ])
  })
})

describe('rollouts', () => {
  const fixture = useService()
  let stepwell: StepwellClient
  const split = (...rollouts: number[]) =>
    stepwell.api.updatePromptAbTesting(
      'support',
      rollouts.map((rollout, version) => ({ version, rollout })),
    )
  beforeAll(async () => {
    stepwell = await fixture.newClient({ prompts: { ttlMs: 600_000 } })
    for (const content of ['zero', 'one', 'two'])
      await stepwell.api.getOrCreatePrompt('support', [{ role: 'user', content }])
  })
  const drawAll = async (keys: readonly (string | undefined)[]) => {
    const versions: number[] = []
    for (const key of keys)
      versions.push((await stepwell.api.getPrompt('support', null, { key }))?.version ?? -1)
    return versions
  }
  const keys = Array.from({ length: 10_000 }, (_, index) => `participant-${index}`)
  /** Returns the chi-squared statistic of a split in two. */
  const chiSquared = (ones: number, expected: number, total: number) =>
    (ones - expected) ** 2 / expected + (ones - expected) ** 2 / (total - expected)
  /** One draw in a million deviates further, with one degree of freedom. */
  const MAX_GAP = 23.9

  test('10,000 draws of a 60/40 split pass a chi-squared test, by chance and by key', async () => {
    await split(60, 40)
    for (const drawn of [await drawAll(Array(10_000).fill(undefined)), await drawAll(keys)]) {
      const ones = drawn.filter((version) => version === 1).length
      expect(chiSquared(ones, 4000, 10_000)).toBeLessThan(MAX_GAP)
      expect(new Set(drawn)).toEqual(new Set([0, 1]))
    }
  })

  test('a key stays with its version while the split stands', async () => {
    await split(60, 40)
    const before = await drawAll(keys)
    expect(await drawAll(keys)).toEqual(before)
  })

  test('a new split moves no more keys than it must', async () => {
    await split(60, 40, 0)
    const first = await drawAll(keys)
    await split(50, 40, 10)
    const second = await drawAll(keys)
    const moves = first.flatMap((version, index) =>
      version === second[index] ? [] : [[version, second[index]]],
    )
    // Only from the version that lost to the one that gained, a tenth of all.
    expect(moves.every(([from, to]) => from === 0 && to === 2)).toBe(true)
    expect(chiSquared(moves.length, 1000, 10_000)).toBeLessThan(MAX_GAP)
  })

  test('keys of one prompt predict nothing about those of another', async () => {
    for (const content of ['zero', 'one'])
      await stepwell.api.getOrCreatePrompt('other', [{ role: 'user', content }])
    await split(50, 50)
    await stepwell.api.updatePromptAbTesting('other', [
      { version: 0, rollout: 1 },
      { version: 1, rollout: 1 },
    ])
    const here = await drawAll(keys)
    let same = 0
    for (const [index, key] of keys.entries())
      if ((await stepwell.api.get_prompt({ name: 'other', key }))?.version === here[index]) same++
    expect(chiSquared(same, 5000, 10_000)).toBeLessThan(MAX_GAP)
  })
})

describe('when the service comes and goes', () => {
  let service: Service
  let apiKey: string
  /** The service is away at a port that nobody has: another process could take one that it left. */
  const AWAY = '127.0.0.1:1'
  let place = AWAY
  let stop: (() => Promise<void>) | undefined
  let calls = 0
  const up = async () => {
    const listening = await listen(service, '127.0.0.1', 0)
    place = new URL(listening.url).host
    stop = listening.stop
  }
  const down = async () => {
    place = AWAY
    await stop?.()
    stop = undefined
  }
  /** Sends a request to where the service is now. */
  const reach: typeof fetch = (input, init) =>
    fetch(String(input).replace('service.test', place), init)
  const reports: string[] = []
  const newClient = (prompts: PromptOptions = {}) =>
    new StepwellClient({
      apiKey,
      apiUrl: 'http://service.test',
      // No answer of a busy machine takes that long, and none that is refused takes any time.
      prompts: { waitMs: 60_000, ...prompts },
      onReport: (message) => reports.push(message),
      fetch: (input, init) => {
        calls++
        return reach(input, { ...init, headers: { ...init?.headers, connection: 'close' } })
      },
    })
  beforeAll(async () => {
    service = await createService()
    apiKey = (await service.createProject('prompts')).apiKey
    await up()
    await newClient().api.getOrCreatePrompt('support', [{ role: 'user', content: 'Hi' }])
  })
  afterAll(async () => {
    await down()
    await service?.close()
  })

  test('without a time to live each call asks, and the last copy is used when the service does not answer', async () => {
    const { api } = newClient()
    const asked = calls
    const prompt = await api.getPrompt('support')
    expect(await api.getPrompt('support')).toEqual(prompt)
    expect(calls - asked).toBe(2)
    await down()
    reports.length = 0
    expect(await api.getPrompt('support')).toEqual(prompt)
    expect(await api.get_prompt({ name: 'support' })).toMatchObject({ id: prompt?.id })
    expect(reports.filter((message) => message.includes('prompts come from copies'))).toHaveLength(
      1,
    )
    await expect(api.getPrompt('support', 7)).rejects.toMatchObject({ code: 'NETWORK' })
    await up()
    await newClient().api.getOrCreatePrompt('support', [{ role: 'user', content: 'Hello' }])
    await newClient().api.updatePromptAbTesting('support', [{ version: 1, rollout: 1 }])
    expect(await api.getPrompt('support')).toMatchObject({ version: 1 })
  })

  test('a fresh copy spares the call, and calls at the same time share one', async () => {
    const { api } = newClient({ ttlMs: 60_000 })
    const asked = calls
    await Promise.all(Array.from({ length: 20 }, () => api.getPrompt('support')))
    await api.getPrompt('support')
    expect(calls - asked).toBe(1)
  })

  test('an outage is reported once while a prompt is in use, though its copy is renewed in the background', async () => {
    const { api } = newClient({ ttlMs: 100 })
    const prompt = await api.getPrompt('support')
    await down()
    reports.length = 0
    const said = () => reports.filter((message) => message.includes('prompts come from copies'))
    await eventually(async () => {
      expect(await api.getPrompt('support')).toEqual(prompt)
      expect(said()).toHaveLength(1)
    })
    await up()
  })

  test('changes by the client itself are visible at once', async () => {
    const { api } = newClient({ ttlMs: 60_000 })
    await api.getPrompt('support')
    await api.updatePromptAbTesting('support', [{ version: 0, rollout: 1 }])
    expect(await api.getPrompt('support')).toMatchObject({ version: 0 })
    await api.updatePromptAbTesting('support', [{ version: 1, rollout: 1 }])
    expect(await api.getPrompt('support')).toMatchObject({ version: 1 })
  })

  test('a copy past half of its time is renewed in the background', async () => {
    const { api } = newClient({ ttlMs: 2000 })
    const begin = performance.now()
    await api.getPrompt('support')
    await newClient().api.updatePromptAbTesting('support', [{ version: 0, rollout: 1 }])
    expect(await api.getPrompt('support')).toMatchObject({ version: 1 })
    await eventually(async () =>
      expect(await api.getPrompt('support')).toMatchObject({ version: 0 }),
    )
    expect(performance.now() - begin).toBeGreaterThan(999)
    await newClient().api.updatePromptAbTesting('support', [{ version: 1, rollout: 1 }])
  })

  test.each([
    ['is put back', -3_600_000, 200],
    ['stood still beside it while the machine slept', 3_600_000, 600_000],
  ])('a copy is not fresh for longer when the clock %s', async (_, jump, ttlMs) => {
    const { api } = newClient({ ttlMs })
    await api.getPrompt('support')
    await newClient().api.updatePromptAbTesting('support', [{ version: 0, rollout: 1 }])
    const { now } = Date
    Date.now = () => now() + jump
    try {
      await eventually(async () =>
        expect(await api.getPrompt('support')).toMatchObject({ version: 0 }),
      )
    } finally {
      Date.now = now
      await newClient().api.updatePromptAbTesting('support', [{ version: 1, rollout: 1 }])
    }
  })

  test('with a copy, a hanging service delays a call no longer than the time-out', async () => {
    let hangs = false
    const client = new StepwellClient({
      apiKey,
      apiUrl: 'http://service.test',
      prompts: { waitMs: 50 },
      onReport: () => {},
      fetch: (input, init) => (hangs ? new Promise(() => {}) : reach(input, init)),
    })
    const prompt = await client.api.getPrompt('support')
    hangs = true
    expect(await client.api.getPrompt('support')).toEqual(prompt)
  })

  test('a snapshot serves from the start, and the service takes precedence', async () => {
    const pulled = await newClient().api.getPrompt('support')
    const snapshot: PromptSnapshot = {
      support: {
        lineageId: 'l',
        segments: [{ version: 9, from: 0, to: 1_000_000 }],
        versions: [{ ...(pulled as NonNullable<typeof pulled>), id: 'old', version: 9 }],
      },
    }
    await down()
    const { api } = newClient({ snapshot })
    expect(await api.getPrompt('support')).toMatchObject({ version: 9 })
    expect(await api.getPrompt('support', 9)).toMatchObject({ id: 'old' })
    expect(await api.getPromptById('old')).toMatchObject({ version: 9 })
    await expect(api.getPrompt('toString')).rejects.toMatchObject({ code: 'NETWORK' })
    await up()
    expect(await api.getPrompt('support')).toMatchObject({ version: 1 })
    expect(await api.getPrompt('nobody')).toBeNull()
  })

  test('an invalid key fails calls without a copy, and no others', async () => {
    let key = apiKey
    const client = new StepwellClient({
      apiKey,
      apiUrl: 'http://service.test',
      onReport: () => {},
      fetch: (input, init) =>
        reach(input, { ...init, headers: { ...init?.headers, 'x-api-key': key } }),
    })
    await client.api.getPrompt('support')
    key = 'revoked'
    expect(await client.api.getPrompt('support')).toMatchObject({ version: 1 })
    await expect(client.api.getPrompt('support', 0)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    })
  })

  test('invalid times are rejected by name', () => {
    expect(() => newClient({ ttlMs: -1 })).toThrow('prompts.ttlMs')
    expect(() => newClient({ waitMs: 0 })).toThrow('prompts.waitMs')
  })

  test('a hanging call delays no other once the service is back', async () => {
    let hangs = true
    const client = new StepwellClient({
      apiKey,
      apiUrl: 'http://service.test',
      prompts: { ttlMs: 60_000, waitMs: 50 },
      onReport: () => {},
      fetch: (input, init) => (hangs ? new Promise(() => {}) : reach(input, init)),
    })
    void client.api.getPrompt('support').catch(() => undefined)
    hangs = false
    await eventually(async () => {
      const answer = client.api.getPrompt('support')
      expect(await Promise.race([answer, sleep(500)])).toMatchObject({ name: 'support' })
    })
  })

  test('while a service fails, copies are returned at once, and it is tried again in the background', async () => {
    let fails = false
    let asked = 0
    const client = new StepwellClient({
      apiKey,
      apiUrl: 'http://service.test',
      prompts: { ttlMs: 20, waitMs: 60 },
      onReport: () => {},
      fetch: (input, init) => {
        asked++
        return fails ? new Promise(() => {}) : reach(input, init)
      },
    })
    const prompt = await client.api.getPrompt('support')
    fails = true
    await eventually(async () => {
      const before = asked
      expect(await client.api.getPrompt('support')).toEqual(prompt)
      // It was tried, and is not tried again at once.
      expect(await client.api.getPrompt('support')).toEqual(prompt)
      expect(asked).toBe(before)
    })
    fails = false
    await newClient().api.updatePromptAbTesting('support', [{ version: 0, rollout: 1 }])
    await eventually(async () =>
      expect(await client.api.getPrompt('support')).toMatchObject({ version: 0 }),
    )
    await newClient().api.updatePromptAbTesting('support', [{ version: 1, rollout: 1 }])
  })

  test('the first version of a prompt is seen, and cached versions serve an outage', async () => {
    const { api } = newClient({ ttlMs: 60_000 })
    await api.createPromptLineage('late')
    expect(await api.getPrompt('late')).toBeNull()
    const made = await newClient().api.getOrCreatePrompt('late', [{ role: 'user', content: 'Hi' }])
    expect(await api.getPrompt('late')).toMatchObject({ id: made.id })
    await down()
    expect(await api.getPrompt('late', 0)).toMatchObject({ id: made.id })
    await up()
  })
})
