import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../../src/index.js'
import type { JudgeInput, JudgementInput } from '../../../src/types.js'
import { eventually } from '../../../test/support/eventually.js'
import { runs } from '../../../test/support/runs.js'
import { isInSample } from '../../src/domain/judges/sampling.js'
import { asker } from '../support/ask.js'

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
    /** Leases for a worker that names those that it knows. */
    recall: async (holder: string, holding: string[], first = 100) => {
      const { leases } = await api.leaseJudgements({ judge, holder, first, seconds: 60, holding })
      return leases.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    },
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

test('leases whose answer was lost come again to their worker, first and as the same attempt, and to no other', async () => {
  const { send, lease, recall, store, state } = await judged()
  await send('a', 'b', 'c')
  expect(await lease('one', {}, 2)).toHaveLength(2)
  expect(await recall('two', [], 0)).toEqual([])
  expect(await recall('one', [], 1)).toHaveLength(1)
  const known = await recall('one', [], 2)
  expect(known.map(({ attempt }) => attempt)).toEqual([1, 1])
  const ids = known.map(({ id }) => id)
  expect(await recall('one', ids, 0)).toEqual([])
  const [third] = await recall('one', ids)
  expect(['a', 'b', 'c']).toEqual([...ids, third?.id].toSorted())
  await store('one', ...['a', 'b', 'c'].map((id) => ({ id, scores: [SCORE] })))
  expect(await recall('one', [])).toEqual([])
  expect(await state()).toMatchObject({ judged: 3, usedToday: { judgements: 3 } })
})

test('a worker names at most a thousand leases', async () => {
  const { recall } = await judged()
  const holding = Array.from({ length: 1001 }, (_, index) => `s${index}`)
  await expect(recall('one', holding)).rejects.toThrow('number of holding: expected 0 to 1000')
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

test('the error of a judge, which may quote a person, is deleted with that person', async () => {
  const { api, send, lease, store, state } = await judged()
  await api.createUser('ada')
  await send('a')
  await lease('one')
  await store('one', { id: 'a', error: 'cannot judge: my name is Ada' })
  expect(await state()).toMatchObject({ lastError: 'cannot judge: my name is Ada' })
  await api.deleteUserData('ada')
  expect(await state()).toMatchObject({ lastError: null })
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
  expect(await state()).toMatchObject({
    usedToday: { judgements: 5 },
    budget: { judgements: 5, tokens: null, dollars: null },
    isSpent: true,
  })
  await ask('late', { budget: { judgements: 6 } }, 0)
  expect(await state()).toMatchObject({ budget: { judgements: 6 }, isSpent: false })
  await ask('late', { budget: null }, 0)
  expect(await state()).toMatchObject({ budget: null, isSpent: false })
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

test('leases that end without a result cost what was reserved for them once, however often workers ask', async () => {
  const { send, ask, lease, store, state } = await judged({ budget: { tokens: 1000 } })
  await send('a')
  await lease('one')
  await store('one', { id: 'a', scores: [SCORE], tokens: 30 })
  await send('b', 'c', 'd')
  expect(await lease('one', {}, 3, 1)).toEqual(['b', 'c', 'd'])
  const again = new Set<string>()
  await eventually(async () => {
    for (const id of await lease('two', {}, 1)) again.add(id)
    expect(again.size).toBe(3)
  })
  await ask('two')
  expect((await state()).usedToday.tokens).toBe(120)
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
    { numRuns: runs(25) },
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

const MINUTE = 60_000
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE).toISOString()

/** A judge of conversations. Sends threads with one step each, so many minutes ago. */
const ofThreads = async (options: Partial<JudgeInput> = {}) => {
  const project = await judged({ subject: 'THREADS', ...options })
  const { api } = project
  return {
    ...project,
    talk: (threadId: string, minutes: number, step: { id?: string; name?: string } = {}) =>
      api.sendSteps([
        { id: `${threadId} ${minutes}`, type: 'tool', threadId, startTime: ago(minutes), ...step },
      ]),
  }
}

test('a conversation that is quiet is judged once, and the score is that of the thread', async () => {
  const { api, talk, lease, store } = await ofThreads()
  await talk('t', 5)
  expect(await lease('one')).toEqual(['t'])
  expect(await store('one', { id: 't', scores: [SCORE] })).toEqual([true])
  expect((await api.getScores({})).data).toMatchObject([
    { threadId: 't', stepId: null, name: 'tone', scorer: 'tone@1' },
  ])
  await talk('t', 1)
  expect(await lease('one')).toEqual([])
})

test('steps go to judges of steps alone, and threads to judges of threads', async () => {
  const { api, lease } = await ofThreads()
  const steps = { subject: 'STEPS', version: '2' } as const
  await lease('one', steps, 0)
  await api.sendSteps([
    { id: 'a', threadId: 't', endTime: ENDED },
    { id: 'b', endTime: ENDED },
  ])
  expect(await lease('one')).toEqual(['t'])
  expect(await lease('one', steps)).toEqual(['a', 'b'])
})

test('a conversation is due at the moment of its idle end, and costs no attempt before', async () => {
  const { api, talk, ask, lease, store, state } = await ofThreads()
  await api.setConversationEnd({ idleMinutes: 30 })
  await talk('past', 31)
  await talk('open', 10)
  expect(await lease('one')).toEqual(['past'])
  await store('one', { id: 'past', scores: [SCORE] })
  const { leases, waitMs } = await ask('one')
  expect(leases).toEqual([])
  expect(waitMs).toBeGreaterThan(19 * MINUTE)
  expect(waitMs).toBeLessThanOrEqual(20 * MINUTE)
  expect((await state()).waiting).toBe(1)
  await api.setConversationEnd({ idleMinutes: 5 })
  expect((await ask('one')).leases).toEqual([{ id: 'open', attempt: 1 }])
})

test('a conversation that goes on before its judgement waits for its new end', async () => {
  const { api, talk, ask, lease } = await ofThreads()
  await api.setConversationEnd({ idleMinutes: 30 })
  await talk('t', 40)
  await talk('t', 1)
  const { leases, waitMs } = await ask('one')
  expect(leases).toEqual([])
  expect(waitMs).toBeGreaterThan(28 * MINUTE)
  await api.deleteStep('t 1')
  await api.upsertThread({ threadId: 't', name: 'looked at again' })
  expect(await lease('one')).toEqual(['t'])
})

test('a lease that ends without a result leaves a conversation that went on to its new end', async () => {
  const { api, talk, ask, lease } = await ofThreads()
  await api.setConversationEnd({ idleMinutes: 30 })
  await talk('t', 40)
  expect(await lease('killed', {}, 1, 1)).toEqual(['t'])
  await talk('t', 2)
  await eventually(async () => {
    const { leases, waitMs } = await ask('one')
    expect(leases).toEqual([])
    expect(waitMs).toBeGreaterThan(27 * MINUTE)
  })
  await api.setConversationEnd({ idleMinutes: 1 })
  expect((await ask('one')).leases).toEqual([{ id: 't', attempt: 2 }])
})

test('a clock that is centuries ahead does not break the waiting time', async () => {
  const { api, ask } = await ofThreads()
  await api.setConversationEnd({ idleMinutes: 525_600 })
  await api.sendSteps([{ id: 'a', threadId: 't', startTime: '9999-12-31T23:59:59Z' }])
  expect(await ask('one')).toMatchObject({ leases: [], waitMs: 86_400_000 })
})

test('a conversation that a tag or a tool ends is left out until one does', async () => {
  const { api, talk, lease, state } = await ofThreads()
  await api.setConversationEnd({ tags: ['done'], toolNames: ['hang up'] })
  await talk('tagged', 2)
  await talk('other', 2)
  await talk('called', 2)
  expect(await lease('one')).toEqual([])
  expect((await state()).waiting).toBe(0)
  await api.upsertThread({ threadId: 'tagged', tags: ['done'] })
  await api.upsertThread({ threadId: 'other', tags: ['other'] })
  await talk('called', 1, { name: 'hang up' })
  expect(await lease('one')).toEqual(['called', 'tagged'])
  await api.updateThread({ id: 'other', tags: ['done'] })
  expect(await lease('one')).toEqual(['other'])
})

test('threads that come in batches wait for their judges as others do', async () => {
  const { apiKey } = await service.createProject(`judged ${projects++}`)
  const ask = asker(service, apiKey)
  const { api } = new StepwellClient({ apiKey, fetch: service.fetch })
  const judge = { name: 'j', version: '1', subject: 'THREADS', sample: 1, quietSeconds: 0 } as const
  const lease = async () =>
    (await api.leaseJudgements({ judge, holder: 'h', first: 9, seconds: 9 })).leases
  await api.setConversationEnd({ tags: ['done'] })
  await api.sendSteps([{ id: 'a', threadId: 't', endTime: ENDED }])
  expect(await lease()).toEqual([])
  await ask(
    'mutation { ingestSteps(threads: [{ id: "t", tags: ["done"] }], steps: []) { ok } }',
    {},
  )
  expect(await lease()).toMatchObject([{ id: 't' }])
})

test('filters of threads are tested at the end of the conversation', async () => {
  const threadFilters = [
    { field: 'stepCount', operator: 'gt', value: 1 },
    { field: 'endedAt', operator: 'nis', value: null },
  ] as const
  const { api, talk, lease } = await ofThreads({ threadFilters })
  await api.setConversationEnd({ idleMinutes: 30 })
  await talk('long', 50)
  await talk('long', 40)
  await talk('short', 40)
  expect(await lease('one')).toEqual(['long'])
})

test('experiments, threads without steps and deleted threads are never judged', async () => {
  const { api, talk, lease, state } = await ofThreads()
  await api.sendSteps([{ id: 'own', threadId: 'own', endTime: ENDED, environment: 'experiment' }])
  await api.upsertThread({ threadId: 'own', environment: 'experiment', tags: ['x'] })
  await api.upsertThread({ threadId: 'empty', tags: ['x'] })
  await talk('gone', 5)
  await api.deleteThread('gone')
  await talk('kept', 5)
  expect(await lease('one')).toEqual(['kept'])
  expect((await state()).waiting).toBe(1)
})

test('a judge keeps to its subject, and takes no filters of the other', async () => {
  const { lease } = await ofThreads()
  await expect(lease('one', { subject: 'STEPS' })).rejects.toThrow(
    'judge.subject: expected THREADS, as tone@1 judges these, got STEPS',
  )
  const filters = [{ field: 'name', operator: 'eq', value: 'x' }] as const
  await expect(lease('one', { filters })).rejects.toThrow(
    'judge.filters: expected none for THREADS',
  )
  await expect(
    lease('one', { version: '2', subject: 'STEPS', threadFilters: filters }),
  ).rejects.toThrow('judge.threadFilters: expected none for STEPS')
})

test('pairs of a judge of threads have the scores of threads', async () => {
  const { api, talk, lease, store } = await ofThreads()
  await talk('t', 5)
  await lease('one')
  await store('one', { id: 't', scores: [SCORE] })
  await api.createScore({ threadId: 't', name: 'tone', type: 'HUMAN', value: 1 })
  await api.createScore({ threadId: 't', name: 'tone', type: 'HUMAN', value: 0 })
  await api.createScore({ stepId: 't 5', name: 'tone', type: 'HUMAN', value: 1 })
  expect(await api.getJudgementPairs({ judgeId: 'tone@1', name: 'tone' })).toEqual([
    { stepId: null, threadId: 't', human: 0, judge: 1, isLabelled: true },
  ])
})
