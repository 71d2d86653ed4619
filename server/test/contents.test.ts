import { randomBytes } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { select, sql } from '../src/database/rows/sql.js'
import { slabs } from '../src/database/rows/tables.js'
import { ContentIndexer } from '../src/domain/contents/indexer.js'
import { parseStepPatch } from '../src/domain/ingestion/step-patch.js'
import { writeBatch } from '../src/domain/ingestion/step-writer.js'
import { Values } from '../src/domain/values.js'
import { createClock } from '../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { findIncomplete } from '../src/storage/contents/changes.js'
import { findFirstTexts } from '../src/storage/contents/texts.js'
import { found, indexed, newIndexer, newProject, type Sent, send } from './support/contents.js'
import { useDomain } from './support/new-domain.js'

const made = useDomain()

/** Words that no other step has; enough of them that a few steps fill a block. */
const noise = (seed: number, words = 300): string =>
  Array.from({ length: words }, (_, at) => ((seed + 1) * 7919 * (at + 13)).toString(36)).join(' ')

/** Steps that start in another order than they arrive in. */
const steps = (count: number, textOf: (index: number) => string): Sent =>
  Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    type: index % 3 === 0 ? 'tool' : 'run',
    startTime: new Date(Date.UTC(2026, 0, 1) + ((index * 37) % count) * 60_000).toISOString(),
    output: { content: `${noise(index)} ${textOf(index)}` },
  })) as Sent

const sendAll = async (caller: Awaited<ReturnType<typeof newProject>>, all: Sent) => {
  for (let from = 0; from < all.length; from += 100)
    await send(made, caller, all.slice(from, from + 100))
}

/** Indexes until nothing is left that fills a slab. At first, all transactions have to note their changes. */
const indexAll = async (indexer = newIndexer(made.db)) => {
  await vi.waitUntil(
    async () => {
      await indexer.work()
      return (await findIncomplete(made.db)).length === 0
    },
    { timeout: 300_000 },
  )
  for (let round = 0; round < 2; round++) await indexer.work()
}

test('pages come in the order of the list, whatever the order of arrival, in both directions', async () => {
  const caller = await newProject(made)
  const { projectId } = caller
  await indexAll()
  await sendAll(
    caller,
    steps(300, (index) => (index % 7 === 0 ? 'Needle in the hay' : 'nothing')),
  )
  await indexAll()
  const { inBlocks, waiting } = await indexed(made.db, projectId)
  expect(inBlocks).toBeGreaterThan(100)
  expect(waiting).toBeLessThan(200)
  const expected = Array.from({ length: 300 }, (_, index) => index)
    .filter((index) => index % 7 === 0)
    .sort((a, b) => ((b * 37) % 300) - ((a * 37) % 300))
    .map((index) => `s${index}`)
  for (const first of [1, 4, 1000]) {
    const request = { first }
    expect(await found(made.db, projectId, 'NEEDLE in', request)).toEqual(expected)
    const orderBy = { column: 'startedAt', direction: 'ASC' } as const
    expect(await found(made.db, projectId, 'needle in', { ...request, orderBy })).toEqual(
      expected.toReversed(),
    )
    const byArrival = { column: 'createdAt', direction: 'ASC' } as const
    expect(await found(made.db, projectId, 'needle', { ...request, orderBy: byArrival })).toEqual(
      expected.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1))),
    )
    const filters = [{ field: 'type', operator: 'eq', value: 'tool' }]
    expect(await found(made.db, projectId, 'needle', { ...request, filters })).toEqual(
      expected.filter((id) => Number(id.slice(1)) % 3 === 0),
    )
  }
  const other = await newProject(made)
  await indexAll()
  expect(await found(made.db, other.projectId, 'needle')).toEqual([])
})

test('steps of one moment come by their ids, in the order of bytes, page by page', async () => {
  const caller = await newProject(made)
  const { projectId } = caller
  await indexAll()
  const suffixes = ['a', '\ue000', '😀', 'b', '\uffff', 'é']
  const ids = suffixes.map((suffix) => `same-${suffix}`)
  const all = ids.map((id) => ({
    id,
    type: 'run',
    startTime: new Date(Date.UTC(2026, 1, 1)).toISOString(),
    output: { content: `a moment of many ${noise(1)}` },
  })) as Sent
  await sendAll(caller, [...all, ...steps(200, () => 'nothing')])
  await indexAll()
  const ascending = ids.toSorted((one, other) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other)),
  )
  for (const first of [1, 4, 1000])
    for (const direction of ['ASC', 'DESC'] as const) {
      const orderBy = { column: 'startedAt', direction }
      expect(await found(made.db, projectId, 'moment of many', { first, orderBy })).toEqual(
        direction === 'ASC' ? ascending : ascending.toReversed(),
      )
    }
})

test('a step is found by what it says now, and not once it is deleted', async () => {
  const caller = await newProject(made)
  const { projectId } = caller
  await indexAll()
  await sendAll(
    caller,
    steps(200, (index) => `keyword${index}.`),
  )
  await indexAll()
  expect(await found(made.db, projectId, 'keyword3.')).toEqual(['s3'])
  await send(made, caller, [{ id: 's3', type: 'run', output: { content: 'changed entirely' } }])
  expect(await found(made.db, projectId, 'keyword3.')).toEqual([])
  expect(await found(made.db, projectId, 'changed ENTIRELY')).toEqual(['s3'])
  await made.domain.steps.update(caller, { id: 's4', output: { content: 'edited by hand' } })
  expect(await found(made.db, projectId, 'edited by hand')).toEqual(['s4'])
  await made.domain.steps.delete(caller, 's5')
  expect(await found(made.db, projectId, 'keyword5.')).toEqual([])
})

test('steps of before are found while they are indexed and after it', async () => {
  const caller = await newProject(made)
  const { projectId } = caller
  await sendAll(
    caller,
    steps(300, (index) => `keyword${index}.`),
  )
  expect(await indexed(made.db, projectId)).toEqual({ inBlocks: 0, waiting: 0 })
  expect(await found(made.db, projectId, 'keyword250.')).toEqual(['s250'])
  await indexAll()
  const { inBlocks, waiting } = await indexed(made.db, projectId)
  expect(inBlocks).toBeGreaterThan(100)
  expect(waiting).toBeGreaterThan(0)
  for (const index of [0, 1, 77, 250, 299])
    expect(await found(made.db, projectId, `keyword${index}.`)).toEqual([`s${index}`])
})

// The embedded engine has one session, and so no transaction that began before.
test.runIf(process.env.STEPWELL_TEST_DATABASE)(
  'a step is found whose transaction began before the index of its project, and ends when all others are indexed',
  async () => {
    const caller = await newProject(made)
    const { projectId } = caller
    await sendAll(
      caller,
      steps(150, (index) => `early${index}.`),
    )
    const indexer = newIndexer(made.db)
    const [last] = steps(1, () => 'the last to come')
    await made.db.transaction().execute(async (transaction) => {
      const patch = parseStepPatch(new Values(DEFAULT_LIMITS), caller, { ...last, id: 'last' })
      await writeBatch(transaction, createClock(), [patch])
      for (let round = 0; round < 5; round++) await indexer.work()
      expect(await findIncomplete(made.db)).toContain(projectId)
    })
    await indexAll(indexer)
    expect(await found(made.db, projectId, 'the last to come')).toEqual(['last'])
    const inBlocks = await indexed(made.db, projectId)
    expect(inBlocks.inBlocks + inBlocks.waiting).toBe(151)
  },
)

test('several processes that index at once lose nothing, and index nothing twice', async () => {
  const caller = await newProject(made)
  const { projectId } = caller
  const processes = Array.from({ length: 3 }, () => newIndexer(made.db))
  await sendAll(
    caller,
    steps(150, (index) => `before${index}.`),
  )
  await Promise.all(processes.map(indexAll))
  await sendAll(
    caller,
    steps(300, (index) => `after${index}.`),
  )
  await Promise.all(processes.map(indexAll))
  // The lease of a process may have kept the others from the last portion.
  await indexAll(processes[0])
  for (let index = 0; index < 300; index += 23)
    expect(await found(made.db, projectId, `after${index}.`)).toEqual([`s${index}`])
  const { rows } = await sql`
    SELECT ${select({ blocks: slabs.blocks, firstBlock: slabs.firstBlock })} FROM content_slabs slabs
    WHERE slabs.project_id = ${projectId}`.execute(made.db)
  const numbers = rows.flatMap(({ firstBlock, blocks }) =>
    Array.from({ length: blocks }, (_, place) => firstBlock + place),
  )
  expect(new Set(numbers).size).toBe(numbers.length)
})

test('small slabs are joined to larger ones, which find the same', async () => {
  const caller = await newProject(made)
  const { projectId } = caller
  await indexAll()
  await sendAll(
    caller,
    steps(500, (index) => `keyword${index}.`),
  )
  await indexAll()
  const { rows } = await sql`
    SELECT ${select({ blocks: slabs.blocks })} FROM content_slabs slabs
    WHERE slabs.project_id = ${projectId}`.execute(made.db)
  expect(rows.map(({ blocks }) => blocks)).toContain(64)
  for (let index = 0; index < 500; index += 41)
    expect(await found(made.db, projectId, `keyword${index}.`)).toEqual([`s${index}`])
})

test('without the index all of it is deleted and nothing is noted; later it is made again', async () => {
  const caller = await newProject(made)
  const { projectId } = caller
  await indexAll()
  await sendAll(
    caller,
    steps(150, (index) => `keyword${index}.`),
  )
  await indexAll()
  await new ContentIndexer(made.db, { isEnabled: false }).work()
  await send(made, caller, [{ id: 's7', type: 'run', output: { content: 'written meanwhile' } }])
  expect(await indexed(made.db, projectId)).toEqual({ inBlocks: 0, waiting: 0 })
  expect(await found(made.db, projectId, 'written meanwhile')).toEqual(['s7'])
  await indexAll()
  expect((await indexed(made.db, projectId)).inBlocks).toBeGreaterThan(0)
  expect(await found(made.db, projectId, 'written meanwhile')).toEqual(['s7'])
})

test('steps that an indexer met while they were written are indexed once they are quiet', async () => {
  const caller = await newProject(made)
  await indexAll()
  const quietMs = 10_000
  const indexer = new ContentIndexer(made.db, { isEnabled: true, quietMs })
  await sendAll(
    caller,
    steps(500, (index) => `keyword${index}.`),
  )
  await indexer.work()
  expect((await indexed(made.db, caller.projectId)).waiting).toBe(500)
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + quietMs + 1000)
  await indexer.work().finally(() => clock.mockRestore())
  // The others fill no slab.
  expect((await indexed(made.db, caller.projectId)).waiting).toBeLessThan(128)
})

test('threads are found by the contents of their steps, and generations by theirs', async () => {
  const caller = await newProject(made)
  await indexAll()
  const all = steps(200, (index) => `keyword${index}.`).map((step, index) => ({
    ...step,
    threadId: `t${index % 50}`,
    generation: { completion: `answer${index}.` },
  })) as Sent
  await sendAll(caller, all)
  await indexAll()
  const threads = async (query: string) =>
    (await made.domain.threads.list(caller, { query, first: 100 })).rows.map(({ id }) => id)
  expect(await threads('stepContent~"Keyword60."')).toEqual(['t10'])
  expect(await threads('any(content~"answer61." type=run)')).toEqual(['t11'])
  expect(await threads('stepContent~"keyword200."')).toEqual([])
  const { rows } = await made.domain.steps.listGenerations(caller, { query: 'content~"answer7."' })
  expect(rows.map(({ id }) => id)).toEqual(['s7'])
})

test('texts of large steps are read a few at a time, so that no statement keeps others waiting', async () => {
  const caller = await newProject(made)
  const large = Array.from({ length: 6 }, (_, index) => `large ${index}`)
  const text = () => ({ content: randomBytes(700_000).toString('base64') })
  await send(made, caller, [
    ...large.map((id) => ({ id, output: text() })),
    { id: 'small', output: { content: 'the last one' } },
  ] as Sent)
  const ids = [...large, 'small', 'never sent']
  const texts: string[] = []
  const portions: number[] = []
  for (let at = 0; at < ids.length; ) {
    const { rows, read } = await findFirstTexts(made.db, caller.projectId, ids.slice(at))
    portions.push(rows.reduce((size, { text }) => size + text.length, 0))
    texts.push(...rows.map(({ id }) => id))
    at += read
  }
  expect(texts).toEqual(ids.slice(0, -1))
  expect(Math.max(...portions)).toBeLessThan(3_000_000)
})
