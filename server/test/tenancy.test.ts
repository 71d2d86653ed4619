import { expect, test } from 'vitest'
import { post } from './support/ask.js'
import { roots } from './support/documents.js'
import { everything, useProjects } from './support/two-projects.js'

// Another project's key sees nothing and changes nothing, on any root field or REST call.
const projects = useProjects()

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
  const selection = attempt.replace(/\$(\w+)/g, (_, noun: string) => projects.ids[noun] ?? '')
  const { body } = await post(
    projects.service,
    '/api/graphql',
    { query: `${kind} { ${selection} }` },
    { 'x-api-key': projects.theirKey },
  )
  const text = JSON.stringify(body.data?.[field] ?? null)
  expect(text).toMatch(
    /^(null|\[\]|\[null\]|\{"series":\[\]\}|\{"(edges|leases)":\[\]\}|\{"ok":false\}|\{("\w+":0,?)+\})$/,
  )
})

test('the same ids in another project are separate rows, and mine stay unchanged', async () => {
  await projects.theirs(
    'mutation { a: ingestStep(id: "shared-id", threadId: "shared-thread", name: "theirs", scores: [{ id: "own", name: "x", type: AI, value: 0 }]) { ok } b: upsertThread(id: "shared-thread", name: "theirs", participantId: "secret") { id } c: createDataset(name: "secret") { id } d: createPromptLineage(name: "mine") { id } e: createView(subject: THREADS, name: "secret", query: "", isDefault: true) { id } }',
  )
  expect(
    (await projects.theirs('{ step(id: "shared-id") { name scores { name } attachments { id } } }'))
      .step,
  ).toEqual({ name: 'theirs', scores: [{ name: 'x' }], attachments: [] })
  expect(
    (await projects.theirs('{ project { conversationEnd { tags } } }')).project.conversationEnd,
  ).toBeNull()
  await projects.theirs('mutation { setConversationEnd(idleMinutes: 5) { tags } }')
  await projects.theirs('mutation { a: deleteThread(id: "shared-thread") { id } }')
  expect(await everything(projects.mine)).toBe(projects.before)
})

test('a project sees only itself and its own keys', async () => {
  const { project, apiKeys } = await projects.theirs(
    '{ project { id name } apiKeys { id prefix } }',
  )
  expect(project).toMatchObject({ name: 'theirs' })
  expect(project.id).not.toBe(projects.service.projectId)
  expect(apiKeys.map(({ id }: { id: string }) => id)).not.toContain(projects.ids.key)
})

test('REST calls return nothing to another project', async () => {
  for (const body of [{ id: projects.ids.dataset }, { name: 'secret', id: projects.ids.dataset }])
    expect(
      await post(projects.service, '/api/export/dataset', body, { 'x-api-key': projects.theirKey }),
    ).toMatchObject({ status: 200, body: { data: null } })
  const project = await post(
    projects.service,
    '/api/my-project',
    {},
    { 'x-api-key': projects.theirKey },
  )
  expect(project.body.projectId).not.toBe(projects.service.projectId)
})

test('a file of mine is not opened by their signature for the same key', async () => {
  const sign = async (key: string) =>
    (
      await post(
        projects.service,
        '/api/upload/file',
        { fileName: 'f', threadId: 't' },
        { 'x-api-key': key },
      )
    ).body
  const own = await sign('mine')
  const form = new FormData()
  form.append('file', new Blob(['secret']), 'f')
  expect((await projects.service.fetch(own.post.url, { method: 'POST', body: form })).status).toBe(
    200,
  )
  expect(await (await projects.service.fetch(own.signedUrl)).text()).toBe('secret')
  const foreign = await sign(projects.theirKey)
  expect((await projects.service.fetch(foreign.signedUrl)).status).toBe(404)
  const mixed = new URL(foreign.signedUrl)
  mixed.pathname = new URL(own.signedUrl).pathname
  expect((await projects.service.fetch(mixed)).status).toBe(403)
})

test.each(['/api/graphql', '/api/my-project', '/api/export/dataset', '/api/upload/file'])(
  '%s requires a known key',
  async (path) => {
    for (const headers of [{}, { 'x-api-key': '' }, { 'x-api-key': 'unknown' }] as Record<
      string,
      string
    >[]) {
      const { status, body } = await post(
        projects.service,
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
    projects.service,
    '/api/graphql',
    { query: '{ steps(projectId: "other") { totalCount } }' },
    { 'x-api-key': 'mine' },
  )
  expect(body.errors[0].message).toContain('projectId')
  expect(
    (await projects.mine(`{ steps(projectId: "${projects.service.projectId}") { totalCount } }`))
      .steps.totalCount,
  ).toBe(1)
})
