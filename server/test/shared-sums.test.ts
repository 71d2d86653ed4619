import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Caller } from '../src/kernel/caller.js'
import { SharedRuns } from '../src/kernel/sharing/shared-runs.js'
import { useDomain } from './support/new-domain.js'

let statements = 0
const made = useDomain({
  transformQuery: ({ node }) => {
    statements++
    return node
  },
  transformResult: async ({ result }) => result,
})

const caller = { projectId: 'shared', environment: 'prod', scopes: ['admin'] } as unknown as Caller
const record = (step: number) =>
  made.domain.steps.ingest(caller, [
    {
      id: `step ${step}`,
      threadId: `thread ${step % 40}`,
      type: 'llm',
      generation: { tokenCount: 1 } as never,
    },
  ])
const countTokens = async () => {
  const { rows } = await made.domain.threads.list(caller, {
    query: 'tokens>0',
    first: 100,
  } as never)
  return rows.reduce((sum, { tokenCount }) => sum + (tokenCount ?? 0), 0)
}

test('each of many lists has the steps that were stored before it', async () => {
  for (let step = 0; step < 120; ) {
    await Promise.all(Array.from({ length: 10 }, () => record(step++)))
    const stored = step
    const lists = Array.from({ length: 12 }, countTokens)
    const more = Array.from({ length: 4 }, () => record(step++))
    for (const found of await Promise.all(lists)) expect(found).toBeGreaterThanOrEqual(stored)
    await Promise.all(more)
  }
})

test('many that ask for the sums at once cost two of them', async () => {
  const { domain } = made
  const cost = async (times: number) => {
    await record(1)
    statements = 0
    await Promise.all(
      Array.from({ length: times }, () => domain.threads.sumUpAll({ projectId: 'shared' })),
    )
    return statements
  }
  const one = await cost(1)
  expect(await cost(30)).toBeLessThanOrEqual(2 * one)
})

test('a run begins after each call that it is for, and no two of a key are at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 12 }), async (scheduler, calls) => {
      const runs = new SharedRuns<number>()
      let [begun, running] = [0, 0]
      const work = async () => {
        const began = ++begun
        expect(++running).toBe(1)
        await scheduler.schedule(Promise.resolve())
        running--
        if (began % 3 === 0) throw new Error('failed')
        return began
      }
      const asked = Array.from({ length: calls }, async () => {
        await scheduler.schedule(Promise.resolve())
        const before = begun
        const got = await runs.run('key', work).catch(() => undefined)
        if (got !== undefined) expect(got).toBeGreaterThan(before)
      })
      await scheduler.waitFor(Promise.all(asked))
      expect(running).toBe(0)
    }),
  )
})
