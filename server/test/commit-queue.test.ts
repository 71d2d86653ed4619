import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CommitQueue } from '../src/domain/ingestion/commit-queue.js'
import type { StepPatch } from '../src/domain/ingestion/step-patch.js'

interface Item {
  patch: StepPatch
  n: number
}

const MAX_STEPS = 2000
const MAX_CHARACTERS = 8_000_000
/** A larger item goes alone, and its turn comes like that of the others. */
const MAX_SHARED = 1_000_000

const actions = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('push' as const),
        projectId: fc.constantFrom('a', 'b', 'c', 'd'),
        step: fc.nat(3),
        /** Another step for each. */
        isSpread: fc.boolean(),
        count: fc.constantFrom(1, 1, 3, 700, 3000),
        size: fc.constantFrom(10, 10, 5000, 3_000_000, 9_000_000),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('take' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), at: fc.nat(3) }) },
  ),
  { maxLength: 30 },
)

const small = (projectId: 'a' | 'b' | 'c' | 'd') =>
  ({ kind: 'push', projectId, step: 0, isSpread: false, count: 1, size: 10 }) as const
const huge = { ...small('a'), isSpread: true, size: 3_000_000 } as const

test('whatever waits, each commit holds every project up to its share, in order of each step, and nothing twice or never', () => {
  fc.assert(
    fc.property(actions, (list) => {
      const queue = new CommitQueue<Item>()
      let waiting: Item[] = []
      const underWay: Item[][] = []
      let count = 0
      let wasHuge = false
      let lastProject: string | undefined
      const keyOf = ({ patch }: Item) => `${patch.projectId} ${patch.id}`
      const take = () => {
        const batch = queue.take()
        const busy = new Set(underWay.flat().map(keyOf))
        const free = waiting.filter((item) => !busy.has(keyOf(item)))
        // Nothing that could go is held back by items that cannot.
        expect(batch.length > 0).toBe(free.length > 0)
        expect(batch.length).toBeLessThanOrEqual(MAX_STEPS)
        const projects = [...new Set(free.map(({ patch }) => patch.projectId))]
        const taken = new Set(batch)
        const sizes = batch.map(({ patch }) => patch.size)
        const isHuge = projects.length > 1 && sizes.some((size) => size > MAX_SHARED)
        for (const projectId of projects) {
          const [oldest] = free.filter(({ patch }) => patch.projectId === projectId)
          const share = Math.min(MAX_CHARACTERS / projects.length, MAX_SHARED)
          if (oldest && oldest.patch.size <= share && !isHuge) expect(taken.has(oldest)).toBe(true)
        }
        if (isHuge) expect(batch).toHaveLength(1)
        // No project sends two huge ones in a row while others wait: one that got nothing comes next.
        if (isHuge) expect(wasHuge && batch[0]?.patch.projectId === lastProject).toBe(false)
        wasHuge = isHuge
        lastProject = batch[0]?.patch.projectId
        const total = sizes.reduce((sum, size) => sum + size, 0)
        // One that is larger than a share is added on top.
        expect(total).toBeLessThanOrEqual(MAX_CHARACTERS + Math.max(0, ...sizes))
        // Of each step the first ones that wait, in their order, and none while earlier ones are under way.
        const left = new Map<string, Item[]>()
        for (const item of waiting) {
          const own = left.get(keyOf(item))
          if (own === undefined) left.set(keyOf(item), [item])
          else own.push(item)
        }
        const isInOrder = batch.every(
          (item) => !busy.has(keyOf(item)) && left.get(keyOf(item))?.shift() === item,
        )
        expect(isInOrder).toBe(true)
        waiting = waiting.filter((item) => !taken.has(item))
        if (batch.length > 0) underWay.push(batch)
        return batch
      }
      for (const action of list) {
        if (action.kind === 'take') take()
        else if (action.kind === 'release') {
          const [batch] = underWay.splice(action.at, 1)
          if (batch !== undefined) queue.release(batch)
        } else
          for (let index = 0; index < (action.size > 5000 ? 2 : action.count); index++) {
            const id = action.isSpread ? `${action.step}-${index}` : `${action.step}`
            const { projectId, size } = action
            const item = { patch: { projectId, id, size } as StepPatch, n: count++ }
            waiting.push(item)
            queue.push(item)
          }
      }
      for (const batch of underWay.splice(0)) queue.release(batch)
      // Everything goes, even the heaviest.
      while (waiting.length > 0) {
        expect(take().length).toBeGreaterThan(0)
        for (const batch of underWay.splice(0)) queue.release(batch)
      }
      expect(queue.take()).toEqual([])
    }),
    {
      numRuns: 150,
      // A huge one in second place, while the others leave room in their shares.
      examples: [[[small('b'), small('c'), small('d'), small('a'), huge]]],
    },
  )
})

test('a hundred times as many patches of one step take about a hundred times as long, not ten thousand', () => {
  const cpuMs = (count: number) => {
    const queue = new CommitQueue<Item>()
    const begin = process.cpuUsage()
    for (let n = 0; n < count; n++)
      queue.push({ patch: { projectId: 'a', id: 'one', size: 1 } as StepPatch, n })
    for (let taken = 0; taken < count; ) {
      const batch = queue.take()
      taken += batch.length
      // Writers that find nothing to do take too.
      for (let writer = 0; writer < 3; writer++) expect(queue.take()).toEqual([])
      queue.release(batch)
    }
    const { user, system } = process.cpuUsage(begin)
    return (user + system) / 1000
  }
  cpuMs(10_000)
  const [few, many] = [cpuMs(10_000), cpuMs(1_000_000)]
  expect(many).toBeLessThan(1500 * Math.max(few, 1))
})
