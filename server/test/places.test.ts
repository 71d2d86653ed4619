import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Leave, OWN, Places } from '../src/kernel/sharing/places.js'
import { UsedTime } from '../src/kernel/sharing/used-time.js'

/** Resolves once promises that are settled already have had their effects. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

const KEYS = [OWN, 'a', 'b', 'c'] as const
const actions = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ does: fc.constant('ask'), at: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('leave'), at: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('give up'), at: fc.nat(20) }) },
  ),
  { maxLength: 60 },
)

interface Asked {
  key: string
  state: 'waits' | 'inside' | 'gone' | 'refused'
  giveUp: AbortController
  leave?: Leave
}

test('in any sequence of takes, waits and leaves, no place is lost or given twice, and nobody waits for a free place', async () => {
  await fc.assert(
    fc.asyncProperty(
      actions,
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 0, max: 1 }),
      fc.boolean(),
      async (sequence, count, wanted, isHalved) => {
        const reserved = count > 1 ? wanted : 0
        const mayTake = (taken: number, free: number) => (isHalved ? taken < free : taken < 2)
        const places = new Places({ count, reserved, mayTake })
        const all: Asked[] = []
        const those = (state: Asked['state'], key?: string) =>
          all.filter((one) => one.state === state && (key === undefined || one.key === key))
        for (const { does, at } of sequence) {
          if (does === 'ask') {
            const one: Asked = {
              key: KEYS[at] as string,
              state: 'waits',
              giveUp: new AbortController(),
            }
            all.push(one)
            const enter = (leave: Leave) => {
              expect(one.state).toBe('waits')
              one.state = 'inside'
              one.leave = leave
            }
            const leave = places.take(one.key)
            if (leave !== undefined) enter(leave)
            else
              places.wait(one.key, one.giveUp.signal).then(enter, (reason) => {
                expect(one.state).toBe('waits')
                expect(reason).toBe('given up')
                one.state = 'refused'
              })
          } else if (does === 'leave') {
            const inside = those('inside')
            const one = inside[at % inside.length]
            if (one === undefined) continue
            one.state = 'gone'
            one.leave?.()
            one.leave?.()
          } else {
            // Also those that have a place already, which has no effect.
            all[at % all.length]?.giveUp.abort('given up')
          }
          await settled()
          const inside = those('inside')
          expect(inside.length).toBeLessThanOrEqual(count)
          expect(places.taken).toBe(inside.length)
          expect(places.waiting).toBe(those('waits').length)
          const ofKeys = inside.filter(({ key }) => key !== OWN).length
          expect(ofKeys).toBeLessThanOrEqual(count - reserved)
          for (const key of KEYS) {
            if (those('waits', key).length === 0) continue
            const free = Math.min(count - reserved - ofKeys, count - inside.length)
            const hasRoom =
              key === OWN
                ? inside.length < count
                : free > 0 && mayTake(those('inside', key).length, free)
            expect(hasRoom, `${key} waits`).toBe(false)
          }
        }
        for (const { giveUp } of all) giveUp.abort('given up')
        for (const one of those('inside')) one.leave?.()
        await settled()
        expect(those('waits')).toEqual([])
        expect([places.taken, places.waiting]).toEqual([0, 0])
      },
    ),
    { numRuns: 500 },
  )
})

test('between two places of a waiting key, each other key gets one, and the service’s own work as many as they', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...KEYS), { minLength: 2, maxLength: 60 }),
      async (waiting) => {
        const places = new Places({ count: 1, mayTake: () => true })
        const leave = places.take('first')
        const order: string[] = []
        for (const key of waiting)
          void places.wait(key).then(async (leaveAgain) => {
            order.push(key)
            leaveAgain()
          })
        leave?.()
        await settled()
        expect(order.toSorted()).toEqual(waiting.toSorted())
        const left = new Map<string, number>()
        for (const key of waiting) left.set(key, (left.get(key) ?? 0) + 1)
        const since = new Map<string, string[]>()
        for (const key of order) {
          left.set(key, (left.get(key) ?? 0) - 1)
          since.set(key, [])
          for (const [other, got] of since) if (other !== key) got.push(key)
          for (const [other, got] of since) {
            if ((left.get(other) ?? 0) === 0) continue
            const others = got.filter((one) => one !== OWN)
            if (other === OWN) expect(others.length).toBeLessThanOrEqual(1)
            else {
              expect(new Set(others).size).toBe(others.length)
              expect(got.length - others.length).toBeLessThanOrEqual(others.length + 1)
            }
          }
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('while others wait, nobody gets more time than they: a key with long uses, nor the service’s own work', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ [OWN]: fc.integer({ min: 1, max: 200 }), a: fc.integer({ min: 1, max: 200 }) }),
      fc.integer({ min: 1, max: 200 }),
      async (takes, b) => {
        const lasts = new Map(Object.entries({ ...takes, b }))
        let now = 0
        const places = new Places({ count: 1, mayTake: () => true, now: () => now })
        const used = new Map([...lasts.keys()].map((key) => [key, 0]))
        const most = Math.max(...lasts.values())
        const isOver = () => now > 5000
        const ask = (key: string, ms: number): void =>
          void places.wait(key).then(async (leave) => {
            now += ms
            used.set(key, (used.get(key) ?? 0) + ms)
            if (isOver()) return
            ask(key, ms)
            leave()
          })
        const leave = places.take('first')
        for (const [key, ms] of lasts) ask(key, ms)
        leave?.()
        while (!isOver()) await settled()
        const [own = 0, first = 0, second = 0] = [OWN, 'a', 'b'].map((key) => used.get(key))
        expect(Math.abs(first - second)).toBeLessThanOrEqual(2 * most)
        expect(Math.abs(own - first - second)).toBeLessThanOrEqual(3 * most)
      },
    ),
    { numRuns: 100 },
  )
})

test('a key that worked long while nobody waited is not kept waiting for as long', async () => {
  let now = 0
  const places = new Places({ count: 1, mayTake: () => true, now: () => now })
  const leave = places.take('long')
  const order: string[] = []
  const ask = (key: string, ms: number) =>
    places.wait(key).then((leaveAgain) => {
      order.push(key)
      now += ms
      leaveAgain()
    })
  void ask('long', 10)
  for (let count = 0; count < 60; count++) void ask('short', 10)
  now = 60_000
  leave?.()
  await settled()
  expect(order.indexOf('long')).toBe(25)
})

test('the time of keys is forgotten that came long ago, so that any number of them takes a bounded memory', () => {
  let now = 0
  const used = new UsedTime(() => now)
  for (let key = 0; key < 5000; key++) {
    const end = used.begin(String(key))
    now += 10
    end()
  }
  const known = Array.from({ length: 5000 }, (_, key) => used.of(String(key))).filter(
    (ms) => ms > 0,
  )
  expect(known).toHaveLength(1000)
})

test('a single key takes half of the places for keys, and leaves some to the next ones', () => {
  const places = new Places({ count: 10, reserved: 2, mayTake: (taken, free) => taken < free })
  const takeAll = (key: string) => {
    let count = 0
    while (places.take(key) !== undefined) count++
    return count
  }
  expect(['a', 'b', 'c', 'd', OWN].map(takeAll)).toEqual([4, 2, 1, 1, 2])
})
