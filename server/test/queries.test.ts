import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runs } from '../../test/support/runs.js'
import { LIST_FIELDS } from '../generated/list-fields.js'
import { type Database, openDatabase } from '../src/database/database.js'
import { Pages } from '../src/lists/page.js'
import { SEARCH_SIZES } from '../src/lists/sizes.js'
import { type Condition, isGroup, type Node } from '../src/query/condition.js'
import { languageOf } from '../src/query/languages.js'
import { parseFilter } from '../src/query/parse.js'
import { showFilter } from '../src/query/show.js'
import { stepListing } from '../src/storage/steps.js'
import { threadListing } from '../src/storage/threads.js'
import { newDatabase } from './support/new-database.js'

// Random conditions as text on the real engine, against a plain evaluation in memory.
let database: { db: Database; end: () => Promise<void> }
beforeAll(async () => {
  const { location, drop } = await newDatabase()
  const db = await openDatabase(location)
  database = { db, end: () => db.destroy().then(drop) }
  await fill(db)
})
afterAll(() => database?.end())

interface Step {
  id: string
  thread: Thread | null
  name: string | null
  type: 'tool' | 'llm' | 'run'
  error: string | null
  tags: string[]
  output: string | null
  scores: { name: string; value: number }[]
}
interface Thread {
  id: string
  name: string | null
  user: string | null
  tags: string[]
  duration: number | null
  scores: { name: string; value: number }[]
}

const pick = <Item>(items: readonly Item[], index: number) => items[index % items.length] as Item
const USERS = ['ada@example.org', 'bob@example.org', 'eve']
const SCORES = [
  [],
  [{ name: 'q', value: 1 }],
  [{ name: 'q', value: 0 }],
  [
    { name: 'r', value: 1 },
    { name: 'q', value: 0 },
  ],
]

const threads: Thread[] = Array.from({ length: 24 }, (_, index) => ({
  id: `t${String(index).padStart(2, '0')}`,
  name: pick(['Refund', 'lost bag', null], index),
  user: pick([...USERS, null], index),
  tags: pick([[], ['vip'], ['vip', 'night']], index >> 1),
  duration: pick([null, 5, 40], index >> 2),
  scores: pick(SCORES, index >> 3),
}))
const steps: Step[] = Array.from({ length: 90 }, (_, index) => ({
  id: `s${String(index).padStart(2, '0')}`,
  thread: index % 7 === 0 ? null : pick(threads.slice(2), (index * 5) >> 2),
  name: pick(['search', 'book', null, 'Search again'], index),
  type: pick(['tool', 'llm', 'run'], index >> 1),
  error: pick([null, null, 'timeout', null, 'out of seats'], index),
  tags: pick([[], ['x'], ['x', 'yy']], index >> 2),
  output: pick(['no seats', null, 'done'], index >> 1),
  scores: pick(SCORES, index >> 2),
}))
const stepsOf = (thread: Thread) => steps.filter((step) => step.thread === thread)

const at = (index: number) => new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString()

const fill = async (db: Database) => {
  const user = (identifier: string | null) => (identifier === null ? null : `u-${identifier}`)
  // The same ids in another project, all of which pass what nothing passes here.
  for (const project of ['p', 'other']) {
    for (const one of USERS)
      await sql`INSERT INTO participants (project_id, id, identifier, metadata, created_at)
        VALUES (${project}, ${user(one)}, ${one}, '{}', now())`.execute(db)
    for (const [index, thread] of threads.entries())
      await sql`
        INSERT INTO threads (project_id, id, name, tags, participant_id, environment, created_at, duration, error_count, step_count)
        VALUES (${project}, ${thread.id}, ${project === 'p' ? thread.name : 'other'}, ${thread.tags}::text[], ${user(thread.user)},
          'prod', ${at(index)}, ${thread.duration}, ${stepsOf(thread).filter(({ error }) => error !== null).length},
          ${stepsOf(thread).length})`.execute(db)
    for (const [index, step] of steps.entries())
      await sql`
        INSERT INTO steps (project_id, id, thread_id, participant_id, type, name, error, tags, output, created_at, ingested, has_generation, environment)
        VALUES (${project}, ${step.id}, ${step.thread?.id ?? null}, ${user(step.thread?.user ?? null)}, ${step.type},
          ${project === 'p' ? step.name : 'other'}, ${step.error}, ${step.tags}::text[],
          ${step.output === null ? null : JSON.stringify({ content: step.output })}::json, ${at(index)}, true, false, 'prod')`.execute(
        db,
      )
    const judged = [
      ...steps.flatMap(({ id, scores }) => scores.map((score) => ({ ...score, step: id }))),
      ...threads.flatMap(({ id, scores }) => scores.map((score) => ({ ...score, thread: id }))),
    ] as { name: string; value: number; step?: string; thread?: string }[]
    for (const [index, { name, value, step, thread }] of judged.entries())
      await sql`
        INSERT INTO scores (project_id, id, step_id, thread_id, name, type, value, created_at, updated_at)
        VALUES (${project}, ${`c${index}`}, ${step ?? null}, ${thread ?? null}, ${name}, 'AI', ${value}, ${at(index)}, now())`.execute(
        db,
      )
  }
}

const hasText = (text: string | null, { sign, values }: Condition): boolean => {
  const [value = ''] = values ?? []
  const holds =
    values === null
      ? text === null
      : sign === '=' || sign === '!='
        ? text === value
        : (text?.toLowerCase().includes(value.toLowerCase()) ?? false)
  return holds !== sign.startsWith('!')
}
const hasNumber = (number: number | null, { sign, values }: Condition): boolean => {
  if (values === null) return (number === null) === (sign === ':')
  const limit = Number(values[0])
  if (sign === '=') return number === limit
  if (sign === '!=') return number !== limit
  if (number === null) return false
  return sign === '>'
    ? number > limit
    : sign === '>='
      ? number >= limit
      : sign === '<'
        ? number < limit
        : number <= limit
}
const hasMember = (list: readonly string[], { sign, values }: Condition): boolean => {
  const holds =
    values === null
      ? list.length === 0
      : sign.endsWith('~')
        ? list.some((one) => one.toLowerCase().includes((values[0] ?? '').toLowerCase()))
        : list.some((one) => values.includes(one))
  return holds !== sign.startsWith('!')
}
const hasScore = (scores: Step['scores'], condition: Condition): boolean => {
  const named = scores.filter(({ name }) => condition.path === undefined || name === condition.path)
  if (condition.values === null) return (named.length === 0) === (condition.sign === ':')
  return named.some(({ value }) => hasNumber(value, condition))
}
const listOf = (one: string | null) => (one === null ? [] : [one])

const ofStep: Record<string, (step: Step, condition: Condition) => boolean> = {
  name: (step, condition) => hasText(step.name, condition),
  type: (step, condition) => hasText(step.type, condition),
  error: (step, condition) => hasText(step.error, condition),
  tags: (step, condition) => hasMember(step.tags, condition),
  user: (step, condition) => hasMember(listOf(step.thread?.user ?? null), condition),
  output: (step, condition) =>
    hasText(
      step.output === null || condition.path !== undefined
        ? step.output
        : JSON.stringify({ content: step.output }),
      condition,
    ),
  score: (step, condition) => hasScore(step.scores, condition),
}
const ofThread: Record<string, (thread: Thread, condition: Condition) => boolean> = {
  name: (thread, condition) => hasText(thread.name, condition),
  user: (thread, condition) => hasMember(listOf(thread.user), condition),
  tags: (thread, condition) => hasMember(thread.tags, condition),
  duration: (thread, condition) => hasNumber(thread.duration, condition),
  error: (thread, condition) => {
    const errors = stepsOf(thread).map(({ error }) => error)
    if (condition.sign.endsWith('~')) return errors.some((error) => hasText(error, condition))
    const count = errors.filter((error) => error !== null).length
    return condition.values === null
      ? (count === 0) === (condition.sign === ':')
      : hasNumber(count, condition)
  },
  step: (thread, condition) => stepsOf(thread).some(({ name }) => hasText(name, condition)),
  type: (thread, condition) => {
    const positive = { ...condition, sign: condition.sign.replace('!', '') } as Condition
    const holds = stepsOf(thread).some(({ type }) => hasMember([type], positive))
    return holds !== condition.sign.startsWith('!')
  },
  score: (thread, condition) =>
    hasScore([...thread.scores, ...stepsOf(thread).flatMap(({ scores }) => scores)], condition),
}

const holds = <Row>(
  node: Node,
  row: Row,
  leaf: Record<string, (row: Row, condition: Condition) => boolean>,
): boolean => {
  if (!isGroup(node)) return leaf[node.field.name]?.(row, node) ?? false
  switch (node.join) {
    case 'and':
      return node.of.every((one) => holds(one, row, leaf))
    case 'or':
      return node.of.some((one) => holds(one, row, leaf))
    case 'not':
      return !node.of.every((one) => holds(one, row, leaf))
    case 'some':
      return stepsOf(row as Thread).some((step) => node.of.every((one) => holds(one, step, ofStep)))
  }
}

const common = [
  'user:ada@example.org',
  'user:bob@example.org,eve',
  'user~EXAMPLE',
  'user!~ada',
  'user:none',
  'tags:any',
  'tags~I',
  'tags!~y',
  'score[q]:none',
  'score[q]:any',
  'score[q]=0',
  'score[q]!=0',
  'score<0.5',
  'score[r]:none',
  'name:none',
  'name~s',
  'error:any',
  'error:none',
  'error~Seats',
]
const STEP_LEAVES = [
  ...common,
  'type=tool',
  'type=llm',
  'type!=run',
  'name=book',
  'tags:x',
  'tags!:yy',
  'output[content]~seats',
  'output:none',
  'seats',
]
const THREAD_LEAVES = [
  ...common,
  'tags:vip',
  'tags!:night',
  'duration>10',
  'duration:none',
  'error>2',
  'step=book',
  'step~again',
  'type:tool',
  'type!:llm',
  'type~oo',
  'name=Refund',
]
const tree = (
  leaves: readonly string[],
  some: fc.Arbitrary<string> | undefined,
  depth = 3,
): fc.Arbitrary<string> => {
  const leaf = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...leaves) },
    { weight: 1, arbitrary: fc.constantFrom(...leaves).map((one) => `-${one}`) },
    ...(some === undefined ? [] : [{ weight: 2, arbitrary: some.map((one) => `any(${one})`) }]),
  )
  if (depth === 0) return leaf
  const inner = tree(leaves, some, depth - 1)
  const several = fc.array(inner, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    leaf,
    several.map((all) => all.join(' ')),
    several.map((all) => `(${all.join(' OR ')})`),
    inner.map((one) => `-(${one})`),
    fc.tuple(inner, inner).map(([a, b]) => `${a} OR NOT (${b})`),
  )
}
const stepQueries = tree(STEP_LEAVES, undefined)
const threadQueries = tree(THREAD_LEAVES, tree(STEP_LEAVES, undefined, 2))

const listed = async (
  list: 'steps' | 'threads',
  query: string,
  sizes: typeof SEARCH_SIZES,
): Promise<string[]> => {
  const limits = { searchRows: 100_000, searchMs: 60_000 }
  const listing = list === 'steps' ? stepListing('p') : threadListing('p')
  const pages = new Pages(database.db, limits, sizes)
  const found: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await pages.read<{ id: string }>('p', listing, { first: 9, after, query })
    found.push(...page.rows.map(({ id }) => id))
    after = page.rows.at(-1)?.cursor
    if (!page.hasNextPage) {
      expect(await page.count()).toBe(found.length)
      return found
    }
  }
}

/** Reads few rows at a time, and asks indexes for candidates as soon as it can. */
const SMALL = {
  ...SEARCH_SIZES,
  firstWindow: 4,
  largestWindow: 7,
  probeAfterRows: 1,
  maxCandidates: 20,
}

describe.each([
  ['windows that hold the whole list', SEARCH_SIZES],
  ['small windows, and indexes where they lead', SMALL],
  ['small windows, and indexes where several lead together', { ...SMALL, maxCandidates: 6 }],
])('with %s', (_, sizes) => {
  test.each([
    ['steps', stepQueries, steps, ofStep],
    ['threads', threadQueries, threads, ofThread],
  ] as const)(
    '%s pass a condition exactly when a plain evaluation does',
    async (list, queries, rows, leaf) => {
      await fc.assert(
        fc.asyncProperty(queries, async (query) => {
          const { nodes, mistakes } = parseFilter(query, languageOf(LIST_FIELDS, list))
          expect(mistakes, query).toEqual([])
          const expected = (rows as readonly unknown[] as readonly (Step & Thread)[])
            .filter((row) => nodes.every((node) => holds(node, row, leaf as typeof ofStep)))
            .map(({ id }) => id)
            .reverse()
          expect(await listed(list, query, sizes), query).toEqual(expected)
          // The same conditions, as the service writes them.
          expect(await listed(list, showFilter(nodes), sizes), query).toEqual(expected)
        }),
        { numRuns: runs(40) },
      )
    },
  )
})

/** Conditions that many rows pass each, and few together. */
const FEW = 'type=tool error:any'

test('conditions that many rows pass each find the few that pass all of them, and no others are read', async () => {
  const wanted = await listed('steps', FEW, SEARCH_SIZES)
  for (const one of ['type=tool', 'error:any'])
    expect((await listed('steps', one, SEARCH_SIZES)).length).toBeGreaterThan(wanted.length)
  const searched = (maxCandidates: number) =>
    new Pages(
      database.db,
      { searchRows: 1, searchMs: 60_000 },
      { ...SMALL, firstWindow: 1, maxCandidates },
    ).read<{ id: string }>('p', stepListing('p'), {
      first: 100,
      query: FEW,
      orderBy: { column: 'createdAt', direction: 'ASC' },
    })
  const { rows } = await searched(wanted.length)
  expect(rows.map(({ id }) => id)).toEqual(wanted.toReversed())
  await expect(searched(wanted.length - 1)).rejects.toThrow('no match among the 1 rows')
})

test('a page of no rows is not searched for, however far apart the rows are', async () => {
  const limits = { searchRows: 1, searchMs: 60_000 }
  const read = (first: number) =>
    new Pages(database.db, limits, { ...SMALL, firstWindow: 1, maxCandidates: 1 }).read(
      'p',
      stepListing('p'),
      { first, query: FEW },
    )
  await expect(read(1)).rejects.toThrow('no match among the 1 rows')
  expect(await read(0)).toMatchObject({ rows: [], hasNextPage: false, hasPreviousPage: false })
})

test('a search beside others that keep the database busy finds what it finds alone', async () => {
  const sizes = { ...SMALL, maxCandidates: (await listed('steps', FEW, SEARCH_SIZES)).length }
  let isOver = false
  // Longer than the time of any statement of the search.
  const others = (async () => {
    while (!isOver) await sql`SELECT pg_sleep(0.3)`.execute(database.db)
  })()
  const limits = { searchRows: 1, searchMs: 60_000 }
  const { rows } = await new Pages(database.db, limits, { ...sizes, windowMs: 100 })
    .read<{ id: string }>('p', stepListing('p'), { first: 100, query: FEW })
    .finally(() => {
      isOver = true
    })
  await others
  expect(rows).toHaveLength(sizes.maxCandidates)
})

test.each([
  ['steps', stepQueries, steps],
  ['threads', threadQueries, threads],
] as const)(
  'of all %s, brackets or the opposite of brackets hold, and never both',
  async (list, queries, rows) => {
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const among = await listed(list, `(${query})`, SEARCH_SIZES)
        const outside = await listed(list, `NOT (${query})`, SEARCH_SIZES)
        const all = rows.map(({ id }) => id)
        expect([...among, ...outside].toSorted(), query).toEqual(all.toSorted())
      }),
      {
        numRuns: runs(30),
        examples: [['duration>10']].filter(() => list === 'threads') as [string][],
      },
    )
  },
)

test('a text that negates twenty thousand times is read like one that does so not at all', async () => {
  const often = 'NOT '.repeat(20_000)
  const refunds = await listed('threads', 'name=Refund', SEARCH_SIZES)
  expect(refunds.length).toBeGreaterThan(0)
  expect(await listed('threads', `${often}name=Refund`, SEARCH_SIZES)).toEqual(refunds)
  const others = await listed('threads', 'NOT (name=Refund tags:vip)', SEARCH_SIZES)
  expect(await listed('threads', `${often}NOT (name=Refund tags:vip)`, SEARCH_SIZES)).toEqual(
    others,
  )
})

test('moments in a text are compared to the microsecond', async () => {
  const moment = '2026-01-01T00:05:00.000001Z'
  await sql`UPDATE threads SET created_at = ${moment} WHERE project_id = 'p' AND id = 't05'`.execute(
    database.db,
  )
  const after = (fraction: string) =>
    listed(
      'threads',
      `arrived>2026-01-01T00:05:00.${fraction}Z arrived<2026-01-01T00:05:01Z`,
      SEARCH_SIZES,
    )
  expect(await after('000000')).toEqual(['t05'])
  expect(await after('000001')).toEqual([])
})

test('one step of a thread meets all of the conditions of any', async () => {
  const failedAndDisliked = steps.filter(
    ({ type, error, scores }) =>
      type === 'tool' &&
      error !== null &&
      scores.some(({ name, value }) => name === 'q' && value === 0),
  )
  const expected = threads.filter((thread) =>
    failedAndDisliked.some((step) => step.thread === thread),
  )
  expect(expected.length).toBeGreaterThan(0)
  const one = 'any(type=tool error:any score[q]=0)'
  expect(await listed('threads', one, SEARCH_SIZES)).toEqual(expected.map(({ id }) => id).reverse())
  const apart = await listed(
    'threads',
    'any(type=tool) any(error:any) any(score[q]=0)',
    SEARCH_SIZES,
  )
  expect(apart.length).toBeGreaterThan(expected.length)
})

test.each([
  [
    'durations>5',
    'query: at character 1: durations is no field of this list; expected one of name,',
  ],
  ['name=a OR', 'query: at character 8: expected a condition after OR'],
  ['(name=a', 'query: at character 1: expected a closing )'],
  [
    'name=a any(nothing=1)',
    'query: at character 12: nothing is no field of this list; expected one of name, type',
  ],
  ['any(any(error:any))', 'query: at character 5: any(…) asks for one step of a thread'],
  [`${'('.repeat(30)}a${')'.repeat(30)}`, 'query: at character 21: expected at most 20 brackets'],
  ['a '.repeat(101), 'query: at character 201: expected at most 100 conditions'],
  [
    'time>2026-02-01T00:00:00Z time>never',
    'query: at character 32: time: expected a date or timestamp',
  ],
])('%s is a mistake at its place', async (query, message) => {
  await expect(listed('threads', query, SEARCH_SIZES)).rejects.toThrow(message)
})
