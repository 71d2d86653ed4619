import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Ask, asker, post } from './support/ask.js'
import { documentOf, roots, selectionOf } from './support/documents.js'

// Another project's key sees nothing and changes nothing, on any root field or REST call.
let service: Service
let mine: Ask
let theirs: Ask
let theirKey: string
const ids: Record<string, string> = { step: 'shared-id', thread: 'shared-thread' }
let before: string

/** Returns everything that a project can read, as text to compare. */
const everything = async (ask: Ask): Promise<string> =>
  JSON.stringify(
    await ask(`{
      steps { edges { node { id name output scores { id value } attachments { id name } generation { id } } } }
      threads { edges { node { id name metadata participant { id } } } }
      generations { edges { node { id } } } scores { edges { node { id value } } }
      participants { edges { node { id identifier metadata } } } datasets { edges { node { id name } } }
      modelEndpoints { id name baseUrl hasKey } promptLineage(name: "mine") { id labels { name version } } promptLineageRollout(lineageName: "mine") { edges { node { version } } }
      views { id name query isDefault }
      alerts { id name query threshold isPaused webhookHost updatedAt }
      project { conversationEnd { idleMinutes tags toolNames } }
    }`),
  )

beforeAll(async () => {
  service = await createService({ apiKey: 'mine' })
  mine = asker(service, 'mine')
  theirKey = (await service.createProject('theirs')).apiKey
  theirs = asker(service, theirKey)
  await mine('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
    steps: [
      {
        sessionId: 'mine-session',
        sequence: 1,
        id: ids.step,
        threadId: ids.thread,
        name: 'secret',
        output: { content: 'secret' },
        generation: { model: 'secret' },
      },
    ],
  })
  const created = await mine(`mutation {
    user: createParticipant(identifier: "secret") { id } score: createScore(name: "s", type: AI, value: 1, stepId: "shared-id") { id }
    attachment: createAttachment(name: "secret", stepId: "shared-id", url: "https://example.org/") { id }
    dataset: createDataset(name: "secret") { id } lineage: createPromptLineage(name: "mine") { id }
    experiment: createDatasetExperiment(name: "secret") { id }
    view: createView(subject: THREADS, name: "secret", query: "name=secret", isDefault: true) { id }
  }`)
  for (const [noun, { id }] of Object.entries(created as Record<string, { id: string }>))
    ids[noun] = id
  ids.item = (
    await mine(
      'mutation($id: String!) { createDatasetItem(datasetId: $id, input: { a: 1 }) { id } }',
      { id: ids.dataset },
    )
  ).createDatasetItem.id
  ids.version = (
    await mine(
      'mutation($id: String!) { createPromptVersion(lineageId: $id, templateMessages: []) { id } }',
      { id: ids.lineage },
    )
  ).createPromptVersion.id
  ids.key = (await mine('{ apiKeys { id } }')).apiKeys[0].id
  const price = 'setPrices(prices: [{ model: "secret", rates: { input: 1 } }]) { id }'
  ids.price = (await mine(`mutation { ${price} }`)).setPrices[0].id
  await mine('mutation { setScoreDefinition(name: "secret") { name } }')
  await mine('mutation { setConversationEnd(tags: ["secret"]) { tags } }')
  // Its step is written again, so that the judge has it waiting.
  const lease =
    'leaseJudgements(judge: { name: "mine", version: "1", subject: STEPS, sample: 1, quietSeconds: 0 }, holder: "h", first: 9, seconds: 9) { judgeId }'
  ids.judge = (await mine(`mutation { ${lease} }`)).leaseJudgements.judgeId
  await mine('mutation { updateStep(id: "shared-id", endTime: "2026-01-01T00:00:00Z") { id } }')
  await mine('mutation { setPromptLabel(name: "mine", label: "production", version: 0) { id } }')
  ids.endpoint = (
    await mine(
      'mutation { setModelEndpoint(name: "secret", protocol: OPENAI, baseUrl: "https://models.example", model: "m", key: "secret") { id } }',
    )
  ).setModelEndpoint.id
  ids.alert = (
    await mine(
      'mutation { createAlert(name: "secret", subject: STEPS, metric: COUNT, comparison: ABOVE, threshold: 1e9, windowMinutes: 5, webhookUrl: "https://hooks.example/secret") { alert { id } } }',
    )
  ).createAlert.alert.id
  before = await everything(mine)
})
afterAll(() => service?.close())

/** Queries of each root field for data of my project. Each returns null, nothing, or an error. */
const attempts: Record<string, string> = {
  steps: 'steps { edges { node { id } } }',
  threads: 'threads { edges { node { id } } }',
  generations: 'generations { edges { node { id } } }',
  scores: 'scores { edges { node { id } } }',
  participants: 'participants { edges { node { id } } }',
  datasets: 'datasets { edges { node { id } } }',
  step: 'step(id: "$step") { id }',
  threadDetail: 'threadDetail(id: "$thread") { id }',
  participant: 'participant(id: "$user") { id }',
  attachment: 'attachment(id: "$attachment") { id }',
  datasetItem: 'datasetItem(id: "$item") { id }',
  session: 'session(id: "mine-session") { id }',
  promptLineage: 'promptLineage(name: "mine") { id }',
  promptVersion: 'promptVersion(id: "$version") { id }',
  promptLineageRollout: 'promptLineageRollout(lineageName: "mine") { edges { node { version } } }',
  ingestSteps: '',
  ingestStep: '',
  createStep: '',
  createGeneration: '',
  createThread: '',
  upsertThread: '',
  createParticipant: '',
  createPromptLineage: '',
  createAttachment: '',
  createPromptExperiment: 'createPromptExperiment(fromLineageId: "$lineage") { id }',
  updateStep: 'updateStep(id: "$step", name: "x") { id }',
  deleteStep: 'deleteStep(id: "$step") { id }',
  updateThread: 'updateThread(id: "$thread", name: "x") { id }',
  deleteThread: 'deleteThread(id: "$thread") { id }',
  updateParticipant: 'updateParticipant(id: "$user", identifier: "x") { id }',
  deleteParticipant: 'deleteParticipant(id: "$user") { id }',
  deleteParticipantData:
    'deleteParticipantData(identifier: "secret") { users threads steps scores datasetItems }',
  createScore:
    'createScore(name: "x", type: AI, value: 1, datasetExperimentItemId: "nothing") { id }',
  createScores:
    'createScores(scores: [{ name: "x", type: AI, value: 1, datasetExperimentItemId: "nothing" }]) { scores { id } }',
  updateScore: 'updateScore(id: "$score", value: 0) { id }',
  deleteScore: 'deleteScore(id: "$score") { id }',
  updateAttachment: 'updateAttachment(id: "$attachment", name: "x") { id }',
  deleteAttachment: 'deleteAttachment(id: "$attachment") { id }',
  createDataset: '',
  updateDataset: 'updateDataset(id: "$dataset", name: "x") { id }',
  deleteDataset: 'deleteDataset(id: "$dataset") { id }',
  createDatasetItem: 'createDatasetItem(datasetId: "$dataset", input: {}) { id }',
  deleteDatasetItem: 'deleteDatasetItem(id: "$item") { id }',
  addStepToDataset: 'addStepToDataset(datasetId: "$dataset", stepId: "$step") { id }',
  addThreadToDataset: 'addThreadToDataset(datasetId: "$dataset", threadId: "$thread") { id }',
  setConversationEnd: '',
  addGenerationToDataset:
    'addGenerationToDataset(datasetId: "$dataset", generationId: "$step") { id }',
  addGenerationsToDataset:
    'addGenerationsToDataset(datasetId: "$dataset", generationIds: ["$step"]) { items { id } }',
  createDatasetExperiment: 'createDatasetExperiment(name: "x", datasetId: "$dataset") { id }',
  createDatasetExperimentItem:
    'createDatasetExperimentItem(datasetExperimentId: "$experiment") { id }',
  createPromptVersion: 'createPromptVersion(lineageId: "$lineage", templateMessages: []) { id }',
  promptRollout: 'promptRollout(name: "mine") { lineage { id } versions { id } }',
  promptLineages: 'promptLineages { edges { node { id name } } }',
  promotePromptVersion: 'promotePromptVersion(lineageId: "$lineage", version: 0) { id championId }',
  updatePromptLineageRollout:
    'updatePromptLineageRollout(name: "mine", rollouts: [{ version: 0, rollout: 1 }]) { ok }',
}

Object.assign(attempts, {
  modelEndpoints: 'modelEndpoints { id }',
  setModelEndpoint:
    'setModelEndpoint(id: "$endpoint", name: "theirs", protocol: OPENAI, baseUrl: "https://models.example", model: "m") { id }',
  deleteModelEndpoint: 'deleteModelEndpoint(id: "$endpoint") { id }',
  setPromptLabel: 'setPromptLabel(name: "mine", label: "theirs", version: 0) { id }',
  removePromptLabel: 'removePromptLabel(name: "mine", label: "production") { id }',
  outline: 'outline(threadId: "$thread") { stepCount }',
  stepsById: 'stepsById(ids: ["$step"]) { id }',
  metrics:
    'metrics(subject: steps, from: "2020-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z") { series { total { count } } }',
  facets: 'facets(field: name) { value }',
  // Returns their own project: a separate test checks that it is not mine.
  project: '',
  apiKeys: '',
  createApiKey: '',
  revokeApiKey: 'revokeApiKey(id: "$key") { id }',
  dataset: 'dataset(id: "$dataset") { id }',
  updateDatasetItem: 'updateDatasetItem(id: "$item", input: {}) { id }',
  leaseDatasetExperimentItems:
    'leaseDatasetExperimentItems(datasetExperimentId: "$experiment", holder: "h", items: [{ key: "k", repetition: 1 }], seconds: 9) { leases { key } }',
  retryDatasetExperimentItems:
    'retryDatasetExperimentItems(datasetExperimentId: "$experiment") { count }',
  createDatasetExperimentItems:
    'createDatasetExperimentItems(datasetExperimentId: "$experiment", holder: "h", items: [{ key: "k", repetition: 1 }]) { ids }',
  endDatasetExperiment:
    'endDatasetExperiment(id: "$experiment", status: BROKEN, problem: "mine") { id }',
  judges: 'judges { id }',
  priceBook: '',
  prices: 'prices { id }',
  repricing: '',
  setPrices: '',
  deletePrice: 'deletePrice(id: "$price") { id }',
  reprice: '',
  judgementPairs: 'judgementPairs(judgeId: "$judge", name: "s") { stepId }',
  leaseJudgements:
    'leaseJudgements(judge: { name: "mine", version: "1", subject: STEPS, sample: 1, quietSeconds: 0 }, holder: "h", first: 9, seconds: 9) { leases { id } }',
  createJudgements:
    'createJudgements(judgeId: "$judge", holder: "h", judgements: [{ id: "$step", error: "x" }]) { stored }',
  datasetExperiments: 'datasetExperiments { edges { node { id } } }',
  datasetExperiment: 'datasetExperiment(id: "$experiment") { id }',
  deleteDatasetExperiment: 'deleteDatasetExperiment(id: "$experiment") { id }',
  scoreDefinitions: 'scoreDefinitions { name }',
  setScoreDefinition: '',
  alerts: 'alerts { id name webhookHost }',
  alertEvents: 'alertEvents(alertId: "$alert") { id }',
  createAlert: '',
  updateAlert: 'updateAlert(id: "$alert", name: "theirs", isPaused: true) { name }',
  deleteAlert: 'deleteAlert(id: "$alert") { id }',
  testAlert: 'testAlert(id: "$alert") { id }',
  rotateAlertSecret: 'rotateAlertSecret(id: "$alert") { secret }',
  views: 'views { id name query }',
  createView: '',
  updateView: 'updateView(id: "$view", name: "theirs", isDefault: false) { name }',
  deleteView: 'deleteView(id: "$view") { id }',
  retention: 'retention { deletedThreads deletedSteps }',
  retentionPreview: 'retentionPreview(rules: [{ days: 1 }]) { threads steps }',
  auditEntries:
    'auditEntries(filters: [{ field: "subjectName", operator: "ilike", value: "secret" }]) { edges { node { id } } }',
  setRetention: '',
  deleteScoreDefinition: 'deleteScoreDefinition(name: "secret") { id }',
})

const names = roots.map(({ operation, field }) => [operation, field.name] as const)

test.each(names)('%s %s returns nothing to another project', async (kind, field) => {
  const attempt = attempts[field]
  expect(attempt, `how ${field} is tried is missing`).toBeDefined()
  if (!attempt) return
  const selection = attempt.replace(/\$(\w+)/g, (_, noun: string) => ids[noun] ?? '')
  const { body } = await post(
    service,
    '/api/graphql',
    { query: `${kind} { ${selection} }` },
    { 'x-api-key': theirKey },
  )
  const text = JSON.stringify(body.data?.[field] ?? null)
  expect(text).toMatch(
    /^(null|\[\]|\[null\]|\{"series":\[\]\}|\{"(edges|leases)":\[\]\}|\{"ok":false\}|\{("\w+":0,?)+\})$/,
  )
})

test('the same ids in another project are separate rows, and mine stay unchanged', async () => {
  await theirs(
    'mutation { a: ingestStep(id: "shared-id", threadId: "shared-thread", name: "theirs", scores: [{ id: "own", name: "x", type: AI, value: 0 }]) { ok } b: upsertThread(id: "shared-thread", name: "theirs", participantId: "secret") { id } c: createDataset(name: "secret") { id } d: createPromptLineage(name: "mine") { id } e: createView(subject: THREADS, name: "secret", query: "", isDefault: true) { id } }',
  )
  expect(
    (await theirs('{ step(id: "shared-id") { name scores { name } attachments { id } } }')).step,
  ).toEqual({ name: 'theirs', scores: [{ name: 'x' }], attachments: [] })
  expect(
    (await theirs('{ project { conversationEnd { tags } } }')).project.conversationEnd,
  ).toBeNull()
  await theirs('mutation { setConversationEnd(idleMinutes: 5) { tags } }')
  await theirs('mutation { a: deleteThread(id: "shared-thread") { id } }')
  expect(await everything(mine)).toBe(before)
})

describe('a project whose records have the ids of mine, and refer to mine', () => {
  let curiousKey: string
  beforeAll(async () => {
    curiousKey = (await service.createProject('curious')).apiKey
    const curious = asker(service, curiousKey)
    await curious('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
      steps: [
        {
          id: ids.step,
          threadId: ids.thread,
          parentId: ids.step,
          rootRunId: ids.step,
          sessionId: 'mine-session',
          sequence: 1,
          generation: { promptId: ids.version },
          scores: [{ id: ids.score, name: 'n', type: 'AI', value: 1 }],
          attachments: [{ id: ids.attachment, objectKey: 'files/x' }],
        },
      ],
    })
    await curious(
      `mutation($run: String, $prompt: String) {
        createDatasetExperiment(name: "n", promptExperimentId: $prompt) { id }
        upsertThread(id: "${ids.thread}", participantId: "${ids.user}") { id }
        createScore(name: "n", type: AI, value: 1, stepId: $run) { id }
      }`,
      { run: ids.step, prompt: ids.version },
    )
  })

  test.each(roots.map((root) => [root.operation, root.field.name, root] as const))(
    '%s %s reveals nothing of mine, with any selection',
    async (_, __, root) => {
      const asked = [
        [3, true],
        [4, false],
      ] as const
      // Without arguments, they are all the same.
      const queries = new Set(
        [...Object.values(ids), 'mine', 'mine-session'].flatMap((text) =>
          asked.map(([depth, isFull]) =>
            documentOf(root, selectionOf(root.field.type, depth), { text, isFull }),
          ),
        ),
      )
      for (const query of queries) {
        const headers = { 'x-api-key': curiousKey }
        const { body } = await post(service, '/api/graphql', { query }, headers)
        expect(JSON.stringify(body)).not.toContain('secret')
      }
    },
  )

  test('changes nothing of mine', async () => {
    expect(await everything(mine)).toBe(before)
  })
})

test('a project sees only itself and its own keys', async () => {
  const { project, apiKeys } = await theirs('{ project { id name } apiKeys { id prefix } }')
  expect(project).toMatchObject({ name: 'theirs' })
  expect(project.id).not.toBe(service.projectId)
  expect(apiKeys.map(({ id }: { id: string }) => id)).not.toContain(ids.key)
})

test('REST calls return nothing to another project', async () => {
  for (const body of [{ id: ids.dataset }, { name: 'secret', id: ids.dataset }])
    expect(
      await post(service, '/api/export/dataset', body, { 'x-api-key': theirKey }),
    ).toMatchObject({ status: 200, body: { data: null } })
  const project = await post(service, '/api/my-project', {}, { 'x-api-key': theirKey })
  expect(project.body.projectId).not.toBe(service.projectId)
})

test('a file of mine is not opened by their signature for the same key', async () => {
  const sign = async (key: string) =>
    (
      await post(
        service,
        '/api/upload/file',
        { fileName: 'f', threadId: 't' },
        { 'x-api-key': key },
      )
    ).body
  const own = await sign('mine')
  const form = new FormData()
  form.append('file', new Blob(['secret']), 'f')
  expect((await service.fetch(own.post.url, { method: 'POST', body: form })).status).toBe(200)
  expect(await (await service.fetch(own.signedUrl)).text()).toBe('secret')
  const foreign = await sign(theirKey)
  expect((await service.fetch(foreign.signedUrl)).status).toBe(404)
  const mixed = new URL(foreign.signedUrl)
  mixed.pathname = new URL(own.signedUrl).pathname
  expect((await service.fetch(mixed)).status).toBe(403)
})

test.each(['/api/graphql', '/api/my-project', '/api/export/dataset', '/api/upload/file'])(
  '%s requires a known key',
  async (path) => {
    for (const headers of [{}, { 'x-api-key': '' }, { 'x-api-key': 'unknown' }] as Record<
      string,
      string
    >[]) {
      const { status, body } = await post(
        service,
        path,
        { query: '{ steps { totalCount } }' },
        headers,
      )
      expect(status).toBe(401)
      expect(body.errors[0]).toMatchObject({
        message: expect.stringContaining('x-api-key'),
        extensions: { code: 'UNAUTHENTICATED' },
      })
    }
  },
)

test('naming another project is rejected', async () => {
  const { body } = await post(
    service,
    '/api/graphql',
    { query: '{ steps(projectId: "other") { totalCount } }' },
    { 'x-api-key': 'mine' },
  )
  expect(body.errors[0].message).toContain('projectId')
  expect(
    (await mine(`{ steps(projectId: "${service.projectId}") { totalCount } }`)).steps.totalCount,
  ).toBe(1)
})
