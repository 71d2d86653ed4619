import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../src/database/database.js'
import { createService, type Service } from '../src/index.js'
import { digestOf } from '../src/storage/audit/subject-id.js'
import { type Ask, asker, post } from './support/ask.js'
import { roots } from './support/documents.js'
import { newDatabase } from './support/new-database.js'

// The log of who did what: which mutations leave an entry, what is in it, and that nothing changes it.
let service: Service
let db: Database
let ask: Ask
let apiKey: string
let projectId: string
let close: () => Promise<void>
const ids: Record<string, string> = {}

const ORIGIN = 'http://stepwell.test'
const CANARY = 'canary-that-no-entry-has'
const SECRET = `${CANARY}-sk-1234567890`

beforeAll(async () => {
  const { location, drop } = await newDatabase()
  // One engine for the service and the test: the embedded one has a single process.
  const databaseUrl = 'url' in location ? location.url : undefined
  service = await createService({ databaseUrl })
  db =
    databaseUrl === undefined
      ? await openDatabase({ folder: undefined })
      : await openDatabase(location)
  ;({ apiKey, projectId } = await service.createProject('audited'))
  ask = asker(service, apiKey)
  close = async () => {
    await service.close()
    await db.destroy()
    await drop()
  }
  await record()
})
afterAll(() => close?.())

/** Records what the mutations are about. Its texts are canaries. */
const record = async () => {
  await ask('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
    steps: ['a', 'b', 'c', 'd'].map((id) => ({
      id,
      threadId: `thread-${id}`,
      name: CANARY,
      input: { content: CANARY },
      output: { content: CANARY },
      error: CANARY,
      generation: { model: 'm', messages: [{ role: 'user', content: CANARY }] },
      scores: [{ id: `score-${id}`, name: 'quality', type: 'HUMAN', value: 1, comment: CANARY }],
    })),
  })
  const made = await ask(
    `mutation($text: String!, $json: Json!) {
      user: createParticipant(identifier: $text, metadata: $json) { id }
      person: createParticipant(identifier: "person ${CANARY}") { id }
      attachment: createAttachment(name: $text, stepId: "a", url: "https://example.org/") { id }
      dataset: createDataset(name: "examples", description: $text, metadata: $json) { id }
      other: createDataset(name: "others") { id }
      experiment: createDatasetExperiment(name: "run", params: $json) { id }
      prompt: createPromptLineage(name: "greeting", description: $text) { id }
      upsertThread(id: "thread-d", participantId: "person ${CANARY}", name: $text) { id }
    }`,
    { text: CANARY, json: { text: CANARY } },
  )
  for (const [noun, { id }] of Object.entries(made as Record<string, { id: string }>))
    ids[noun] = id
  ids.item = (
    await ask(
      'mutation($id: String!) { createDatasetItem(datasetId: $id, input: { a: 1 }) { id } }',
      {
        id: ids.dataset,
      },
    )
  ).createDatasetItem.id
  await ask(
    `mutation($id: String!) { createDatasetExperimentItem(datasetExperimentId: $id, error: "${CANARY}") { id } }`,
    { id: ids.experiment },
  )
}

interface Entry {
  id: string
  createdAt: string
  action: string
  actorKind: string
  actorId: string | null
  actorName: string | null
  subjectKind: string
  subjectId: string | null
  subjectName: string | null
  fields: string[]
  details: Record<string, unknown>
  requestId: string | null
}

const FIELDS =
  'id createdAt action actorKind actorId actorName subjectKind subjectId subjectName fields details requestId'

const entries = async (args = 'first: 1000', asking = ask): Promise<Entry[]> =>
  (
    await asking(`{ auditEntries(${args}) { edges { node { ${FIELDS} } } } }`)
  ).auditEntries.edges.map(({ node }: { node: Entry }) => node)

const noteKept = async (answer: Record<string, { id?: string }> | null) => {
  for (const [name, value] of Object.entries(answer ?? {}))
    if (typeof value?.id === 'string') ids[name] ??= value.id
}

const filled = (text: string) => text.replace(/\$(\w+)/g, (_, noun: string) => ids[noun] ?? '')

interface Audited {
  /** A mutation whose alias keeps the id of what it makes. */
  document: string
  entry: Partial<Entry>
}

const UNCHANGED: Partial<Entry> = { fields: [], details: {} }
const TEMPLATE = `[{ role: "user", content: "${CANARY}" }]`
const CHART_OR_LIST = 'subject: THREADS'

/** The mutations that leave an entry, in an order in which each has what it needs. */
const AUDITED: Record<string, Audited> = {
  createApiKey: {
    document: 'createApiKey(name: "reader", scopes: [read]) { key apiKey { id } }',
    entry: {
      action: 'CREATE_KEY',
      subjectKind: 'KEY',
      subjectName: 'reader',
      fields: [],
      details: { scopes: ['read'] },
    },
  },
  revokeApiKey: {
    document: 'revokeApiKey(id: "$reader") { id }',
    entry: { action: 'REVOKE_KEY', subjectKind: 'KEY', subjectName: 'reader', ...UNCHANGED },
  },
  createPromptLineage: {
    document: 'kept: createPromptLineage(name: "farewell") { id }',
    entry: {
      action: 'CREATE_PROMPT',
      subjectKind: 'PROMPT',
      subjectName: 'farewell',
      ...UNCHANGED,
    },
  },
  createPromptVersion: {
    document: `createPromptVersion(lineageId: "$prompt", templateMessages: ${TEMPLATE}, versionDesc: "${CANARY}", settings: { text: "${CANARY}" }) { id }`,
    entry: {
      action: 'CREATE_PROMPT_VERSION',
      subjectId: '$prompt',
      subjectName: 'greeting',
      fields: [],
      details: { version: 0 },
    },
  },
  setPromptLabel: {
    document: 'setPromptLabel(name: "greeting", label: "production", version: 0) { id }',
    entry: {
      action: 'SET_PROMPT_LABEL',
      subjectId: '$prompt',
      details: { label: 'production', version: 0 },
    },
  },
  removePromptLabel: {
    document: 'removePromptLabel(name: "greeting", label: "production") { id }',
    entry: {
      action: 'REMOVE_PROMPT_LABEL',
      subjectId: '$prompt',
      details: { label: 'production' },
    },
  },
  updatePromptLineageRollout: {
    document:
      'updatePromptLineageRollout(name: "greeting", rollouts: [{ version: 0, rollout: 100 }]) { ok }',
    entry: { action: 'SET_PROMPT_ROLLOUT', subjectId: '$prompt', details: { percent: ['0: 100'] } },
  },
  promotePromptVersion: {
    document: 'promotePromptVersion(lineageId: "$prompt", version: 0) { id }',
    entry: { action: 'SET_PROMPT_ROLLOUT', subjectId: '$prompt', details: { percent: ['0: 100'] } },
  },
  setScoreDefinition: {
    document: `setScoreDefinition(name: "politeness", description: "${CANARY}", min: 0, max: 1, kind: NUMBER) { name }`,
    entry: {
      action: 'SET_SCORE_DEFINITION',
      subjectKind: 'SCORE_DEFINITION',
      subjectName: 'politeness',
      fields: expect.arrayContaining(['description', 'min', 'max']),
    },
  },
  deleteScoreDefinition: {
    document: 'deleteScoreDefinition(name: "politeness") { id }',
    entry: { action: 'DELETE_SCORE_DEFINITION', subjectName: 'politeness', ...UNCHANGED },
  },
  setPrices: {
    document:
      'setPrices(prices: [{ model: "gpt-x", rates: { input: 1.23456 } }, { model: "gpt-y", rates: { input: 1.23456 } }]) { id }',
    entry: {
      action: 'SET_PRICES',
      subjectKind: 'PRICE',
      subjectId: null,
      details: { prices: 2, models: ['gpt-x', 'gpt-y'] },
    },
  },
  deletePrice: {
    document: 'deletePrice(id: "$price") { id }',
    entry: { action: 'DELETE_PRICE', subjectId: '$price', subjectName: 'gpt-x', ...UNCHANGED },
  },
  reprice: {
    document: 'reprice { total }',
    entry: { action: 'REPRICE', subjectKind: 'PRICE', subjectId: null },
  },
  createAlert: {
    document: `createAlert(name: "errors", subject: STEPS, query: "name=${CANARY}", metric: COUNT, comparison: ABOVE, threshold: 1e9, windowMinutes: 5, webhookUrl: "https://hooks.example/${SECRET}") { secret alert { id } }`,
    entry: { action: 'CREATE_ALERT', subjectKind: 'ALERT', subjectName: 'errors', ...UNCHANGED },
  },
  updateAlert: {
    document: `updateAlert(id: "$alert", threshold: 2e9, webhookUrl: "https://hooks.example/${SECRET}2") { id }`,
    entry: {
      action: 'UPDATE_ALERT',
      subjectId: '$alert',
      fields: ['threshold', 'webhookUrl'],
      details: {},
    },
  },
  rotateAlertSecret: {
    document: 'rotateAlertSecret(id: "$alert") { secret }',
    entry: {
      action: 'ROTATE_ALERT_SECRET',
      subjectId: '$alert',
      subjectName: 'errors',
      ...UNCHANGED,
    },
  },
  deleteAlert: {
    document: 'deleteAlert(id: "$alert") { id }',
    entry: { action: 'DELETE_ALERT', subjectId: '$alert', subjectName: 'errors', ...UNCHANGED },
  },
  createView: {
    document: `view: createView(${CHART_OR_LIST}, name: "failed", query: "name=${CANARY}") { id }`,
    entry: { action: 'CREATE_VIEW', subjectKind: 'VIEW', subjectName: 'failed', ...UNCHANGED },
  },
  updateView: {
    document: `updateView(id: "$view", name: "broken", query: "name=${CANARY}2") { id }`,
    entry: {
      action: 'UPDATE_VIEW',
      subjectId: '$view',
      subjectName: 'broken',
      fields: expect.arrayContaining(['name', 'query']),
    },
  },
  deleteView: {
    document: 'deleteView(id: "$view") { id }',
    entry: { action: 'DELETE_VIEW', subjectId: '$view', subjectName: 'broken', ...UNCHANGED },
  },
  setModelEndpoint: {
    document: `endpoint: setModelEndpoint(name: "model", protocol: OPENAI, baseUrl: "https://models.example", model: "m", key: "${SECRET}") { id }`,
    entry: {
      action: 'SET_MODEL_ENDPOINT',
      subjectKind: 'MODEL_ENDPOINT',
      subjectName: 'model',
      fields: expect.arrayContaining(['name', 'key']),
    },
  },
  deleteModelEndpoint: {
    document: 'deleteModelEndpoint(id: "$endpoint") { id }',
    entry: { action: 'DELETE_MODEL_ENDPOINT', subjectId: '$endpoint', ...UNCHANGED },
  },
  setRetention: {
    document: 'setRetention(rules: [{ environment: "dev", days: 36500 }]) { deletedSteps }',
    entry: {
      action: 'SET_RETENTION',
      subjectKind: 'PROJECT',
      fields: ['rules', 'keep'],
      details: {},
    },
  },
  setConversationEnd: {
    document: 'setConversationEnd(idleMinutes: 30, tags: ["done"]) { tags }',
    entry: {
      action: 'SET_CONVERSATION_END',
      subjectKind: 'PROJECT',
      fields: ['idleMinutes', 'tags', 'toolNames'],
    },
  },
  retryDatasetExperimentItems: {
    document: 'retryDatasetExperimentItems(datasetExperimentId: "$leased") { count }',
    entry: { action: 'DELETE_EXPERIMENT_RESULTS', subjectId: '$leased', details: { results: 1 } },
  },
  deleteScore: {
    document: 'deleteScore(id: "score-a") { id }',
    entry: {
      action: 'DELETE_SCORE',
      subjectKind: 'SCORE',
      subjectId: digestOf('score-a'),
      subjectName: null,
    },
  },
  deleteAttachment: {
    document: 'deleteAttachment(id: "$attachment") { id }',
    entry: {
      action: 'DELETE_ATTACHMENT',
      subjectKind: 'ATTACHMENT',
      subjectId: '$attachment',
      subjectName: null,
    },
  },
  deleteStep: {
    document: 'deleteStep(id: "a") { id }',
    entry: {
      action: 'DELETE_STEP',
      subjectKind: 'STEP',
      subjectId: digestOf('a'),
      subjectName: null,
    },
  },
  deleteThread: {
    document: 'deleteThread(id: "thread-b") { id }',
    entry: {
      action: 'DELETE_THREAD',
      subjectKind: 'THREAD',
      subjectId: digestOf('thread-b'),
      subjectName: null,
      details: { steps: 1 },
    },
  },
  deleteDatasetItem: {
    document: 'deleteDatasetItem(id: "$item") { id }',
    entry: { action: 'DELETE_DATASET_ITEM', subjectId: '$item', details: { dataset: '$dataset' } },
  },
  deleteDataset: {
    document: 'deleteDataset(id: "$dataset") { id }',
    entry: {
      action: 'DELETE_DATASET',
      subjectId: '$dataset',
      subjectName: 'examples',
      details: { items: 0 },
    },
  },
  deleteDatasetExperiment: {
    document: 'deleteDatasetExperiment(id: "$experiment") { id }',
    entry: {
      action: 'DELETE_EXPERIMENT',
      subjectId: '$experiment',
      subjectName: 'run',
      details: { results: 1 },
    },
  },
  deleteParticipant: {
    document: 'deleteParticipant(id: "$user") { id }',
    entry: {
      action: 'DELETE_USER',
      subjectKind: 'USER',
      subjectId: '$user',
      subjectName: null,
      ...UNCHANGED,
    },
  },
  deleteParticipantData: {
    document: `deleteParticipantData(identifier: "person ${CANARY}") { steps isComplete }`,
    entry: {
      action: 'DELETE_USER_DATA',
      subjectKind: 'USER',
      subjectId: '$person',
      subjectName: null,
      details: { users: 1, threads: 1, steps: 1, generations: 1, scores: 1 },
    },
  },
}

const RECORDS = 'records, as applications do all day'
const WORKS = 'work on data that stays'
/** The mutations that leave none, and why. */
const NOT_AUDITED: Record<string, string> = {
  ingestStep: RECORDS,
  ingestSteps: RECORDS,
  createStep: RECORDS,
  createThread: RECORDS,
  upsertThread: RECORDS,
  createGeneration: RECORDS,
  createAttachment: RECORDS,
  createParticipant: RECORDS,
  createScore: RECORDS,
  createScores: RECORDS,
  leaseJudgements: 'asked at every turn of a worker',
  createJudgements: RECORDS,
  leaseDatasetExperimentItems: 'asked at every turn of a worker',
  createDatasetExperiment: RECORDS,
  createDatasetExperimentItem: RECORDS,
  createDatasetExperimentItems: RECORDS,
  createPromptExperiment: 'the input of an experiment, which no application gets',
  endDatasetExperiment: RECORDS,
  updateStep: WORKS,
  updateThread: WORKS,
  updateParticipant: WORKS,
  updateScore: WORKS,
  updateAttachment: WORKS,
  createDataset: WORKS,
  updateDataset: WORKS,
  createDatasetItem: WORKS,
  updateDatasetItem: WORKS,
  addStepToDataset: WORKS,
  addThreadToDataset: WORKS,
  addGenerationToDataset: WORKS,
  addGenerationsToDataset: WORKS,
  testAlert: 'changes nothing, and is in the history of the alert',
}

const mutations = roots.flatMap(({ operation, field }) =>
  operation === 'mutation' ? field.name : [],
)

test('every mutation is either in the log or not, for a reason', () => {
  expect([...Object.keys(AUDITED), ...Object.keys(NOT_AUDITED)].sort()).toEqual(mutations.sort())
})

/** Makes what only some mutations need. */
const prepare: Record<string, () => Promise<unknown>> = {
  revokeApiKey: async () => {
    const { apiKeys } = await ask('{ apiKeys { id name } }')
    ids.reader = apiKeys.find(({ name }: { name: string }) => name === 'reader').id
  },
  deletePrice: async () => {
    const { prices } = await ask('{ prices { id models } }')
    ids.price = prices.find(({ models }: { models: string[] }) => models.includes('gpt-x')).id
  },
  updateAlert: async () => {
    ids.alert = (await ask('{ alerts { id } }')).alerts[0].id
  },
  retryDatasetExperimentItems: async () => {
    const { leased } = await ask(
      'mutation { leased: createDatasetExperiment(name: "leased") { id } }',
    )
    ids.leased = leased.id
    const run = `datasetExperimentId: "${leased.id}", holder: "h"`
    await ask(
      `mutation { leaseDatasetExperimentItems(${run}, items: [{ key: "k", repetition: 1 }], seconds: 99) { leases { key } } }`,
    )
    await ask(
      `mutation { createDatasetExperimentItems(${run}, items: [{ key: "k", repetition: 1, error: "${CANARY}" }]) { ids } }`,
    )
  },
}

const secrets: string[] = []

describe('each audited mutation', () => {
  test.each(Object.entries(AUDITED))('%s leaves one entry', async (name, { document, entry }) => {
    await prepare[name]?.()
    const before = await entries()
    const answer = await ask(
      `mutation { ${filled(document)} }`,
      {},
      { 'x-request-id': `of-${name}` },
    )
    await noteKept(answer)
    for (const value of Object.values(answer) as { key?: string; secret?: string }[])
      secrets.push(...[value?.key, value?.secret].flatMap((text) => text ?? []))
    const [newest, ...others] = await entries()
    expect(others).toEqual(before)
    const [{ id: actorId }] = (await ask('{ apiKeys { id name } }')).apiKeys
    const wanted = JSON.parse(filled(JSON.stringify({ ...entry, fields: undefined })))
    expect(newest).toMatchObject({
      actorKind: 'KEY',
      actorId,
      actorName: 'first',
      requestId: `of-${name}`,
      ...wanted,
      ...(entry.fields === undefined ? {} : { fields: entry.fields }),
    })
    expect(Math.abs(Date.parse(newest?.createdAt ?? '') - Date.now())).toBeLessThan(600_000)
  })

  test('has nothing of what was recorded in its entry, and no key or secret', async () => {
    const text = JSON.stringify(await entries())
    expect(text).not.toContain(CANARY)
    expect(text).not.toContain(apiKey)
    expect(secrets).toHaveLength(3)
    for (const secret of secrets) expect(text).not.toContain(secret)
  })

  test('that is refused, or finds nothing to change, leaves none', async () => {
    const reader = (await ask('mutation { createApiKey(name: "r", scopes: [read]) { key } }'))
      .createApiKey.key
    const before = await entries()
    for (const [name, { document }] of Object.entries(AUDITED)) {
      const query = `mutation { ${filled(document)} }`
      await post(service, '/api/graphql', { query }, { 'x-api-key': reader })
      // Deleted rows are not there any more, and a missing id is refused.
      if (/^(delete|revoke|remove|rotate|update[AV]|retry)/.test(name))
        await ask(query).catch(() => undefined)
    }
    const noted = (await entries()).map(({ action }) => action)
    expect(noted).toEqual(before.map(({ action }) => action))
    await ask('mutation { createPromptLineage(name: "greeting") { id } }')
    await ask('mutation { createApiKey(name: "", scopes: [read]) { key } }').catch(() => undefined)
    await ask(
      `mutation { createPromptVersion(lineageId: "${ids.prompt}", templateMessages: ${TEMPLATE}, versionDesc: "${CANARY}", settings: { text: "${CANARY}" }) { id } }`,
    )
    await ask(`mutation { deleteParticipantData(identifier: "nobody", dryRun: true) { steps } }`)
    await ask(`mutation { deleteParticipantData(identifier: "nobody") { steps } }`)
    expect(await entries()).toHaveLength(before.length)
  })
})

test('what records leaves no entry', async () => {
  const before = await entries()
  await ask(`mutation {
    ingestStep(id: "new", threadId: "new", scores: [{ name: "q", type: AI, value: 1 }]) { ok }
    upsertThread(id: "new", participantId: "new") { id }
    createScore(name: "q", type: AI, value: 1, stepId: "new") { id }
  }`)
  expect(await entries()).toEqual(before)
})

describe('the list', () => {
  test('is filtered by action, actor, subject, request and time, and read page by page', async () => {
    const all = await entries()
    const where = async (field: string, operator: string, value: unknown) =>
      entries(
        `first: 1000, filters: [{ field: ${JSON.stringify(field)}, operator: "${operator}", value: ${JSON.stringify(value)} }]`,
      )
    const [first] = all as [Entry]
    expect(await where('action', 'eq', 'DELETE_STEP')).toEqual(
      all.filter(({ action }) => action === 'DELETE_STEP'),
    )
    expect(await where('actorId', 'eq', first.actorId)).toEqual(
      all.filter(({ actorId }) => actorId === first.actorId),
    )
    expect(await where('actorKind', 'eq', 'OPERATOR')).toEqual(
      all.filter(({ actorKind }) => actorKind === 'OPERATOR'),
    )
    expect(await where('subjectId', 'eq', ids.prompt)).toEqual(
      all.filter(({ subjectId }) => subjectId === ids.prompt),
    )
    // An id that an application chose is found, but not shown.
    const [deleted] = await where('subjectId', 'eq', 'thread-b')
    expect(deleted).toMatchObject({ action: 'DELETE_THREAD', subjectId: digestOf('thread-b') })
    expect(await where('requestId', 'eq', 'of-deleteStep')).toHaveLength(1)
    const middle = all[10] as Entry
    expect(await where('createdAt', 'gte', middle.createdAt)).toEqual(all.slice(0, 11))
    const paged: Entry[] = []
    let after = ''
    do {
      const { auditEntries } = await ask(
        `{ auditEntries(first: 7${after}) { pageInfo { hasNextPage endCursor } edges { node { ${FIELDS} } } } }`,
      )
      paged.push(...auditEntries.edges.map(({ node }: { node: Entry }) => node))
      const { hasNextPage, endCursor } = auditEntries.pageInfo
      after = hasNextPage ? `, after: "${endCursor}"` : ''
    } while (after !== '')
    expect(paged).toEqual(all)
    await expect(entries('first: 1001')).rejects.toThrow('INVALID_ARGUMENT')
  })

  test('is for keys with the scope admin', async () => {
    const { createApiKey } = await ask(
      'mutation { createApiKey(name: "w", scopes: [read, write]) { key } }',
    )
    await expect(entries('first: 1', asker(service, createApiKey.key))).rejects.toThrow('FORBIDDEN')
  })

  test('begins with what the operator did, of this project alone', async () => {
    const { apiKey: key, projectId: id } = await service.createProject('another')
    const theirs = await entries('first: 9', asker(service, key))
    expect(theirs).toMatchObject([
      { action: 'CREATE_KEY', actorKind: 'OPERATOR', actorId: null, subjectName: 'first' },
      { action: 'CREATE_PROJECT', actorKind: 'OPERATOR', subjectId: id, subjectName: 'another' },
    ])
    expect((await entries()).some(({ subjectId }) => subjectId === id)).toBe(false)
  })
})

test('sign-ins and sign-outs are in the log, with the key and how', async () => {
  const send = (path: string, body: object, cookie = '') =>
    service.fetch(`${ORIGIN}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: ORIGIN, cookie },
      body: JSON.stringify(body),
    })
  const cookieOf = (response: Response) => response.headers.get('set-cookie')?.split(';')[0] ?? ''
  const before = (await entries()).length
  const byKey = cookieOf(await send('/api/sign-in', { apiKey }))
  await send('/api/sign-out', {}, byKey)
  const token = new URL(service.signInLink(ORIGIN, projectId)).searchParams.get('token')
  const byLink = cookieOf(await send('/api/sign-in', { token }))
  await send('/api/sign-out', {}, byLink)
  await send('/api/sign-out', {}, byLink)
  await send('/api/sign-in', { apiKey: 'unknown' })
  await send('/api/sign-in', { token })
  const all = await entries()
  expect(all.slice(0, all.length - before).reverse()).toMatchObject([
    { action: 'SIGN_IN', actorName: 'first', details: { by: 'key' } },
    { action: 'SIGN_OUT', actorName: 'first', subjectKind: 'KEY' },
    { action: 'SIGN_IN', actorName: 'signed in by a link', details: { by: 'link' } },
    { action: 'SIGN_OUT', actorName: 'signed in by a link' },
  ])
})

test('attempts with keys that are no longer valid leave one entry a minute, with their number', async () => {
  const createKey = async (args: string): Promise<{ key: string; id: string }> => {
    const { createApiKey } = await ask(
      `mutation { createApiKey(${args}, scopes: [read]) { key apiKey { id } } }`,
    )
    return { key: createApiKey.key, id: createApiKey.apiKey.id }
  }
  const old = await createKey('name: "old"')
  const inHalfAMinute = new Date(Date.now() + 30_000).toISOString()
  const short = await createKey(`name: "short", expiresAt: "${inHalfAMinute}"`)
  await ask('mutation($id: String!) { revokeApiKey(id: $id) { id } }', { id: old.id })
  const attempt = async (key: string) =>
    (
      await service.fetch(`${ORIGIN}/api/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: ORIGIN },
        body: JSON.stringify({ apiKey: key }),
      })
    ).status
  const before = (await entries()).length
  expect(await Promise.all(Array.from({ length: 20 }, () => attempt(old.key)))).toEqual(
    Array(20).fill(401),
  )
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
  try {
    expect(await attempt(old.key)).toBe(401)
    expect(await attempt(short.key)).toBe(401)
  } finally {
    vi.useRealTimers()
  }
  expect(await attempt('lsk_never')).toBe(401)
  const all = await entries()
  const failed = (name: string, reason: string, attempts: number) => ({
    action: 'FAIL_SIGN_IN',
    actorName: name,
    subjectKind: 'KEY',
    details: { by: 'key', reason, attempts },
  })
  expect(all.slice(0, all.length - before).reverse()).toMatchObject([
    failed('old', 'revoked', 1),
    failed('old', 'revoked', 20),
    failed('short', 'expired', 1),
  ])
  expect(JSON.stringify(all)).not.toContain(old.key)
})

test('of requests at once none is lost', async () => {
  const before = (await entries()).length
  await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      ask('mutation($name: String!) { createPromptLineage(name: $name) { id } }', {
        name: `at once ${index}`,
      }),
    ),
  )
  const all = await entries()
  expect(
    new Set(all.slice(0, all.length - before).map(({ subjectName }) => subjectName)).size,
  ).toBe(30)
})

describe('the command of the operator', () => {
  test('lists the entries of a project, also after it was deleted', async () => {
    const { projectId: id } = await service.createProject('doomed')
    const list = (options: object) =>
      service.operate({ noun: 'audit', verb: 'list', options: { project: id, ...options } })
    expect((await list({})).rows.map(({ action }) => action)).toEqual([
      'CREATE_KEY',
      'CREATE_PROJECT',
    ])
    await service.operate({ noun: 'project', verb: 'delete', subject: id, options: {} })
    expect((await list({})).rows).toMatchObject([
      { action: 'DELETE_PROJECT', actor: 'operator', subject: `doomed (${id})` },
      { action: 'CREATE_KEY' },
      { action: 'CREATE_PROJECT' },
    ])
    expect((await list({ action: 'create-key' })).rows).toHaveLength(1)
    expect(await list({ first: '1' })).toMatchObject({ message: expect.stringContaining('older') })
    expect(await list({ until: '2020-01-01T00:00:00Z' })).toMatchObject({ rows: [] })
    await expect(list({ first: '0' })).rejects.toThrow('--first')
    await expect(list({ since: 'yesterday' })).rejects.toThrow('--since: expected an ISO 8601')
    await expect(list({ until: 'today' })).rejects.toThrow('--until: expected an ISO 8601')
  })

  test('names the actions when one is misspelt, and does not say that there are no entries', async () => {
    const { projectId: project } = await service.createProject('misspelt')
    await expect(
      service.operate({ noun: 'audit', verb: 'list', options: { project, action: 'key_revoke' } }),
    ).rejects.toThrow(/^--action: expected one of .*revoke_key.*, got "key_revoke"$/)
  })
})

describe('the table', () => {
  const insert = async (id: string) => {
    await sql`INSERT INTO audit_entries (project_id, id, action, actor_kind, subject_kind, fields, details)
      VALUES ('p', ${id}, 'DELETE_STEP', 'KEY', 'STEP', '{}', '{}')`.execute(db)
  }
  const count = async () =>
    (await sql`SELECT 1 FROM audit_entries WHERE project_id = 'p'`.execute(db)).rows.length

  test.each([
    ['an update', "UPDATE audit_entries SET action = 'x' WHERE project_id = 'p'"],
    ['a deletion', "DELETE FROM audit_entries WHERE project_id = 'p'"],
    ['a deletion of all', 'TRUNCATE audit_entries'],
  ])('refuses %s', async (name, statement) => {
    await insert(name)
    const before = await count()
    await expect(sql.raw(statement).execute(db)).rejects.toThrow('neither changed nor deleted')
    expect(await count()).toBe(before)
  })
})
