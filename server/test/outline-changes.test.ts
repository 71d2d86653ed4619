// The changes of an outline, from which a client makes the new one out of that of before.
import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NEW, runsSince } from '../src/domain/outlines/differences.js'
import { OrderedSteps, type OutlineColumns } from '../src/domain/outlines/ordered-steps.js'
import type { OutlinePortion, OutlineRow } from '../src/storage/outlines/portion.js'
import { type Ask, asker } from './support/ask.js'

interface Read {
  names: string[]
  types: string[]
  skeleton: OutlineColumns
}

type Changes = OutlineColumns & { runs: [number, number][] }

/** Returns the steps of an outline, with their names and types for numbers. */
const stepsOf = ({ names, types, skeleton }: Read): object[] =>
  skeleton.id.map((id, place) => ({
    ...Object.fromEntries(Object.entries(skeleton).map(([name, column]) => [name, column[place]])),
    id,
    name: names[skeleton.name[place] as number],
    type: types[skeleton.type[place] as number],
  }))

/** Makes the steps of now out of those of before, as a client does. */
const changed = (before: Read, { names, types }: Omit<Read, 'skeleton'>, changes: Changes) => {
  const known = stepsOf(before)
  const { runs, ...skeleton } = changes
  const others = stepsOf({ names, types, skeleton })
  return runs.flatMap(([from, count]) =>
    from === NEW ? others.splice(0, count) : known.slice(from, from + count),
  )
}

const step = fc.record({
  id: fc.nat(12).map((number) => `s${number}`),
  parentId: fc.option(
    fc.nat(12).map((number) => `s${number}`),
    { nil: null },
  ),
  type: fc.constantFrom('run', 'tool', 'llm'),
  name: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: null }),
  start: fc.option(fc.constantFrom(1, 2, 3), { nil: null, freq: 8 }),
  end: fc.option(fc.constantFrom(4, 5), { nil: null }),
  tokens: fc.option(fc.nat(2), { nil: null }),
  hasFailed: fc.boolean(),
})

const orderedSteps = (rows: readonly Partial<OutlineRow>[]): Promise<OrderedSteps> => {
  const columns: { [Name in keyof OutlineRow]: OutlineRow[Name][] } = {
    id: [],
    parentId: [],
    type: [],
    name: [],
    start: [],
    end: [],
    arrived: [],
    firstToken: [],
    tokens: [],
    cost: [],
    isUnpriced: [],
    hasFailed: [],
    isGeneration: [],
  }
  for (const row of rows)
    for (const [name, column] of Object.entries(columns) as [keyof OutlineRow, unknown[]][])
      column.push(row[name] ?? (name === 'arrived' ? 0 : null))
  const portion = { ...columns, last: { moment: '', id: '' } } as unknown as OutlinePortion
  return OrderedSteps.read(
    (async function* () {
      yield portion
    })(),
  )
}

const readOf = async (steps: OrderedSteps): Promise<Read> => ({
  names: [...steps.names],
  types: [...steps.types],
  skeleton: await steps.columns([[0, steps.count]]),
})

/** Returns one step of each id, the first of them. */
const first = <Step extends { id: string }>(steps: readonly Step[]): Step[] => [
  ...new Map(steps.toReversed().map((one) => [one.id, one])).values(),
]

describe('the changes of an outline', () => {
  test('and the outline of before make the new one, whatever came, changed, moved and went', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step), fc.array(step), async (more, given) => {
        const stays = { id: 'first', type: 'run', start: 0 }
        const before = await orderedSteps([stays, ...first(given)])
        // Most stay as they were.
        const now = await orderedSteps([stays, ...first([...more, ...given.slice(1)])])
        const runs = await runsSince(now, before)
        const ranges: [number, number][] = []
        let place = 0
        for (const [from, count] of runs) {
          if (from === NEW) ranges.push([place, place + count])
          place += count
        }
        const to = await readOf(now)
        const changes = { runs, ...(await now.columns(ranges)) }
        expect(changed(await readOf(before), to, changes)).toEqual(stepsOf(to))
      }),
      { numRuns: 300 },
    )
  })

  test('are the new steps alone when a thread goes on', async () => {
    const steps = Array.from({ length: 1000 }, (_, at) => ({
      id: `s${at}`,
      type: 'tool',
      start: at,
    }))
    const before = await orderedSteps(steps)
    const now = await orderedSteps([...steps, { id: 'next', type: 'tool', start: 1000 }])
    expect(await runsSince(now, before)).toEqual([
      [0, 1000],
      [NEW, 1],
    ])
  })

  test('are a step alone that ended in the middle', async () => {
    const steps = Array.from({ length: 1000 }, (_, at) => ({
      id: `s${at}`,
      type: 'tool',
      start: at,
    }))
    const before = await orderedSteps(steps)
    const now = await orderedSteps(
      steps.map((one, at) => ({ ...one, end: at === 400 ? 401 : null })),
    )
    expect(await runsSince(now, before)).toEqual([
      [0, 400],
      [NEW, 1],
      [401, 599],
    ])
  })
})

describe('the service', () => {
  let service: Service
  let ask: Ask
  beforeAll(async () => {
    service = await createService({ apiKey: 'k' })
    ask = asker(service, 'k')
  })
  afterAll(() => service?.close())

  const send = (...steps: object[]) =>
    ask('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', { steps })
  const step = (id: string, more: object = {}) => ({
    id,
    threadId: 't',
    type: 'tool',
    name: id,
    startTime: '2026-01-01T10:00:01Z',
    ...more,
  })
  const read = async (arguments_: string) =>
    (await ask(`{ outline(${arguments_}) { snapshot names types skeleton } }`)).outline
  const changesOf = async (arguments_: string, since: string) =>
    (
      await ask(
        `query($since: String!) { outline(${arguments_}) { snapshot names types skeleton changes(since: $since) } }`,
        { since },
      )
    ).outline

  test('sends what changed in a thread, and in the tree below a step', async () => {
    await send(
      step('root', { startTime: '2026-01-01T10:00:00Z' }),
      step('a', { parentId: 'root' }),
      step('b', { parentId: 'root' }),
    )
    for (const subject of ['threadId: "t"', 'rootStepId: "root"']) {
      const before = await read(subject)
      await send(
        step('a', { parentId: 'root', endTime: '2026-01-01T10:00:02Z' }),
        step(`more-${subject.length}`, { parentId: 'b', type: 'llm' }),
      )
      const now = await changesOf(subject, before.snapshot)
      expect(now.changes.id).toEqual(
        subject.startsWith('thread') ? ['a', `more-${subject.length}`] : [`more-${subject.length}`],
      )
      expect(changed(before, now, now.changes)).toEqual(stepsOf(now))
    }
  })

  test('has the steps of before still after looks at a tree that did not change, and new ones once one is renamed', async () => {
    const subject = 'rootStepId: "looked"'
    await send(step('looked', { threadId: 'looked' }))
    const before = await read(subject)
    const looks = async () => (await ask(`{ outline(${subject}) { snapshot } }`)).outline.snapshot
    expect([await looks(), await looks()]).toEqual([before.snapshot, before.snapshot])
    await send({ id: 'looked', name: 'renamed' })
    const now = await read(subject)
    expect(now.names).toEqual(['renamed'])
    await send(step('below', { parentId: 'looked' }))
    expect((await changesOf(subject, now.snapshot)).changes.id).toEqual(['below'])
  })

  test('has no changes since what it does not have, nor when the first start is another one', async () => {
    await send(step('later', { threadId: 'begun' }))
    const before = await read('threadId: "begun"')
    expect((await changesOf('threadId: "begun"', 'unknown')).changes).toBeNull()
    await send(step('earlier', { threadId: 'begun', startTime: '2026-01-01T09:00:00Z' }))
    expect((await changesOf('threadId: "begun"', before.snapshot)).changes).toBeNull()
  })

  test('compares nothing with the steps of another project', async () => {
    const { apiKey } = await service.createProject('other')
    const asOther = asker(service, apiKey)
    const mine = step('mine', { threadId: 'mine' })
    await send(mine)
    await asOther('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
      steps: [mine],
    })
    const { snapshot } = await read('threadId: "mine"')
    const document =
      'query($since: String!) { outline(threadId: "mine") { changes(since: $since) } }'
    expect((await asOther(document, { since: snapshot })).outline.changes).toBeNull()
    expect((await ask(document, { since: snapshot })).outline.changes.runs).toEqual([[0, 1]])
  })
})
