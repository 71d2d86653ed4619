import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ask, asker } from './support/ask.js'

let service: Service
beforeAll(async () => {
  service = await createService()
})
afterAll(() => service?.close())

let projects = 0
const newProject = async (): Promise<Ask> =>
  asker(service, (await service.createProject(`paging ${++projects}`)).apiKey)

const INGEST = 'mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message } }'
const PAGE = `query($first: Int, $last: Int, $after: ID, $before: ID, $skip: Int, $orderBy: GenerationsOrderByInput) {
  generations(first: $first, last: $last, after: $after, before: $before, skip: $skip, orderBy: $orderBy) {
    edges { cursor node { id } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } totalCount
  }
}`

/** Rows whose sort keys are often equal, or missing. */
const rows = fc.array(
  fc.record({
    model: fc.constantFrom('a', 'B', 'é', '', null),
    tokenCount: fc.constantFrom(0, 1, 2, 2_000_000_000, null),
    duration: fc.constantFrom(0, 0.1, 1e-7, 12345.678, null),
  }),
  { minLength: 1, maxLength: 25 },
)
const orders = fc.record({
  column: fc.constantFrom('createdAt', 'model', 'tokenCount', 'duration', 'participant'),
  direction: fc.constantFrom('ASC', 'DESC'),
})

const fill = async (ask: Ask, generations: object[], prefix: string) => {
  const steps = generations.map((generation, index) => ({ id: `${prefix}${index}`, generation }))
  expect((await ask(INGEST, { steps })).ingestSteps.ok).toBe(true)
  return steps.map(({ id }) => id)
}

const walk = async (
  ask: Ask,
  orderBy: object,
  size: number,
  backwards: boolean,
  between: () => Promise<void>,
) => {
  const seen: string[] = []
  for (let cursor: string | null = null, more = true; more; ) {
    const range: object = backwards
      ? { last: size, before: cursor }
      : { first: size, after: cursor }
    const { edges, pageInfo } = (await ask(PAGE, { ...range, orderBy })).generations
    const ids = edges.map(({ node }: { node: { id: string } }) => node.id)
    if (backwards) seen.unshift(...ids)
    else seen.push(...ids)
    cursor = backwards ? pageInfo.startCursor : pageInfo.endCursor
    more = backwards ? pageInfo.hasPreviousPage : pageInfo.hasNextPage
    if (more) await between()
  }
  return seen
}

test('walking either way returns each row exactly once and in one order, also while rows are inserted', async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      orders,
      fc.integer({ min: 1, max: 7 }),
      async (generations, orderBy, size) => {
        const ask = await newProject()
        const ids = await fill(ask, generations, 'row-')
        const calm = await walk(ask, orderBy, size, false, async () => {})
        expect([...calm].sort()).toEqual([...ids].sort())
        expect(await walk(ask, orderBy, size, true, async () => {})).toEqual(calm)
        for (const backwards of [false, true]) {
          let inserted = 0
          const insert = async () => {
            // Rows inserted ahead of the walk belong to it: without a limit the walk would never end.
            if (inserted >= 5) return
            inserted++
            const prefix = `new-${backwards}-${inserted}-`
            await fill(ask, [{ model: 'c', tokenCount: inserted % 3, duration: 1 }], prefix)
          }
          const seen = await walk(ask, orderBy, size, backwards, insert)
          expect(new Set(seen).size).toBe(seen.length)
          expect(seen.filter((id) => id.startsWith('row-'))).toEqual(calm)
        }
      },
    ),
    { numRuns: 15 },
  )
})

test('skip leaves out rows of the range, and totalCount is that of the whole list', async () => {
  const ask = await newProject()
  const ids = await fill(
    ask,
    Array.from({ length: 9 }, () => ({})),
    'r',
  )
  const page = (
    await ask(PAGE, { first: 3, skip: 2, orderBy: { column: 'createdAt', direction: 'ASC' } })
  ).generations
  expect(page.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual(ids.slice(2, 5))
  expect(page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true })
  expect(page.totalCount).toBe(9)
})

test('before without last returns the rows next to the cursor', async () => {
  const ask = await newProject()
  const ids = await fill(
    ask,
    Array.from({ length: 6 }, () => ({})),
    'r',
  )
  const orderBy = { column: 'createdAt', direction: 'ASC' }
  const all = (await ask(PAGE, { first: 6, orderBy })).generations
  for (const size of [{ first: 2 }, { last: 2 }]) {
    const page = (await ask(PAGE, { ...size, before: all.edges[4].cursor, orderBy })).generations
    expect(page.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual(ids.slice(2, 4))
    expect(page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true })
  }
  for (const empty of [{ before: '' }, { after: '', before: '' }])
    expect((await ask(PAGE, { first: 6, orderBy, ...empty })).generations).toEqual(all)
  expect((await ask(PAGE, { first: 2, before: '', orderBy })).generations.edges).toEqual(
    all.edges.slice(0, 2),
  )
  const between = (
    await ask(PAGE, { first: 9, after: all.edges[0].cursor, before: all.edges[4].cursor, orderBy })
  ).generations
  expect(between.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual(
    ids.slice(1, 4),
  )
})

test.each([
  [{ after: 'nonsense' }, 'after: expected a cursor'],
  [
    { after: Buffer.from('["createdAt","x","y"]').toString('base64url') },
    'after: expected a cursor',
  ],
  [
    { before: Buffer.from('["model","x","y"]').toString('base64url') },
    'expected a cursor of a list ordered by createdAt',
  ],
  [
    {
      before: Buffer.from('["createdAt","2026-01-01T00:00:00Z","y","scores"]').toString(
        'base64url',
      ),
    },
    'before: expected a cursor of generations, got one of "scores"',
  ],
  [
    {
      after: Buffer.from('["tokenCount","1e999","y"]').toString('base64url'),
      orderBy: { column: 'tokenCount', direction: 'ASC' },
    },
    'after: expected a cursor',
  ],
  [{ first: -1 }, 'first: expected 0 or more'],
  [{ first: 1001 }, 'first: expected at most 1000'],
  [{ last: 1001 }, 'last: expected at most 1000'],
  [{ first: 1, last: 1 }, 'first, last: expected one of them'],
  [{ orderBy: { column: 'colour', direction: 'ASC' } }, 'orderBy.column: "colour"'],
])('%j is rejected with the field and what was expected', async (variables, message) => {
  const ask = await newProject()
  await expect(ask(PAGE, variables)).rejects.toThrow(JSON.stringify(message).slice(1, -1))
})

test('a cursor of another list in the same order is rejected by its name', async () => {
  const ask = await newProject()
  await fill(ask, [{}, {}], 's')
  const { steps } = await ask('{ steps { pageInfo { endCursor } } }')
  await expect(ask(PAGE, { after: steps.pageInfo.endCursor })).rejects.toThrow(
    'after: expected a cursor of generations, got one of \\"steps\\"',
  )
})

test('a cursor of an earlier version, which does not tell its list, leads to the same page', async () => {
  const ask = await newProject()
  const ids = await fill(ask, [{}, {}, {}], 's')
  const orderBy = { column: 'createdAt', direction: 'ASC' }
  const { endCursor } = (await ask(PAGE, { first: 1, orderBy })).generations.pageInfo
  const [column, key, id, ...rest] = JSON.parse(Buffer.from(endCursor, 'base64url').toString())
  expect(rest).toEqual(['generations'])
  const after = Buffer.from(JSON.stringify([column, key, id])).toString('base64url')
  const page = (await ask(PAGE, { after, orderBy })).generations
  expect(page.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual(ids.slice(1))
})
