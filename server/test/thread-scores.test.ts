import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { type Ask, asker, post } from './support/ask.js'

let service: Service
let apiKey: string
let projectId: string
let ask: Ask
let api: StepwellClient['api']
let count = 0
beforeEach(async () => {
  service ??= await createService()
  ;({ apiKey, projectId } = await service.createProject(`thread scores ${count++}`))
  ask = asker(service, apiKey)
  api = new StepwellClient({ apiKey, fetch: service.fetch }).api
})
afterAll(() => service?.close())

const scoresOf = async (threadId: string) =>
  (await api.getScores({ filters: [{ field: 'threadId', operator: 'eq', value: threadId }] })).data
const ingest = (threads: object[], steps: object[] = []) =>
  ask(
    `mutation($threads: [ThreadInput!], $steps: [StepInput!]!) {
      ingestSteps(threads: $threads, steps: $steps) {
        ok message refusedThreads { index } refused { index }
        refusedScores { stepIndex threadIndex index name message code }
      }
    }`,
    { threads, steps },
  ).then(({ ingestSteps }) => ingestSteps)

test('a thread is scored before it arrives, in both spellings, and found by the score afterwards', async () => {
  const created = await api.createScore({
    threadId: 't',
    name: 'resolved',
    type: 'HUMAN',
    value: 1,
  })
  expect(created).toMatchObject({
    threadId: 't',
    stepId: null,
    isThreadMissing: true,
    isStepMissing: false,
  })
  const snake = await api.create_score({ thread_id: 't', name: 'polite', type: 'AI', value: 0.25 })
  expect(snake).toMatchObject({ thread_id: 't', is_thread_missing: true })
  await api.upsertThread({ threadId: 't', participantId: 'ada' })
  await api.upsertThread({ threadId: 'other' })
  await api.sendSteps([{ id: 's', threadId: 't' }])
  const onStep = await api.createScore({ stepId: 's', name: 'quality', type: 'AI', value: 0.5 })
  expect(onStep).toMatchObject({ threadId: null, isThreadMissing: false, isStepMissing: false })
  const { scores } = await ask(
    '{ scores(filters: [{ field: "threadId", operator: "eq", value: "t" }]) { edges { node { name isThreadMissing thread { id } step { id } } } } }',
  )
  expect(scores.edges.map(({ node }: { node: unknown }) => node)).toEqual([
    { name: 'polite', isThreadMissing: false, thread: { id: 't' }, step: null },
    { name: 'resolved', isThreadMissing: false, thread: { id: 't' }, step: null },
  ])
  const { threadDetail } = await ask('{ threadDetail(id: "t") { scores(first: 10) { name } } }')
  expect(threadDetail.scores.map(({ name }: { name: string }) => name)).toEqual([
    'quality',
    'polite',
    'resolved',
  ])
  const found = async (path: string, operator: 'eq' | 'lt' | 'gte', value: number) =>
    (await api.listThreads({ filters: [{ field: 'scoreValue', operator, value, path }] })).data.map(
      ({ id }) => id,
    )
  expect(await found('resolved', 'eq', 1)).toEqual(['t'])
  expect(await found('quality', 'gte', 0.5)).toEqual(['t'])
  expect(await found('polite', 'lt', 0.2)).toEqual([])
  const ofUser = async (identifier: string) =>
    (
      await api.getScores({
        filters: [{ field: 'participant', operator: 'in', value: [identifier] }],
      })
    ).data.map(({ name }) => name)
  expect((await ofUser('ada')).sort()).toEqual(['polite', 'quality', 'resolved'])
  expect(await ofUser('bob')).toEqual([])
})

test('a score judges one thing: a thread and nothing else, or a step, an item, or both', async () => {
  const base = { name: 'q', type: 'CODE', value: 1 } as const
  await expect(api.createScore(base)).rejects.toThrow(/stepId, .*threadId, .*got none/)
  await expect(api.createScore({ ...base, threadId: 't', stepId: 's' })).rejects.toThrow(
    /threadId: expected none beside stepId/,
  )
  await expect(
    api.createScore({ ...base, threadId: 't', datasetExperimentItemId: 'i' }),
  ).rejects.toThrow(/threadId: expected none beside datasetExperimentItemId/)
  await expect(
    api.createScores([
      { ...base, threadId: 't' },
      { ...base, threadId: 't', generationId: 'g' },
    ]),
  ).rejects.toThrow(/scores\[1\]\.threadId/)
  expect(await scoresOf('t')).toEqual([])
})

test('scores that come with a thread need the right to record only, and repetitions change nothing', async () => {
  const { rows } = await service.operate({
    noun: 'key',
    verb: 'create',
    options: { project: projectId, scopes: 'ingest' },
  })
  const record = asker(service, rows[0]?.key ?? '')
  const send = (value: number, comment?: string) =>
    record(
      'mutation($threads: [ThreadInput!]) { ingestSteps(steps: [], threads: $threads) { ok refusedScores { message } } }',
      { threads: [{ id: 't', scores: [{ name: 'resolved', type: 'HUMAN', value, comment }] }] },
    )
  for (const answer of [await send(0, 'no answer'), await send(1), await send(1)])
    expect(answer).toEqual({ ingestSteps: { ok: true, refusedScores: [] } })
  expect(await scoresOf('t')).toMatchObject([{ value: 1, comment: 'no answer', stepId: null }])
  await ingest([
    { id: 't', scores: [{ name: 'resolved', type: 'AI', value: 0.5 }] },
    { id: 't', scores: [{ name: 'resolved', type: 'HUMAN', scorer: 'Mira', value: 0 }] },
  ])
  expect(await scoresOf('t')).toHaveLength(3)
})

test('a score with an id that comes with another step or thread follows it', async () => {
  const score = { id: 'one', name: 'q', type: 'AI', value: 1 }
  const place = async () => {
    const [found] = (
      await api.getScores({ filters: [{ field: 'id', operator: 'eq', value: 'one' }] })
    ).data
    return [found?.stepId, found?.threadId]
  }
  await ingest([], [{ id: 's', threadId: 't', scores: [score] }])
  expect(await place()).toEqual(['s', null])
  await ingest([{ id: 't', scores: [score] }])
  expect(await place()).toEqual([null, 't'])
  await ingest([], [{ id: 's2', scores: [score] }])
  expect(await place()).toEqual(['s2', null])
})

test('a bad score of a thread is left out alone, and named', async () => {
  const good = { name: 'fine', type: 'AI', value: 1 }
  const answer = await ingest([
    {
      id: 't',
      name: 'kept',
      scores: [good, { name: 'none', type: 'AI' }, { ...good, datasetExperimentItemId: 'i' }],
    },
    { id: 'u', name: 'kept too' },
  ])
  expect(answer).toMatchObject({
    ok: true,
    refusedThreads: [],
    refusedScores: [
      { stepIndex: null, threadIndex: 0, index: 1, name: 'none', code: 'INVALID_ARGUMENT' },
      { threadIndex: 0, index: 2, name: 'fine' },
    ],
  })
  expect(answer.message).toMatch(
    /^2 scores were rejected; threads\[0\]: scores\[1\]\.value: expected a number/,
  )
  expect(answer.refusedScores[1].message).toMatch(/^scores\[2\]\.datasetExperimentItemId:/)
  expect(await scoresOf('t')).toMatchObject([{ name: 'fine' }])
  expect((await api.getThread('t'))?.name).toBe('kept')
  expect((await api.getThread('u'))?.name).toBe('kept too')
})

test('a thread is deleted with its scores, and so are those of a person', async () => {
  for (const id of ['a', 'b', 'c'])
    await ingest([
      {
        id,
        ...(id === 'a' ? {} : { participantId: 'ada' }),
        scores: [{ name: 'q', type: 'AI', value: 1 }],
      },
    ])
  await api.deleteThread('a')
  expect(await scoresOf('a')).toEqual([])
  const dry = await api.deleteUserData('ada', { dryRun: true })
  const wet = await api.deleteUserData('ada')
  expect(dry).toMatchObject({ threads: 2, scores: 2 })
  expect(wet).toMatchObject({ threads: 2, scores: 2, isComplete: true })
  expect((await api.getScores()).data).toEqual([])
})

test('metrics count scores of threads, by the environment and the user of the thread', async () => {
  await ingest([
    {
      id: 'p',
      environment: 'prod',
      participantId: 'ada',
      scores: [{ name: 'q', type: 'AI', value: 1 }],
    },
    { id: 'd', environment: 'dev', scores: [{ name: 'q', type: 'AI', value: 0 }] },
  ])
  const user = (await api.getUser('ada'))?.id
  const measure = async (rest: string) => {
    const { metrics } = await ask(
      `{ metrics(subject: scores, from: "2020-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z" ${rest}) { series { key total { count mean } } } }`,
    )
    return metrics.series
  }
  expect(await measure('')).toEqual([{ key: null, total: { count: 2, mean: 0.5 } }])
  expect(await measure('environment: "prod"')).toMatchObject([{ total: { count: 1, mean: 1 } }])
  expect(await measure(`participantId: "${user}"`)).toMatchObject([
    { total: { count: 1, mean: 1 } },
  ])
  const series: { key: string }[] = await measure('by: environment')
  expect(series.map(({ key }) => key).sort()).toEqual(['dev', 'prod'])
})

test('another project neither sees nor changes the scores of a thread with the same id', async () => {
  await ingest([{ id: 'same', scores: [{ id: 'x', name: 'q', type: 'AI', value: 1 }] }])
  const theirs = asker(service, (await service.createProject('others')).apiKey)
  await theirs(
    'mutation { ingestSteps(steps: [], threads: [{ id: "same", scores: [{ id: "x", name: "q", type: AI, value: 0 }] }]) { ok } }',
  )
  const { threadDetail } = await theirs('{ threadDetail(id: "same") { scores { value } } }')
  expect(threadDetail.scores).toEqual([{ value: 0 }])
  await theirs('mutation { deleteThread(id: "same") { id } }')
  expect(await scoresOf('same')).toMatchObject([{ value: 1 }])
})

test('requests that score one thread at once store each score once', async () => {
  const scores = Array.from({ length: 20 }, (_, index) => ({
    name: `q${index % 5}`,
    type: 'AI',
    value: index,
  }))
  await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      ingest([{ id: 'busy', scores: [...scores.slice(at), ...scores.slice(0, at)] }]),
    ),
  )
  const stored = await scoresOf('busy')
  expect(stored.map(({ name }) => name).sort()).toEqual(['q0', 'q1', 'q2', 'q3', 'q4'])
})

test('an evaluation of OpenTelemetry that names a conversation, and no span, is a score of its thread', async () => {
  const attributes = (values: Record<string, string | number>) =>
    Object.entries(values).map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { doubleValue: value } : { stringValue: value },
    }))
  const evaluation = (values: Record<string, string | number>) => ({
    eventName: 'gen_ai.evaluation.result',
    timeUnixNano: '1763719200000000000',
    attributes: attributes(values),
  })
  const send = (logRecords: object[]) =>
    post(
      service,
      '/v1/logs',
      { resourceLogs: [{ resource: {}, scopeLogs: [{ scope: {}, logRecords }] }] },
      { 'x-api-key': apiKey },
    )
  const records = [
    evaluation({
      'gen_ai.conversation.id': 'otel',
      'gen_ai.evaluation.name': 'helpful',
      'gen_ai.evaluation.score.value': 0.75,
      'gen_ai.evaluation.explanation': 'clear',
    }),
    evaluation({
      'session.id': 'otel',
      'gen_ai.evaluation.name': 'safe',
      'gen_ai.evaluation.score.label': 'pass',
    }),
  ]
  for (const _ of [1, 2]) expect((await send(records)).body).toEqual({})
  expect((await scoresOf('otel')).sort((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject([
    { name: 'helpful', type: 'AI', value: 0.75, comment: 'clear', stepId: null },
    { name: 'safe', value: 1, label: 'pass' },
  ])
  const { body } = await send([
    evaluation({ 'gen_ai.evaluation.name': 'lost', 'gen_ai.evaluation.score.value': 1 }),
  ])
  expect(body.partialSuccess).toMatchObject({
    rejectedLogRecords: '1',
    errorMessage: expect.stringContaining('spanId'),
  })
  await api.setScoreDefinition({
    name: 'helpful',
    kind: 'NUMBER',
    min: 0,
    max: 0.5,
    isEnforced: true,
  })
  const strict = await send(records)
  expect(strict.body.partialSuccess).toMatchObject({
    rejectedLogRecords: '1',
    errorMessage: expect.stringContaining('from 0 to 0.5'),
  })
})
