import { createService, listen, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PromptSnapshot, StepwellClient } from '../../src/index.js'
import { eventually } from '../support/eventually.js'
import { runs } from '../support/runs.js'
import { useService } from '../support/service.js'

const contents = ['zero', 'one', 'two']

describe('labels', () => {
  const fixture = useService()
  let stepwell: StepwellClient
  let count = 0
  /** Creates a prompt with three versions. */
  const newPrompt = async (): Promise<string> => {
    const name = `prompt ${++count}`
    for (const content of contents)
      await stepwell.api.getOrCreatePrompt(name, [{ role: 'user', content }])
    return name
  }
  const moves = async (name: string) => {
    const query = `query ($name: String!) {
      promptLineage(name: $name) { labelMoves { label fromVersion toVersion movedAt movedBy } }
    }`
    const { promptLineage } = await stepwell.query<
      {
        promptLineage: { labelMoves: { label: string; fromVersion: number; toVersion: number }[] }
      },
      object
    >(query, { name })
    return promptLineage.labelMoves
  }
  beforeAll(async () => {
    stepwell = await fixture.newClient()
  })

  test('a label leads to its version, in both spellings, whatever the split and the key', async () => {
    const name = await newPrompt()
    await stepwell.api.setPromptLabel({ name, label: 'production', version: 2 })
    await stepwell.api.updatePromptAbTesting(name, [{ version: 0, rollout: 1 }])
    const label = 'production'
    expect(await stepwell.api.getPrompt(name, { label })).toMatchObject({ version: 2 })
    expect(await stepwell.api.getPrompt(name, null, { label, key: 'ada' })).toMatchObject({
      version: 2,
    })
    expect(await stepwell.api.get_prompt({ name, label })).toMatchObject({ version: 2 })
    expect(await stepwell.api.getPrompt(name)).toMatchObject({ version: 0 })
    expect(await stepwell.api.getPrompt(name, { key: 'ada' })).toMatchObject({ version: 0 })
  })

  test('a label moves, and remembers who moved it from where', async () => {
    const name = await newPrompt()
    for (const version of [0, 2, 2, 1])
      await stepwell.api.setPromptLabel({ name, label: 'production', version })
    expect(await stepwell.api.getPromptLabels(name)).toEqual([
      {
        name: 'production',
        version: 1,
        movedAt: expect.stringMatching(/^\d{4}-/),
        movedBy: expect.stringMatching(/./),
      },
    ])
    expect(await stepwell.api.remove_prompt_label({ name, label: 'production' })).toEqual([])
    const found = await moves(name)
    expect(found.map(({ fromVersion, toVersion }) => [fromVersion, toVersion])).toEqual([
      [1, null],
      [2, 1],
      [0, 2],
      [null, 0],
    ])
    expect(found[0]).toMatchObject({ label: 'production', movedBy: expect.stringMatching(/./) })
  })

  test('an unknown label is an error that lists those there are', async () => {
    const name = await newPrompt()
    const ask = () => stepwell.api.getPrompt(name, { label: 'prod' })
    await expect(ask()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('has no label "prod"; it has no labels'),
    })
    await stepwell.api.setPromptLabel({ name, label: 'staging', version: 1 })
    await stepwell.api.setPromptLabel({ name, label: 'production', version: 0 })
    await expect(ask()).rejects.toThrow('has no label "prod"; it has "production", "staging"')
    await expect(stepwell.api.get_prompt({ name, label: 'prod' })).rejects.toThrow('no label')
    expect(await stepwell.api.getPrompt('nobody', { label: 'prod' })).toBeNull()
    expect(await stepwell.api.getPromptLabels('nobody')).toBeNull()
  })

  test('bad input is rejected by its field', async () => {
    const name = await newPrompt()
    const set = (given: object) =>
      stepwell.api.setPromptLabel({ name, label: 'production', version: 0, ...given })
    await expect(set({ version: 7 })).rejects.toThrow(/version: .* has no version 7/)
    await expect(set({ label: '  ' })).rejects.toThrow('label: expected a text of 1 to 100')
    await expect(set({ label: 'x'.repeat(101) })).rejects.toThrow('label: expected')
    await expect(set({ name: 'nobody' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(stepwell.api.getPrompt(name, 1, { label: 'production' })).rejects.toThrow(
      'version, label: expected one of them, got both',
    )
    await expect(
      stepwell.query(
        'query ($n: String!) { promptVersion(name: $n, version: 0, label: "x") { id } }',
        {
          n: name,
        },
      ),
    ).rejects.toThrow('version, label: expected one of them, got both')
    await expect(stepwell.api.removePromptLabel({ name, label: 'production' })).rejects.toThrow(
      'has no label "production"',
    )
  })

  test('a prompt has at most 100 labels, and those that it has still move', async () => {
    const name = await newPrompt()
    for (let number = 0; number < 100; number++)
      await stepwell.api.setPromptLabel({ name, label: `label ${number}`, version: 0 })
    await expect(
      stepwell.api.setPromptLabel({ name, label: 'one more', version: 0 }),
    ).rejects.toThrow('at most 100 labels')
    const labels = await stepwell.api.setPromptLabel({ name, label: 'label 7', version: 1 })
    expect(labels).toHaveLength(100)
    expect(await moves(name)).toHaveLength(100)
  })

  test('moves at the same time are all kept', async () => {
    const name = await newPrompt()
    await Promise.all(
      contents.flatMap((_, version) =>
        ['a', 'b', 'c'].map((label) =>
          stepwell.api.setPromptLabel({ name, label: `${label}${version}`, version }),
        ),
      ),
    )
    expect(
      ((await stepwell.api.getPromptLabels(name)) ?? []).map(({ name: label, version }) => [
        label,
        version,
      ]),
    ).toEqual(
      ['a', 'b', 'c'].flatMap((label) =>
        contents.map((_, version) => [`${label}${version}`, version]),
      ),
    )
    expect(await moves(name)).toHaveLength(9)
  })

  test('after any moves, each label leads to the version of its last move', async () => {
    const move = fc.record({
      label: fc.constantFrom('production', 'staging', '__proto__', 'toString'),
      version: fc.option(fc.integer({ min: 0, max: 2 })),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 8 }), async (list) => {
        const name = await newPrompt()
        const expected = new Map<string, number>()
        for (const { label, version } of list) {
          if (version === null) {
            const removed = stepwell.api.removePromptLabel({ name, label })
            if (expected.delete(label)) await removed
            else await expect(removed).rejects.toThrow('no label')
          } else {
            await stepwell.api.setPromptLabel({ name, label, version })
            expected.set(label, version)
          }
        }
        const found = (await stepwell.api.get_prompt_labels({ name })) ?? []
        expect(new Map(found.map((one) => [one.name, one.version]))).toEqual(expected)
        for (const [label, version] of expected)
          expect(await stepwell.api.getPrompt(name, { label })).toMatchObject({ version })
      }),
      { numRuns: runs(15) },
    )
  })

  test('the data to draw versions has each labelled version once', async () => {
    const name = await newPrompt()
    await stepwell.api.setPromptLabel({ name, label: 'production', version: 0 })
    await stepwell.api.setPromptLabel({ name, label: 'next', version: 2 })
    await stepwell.api.setPromptLabel({ name, label: 'also next', version: 2 })
    const query = `query ($name: String!) {
      promptRollout(name: $name) { versions { version } labelledVersions { version } labels { name } }
    }`
    expect(await stepwell.query(query, { name })).toEqual({
      promptRollout: {
        versions: [{ version: 0 }],
        labelledVersions: [{ version: 2 }],
        labels: [{ name: 'also next' }, { name: 'next' }, { name: 'production' }],
      },
    })
  })
})

describe('copies of labelled versions', () => {
  let service: Service
  let apiKey: string
  let port = 0
  let stop: (() => Promise<void>) | undefined
  let calls = 0
  const up = async () => {
    // A port that was left may be that of a connection of another process for a moment.
    const listening = await eventually(() => listen(service, '127.0.0.1', port))
    port = Number(new URL(listening.url).port)
    stop = listening.stop
  }
  const newClient = (prompts = {}) =>
    new StepwellClient({
      apiKey,
      apiUrl: `http://127.0.0.1:${port}`,
      prompts,
      onReport: () => {},
      fetch: (input, init) => {
        calls++
        return fetch(input, { ...init, headers: { ...init?.headers, connection: 'close' } })
      },
    })
  const [name, label] = ['support', 'production']
  beforeAll(async () => {
    service = await createService()
    apiKey = (await service.createProject('labels')).apiKey
    await up()
    const { api } = newClient()
    for (const content of contents) await api.getOrCreatePrompt(name, [{ role: 'user', content }])
    await api.setPromptLabel({ name, label, version: 0 })
  })
  afterAll(async () => {
    await stop?.()
    await service?.close()
  })

  test('a fresh copy spares the call, and a move by the client itself is seen at once', async () => {
    const { api } = newClient({ ttlMs: 60_000 })
    const asked = calls
    for (let time = 0; time < 5; time++)
      expect(await api.getPrompt(name, { label })).toMatchObject({ version: 0 })
    expect(calls - asked).toBe(1)
    await api.setPromptLabel({ name, label, version: 1 })
    expect(await api.getPrompt(name, { label })).toMatchObject({ version: 1 })
    await api.setPromptLabel({ name, label, version: 0 })
  })

  test('a copy follows a move by another client', async () => {
    const { api } = newClient({ ttlMs: 100 })
    expect(await api.getPrompt(name, { label })).toMatchObject({ version: 0 })
    await newClient().api.setPromptLabel({ name, label, version: 2 })
    await eventually(async () =>
      expect(await api.getPrompt(name, { label })).toMatchObject({ version: 2 }),
    )
    await newClient().api.setPromptLabel({ name, label, version: 0 })
  })

  test('while the service is away, the last copy or that of a snapshot is used', async () => {
    const { api } = newClient()
    const last = await api.getPrompt(name, { label })
    const snapshot: PromptSnapshot = {
      [name]: {
        lineageId: 'l',
        segments: [],
        versions: [{ ...(last as NonNullable<typeof last>), version: 9 }],
        labels: [{ name: label, version: 9 }],
      },
    }
    await stop?.()
    stop = undefined
    expect(await api.getPrompt(name, { label })).toEqual(last)
    expect(await newClient({ snapshot }).api.getPrompt(name, { label })).toMatchObject({
      version: 9,
    })
    await expect(
      newClient({ snapshot }).api.getPrompt(name, { label: 'other' }),
    ).rejects.toMatchObject({ code: 'NETWORK' })
    await up()
    expect(await newClient({ snapshot }).api.getPrompt(name, { label })).toMatchObject({
      version: 0,
    })
  })
})
