import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runBulk } from '../src/list/bulk/run.js'
import { readRows } from '../src/list/bulk/scope.js'
import { changedTags, readTags } from '../src/list/bulk/tags.js'

const options = () => ({ signal: new AbortController().signal, onProgress: () => undefined })

test('each row has its action once, whatever fails, and at most four at a time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 40 }), async (fails) => {
      const rows = fails.map((fail, at) => ({ fail, at }))
      const seen: number[] = []
      let [running, most] = [0, 0]
      const outcome = await runBulk(
        rows,
        async ({ fail, at }) => {
          most = Math.max(most, ++running)
          await new Promise((resolve) => setImmediate(resolve))
          running--
          seen.push(at)
          if (fail) throw new Error(`no ${at}`)
          return async () => undefined
        },
        options(),
      )
      expect(seen.toSorted((a, b) => a - b)).toEqual(rows.map(({ at }) => at))
      expect(most).toBeLessThanOrEqual(4)
      expect(outcome.done).toBe(fails.filter((fail) => !fail).length)
      expect(outcome.undos).toHaveLength(outcome.done)
      for (const { row, message } of outcome.failed) expect(message).toBe(`no ${row.at}`)
      expect(outcome.done + outcome.failed.length).toBe(rows.length)
    }),
  )
})

test('a stop leaves the rows that were not begun as they are', async () => {
  const stop = new AbortController()
  let acted = 0
  const outcome = await runBulk(
    Array.from({ length: 100 }, (_, at) => at),
    async (at) => {
      acted++
      if (at === 10) stop.abort()
      await new Promise((resolve) => setImmediate(resolve))
    },
    { signal: stop.signal, onProgress: () => undefined },
  )
  expect(acted).toBeLessThan(16)
  expect(outcome.done).toBe(acted)
})

test('all rows of a list are read page by page, up to a number', async () => {
  const all = Array.from({ length: 950 }, (_, at) => at)
  const page = async (first: number, after: string | null) => {
    const from = after === null ? 0 : Number(after) + 1
    const nodes = all.slice(from, from + first)
    return {
      edges: nodes.map((node) => ({ node })),
      pageInfo: {
        hasNextPage: from + first < all.length,
        endCursor: nodes.length === 0 ? null : String(nodes.at(-1)),
      },
    }
  }
  const { signal } = options()
  expect(await readRows(page, 10_000, signal)).toEqual(all)
  expect(await readRows(page, 301, signal)).toEqual(all.slice(0, 301))
})

test('tags are added and removed as sets, and undone by the tags before', () => {
  expect(readTags(' a, b ,,a')).toEqual(['a', 'b'])
  expect(changedTags(['a'], ['b', 'a'], 'add')).toEqual(['a', 'b'])
  expect(changedTags(null, ['b'], 'add')).toEqual(['b'])
  expect(changedTags(['a', 'b'], ['b', 'c'], 'remove')).toEqual(['a'])
  expect(changedTags(['a'], ['a'], 'add')).toBeUndefined()
  expect(changedTags(null, ['a'], 'remove')).toBeUndefined()
})
