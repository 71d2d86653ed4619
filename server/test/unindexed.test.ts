// Steps that changed a moment ago and are not in the index of contents yet: searches remember what they read of them.
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { runs } from '../../test/support/runs.js'
import { ContentIndexer } from '../src/domain/contents/indexer.js'
import { findIncomplete } from '../src/storage/contents/changes.js'
import {
  found,
  indexed,
  newIndexer,
  newProject,
  plainly,
  type Sent,
  send,
} from './support/contents.js'
import { useDomain } from './support/new-domain.js'

const made = useDomain()

const WORDS = ['alpha', 'bravo', 'charlie', 'delta']
/** Enough words that a few steps fill a block, and thirty a slab. */
const noise = (seed: number): string =>
  Array.from({ length: 300 }, (_, at) => ((seed + 1) * 7919 * (at + 13)).toString(36)).join(' ')
const saying = (index: number, word: string): Sent[number] => ({
  id: `s${index}`,
  type: 'run',
  output: { content: `${noise(index)} ${word}.` },
})

const startIndex = () =>
  vi.waitUntil(
    async () => {
      await newIndexer(made.db).work()
      return (await findIncomplete(made.db)).length === 0
    },
    { timeout: 300_000 },
  )

const word = fc.constantFrom(...WORDS)
const action = fc.oneof(
  fc.record({
    does: fc.constant('write' as const),
    from: fc.nat(100),
    count: fc.integer({ min: 1, max: 150 }),
    word,
  }),
  fc.record({
    does: fc.constant('search' as const),
    words: fc.array(word, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ does: fc.constant('delete' as const), index: fc.nat(200) }),
  fc.record({ does: fc.constant('index' as const) }),
)

test('whatever is written, searched, deleted and indexed in whatever order, a search finds what steps say now', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 12 }), async (actions) => {
      const caller = await newProject(made)
      const { projectId } = caller
      await startIndex()
      const agree = async (text: string) =>
        expect((await found(made.db, projectId, `${text}.`)).toSorted()).toEqual(
          await plainly(made.db, projectId, `${text}.`),
        )
      for (const one of actions)
        if (one.does === 'write')
          await send(
            made,
            caller,
            Array.from({ length: one.count }, (_, at) => saying(one.from + at, one.word)),
          )
        else if (one.does === 'search') await Promise.all(one.words.map(agree))
        else if (one.does === 'delete')
          await made.domain.steps.delete(caller, `s${one.index}`).catch(() => {})
        else await newIndexer(made.db).work()
      for (const text of WORDS) await agree(text)
    }),
    { numRuns: runs(80) },
  )
})

/** Makes a project with an index, and some steps that one search has read. */
const newReadProject = async (count: number) => {
  const caller = await newProject(made)
  await startIndex()
  await send(
    made,
    caller,
    Array.from({ length: count }, (_, at) => saying(at, 'alpha')),
  )
  expect(await found(made.db, caller.projectId, 'alpha.')).toHaveLength(count)
  return caller
}

test('a step that changed again before its change was indexed in part is found by what it says now', async () => {
  const caller = await newReadProject(150)
  const { projectId } = caller
  await send(made, caller, [saying(149, 'bravo')])
  await newIndexer(made.db).work()
  const { inBlocks, waiting } = await indexed(made.db, projectId)
  expect([inBlocks > 0, waiting > 0]).toEqual([true, true])
  expect(await found(made.db, projectId, 'bravo.')).toEqual(['s149'])
})

test('a search beside writes and the indexer misses nothing that was written before it', async () => {
  const caller = await newProject(made)
  const { projectId } = caller
  await startIndex()
  const indexer = newIndexer(made.db)
  for (let round = 0; round < 8; round++) {
    await send(
      made,
      caller,
      Array.from({ length: 50 }, (_, at) => saying(at, `round${round}`)),
    )
    const [ids, again] = await Promise.all([
      found(made.db, projectId, `round${round}.`),
      found(made.db, projectId, `round${round}.`),
      indexer.work(),
      send(made, caller, [saying(100 + round, 'beside')]),
    ])
    expect([ids.length, again.length]).toEqual([50, 50])
    expect(await found(made.db, projectId, `round${round - 1}.`)).toEqual([])
  }
})

// Searches of a cluster remember nothing of such steps: a note may be seen there a moment before what it is about.
test.skipIf(process.env.STEPWELL_TEST_WORKERS)(
  'a step is read by the first search after it changed, and by no other one that it is not for',
  async () => {
    const caller = await newReadProject(20)
    const { projectId } = caller
    // Changed behind the back of the notes: whoever read the text again would find it.
    const { sql } = await import('kysely')
    await sql`UPDATE steps SET output = '{"content":"hidden."}' WHERE project_id = ${projectId} AND id = 's7'`.execute(
      made.db,
    )
    expect(await plainly(made.db, projectId, 'hidden.')).toEqual(['s7'])
    expect(await found(made.db, projectId, 'hidden.')).toEqual([])
    await send(made, caller, [{ id: 's7', type: 'run', name: 'noted' }])
    expect(await found(made.db, projectId, 'hidden.')).toEqual(['s7'])
  },
)

test('steps of a project wait to be quiet, unless too many do', async () => {
  const caller = await newProject(made)
  const { projectId } = caller
  await startIndex()
  const indexer = new ContentIndexer(made.db, {
    isEnabled: true,
    quietMs: 600_000,
    maxWaiting: 1000,
  })
  const sendMore = async (from: number, count: number) => {
    for (let at = from; at < from + count; at += 500)
      await send(
        made,
        caller,
        Array.from({ length: 500 }, (_, index) => ({
          id: `s${at + index}`,
          type: 'run',
          name: `n${at + index}`,
        })),
      )
  }
  await sendMore(0, 1000)
  await indexer.work()
  expect(await indexed(made.db, projectId)).toEqual({ inBlocks: 0, waiting: 1000 })
  await sendMore(1000, 500)
  await indexer.work()
  const { inBlocks, waiting } = await indexed(made.db, projectId)
  expect(inBlocks).toBeGreaterThan(0)
  expect(waiting).toBeLessThanOrEqual(1000)
  expect(inBlocks + waiting).toBe(1500)
})
