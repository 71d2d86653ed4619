import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import type { JudgeInput, JudgementInput } from '../../src/types.js'
import { eventually } from '../../test/support/eventually.js'
import { isInSample } from '../src/domain/judges/sampling.js'

let service: Service
beforeAll(async () => {
  service = await createService()
})
afterAll(() => service?.close())

const ENDED = '2026-01-01T00:00:00Z'
let projects = 0

/** A project of its own with a judge, as its workers see it. */
const judged = async (options: Partial<JudgeInput> = {}) => {
  const { apiKey } = await service.createProject(`judged ${projects++}`)
  const { api } = new StepwellClient({ apiKey, fetch: service.fetch })
  const judge: JudgeInput = {
    name: 'tone',
    version: '1',
    subject: 'STEPS',
    sample: 1,
    quietSeconds: 0,
    ...options,
  }
  const ask = (holder: string, changes: Partial<JudgeInput> = {}, first = 100, seconds = 60) =>
    api.leaseJudgements({ judge: { ...judge, ...changes }, holder, first, seconds })
  await ask('first', {}, 0)
  return {
    api,
    judgeId: `${judge.name}@${judge.version}`,
    send: (...ids: string[]) => api.sendSteps(ids.map((id) => ({ id, endTime: ENDED }))),
    ask,
    lease: async (...parameters: Parameters<typeof ask>) =>
      (await ask(...parameters)).leases.map(({ id }) => id).toSorted(),
    store: (holder: string, ...judgements: JudgementInput[]) =>
      api.createJudgements({ judgeId: `${judge.name}@${judge.version}`, holder, judgements }),
    state: async () => {
      const [found] = await api.getJudges()
      if (found === undefined) throw new Error('expected a judge')
      return found
    },
  }
}
const SCORE = { name: 'tone', type: 'AI', value: 1, label: 'polite' } as const

test('a step goes to one worker, and to none again once it has a judgement', async () => {
  const { api, send, lease, store, state } = await judged()
  await send('a', 'b')
  const [one, two] = await Promise.all([lease('one'), lease('two')])
  expect([...one, ...two].toSorted()).toEqual(['a', 'b'])
  const holder = one.includes('a') ? 'one' : 'two'
  expect(await store(holder, { id: 'a', scores: [SCORE], tokens: 7, dollars: 0.5 })).toEqual([true])
  expect((await api.getScores({})).data).toMatchObject([
    { stepId: 'a', name: 'tone', type: 'AI', value: 1, label: 'polite', scorer: 'tone@1' },
  ])
  await send('a')
  expect(await lease('three')).toEqual([])
  expect(await state()).toMatchObject({
    judged: 1,
    waiting: 1,
    usedToday: { judgements: 2, tokens: 7, dollars: 0.5 },
  })
})

test('another version judges the step anew, from when it is known on', async () => {
  const { send, lease, store } = await judged()
  await send('a')
  await lease('one')
  await store('one', { id: 'a', scores: [SCORE] })
  expect(await lease('one', { version: '2' })).toEqual([])
  await send('a')
  expect(await lease('one', { version: '2' })).toEqual(['a'])
})

test('a step that has not ended, or does not pass, waits for the change that makes it', async () => {
  const filters = [{ field: 'tags', operator: 'in', value: ['live'] }] as const
  const { api, lease } = await judged({ filters })
  await api.sendSteps([{ id: 'a' }, { id: 'b', endTime: ENDED }])
  expect(await lease('one')).toEqual([])
  await api.sendSteps([
    { id: 'a', tags: ['live'] },
    { id: 'b', tags: ['live'] },
  ])
  expect(await lease('one')).toEqual(['b'])
  await api.updateStep({ id: 'a', endTime: ENDED })
  expect(await lease('one')).toEqual(['a'])
})

test('steps of experiments are never judged, so that no judge judges itself', async () => {
  const { api, send, lease } = await judged()
  await api.sendSteps([{ id: 'own', endTime: ENDED, environment: 'experiment' }])
  await api.updateStep({ id: 'own', endTime: ENDED })
  await send('a')
  expect(await lease('one')).toEqual(['a'])
})

test('a step that is still written has to wait until it is quiet', async () => {
  const { send, ask } = await judged({ quietSeconds: 60 })
  await send('a')
  const { leases, waitMs } = await ask('one')
  expect(leases).toEqual([])
  expect(waitMs).toBeGreaterThan(50_000)
  expect(waitMs).toBeLessThanOrEqual(60_000)
})

test('a lease that ends goes to another worker, and the judgement of the first is not stored', async () => {
  const { api, send, lease, store } = await judged()
  await send('a')
  expect(await lease('one', {}, 1, 1)).toEqual(['a'])
  await eventually(async () => expect(await lease('two')).toEqual(['a']))
  expect(await store('one', { id: 'a', scores: [SCORE] })).toEqual([false])
  expect((await api.getScores({})).data).toEqual([])
  expect(await store('two', { id: 'a', scores: [SCORE] })).toEqual([true])
})

test('a judgement that is sent again is stored and counted once', async () => {
  const { api, send, lease, store, state } = await judged()
  await send('a')
  await lease('one')
  const judgement = { id: 'a', scores: [SCORE], tokens: 3 }
  expect(await Promise.all([store('one', judgement), store('one', judgement)])).toEqual([
    [true],
    [true],
  ])
  expect((await api.getScores({})).data).toHaveLength(1)
  expect(await state()).toMatchObject({ judged: 1, usedToday: { tokens: 3 } })
})

test('a judgement that is given back counts for nothing, and goes to the next worker at once', async () => {
  const { send, ask, lease, store, state } = await judged()
  await send('a')
  await lease('one')
  expect(await store('one', { id: 'a', isReleased: true })).toEqual([true])
  expect((await state()).usedToday.judgements).toBe(0)
  expect((await ask('two')).leases).toEqual([{ id: 'a', attempt: 1 }])
})

test('an error is never a score, is tried again later, and keeps its reason', async () => {
  const { api, send, ask, lease, store, state } = await judged()
  await send('a')
  await lease('one')
  await store('one', { id: 'a', error: 'no JSON', scores: [SCORE], tokens: 2 })
  expect((await api.getScores({})).data).toEqual([])
  expect(await state()).toMatchObject({ judged: 0, failed: 0, waiting: 1, lastError: 'no JSON' })
  const { leases, waitMs } = await ask('one')
  expect(leases).toEqual([])
  expect(waitMs).toBeGreaterThan(5000)
  expect(waitMs).toBeLessThanOrEqual(10_000)
})

test('after five attempts a step is given up, and the judge says so', async () => {
  const { send, ask, lease, state } = await judged()
  await send('a')
  const attempts: number[] = []
  await eventually(async () => {
    for (const { attempt } of (await ask('killed', {}, 1, 1)).leases) attempts.push(attempt)
    expect((await state()).failed).toBe(1)
  })
  expect(attempts).toEqual([1, 2, 3, 4, 5])
  await send('a')
  expect(await lease('one')).toEqual([])
  expect((await state()).lastError).toBe('no result after 5 attempts')
})

test('two workers at once never begin more judgements than a day allows, over all versions', async () => {
  const { send, ask, state } = await judged({ budget: { judgements: 5 } })
  await send(...Array.from({ length: 20 }, (_, index) => `s${index}`))
  const all = await Promise.all(Array.from({ length: 8 }, (_, index) => ask(`w${index}`, {}, 2)))
  expect(all.flatMap(({ leases }) => leases)).toHaveLength(5)
  const { isSpent, waitMs } = await ask('late')
  expect(isSpent).toBe(true)
  const midnight = 86_400_000 - (Date.now() % 86_400_000)
  expect(Math.abs(waitMs - midnight)).toBeLessThan(60_000)
  expect((await ask('late', { version: '2' })).isSpent).toBe(true)
  expect((await state()).usedToday.judgements).toBe(5)
})

test('tokens are reserved: the first judgement goes alone, and the next ones as the mean says', async () => {
  const { send, ask, lease, store } = await judged({ budget: { tokens: 100 } })
  await send(...Array.from({ length: 20 }, (_, index) => `s${index}`))
  const [first = ''] = await lease('one')
  expect(await lease('two')).toEqual([])
  await store('one', { id: first, scores: [SCORE], tokens: 30 })
  const [second = '', third = '', ...none] = await lease('one')
  expect(none).toEqual([])
  expect(await ask('two')).toMatchObject({ leases: [], isSpent: false })
  await store(
    'one',
    { id: second, scores: [SCORE], tokens: 30 },
    { id: third, error: 'x', tokens: 30 },
  )
  expect(await ask('two')).toMatchObject({ leases: [], isSpent: true, usedToday: { tokens: 90 } })
})

test('a smaller sample is part of a larger one, and its share is what was asked for', () => {
  fc.assert(
    fc.property(fc.string(), fc.double({ min: 0, max: 1, noNaN: true }), (id, share) => {
      if (isInSample(id, share / 2)) expect(isInSample(id, share)).toBe(true)
      expect(isInSample(id, 0)).toBe(false)
      expect(isInSample(id, 1)).toBe(true)
    }),
  )
  const ids = Array.from({ length: 10_000 }, (_, index) => `step ${index}`)
  expect(ids.filter((id) => isInSample(id, 0.1)).length / ids.length).toBeCloseTo(0.1, 1.5)
})

test('workers and judges take the same sample', async () => {
  const { send, lease } = await judged({ sample: 0.3 })
  const ids = Array.from({ length: 200 }, (_, index) => `s${index}`)
  await lease('one', { name: 'other' }, 0)
  await send(...ids)
  const expected = ids.filter((id) => isInSample(id, 0.3)).toSorted()
  expect(await lease('one')).toEqual(expected)
  expect(await lease('one', { name: 'other' })).toEqual(expected)
})

test('whatever workers and writers do in whatever order, each step is judged once', async () => {
  const { api, send, lease, store } = await judged()
  const action = fc.record({
    kind: fc.constantFrom('send', 'judge', 'release'),
    step: fc.nat(9),
    holder: fc.constantFrom('one', 'two', 'three'),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(action, { maxLength: 30 }),
      fc.uuid(),
      async (scheduler, actions, run) => {
        const work = actions.map(({ kind, step, holder }) =>
          scheduler.schedule(Promise.resolve()).then(async () => {
            if (kind === 'send') return send(`${run} ${step}`)
            const isReleased = kind === 'release'
            const ids = await lease(holder, {}, 3)
            return store(holder, ...ids.map((id) => ({ id, isReleased, scores: [SCORE] })))
          }),
        )
        await scheduler.waitAll()
        await Promise.all(work)
        const ids = await lease('last')
        await store('last', ...ids.map((id) => ({ id, scores: [SCORE] })))
        const sent = actions
          .filter(({ kind }) => kind === 'send')
          .map(({ step }) => `${run} ${step}`)
        const { data } = await api.getScores({ first: 1000 })
        const found = data.map(({ stepId }) => stepId ?? '').filter((id) => id.startsWith(run))
        expect(found.toSorted()).toEqual([...new Set(sent)].toSorted())
      },
    ),
    { numRuns: 25 },
  )
})

test('pairs have the latest judgement of a person beside that of the judge', async () => {
  const { api, lease, store } = await judged()
  await api.sendSteps(['a', 'b', 'c'].map((id) => ({ id, endTime: ENDED, threadId: `t ${id}` })))
  await lease('one')
  await store('one', { id: 'a', scores: [SCORE] }, { id: 'b', scores: [SCORE] })
  const human = (stepId: string, value: number) =>
    api.createScore({ stepId, name: 'tone', type: 'HUMAN', value })
  await human('a', 1)
  await human('a', 0)
  await human('c', 1)
  await api.createScore({ stepId: 'b', name: 'other', type: 'HUMAN', value: 1 })
  expect(await api.getJudgementPairs({ judgeId: 'tone@1', name: 'tone' })).toEqual([
    { stepId: 'a', threadId: 't a', human: 0, judge: 1, isLabelled: true },
  ])
  expect(await api.getJudgementPairs({ judgeId: 'tone@2', name: 'tone' })).toEqual([])
})
