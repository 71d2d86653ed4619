import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runs } from '../../test/support/runs.js'
import { type Ask, asker } from './support/ask.js'

// Each operator on each field, against a plain evaluation in memory.
let service: Service
let ask: Ask
beforeAll(async () => {
  service = await createService()
  ask = asker(service, (await service.createProject('filters')).apiKey)
  await fill()
})
afterAll(() => service?.close())

interface Row {
  id: string
  name: string | null
  error: string | null
  startTime: string | null
  output: unknown
  metadata: Record<string, unknown> | null
  tags: string[] | null
  threadId: string | null
  generation: { model: string | null; tokenCount: number | null; duration: number | null } | null
  scores: { name: string; value: number }[]
}

const THREADS: Record<string, string | null> = { 't-ada': 'ada', 't-bob': 'bob', 't-none': null }
const words = ['Order', 'order 7', '50%', 'a_b', 'back\\slash', 'Ärger', '', '0']
const pick = <Item>(items: Item[], index: number) => items[index % items.length] as Item

const rows: Row[] = Array.from({ length: 60 }, (_, index) => ({
  id: `row-${index}`,
  name: pick([...words, null], index),
  error: pick([null, 'boom', 'Boom 50%'], index),
  startTime: pick([null, '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.123456Z'], index),
  output: pick<unknown>(
    [null, { content: pick(words, index) }, { content: 7, deep: { er: 'x%y' } }, ['list']],
    index,
  ),
  metadata: pick([null, { k: 'v', n: index }, { 'a.b': 'dotted', a: { b: 'path' } }], index),
  tags: pick([null, ['x'], ['x', 'y'], ['Z%']], index),
  threadId: pick([null, ...Object.keys(THREADS)], index),
  generation: pick(
    [
      null,
      { model: 'gpt-4o', tokenCount: index, duration: index / 7 },
      { model: null, tokenCount: null, duration: null },
    ],
    index >> 1,
  ),
  scores: pick(
    [
      [],
      [{ name: 'q', value: 1 }],
      [
        { name: 'q', value: 0 },
        { name: 'r', value: 0.5 },
      ],
    ],
    index >> 2,
  ),
}))

async function fill() {
  for (const [id, participantId] of Object.entries(THREADS))
    await ask(
      'mutation($id: String!, $participantId: String) { upsertThread(id: $id, participantId: $participantId) { id } }',
      { id, participantId },
    )
  const steps = rows.map((row) => ({
    ...row,
    scores: row.scores.map((score) => ({ ...score, type: 'AI' })),
  }))
  const { ingestSteps } = await ask(
    'mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message } }',
    { steps },
  )
  expect(ingestSteps).toEqual({ ok: true, message: null })
}

type Filter = { field: string; operator: string; value: unknown; path?: string }

const compareText = (text: string | null, { operator, value }: Filter): boolean => {
  switch (operator) {
    case 'eq':
      return text === value
    case 'neq':
      return text !== value
    case 'ilike':
      return text?.toLowerCase().includes(String(value).toLowerCase()) ?? false
    case 'nilike':
      return !text?.toLowerCase().includes(String(value).toLowerCase())
    case 'is':
      return text === null
    default:
      return text !== null
  }
}

const compareNumber = (number: number | null, { operator, value }: Filter): boolean => {
  const limit = Number(value)
  switch (operator) {
    case 'eq':
      return number === limit
    case 'neq':
      return number !== limit
    case 'is':
      return number === null
    case 'nis':
      return number !== null
    default:
      if (number === null) return false
      return (
        { gt: number > limit, gte: number >= limit, lt: number < limit, lte: number <= limit }[
          operator
        ] ?? false
      )
  }
}

const compareList = (list: readonly string[] | null, { operator, value }: Filter): boolean => {
  const common = Array.isArray(value) && value.some((item) => list?.includes(item))
  switch (operator) {
    case 'in':
      return common
    case 'nin':
      return !common
    case 'ilike':
    case 'nilike': {
      const isPart = list?.some((item) => item.toLowerCase().includes(String(value).toLowerCase()))
      return (isPart ?? false) === (operator === 'ilike')
    }
    case 'is':
      return !list?.length
    default:
      return Boolean(list?.length)
  }
}

/** Returns the text of the value at a path: strings bare, all else as JSON. */
const textAt = (value: unknown, path: string | undefined): string | null => {
  if (value === null || value === undefined) return null
  if (path === undefined) return JSON.stringify(value)
  const own = (holder: unknown, key: string) =>
    typeof holder === 'object' && holder !== null && !Array.isArray(holder)
      ? (holder as Record<string, unknown>)[key]
      : undefined
  const found = own(value, path) ?? path.split('.').reduce(own, value)
  return found === null || found === undefined
    ? null
    : typeof found === 'string'
      ? found
      : JSON.stringify(found)
}

const participantOf = ({ threadId }: Row) => {
  const identifier = threadId === null ? null : THREADS[threadId]
  return identifier ? [identifier] : null
}

const TEXT = ['eq', 'neq', 'ilike', 'nilike'] as const
const NUMBER = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'] as const
const texts = fc.oneof(
  fc.constantFrom(...words, 'o', '%', '_', '\\', 'ÄR', 'gpt'),
  fc.string({ maxLength: 2, unit: 'grapheme-ascii' }),
)
const textFilter = (field: string, nullable = true): fc.Arbitrary<Filter> =>
  fc.oneof(
    fc.record({ field: fc.constant(field), operator: fc.constantFrom(...TEXT), value: texts }),
    ...(nullable ? [nullFilter(field)] : []),
  )
const nullFilter = (field: string, path?: string): fc.Arbitrary<Filter> =>
  fc
    .constantFrom('is', 'nis')
    .map((operator) => ({ field, operator, value: null, ...(path === undefined ? {} : { path }) }))
const jsonFilter = (field: string): fc.Arbitrary<Filter> =>
  fc
    .option(fc.constantFrom('content', 'deep.er', 'k', 'n', 'a.b', 'missing'), { nil: undefined })
    .chain((path) =>
      fc.oneof(
        fc.record({
          field: fc.constant(field),
          operator: fc.constantFrom(...TEXT),
          value: fc.constantFrom(...words, '7', 'dotted', 'path', 'x%y', '"content"', 'list'),
          ...(path === undefined ? {} : { path: fc.constant(path) }),
        }),
        nullFilter(field, path),
      ),
    )
const numberFilter = (field: string): fc.Arbitrary<Filter> =>
  fc.oneof(
    fc.record({
      field: fc.constant(field),
      operator: fc.constantFrom(...NUMBER),
      value: fc.constantFrom(0, 1, 0.5, 7, 30 / 7, -1),
    }),
    nullFilter(field),
  )
const listFilter = (field: string, values: string[]): fc.Arbitrary<Filter> =>
  fc.oneof(
    fc.record({
      field: fc.constant(field),
      operator: fc.constantFrom('in', 'nin'),
      // Beside a few that rows have, or many that none has, which are looked up by another statement.
      value: fc
        .tuple(fc.subarray(values), fc.constantFrom(0, 300))
        .map(([some, others]) => [
          ...some,
          ...Array.from({ length: others }, (_, at) => `- ${at}`),
        ]),
    }),
    fc.record({
      field: fc.constant(field),
      operator: fc.constantFrom('ilike', 'nilike'),
      value: fc.constantFrom(...values, 'A', 'z', ''),
    }),
    nullFilter(field),
  )
const momentFilter = (field: string): fc.Arbitrary<Filter> =>
  fc.oneof(
    fc.record({
      field: fc.constant(field),
      operator: fc.constantFrom('gt', 'gte', 'lt', 'lte'),
      value: fc.constantFrom(
        '2026-01-01',
        '2026-01-02T00:00:00.123456Z',
        '2026-01-02T01:00:00.123456+01:00',
        '2027-01-01T00:00:00Z',
      ),
    }),
    nullFilter(field),
  )

const moment = (time: string | null) =>
  time === null ? null : Date.parse(time) + (time.includes('456') ? 0.456 : 0)

const stepFilters: Record<string, [fc.Arbitrary<Filter>, (row: Row, filter: Filter) => boolean]> = {
  id: [textFilter('id', false), (row, filter) => compareText(row.id, filter)],
  name: [textFilter('name'), (row, filter) => compareText(row.name, filter)],
  error: [textFilter('error'), (row, filter) => compareText(row.error, filter)],
  threadId: [textFilter('threadId'), (row, filter) => compareText(row.threadId, filter)],
  output: [
    jsonFilter('output'),
    (row, filter) => compareText(textAt(row.output, filter.path), filter),
  ],
  metadata: [
    jsonFilter('metadata'),
    (row, filter) => compareText(textAt(row.metadata, filter.path), filter),
  ],
  tags: [
    listFilter('tags', ['x', 'y', 'Z%', 'none']),
    (row, filter) => compareList(row.tags, filter),
  ],
  participantIdentifiers: [
    listFilter('participantIdentifiers', ['ada', 'bob', 'eve']),
    (row, filter) => compareList(participantOf(row), filter),
  ],
  startTime: [
    momentFilter('startTime'),
    (row, filter) =>
      compareNumber(moment(row.startTime), {
        ...filter,
        value:
          filter.value === null
            ? null
            : moment(
                new Date(String(filter.value)).toISOString().slice(0, 23) +
                  (String(filter.value).includes('456') ? '456Z' : 'Z'),
              ),
      }),
  ],
}

const generationFilters: typeof stepFilters = {
  model: [textFilter('model'), (row, filter) => compareText(row.generation?.model ?? null, filter)],
  tokenCount: [
    numberFilter('tokenCount'),
    (row, filter) => compareNumber(row.generation?.tokenCount ?? null, filter),
  ],
  duration: [
    numberFilter('duration'),
    (row, filter) => compareNumber(row.generation?.duration ?? null, filter),
  ],
  tags: [listFilter('tags', ['x', 'y', 'none']), (row, filter) => compareList(row.tags, filter)],
  participant: [
    listFilter('participant', ['ada', 'bob']),
    (row, filter) => compareList(participantOf(row), filter),
  ],
  score: [
    fc
      .tuple(
        numberFilter('score'),
        fc.option(fc.constantFrom('q', 'r', 'missing'), { nil: undefined }),
      )
      .map(([filter, path]) => ({
        ...filter,
        ...(path === undefined ? {} : { path }),
      })),
    (row, filter) => {
      const scores = row.scores.filter(
        ({ name }) => filter.path === undefined || name === filter.path,
      )
      if (filter.operator === 'is') return scores.length === 0
      return scores.some(({ value }) => filter.operator === 'nis' || compareNumber(value, filter))
    },
  ],
}

const listed = async (root: string, type: string, filters: Filter[]): Promise<string[]> => {
  const data = await ask(
    `query($filters: [${type}!]) { ${root}(first: 100, filters: $filters) { edges { node { id } } } }`,
    { filters },
  )
  return data[root].edges.map(({ node }: { node: { id: string } }) => node.id).sort()
}

describe.each(Object.entries(stepFilters))('steps by %s', (_, [filters, passes]) => {
  test('pass exactly when a plain evaluation passes', async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const expected = rows.filter((row) => passes(row, filter)).map(({ id }) => id)
        expect(await listed('steps', 'stepsInputType', [filter]), JSON.stringify(filter)).toEqual(
          expected.sort(),
        )
      }),
      { numRuns: runs(40) },
    )
  })
})

describe.each(Object.entries(generationFilters))('generations by %s', (_, [filters, passes]) => {
  test('pass exactly when a plain evaluation passes', async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const expected = rows
          .filter((row) => row.generation !== null && passes(row, filter))
          .map(({ id }) => id)
        expect(
          await listed('generations', 'generationsInputType', [filter]),
          JSON.stringify(filter),
        ).toEqual(expected.sort())
      }),
      { numRuns: runs(40) },
    )
  })
})

test('several filters must all hold', async () => {
  const parts = Object.values(stepFilters)
  const chosen = fc.uniqueArray(fc.integer({ min: 0, max: parts.length - 1 }), {
    minLength: 2,
    maxLength: 4,
  })
  const several = chosen.chain((indexes) =>
    fc.tuple(
      ...indexes.map((index) =>
        (parts[index] as (typeof parts)[0])[0].map((filter) => ({ filter, index })),
      ),
    ),
  )
  await fc.assert(
    fc.asyncProperty(several, async (filters) => {
      const expected = rows
        .filter((row) => filters.every(({ filter, index }) => parts[index]?.[1](row, filter)))
        .map(({ id }) => id)
      expect(
        await listed(
          'steps',
          'stepsInputType',
          filters.map(({ filter }) => filter),
        ),
      ).toEqual(expected.sort())
    }),
    { numRuns: runs(40) },
  )
})

test.each([
  ['threads', 'tokens>0', [{ field: 'tokenCount', operator: 'gt', value: 0 }]],
  ['threads', 'error:any', [{ field: 'errorCount', operator: 'gt', value: 0 }]],
  ['steps', 'tags:x,y', [{ field: 'tags', operator: 'in', value: ['x', 'y'] }]],
  [
    'generations',
    'tokens>7 user:ada',
    [
      { field: 'tokenCount', operator: 'gt', value: 7 },
      { field: 'participant', operator: 'in', value: ['ada'] },
    ],
  ],
  [
    'scores',
    'name=q value<1',
    [
      { field: 'name', operator: 'eq', value: 'q' },
      { field: 'value', operator: 'lt', value: 1 },
    ],
  ],
  ['participants', 'tokens>1', [{ field: 'tokenCount', operator: 'gt', value: 1 }]],
])('%s take %s as text, alone and beside filters', async (root, query, filters) => {
  const type = { threads: 'ThreadsInputType' }[root] ?? `${root}InputType`
  const ids = async (query: string | null, filters: object[] | null) => {
    const data = await ask(
      `query($query: String, $filters: [${type}!]) { ${root}(first: 100, query: $query, filters: $filters) { totalCount edges { node { id } } } }`,
      { query, filters },
    )
    expect(data[root].totalCount).toBe(data[root].edges.length)
    return data[root].edges
  }
  const expected = await ids(null, filters)
  expect(expected.length).toBeGreaterThan(0)
  expect(await ids(query, null)).toEqual(expected)
  expect(await ids(query, filters)).toEqual(expected)
  expect(await ids('id="nobody"', filters)).toEqual([])
})

const ofThread = (id: string) => rows.filter(({ threadId }) => threadId === id)
const threadsWhere = (passes: (steps: Row[], id: string) => boolean) =>
  Object.keys(THREADS)
    .filter((id) => passes(ofThread(id), id))
    .sort()

test.each<[Filter, (steps: Row[], id: string) => boolean]>([
  [
    { field: 'stepName', operator: 'eq', value: 'Order' },
    (steps) => steps.some(({ name }) => name === 'Order'),
  ],
  [
    { field: 'stepName', operator: 'is', value: null },
    (steps) => steps.some(({ name }) => name === null),
  ],
  [
    { field: 'stepOutput', operator: 'ilike', value: 'ORDER', path: 'content' },
    (steps) =>
      steps.some(({ output }) => textAt(output, 'content')?.toLowerCase().includes('order')),
  ],
  [
    { field: 'scoreValue', operator: 'eq', value: 0, path: 'q' },
    (steps) =>
      steps.some(({ scores }) => scores.some(({ name, value }) => name === 'q' && value === 0)),
  ],
  [
    { field: 'scoreValue', operator: 'gt', value: 0.4, path: 'r' },
    (steps) =>
      steps.some(({ scores }) => scores.some(({ name, value }) => name === 'r' && value > 0.4)),
  ],
  [{ field: 'stepType', operator: 'in', value: ['undefined'] }, (steps) => steps.length > 0],
  [{ field: 'stepType', operator: 'nin', value: ['undefined'] }, (steps) => steps.length === 0],
  [
    { field: 'tokenCount', operator: 'gt', value: 0 },
    (steps) => steps.some(({ generation }) => generation?.tokenCount),
  ],
  [
    { field: 'participantIdentifiers', operator: 'in', value: ['ada', 'bob'] },
    (_, id) => THREADS[id] !== null,
  ],
  [{ field: 'participantId', operator: 'is', value: null }, (_, id) => THREADS[id] === null],
  [{ field: 'createdAt', operator: 'gt', value: '2100-01-01T00:00:00Z' }, () => false],
  [{ field: 'participantIdentifiers', operator: 'ilike', value: 'AD' }, (_, id) => id === 't-ada'],
  [{ field: 'participantIdentifiers', operator: 'nilike', value: 'd' }, (_, id) => id !== 't-ada'],
  [{ field: 'stepType', operator: 'ilike', value: 'UNDEF' }, (steps) => steps.length > 0],
  [
    { field: 'stepError', operator: 'ilike', value: '50%' },
    (steps) => steps.some(({ error }) => error?.includes('50%')),
  ],
  [
    { field: 'scoreValue', operator: 'is', value: null, path: 'r' },
    (steps) => !steps.some(({ scores }) => scores.some(({ name }) => name === 'r')),
  ],
  [
    { field: 'scoreValue', operator: 'nis', value: null },
    (steps) => steps.some(({ scores }) => scores.length > 0),
  ],
])('threads by %j', async (filter, passes) => {
  expect(await listed('threads', 'ThreadsInputType', [filter])).toEqual(threadsWhere(passes))
})

test.each<[Filter, string[]]>([
  [{ field: 'identifier', operator: 'in', value: ['ada'] }, ['ada']],
  [{ field: 'identifier', operator: 'nin', value: ['ada'] }, ['bob']],
  [{ field: 'identifier', operator: 'ilike', value: 'AD' }, ['ada']],
  [{ field: 'identifier', operator: 'nilike', value: 'AD' }, ['bob']],
  [{ field: 'threadCount', operator: 'eq', value: 1 }, ['ada', 'bob']],
  [{ field: 'threadCount', operator: 'is', value: null }, []],
  [{ field: 'tokenCount', operator: 'gt', value: 1 }, ['ada', 'bob']],
  [{ field: 'errorCount', operator: 'lt', value: 0 }, []],
  [{ field: 'lastEngaged', operator: 'gt', value: '2020-01-01' }, ['ada', 'bob']],
  [{ field: 'lastEngaged', operator: 'is', value: null }, []],
  [{ field: 'metadata', operator: 'eq', value: '{}' }, ['ada', 'bob']],
])('participants by %j', async (filter, expected) => {
  const { participants } = await ask(
    'query($filters: [participantsInputType!]) { participants(filters: $filters) { edges { node { identifier } } } }',
    { filters: [filter] },
  )
  expect(
    participants.edges.map(({ node }: { node: { identifier: string } }) => node.identifier).sort(),
  ).toEqual(expected)
})

test('scores by value, participant and comment', async () => {
  const count = async (filters: Filter[]) =>
    (
      await ask(
        'query($filters: [scoresInputType!]) { scores(filters: $filters) { totalCount } }',
        { filters },
      )
    ).scores.totalCount
  const all = rows.flatMap((row) => row.scores.map((score) => ({ ...score, row })))
  expect(await count([])).toBe(all.length)
  expect(await count([{ field: 'value', operator: 'lt', value: 0.75 }])).toBe(
    all.filter(({ value }) => value < 0.75).length,
  )
  expect(await count([{ field: 'participant', operator: 'in', value: ['ada'] }])).toBe(
    all.filter(({ row }) => row.threadId === 't-ada').length,
  )
  expect(await count([{ field: 'participant', operator: 'nin', value: ['ada'] }])).toBe(
    all.filter(({ row }) => row.threadId !== 't-ada').length,
  )
  expect(await count([{ field: 'comment', operator: 'nis', value: null }])).toBe(0)
})

test('a failure is the error of a step or of its generation, as counts have it', async () => {
  const askOther = asker(service, (await service.createProject('failures')).apiKey)
  const failed = { model: 'm', error: 'Too many tokens' }
  await askOther('mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
    steps: [
      { id: 'call', generation: failed },
      { id: 'step', error: 'lost', generation: { model: 'm' } },
      { id: 'both', error: 'lost', generation: failed },
      { id: 'tool', error: 'lost' },
      { id: 'none', generation: { model: 'm' } },
    ],
  })
  const found = async (list: string, type: string, filter: Filter) =>
    (
      await askOther(
        `query ($filters: [${type}!]) { ${list}(filters: $filters) { edges { node { id } } } }`,
        { filters: [filter] },
      )
    )[list].edges
      .map(({ node }: { node: { id: string } }) => node.id)
      .sort()
  const any = { field: 'failure', operator: 'nis', value: null }
  expect(await found('steps', 'stepsInputType', any)).toEqual(['both', 'call', 'step', 'tool'])
  expect(await found('generations', 'generationsInputType', any)).toEqual(['both', 'call', 'step'])
  const text = { field: 'failure', operator: 'ilike', value: 'TOKENS' }
  expect(await found('steps', 'stepsInputType', text)).toEqual(['call'])
  const { metrics } = await askOther(
    '{ metrics(subject: steps, from: "2020-01-01", to: "2100-01-01", buckets: 1) { series { total { count errorCount } } } }',
  )
  expect(metrics.series[0].total).toEqual({ count: 5, errorCount: 4 })
})

test.each([
  [{ field: 'colour', operator: 'eq', value: 'x' }, 'filters[0].field'],
  [{ field: '__proto__', operator: 'eq', value: 'x' }, 'filters[0].field'],
  [{ field: 'name', operator: 'like', value: 'x' }, 'filters[0].operator'],
  [{ field: 'name', operator: 'eq', value: 5 }, 'filters[0].value'],
  [{ field: 'name', operator: 'eq' }, 'filters[0].value'],
  [{ field: 'id', operator: 'is', value: null }, 'filters[0].operator'],
  [{ field: 'tags', operator: 'in', value: [1] }, 'filters[0].value'],
  [{ field: 'startTime', operator: 'gt', value: 'soon' }, 'filters[0].value'],
  [{ field: 'name', operator: 'is', value: 'x' }, 'filters[0].value'],
])('%j is rejected, and the message names the mistake', async (filter, message) => {
  await expect(
    ask('query($filters: [stepsInputType!]) { steps(filters: $filters) { totalCount } }', {
      filters: [filter],
    }),
  ).rejects.toThrow(message)
})
