import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ProblemError } from '../src/data/use-data.js'
import { runBulk } from '../src/list/bulk/run.js'
import { readRows } from '../src/list/bulk/scope.js'
import { changedTags, readTags, retag } from '../src/list/bulk/tags.js'

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
      for (const { row, error } of outcome.failed) expect(error.message).toBe(`no ${row.at}`)
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

test('a failure that all rows would meet leaves the others as they are, and they have their turn later', async () => {
  const rows = Array.from({ length: 50 }, (_, at) => at)
  const seen: number[] = []
  let isOver = true
  let isReadAgain = false
  const act = async (at: number) => {
    await new Promise((resolve) => setImmediate(resolve))
    if (isOver && at >= 20)
      throw new ProblemError({ message: 'over', code: 'UNAUTHENTICATED', isChange: true })
    if (at === 30) {
      const isChange = isReadAgain
      isReadAgain = true
      throw new ProblemError({ message: 'lost', code: 'NETWORK', isChange, isUnanswered: true })
    }
    seen.push(at)
  }
  const first = await runBulk(rows, act, options())
  expect(first).toMatchObject({ done: 20, failed: [], problem: { message: 'over' } })
  expect(first.left.toSorted((a, b) => a - b)).toEqual(rows.slice(20))
  isOver = false
  // A row that was only read when the answer was lost has its turn again.
  const second = await runBulk(first.left, act, { ...options(), before: first })
  expect(second.failed).toEqual([])
  expect(second.left).toContain(30)
  const third = await runBulk(second.left, act, { ...options(), before: second })
  expect(third.failed).toMatchObject([{ row: 30, error: { message: 'lost' } }])
  const last = await runBulk(third.left, act, { ...options(), before: third })
  expect(last.problem).toBe(undefined)
  expect(last.done).toBe(49)
  expect(seen.toSorted((a, b) => a - b)).toEqual(rows.filter((at) => at !== 30))
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
  expect(await readRows(page, String, 10_000, signal)).toEqual(all)
  expect(await readRows(page, String, 301, signal)).toEqual(all.slice(0, 301))
})

test('a row that moves to a later page while the list is read is there once', async () => {
  const pages = [['a', 'b'], ['b', 'c'], ['d']]
  const page = async (_: number, after: string | null) => {
    const at = Number(after ?? 0)
    return {
      edges: (pages[at] ?? []).map((id) => ({ node: { id } })),
      pageInfo: { hasNextPage: at < pages.length - 1, endCursor: String(at + 1) },
    }
  }
  const rows = await readRows(page, ({ id }) => id, 10, options().signal)
  expect(rows.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
})

test('a stop while rows are read yields none of them', async () => {
  const stop = new AbortController()
  const page = async (_: number, after: string | null) => {
    if (after === '2') stop.abort()
    const id = Number(after ?? 0)
    return {
      edges: [{ node: id }],
      pageInfo: { hasNextPage: true, endCursor: String(id + 1) },
    }
  }
  await expect(readRows(page, String, 10, stop.signal)).rejects.toThrow(/abort/)
})

test('tags are added and removed as sets, and undone by the tags before', () => {
  expect(readTags(' a, b ,,a')).toEqual(['a', 'b'])
  expect(changedTags(['a'], ['b', 'a'], 'add')).toEqual(['a', 'b'])
  expect(changedTags(null, ['b'], 'add')).toEqual(['b'])
  expect(changedTags(['a', 'b'], ['b', 'c'], 'remove')).toEqual(['a'])
  expect(changedTags(['a'], ['a'], 'add')).toBeUndefined()
  expect(changedTags(null, ['a'], 'remove')).toBeUndefined()
})

describe('tags of many rows', () => {
  const store = (tags: Record<string, string[] | null>) => ({
    tags,
    read: async (id: string) => tags[id],
    write: async (id: string, next: readonly string[]) => {
      tags[id] = [...next]
    },
  })

  test('are those that are stored when the row has its turn, not those that a list showed', async () => {
    const stored = store({ a: ['old'], b: null })
    stored.tags.a = ['old', 'by another']
    await retag(stored, 'a', ['x'], 'add')
    await retag(stored, 'b', ['x'], 'add')
    expect(stored.tags).toEqual({ a: ['old', 'by another', 'x'], b: ['x'] })
    await expect(retag(stored, 'gone', ['x'], 'add')).rejects.toThrow('not there any more')
  })

  test('are taken back as far as they were changed, and no tag of others with them', async () => {
    const stored = store({ a: ['kept'], b: ['x', 'y'] })
    const undoAdd = await retag(stored, 'a', ['kept', 'x'], 'add')
    const undoRemove = await retag(stored, 'b', ['y', 'z'], 'remove')
    stored.tags.a?.push('later')
    stored.tags.b?.push('later')
    await undoAdd?.()
    await undoRemove?.()
    expect(stored.tags).toEqual({ a: ['kept', 'later'], b: ['x', 'later', 'y'] })
    expect(await retag(stored, 'a', ['kept'], 'add')).toBeUndefined()
  })
})
