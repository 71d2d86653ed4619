import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StepData } from '../src/index.js'
import { recordInMemory } from '../src/testing/index.js'

type Memory = ReturnType<typeof recordInMemory>['stepwell']

const unreadable = () => {
  throw new Error('not signed in')
}
/** Metadata with a member that can't be read. */
const session = (): Record<string, unknown> =>
  Object.defineProperty({ plan: 'team' }, 'user', { get: unreadable, enumerable: true })
const revoked = (): never[] => {
  const { proxy, revoke } = Proxy.revocable<never[]>([], {})
  revoke()
  return proxy
}

test('metadata of a step inside decorate is merged, and a member that cannot be read is marked', async () => {
  const { stepwell, steps } = recordInMemory()
  const answer = await stepwell
    .decorate({ metadata: { area: 'shop' } })
    .wrap(() => stepwell.trace({ name: 'work', metadata: session() }, () => 'answer'))
  expect(answer).toBe('answer')
  expect(steps[0]?.metadata).toEqual({
    area: 'shop',
    plan: 'team',
    user: '[unreadable: not signed in]',
  })
})

test('metadata and tags of decorate that cannot be read cost only themselves', async () => {
  const { stepwell, steps } = recordInMemory()
  const answer = await stepwell
    .decorate({ metadata: session(), tags: revoked(), stepId: 'first' })
    .wrap(() => stepwell.decorate({ tags: ['inner'] }).wrap(() => stepwell.trace('work', () => 1)))
  expect(answer).toBe(1)
  expect(steps[0]).toMatchObject({
    id: 'first',
    tags: ['inner'],
    metadata: { plan: 'team', user: '[unreadable: not signed in]' },
  })
})

test('lists that cannot be read cost a step only themselves', () => {
  const { stepwell, steps } = recordInMemory()
  const data = { name: 'work', tags: revoked(), scores: revoked(), attachments: revoked() }
  expect(stepwell.trace(data, () => 'answer')).toBe('answer')
  expect(steps[0]).toMatchObject({ name: 'work', tags: [], output: { output: 'answer' } })
})

test('options of a traced function or method that cannot be read cost only themselves, and are told', () => {
  const reports: string[] = []
  const { stepwell, steps } = recordInMemory({ onReport: (message) => reports.push(message) })
  const hostile = (name: string, given: object) =>
    Object.defineProperty({ ...given }, name, { get: unreadable, enumerable: true }) as object
  for (const name of ['name', 'type', 'tags', 'metadata', 'input', 'output']) {
    const find = stepwell.traced((word: string) => `${word}s`, hostile(name, {}))
    expect(find('order')).toBe('orders')
  }
  const decorate = stepwell.tracedMethod(hostile('tags', { type: 'tool' }))
  const ship = decorate((order: string) => ({ order }), { name: 'ship' } as never)
  expect(ship('o')).toEqual({ order: 'o' })
  expect(steps).toHaveLength(7)
  expect(steps.at(0)).toMatchObject({ name: 'anonymous', input: { arguments: ['order'] } })
  expect(steps.at(-1)).toMatchObject({ name: 'ship', type: 'tool' })
  expect(reports).toContainEqual(expect.stringContaining('not signed in'))
})

const FIELDS = ['name', 'type', 'metadata', 'input', 'output', 'error', 'environment'] as const
/** Names that are not fields of steps or threads, although objects of the SDK have them. */
const OTHERS = ['context', 'recording', 'end', 'wrap', 'upsert', '__proto__', 'constructor', 'own']

test('assign sets the fields that can be read and set, whatever else is given, and never throws', () => {
  const given = fc.dictionary(
    fc.constantFrom(...FIELDS, ...OTHERS),
    fc.oneof(fc.constant(unreadable), fc.constantFrom('text', 'other', undefined)),
  )
  fc.assert(
    fc.property(given, fc.boolean(), (members, isFrozen) => {
      const reports: string[] = []
      const { stepwell } = recordInMemory({ onReport: (text) => reports.push(text) })
      const changes = {}
      for (const [name, value] of Object.entries(members))
        Object.defineProperty(changes, name, {
          enumerable: true,
          ...(value === unreadable ? { get: unreadable } : { value }),
        })
      for (const made of [stepwell.step({ name: 'before' }), stepwell.thread({ name: 'before' })]) {
        const prototype = Object.getPrototypeOf(made)
        const keys = Object.keys(made).sort()
        if (isFrozen) Object.freeze(made)
        made.assign(changes)
        expect(Object.getPrototypeOf(made)).toBe(prototype)
        expect(Object.keys(made).sort()).toEqual(keys)
        const { name } = members
        expect(made.name).toBe(isFrozen || typeof name !== 'string' ? 'before' : name)
      }
      const step = stepwell.step()
      step.end(changes as Partial<StepData>)
      const failing = FIELDS.filter((field) => members[field] === unreadable)
      for (const field of failing)
        expect(reports).toContainEqual(expect.stringContaining(`${field} of a step`))
      expect(step.endTime).toBeDefined()
    }),
  )
})

test('a thread whose fields cannot be read is made without them', () => {
  const { stepwell } = recordInMemory({ onReport: () => {} })
  const data = Object.defineProperties(
    { name: 'chat' },
    {
      id: { get: unreadable },
      tags: { get: unreadable },
    },
  )
  const thread = stepwell.thread(data)
  expect([thread.name, thread.tags]).toEqual(['chat', undefined])
  expect(thread.id).toHaveLength(36)
})

test.each<[string, (stepwell: Memory, data: StepData) => void]>([
  ['step', (stepwell, data) => stepwell.step(data).end()],
  ['run', (stepwell, data) => stepwell.run(data).end()],
  ['trace', (stepwell, data) => stepwell.trace(data, () => 'answer')],
  ['experimentItemRun', (stepwell, data) => stepwell.experimentItemRun(data).end()],
  ['a step of a thread', (stepwell, data) => stepwell.thread().step(data).end()],
  ['a run of a thread', (stepwell, data) => stepwell.thread().run(data).end()],
  ['a step inside a step', (stepwell, data) => stepwell.step({}).step(data).end()],
])('fields given to %s that cannot be read cost only themselves, and are reported', (_, make) => {
  const reports: string[] = []
  const { stepwell, steps } = recordInMemory({ onReport: (message) => reports.push(message) })
  make(stepwell, Object.defineProperty({ name: 'work' }, 'id', { get: unreadable }))
  const made = steps.find(({ name }) => name === 'work')
  expect(made?.id).toEqual(expect.any(String))
  expect(reports[0]).toContain("id of a step or thread can't be read or set: not signed in")
  expect(() => make(stepwell, revoked() as StepData)).not.toThrow()
})
