import { rmSync } from 'node:fs'
import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient, StepwellError } from '../../src/index.js'
import { Docstrings } from '../support/docstrings.js'
import { installed } from '../support/editor.js'

// The errors of docstrings, and their results when nothing is found, tried on a service: neither a code too many, nor one too few.
const folder = installed()
const operations = new Docstrings(folder).of('api')
const camel = operations.filter(({ symbol }) => !symbol.name.includes('_'))

interface Known {
  stepId: string
  datasetId: string
  generationsId: string
  experimentId: string
  itemId: string
  scoreId: string
  userId: string
}
let service: Service
let client: StepwellClient
/** Of a service whose answers hold little, and whose searches have no time. */
let smallService: Service
let small: StepwellClient
let known: Known

beforeAll(async () => {
  // Small limits, so that little is too large.
  service = await createService({
    webhookHosts: ['127.0.0.1'],
    limits: {
      textBytes: 1000,
      metadataBytes: 1000,
      payloadBytes: 1000,
      messagesBytes: 1000,
      searchRows: 2,
    },
  })
  const { apiKey } = await service.createProject('errors')
  client = new StepwellClient({ apiKey, fetch: service.fetch, timeoutMs: 60_000 })
  const { api } = client
  await api.upsertThread({ threadId: 'thread', participantId: 'ada' })
  const call = { type: 'CHAT' as const, model: 'gpt', messages: [{ role: 'user', content: 'x' }] }
  await api.sendSteps([
    { id: 'run', type: 'run', threadId: 'thread', name: 'agent' },
    ...['a', 'b', 'c', 'd'].map((id) => ({
      id,
      type: 'llm' as const,
      threadId: 'thread',
      generation: call,
    })),
  ])
  const long = { content: 'x'.repeat(600) }
  await api.sendSteps(
    ['said', 'heard'].map((id) => ({ id, type: 'user_message', threadId: 'talk', output: long })),
  )
  await api.upsertThread({ threadId: 'quiet' })
  const dataset = await api.createDataset({ name: 'taken' })
  const [generations, experiment, item, score, user] = await Promise.all([
    api.createDataset({ name: 'generations', type: 'generation' }),
    api.createExperiment({ name: 'e' }),
    api.createDatasetItem(dataset.id, { input: {} }),
    api.createScore({ name: 's', type: 'AI', value: 1, stepId: 'run' }),
    api.createUser('bob'),
  ])
  for (const name of ['t', 'u', 'v', 'w']) {
    await api.createScore({ name, type: 'AI', value: 1, stepId: 'run' })
    await api.createUser(name)
    await api.createThread({ name })
  }
  await api.getOrCreatePrompt('support', [{ role: 'user', content: 'Hi' }])
  known = {
    stepId: 'run',
    datasetId: dataset.id,
    generationsId: generations.id,
    experimentId: experiment.id,
    itemId: item.id,
    scoreId: score.id,
    userId: user.id,
  }
})
beforeAll(async () => {
  smallService = await createService({ limits: { answerBytes: 20_000, searchMs: 0 } })
  const { apiKey } = await smallService.createProject('small')
  small = new StepwellClient({ apiKey, fetch: smallService.fetch })
  const { id } = await small.api.createDataset({ name: 'large' })
  for (let index = 0; index < 4; index++) {
    const input = { text: 'x'.repeat(8000) }
    await small.api.sendSteps([{ id: `step ${index}`, threadId: 'large', input }])
    await small.api.createDatasetItem(id, { input })
  }
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await service?.close()
  await smallService?.close()
})

const ENDPOINT = {
  name: 'm',
  protocol: 'OPENAI',
  baseUrl: 'https://models.example/v1',
  model: 'm',
} as const
const BIG = 'x'.repeat(2000)
const PLACE = { key: 'k', repetition: 1 }
const JUDGE = { name: 'j', version: '1', subject: 'STEPS', sample: 1, quietSeconds: 0 } as const
const WORK = { holder: 'h', first: 1, seconds: 60 }
const NIGHTS = [{ days: ['MONDAY'], from: '22:00', to: '07:00' }]
/** An alert that does not fire. Nothing listens on the port of its webhook. */
const ALERT = {
  name: 'a',
  subject: 'STEPS',
  metric: 'ERROR_COUNT',
  comparison: 'ABOVE',
  threshold: 1000,
  windowMinutes: 5,
  webhookUrl: 'http://127.0.0.1:9/hooks',
} as const
const RUN = { holder: 'h', items: [PLACE] }
const leaseOf = ({ experimentId }: Pick<Known, 'experimentId'>) => ({
  ...RUN,
  datasetExperimentId: experimentId,
  seconds: 60,
})
const resultsOf = ({ experimentId }: Pick<Known, 'experimentId'>, ...items: object[]) => ({
  ...RUN,
  datasetExperimentId: experimentId,
  items,
})
const [FROM, TO] = ['2024-01-01T00:00:00.000Z', '2035-01-01T00:00:00.000Z']
const message = (content: unknown) => [{ role: 'user', content }]
const unknownKey = () => new StepwellClient({ apiKey: 'unknown', fetch: service.fetch })
const away = () =>
  new StepwellClient({ apiKey: 'k', fetch: () => Promise.reject(new Error('away')) })

// biome-ignore lint/suspicious/noExplicitAny: the compiler refuses most of these arguments
type AnyApi = any
type Provoke = (api: AnyApi, known: Known) => unknown
/** Does something with an alert, and deletes it. */
const withAlert =
  (provoke: (api: AnyApi, id: string) => unknown): Provoke =>
  async (api) => {
    const { id } = (await api.createAlert(ALERT)).alert
    try {
      await provoke(api, id)
    } finally {
      await api.deleteAlert(id)
    }
  }
/** Ways to make an operation fail, by the code that they give. */
const PROVOKED: Record<string, Record<string, Provoke[]>> = {
  getProjectId: { UNAUTHENTICATED: [() => unknownKey().api.getProjectId()] },
  getProject: { UNAUTHENTICATED: [() => unknownKey().api.getProject()] },
  getApiKeys: { UNAUTHENTICATED: [() => unknownKey().api.getApiKeys()] },
  getScoreDefinitions: { UNAUTHENTICATED: [() => unknownKey().api.getScoreDefinitions()] },
  getPriceBook: { UNAUTHENTICATED: [() => unknownKey().api.getPriceBook()] },
  getPrices: { UNAUTHENTICATED: [() => unknownKey().api.getPrices()] },
  getRepricing: { UNAUTHENTICATED: [() => unknownKey().api.getRepricing()] },
  reprice: { UNAUTHENTICATED: [() => unknownKey().api.reprice()] },
  deletePrice: { INVALID_ARGUMENT: [(api) => api.deletePrice('')] },
  setPrices: {
    INVALID_ARGUMENT: [
      (api) => api.setPrices([{ model: 'm', rates: { input: -1 } }]),
      (api) => api.setPrices([{ model: 'm', rates: { input: 0.0000001 } }]),
      (api) => api.setPrices([{ model: 'm', rates: { input: Number.NaN } }]),
      (api) => api.setPrices([{ model: '', rates: {} }]),
      (api) => api.setPrices([{ model: 'm', rates: {}, from: TO, until: FROM }]),
      (api) => api.setPrices([{ model: 'm', rates: {}, currency: 'EUR' }]),
      (api) => api.setPrices(Array.from({ length: 501 }, () => ({ model: 'm', rates: {} }))),
    ],
    TOO_LARGE: [(api) => api.setPrices([{ model: BIG, rates: {} }])],
  },
  getViews: { UNAUTHENTICATED: [() => unknownKey().api.getViews()] },
  createView: {
    CONFLICT: [
      async (api) => {
        const view = { subject: 'SCORES', name: 'twice', query: '' }
        await api.createView(view)
        await api.createView(view)
      },
    ],
    INVALID_ARGUMENT: [
      (api) => api.createView({ subject: 'THREADS', name: 'v', query: 'error:' }),
      (api) => api.createView({ subject: 'THREADS', name: ' ', query: '' }),
      (api) => api.createView({ subject: 'THREADS', name: 'v'.repeat(201), query: '' }),
    ],
    TOO_LARGE: [
      async (api) => {
        try {
          for (let at = 0; at <= 500; at++)
            await api.createView({ subject: 'USERS', name: `view ${at}`, query: '' })
        } finally {
          for (const { id } of await api.getViews({ subject: 'USERS' })) await api.deleteView(id)
        }
      },
    ],
  },
  updateView: {
    CONFLICT: [
      async (api) => {
        await api.createView({ subject: 'STEPS', name: 'one', query: '' })
        const { id } = await api.createView({ subject: 'STEPS', name: 'other', query: '' })
        await api.updateView(id, { name: 'one' })
      },
    ],
    INVALID_ARGUMENT: [
      (api) => api.updateView('', {}),
      async (api) => {
        const { id } = await api.createView({ subject: 'GENERATIONS', name: 'v', query: '' })
        await api.updateView(id, { query: 'error:' })
      },
    ],
    NOT_FOUND: [(api) => api.updateView('none', { name: 'v' })],
  },
  deleteView: { INVALID_ARGUMENT: [(api) => api.deleteView('')] },
  getAlerts: { UNAUTHENTICATED: [() => unknownKey().api.getAlerts()] },
  getAlertEvents: {
    INVALID_ARGUMENT: [
      (api) => api.getAlertEvents({ alertId: '' }),
      (api) => api.getAlertEvents({ alertId: 'a', first: 201 }),
    ],
  },
  createAlert: {
    INVALID_ARGUMENT: [
      (api) => api.createAlert({ ...ALERT, query: 'error:' }),
      (api) => api.createAlert({ ...ALERT, name: ' ' }),
      (api) => api.createAlert({ ...ALERT, name: 'a'.repeat(201) }),
      (api) => api.createAlert({ ...ALERT, metric: 'SCORE_MEAN' }),
      (api) => api.createAlert({ ...ALERT, windowMinutes: 4 }),
      (api) => api.createAlert({ ...ALERT, repeatMinutes: 10_081 }),
      (api) => api.createAlert({ ...ALERT, quietHours: { timeZone: 'UTC', periods: [] } }),
      (api) => api.createAlert({ ...ALERT, quietHours: { timeZone: 'None', periods: NIGHTS } }),
      (api) => api.createAlert({ ...ALERT, webhookUrl: 'http://hooks.example.org' }),
      (api) => api.createAlert({ ...ALERT, webhookUrl: 'https://10.0.0.1' }),
    ],
    TOO_LARGE: [
      async (api) => {
        try {
          for (let count = 0; count <= 100; count++) await api.createAlert(ALERT)
        } finally {
          for (const { id } of await api.getAlerts()) await api.deleteAlert(id)
        }
      },
    ],
  },
  updateAlert: {
    INVALID_ARGUMENT: [
      (api) => api.updateAlert('', {}),
      withAlert((api, id) => api.updateAlert(id, { metric: 'SCORE_MEAN' })),
    ],
    NOT_FOUND: [(api) => api.updateAlert('none', { isPaused: true })],
  },
  deleteAlert: { INVALID_ARGUMENT: [(api) => api.deleteAlert('')] },
  testAlert: {
    INVALID_ARGUMENT: [(api) => api.testAlert('')],
    NOT_FOUND: [(api) => api.testAlert('none')],
    RATE_LIMITED: [
      withAlert(async (api, id) => {
        for (let count = 0; count <= 10; count++) await api.testAlert(id)
      }),
    ],
  },
  rotateAlertSecret: {
    INVALID_ARGUMENT: [(api) => api.rotateAlertSecret('')],
    NOT_FOUND: [(api) => api.rotateAlertSecret('none')],
  },
  getJudges: { UNAUTHENTICATED: [() => unknownKey().api.getJudges()] },
  getDatasets: { UNAUTHENTICATED: [() => unknownKey().api.getDatasets()] },
  getPromptLineages: { UNAUTHENTICATED: [() => unknownKey().api.getPromptLineages()] },
  createPromptLineage: { UNAUTHENTICATED: [() => unknownKey().api.createPromptLineage('p')] },
  createApiKey: {
    INVALID_ARGUMENT: [
      (api) => api.createApiKey({ name: 'k', scopes: [] }),
      (api) => api.createApiKey({ name: '', scopes: ['read'] }),
      (api) => api.createApiKey({ name: 'k', scopes: ['read'], expiresAt: FROM }),
    ],
  },
  setConversationEnd: {
    INVALID_ARGUMENT: [
      (api) => api.setConversationEnd({ idleMinutes: 0 }),
      (api) => api.setConversationEnd({ tags: [''] }),
      (api) => api.setConversationEnd({ toolNames: [BIG] }),
      (api) =>
        api.setConversationEnd({ tags: Array.from({ length: 101 }, (_, index) => `${index}`) }),
    ],
  },
  getRetention: { UNAUTHENTICATED: [() => unknownKey().api.getRetention()] },
  previewRetention: {
    INVALID_ARGUMENT: [
      (api) => api.previewRetention({ rules: [{ environment: 'test', days: 1 }] }),
      (api) => api.previewRetention({ rules: [{ days: 0 }] }),
      (api) => api.previewRetention({ rules: [{ days: 1 }, { days: 2 }] }),
    ],
  },
  setRetention: {
    INVALID_ARGUMENT: [
      (api) => api.setRetention({ rules: [{ environment: '', days: 1 }] }),
      (api) => api.setRetention({ rules: [{ days: 36_501 }] }),
      (api) =>
        api.setRetention({
          rules: [
            { environment: 'dev', days: 1 },
            { environment: 'dev', days: 1 },
          ],
        }),
    ],
  },
  getModelEndpoints: { UNAUTHENTICATED: [() => unknownKey().api.getModelEndpoints()] },
  setModelEndpoint: {
    INVALID_ARGUMENT: [
      (api) => api.setModelEndpoint({ ...ENDPOINT, name: '' }),
      (api) => api.setModelEndpoint({ ...ENDPOINT, model: ' ' }),
      (api) => api.setModelEndpoint({ ...ENDPOINT, baseUrl: 'http://localhost:1' }),
    ],
    NOT_FOUND: [(api) => api.setModelEndpoint({ ...ENDPOINT, id: 'none' })],
  },
  deleteModelEndpoint: { INVALID_ARGUMENT: [(api) => api.deleteModelEndpoint('')] },
  revokeApiKey: {
    INVALID_ARGUMENT: [(api) => api.revokeApiKey('')],
    NOT_FOUND: [
      (api) => api.revokeApiKey('none'),
      async (api) => {
        const { apiKey } = await api.createApiKey({ name: 'k', scopes: ['read'] })
        await api.revokeApiKey(apiKey.id)
        await api.revokeApiKey(apiKey.id)
      },
    ],
  },
  sendSteps: { INVALID_ARGUMENT: [(api) => api.sendSteps('steps'), (api) => api.sendSteps([1])] },
  createStep: {
    TOO_LARGE: [
      (api) => api.createStep({ input: BIG }),
      (api) => api.createStep({ metadata: { BIG } }),
    ],
  },
  updateStep: {
    INVALID_ARGUMENT: [(api) => api.updateStep({ name: 'x' })],
    NOT_FOUND: [(api) => api.updateStep({ id: 'none', name: 'x' })],
    TOO_LARGE: [(api, { stepId }) => api.updateStep({ id: stepId, output: BIG })],
  },
  getOutline: {
    INVALID_ARGUMENT: [
      (api) => api.getOutline({}),
      (api) => api.getOutline({ threadId: 'a', rootStepId: 'b' }),
    ],
  },
  findInOutline: {
    INVALID_ARGUMENT: [
      (api) => api.findInOutline({ threadId: 'thread', text: ' ' }),
      (api) => api.findInOutline({ threadId: 'thread', text: 'x', first: 10_001 }),
      (api) => api.findInOutline({ text: 'x' }),
    ],
  },
  getStepsById: {
    INVALID_ARGUMENT: [
      (api) => api.getStepsById(Array.from({ length: 1001 }, String)),
      (api) => api.getStepsById([1]),
    ],
  },
  createGeneration: {
    INVALID_ARGUMENT: [(api) => api.createGeneration('x')],
    TOO_LARGE: [
      (api) => api.createGeneration({ model: BIG }),
      (api) => api.createGeneration({ messages: message(BIG) }),
    ],
  },
  createAttachment: {
    INVALID_ARGUMENT: [
      (api) => api.createAttachment({}),
      (api) => api.createAttachment({ path: '/none' }),
    ],
    TOO_LARGE: [
      (api) => api.createAttachment({ content: 'x', stepId: 'run', name: BIG }),
      (api) => api.createAttachment({ content: 'x', stepId: 'run', metadata: { BIG } }),
    ],
    NETWORK: [() => away().api.createAttachment({ content: 'x' })],
  },
  uploadFile: {
    INVALID_ARGUMENT: [(api) => api.uploadFile({}), (api) => api.uploadFile({ path: '/none' })],
    NETWORK: [() => away().api.uploadFile({ content: 'x' })],
  },
  updateAttachment: {
    INVALID_ARGUMENT: [(api) => api.updateAttachment({ name: 'x' })],
    NOT_FOUND: [(api) => api.updateAttachment({ id: 'none', name: 'x' })],
    TOO_LARGE: [(api) => api.updateAttachment({ id: 'none', name: BIG })],
  },
  upsertThread: {
    INVALID_ARGUMENT: [
      (api) => api.upsertThread({ threadId: '' }),
      (api) => api.upsertThread({ threadId: 'thread', environment: 'x' }),
    ],
    TOO_LARGE: [
      (api) => api.upsertThread({ threadId: 'thread', name: BIG }),
      (api) => api.upsertThread({ threadId: 'thread', metadata: { BIG } }),
    ],
  },
  createThread: {
    INVALID_ARGUMENT: [(api) => api.createThread({ environment: 'x' })],
    TOO_LARGE: [(api) => api.createThread({ name: BIG })],
  },
  updateThread: {
    INVALID_ARGUMENT: [
      (api) => api.updateThread({ name: 'x' }),
      (api) => api.updateThread({ id: 'thread', environment: 'x' }),
    ],
    NOT_FOUND: [(api) => api.updateThread({ id: 'none', name: 'x' })],
    TOO_LARGE: [(api) => api.updateThread({ id: 'thread', name: BIG })],
  },
  createUser: {
    CONFLICT: [(api) => api.createUser('bob')],
    INVALID_ARGUMENT: [(api) => api.createUser('')],
    TOO_LARGE: [(api) => api.createUser('new', { BIG })],
  },
  updateUser: {
    CONFLICT: [(api, { userId }) => api.updateUser(userId, 'ada')],
    INVALID_ARGUMENT: [(api) => api.updateUser('')],
    NOT_FOUND: [(api) => api.updateUser('none', 'x')],
    TOO_LARGE: [(api, { userId }) => api.updateUser(userId, null, { BIG })],
  },
  deleteUserData: {
    INVALID_ARGUMENT: [(api) => api.deleteUserData('')],
    TOO_LARGE: [(api) => api.deleteUserData(BIG)],
  },
  getOrCreateUser: {
    INVALID_ARGUMENT: [(api) => api.getOrCreateUser('')],
    TOO_LARGE: [(api) => api.getOrCreateUser('new', { BIG })],
  },
  createScore: {
    INVALID_ARGUMENT: [
      (api) => api.createScore({ name: 'q', type: 'AI', value: Number.NaN, stepId: 'run' }),
      (api) => api.createScore({ name: '', type: 'AI', value: 1, stepId: 'run' }),
      (api) => api.createScore({ name: 'q', type: 'AI', value: 1 }),
    ],
    NOT_FOUND: [
      (api) =>
        api.createScore({ name: 'q', type: 'AI', value: 1, datasetExperimentItemId: 'none' }),
    ],
    TOO_LARGE: [
      (api) => api.createScore({ name: 'q', type: 'AI', value: 1, stepId: 'run', comment: BIG }),
    ],
  },
  createScores: {
    INVALID_ARGUMENT: [(api) => api.createScores([{ name: 'q', type: 'AI', value: 1 }])],
    NOT_FOUND: [
      (api) =>
        api.createScores([{ name: 'q', type: 'AI', value: 1, datasetExperimentItemId: 'none' }]),
    ],
    TOO_LARGE: [
      (api) => api.createScores([{ name: 'q', type: 'AI', value: 1, stepId: 'run', comment: BIG }]),
    ],
  },
  updateScore: {
    INVALID_ARGUMENT: [
      (api) => api.updateScore('', { value: 1 }),
      (api, { scoreId }) => api.updateScore(scoreId, { value: Number.POSITIVE_INFINITY }),
    ],
    NOT_FOUND: [(api) => api.updateScore('none', { value: 1 })],
    TOO_LARGE: [(api, { scoreId }) => api.updateScore(scoreId, { value: 1, comment: BIG })],
  },
  setScoreDefinition: {
    INVALID_ARGUMENT: [
      (api) => api.setScoreDefinition({ name: '' }),
      (api) => api.setScoreDefinition({ name: 'q', min: 1, max: 1 }),
      (api) =>
        api.setScoreDefinition({
          name: 'q',
          labels: [
            { value: 1, label: 'a' },
            { value: 1, label: 'b' },
          ],
        }),
    ],
    TOO_LARGE: [(api) => api.setScoreDefinition({ name: 'q', description: BIG })],
  },
  deleteScoreDefinition: { INVALID_ARGUMENT: [(api) => api.deleteScoreDefinition('')] },
  createDataset: {
    CONFLICT: [(api) => api.createDataset({ name: 'taken' })],
    INVALID_ARGUMENT: [(api) => api.createDataset({})],
    TOO_LARGE: [(api) => api.createDataset({ name: 'new', metadata: { BIG } })],
  },
  getDataset: {
    INVALID_ARGUMENT: [(api) => api.getDataset()],
    TOO_LARGE: [() => small.api.getDataset({ name: 'large' })],
  },
  getThread: {
    INVALID_ARGUMENT: [(api) => api.getThread('')],
    TOO_LARGE: [() => small.api.getThread('large')],
  },
  updateDataset: {
    CONFLICT: [(api, { datasetId }) => api.updateDataset(datasetId, { name: 'generations' })],
    INVALID_ARGUMENT: [
      (api) => api.updateDataset('', {}),
      (api, { datasetId }) => api.updateDataset(datasetId, { name: null }),
    ],
    NOT_FOUND: [(api) => api.updateDataset('none', { name: 'x' })],
    TOO_LARGE: [(api, { datasetId }) => api.updateDataset(datasetId, { metadata: { BIG } })],
  },
  createDatasetItem: {
    INVALID_ARGUMENT: [
      (api) => api.createDatasetItem('', { input: {} }),
      (api, { datasetId }) => api.createDatasetItem(datasetId, 'item'),
    ],
    NOT_FOUND: [(api) => api.createDatasetItem('none', { input: {} })],
    TOO_LARGE: [(api, { datasetId }) => api.createDatasetItem(datasetId, { input: { BIG } })],
  },
  updateDatasetItem: {
    INVALID_ARGUMENT: [
      (api) => api.updateDatasetItem('', { input: {} }),
      (api, { itemId }) => api.updateDatasetItem(itemId, { input: null }),
    ],
    NOT_FOUND: [(api) => api.updateDatasetItem('none', { input: {} })],
    TOO_LARGE: [(api, { itemId }) => api.updateDatasetItem(itemId, { input: { BIG } })],
  },
  getDatasetItems: {
    INVALID_ARGUMENT: [(api, { datasetId }) => api.getDatasetItems({ datasetId, after: 'x' })],
    NOT_FOUND: [(api) => api.getDatasetItems({ datasetId: 'none' })],
  },
  addStepToDataset: {
    INVALID_ARGUMENT: [
      (api, { datasetId }) => api.addStepToDataset(datasetId, ''),
      (api, { generationsId }) => api.addStepToDataset(generationsId, 'run'),
    ],
    NOT_FOUND: [
      (api, { datasetId }) => api.addStepToDataset(datasetId, 'none'),
      (api) => api.addStepToDataset('none', 'run'),
    ],
    TOO_LARGE: [(api, { datasetId }) => api.addStepToDataset(datasetId, 'run', { BIG })],
  },
  addThreadToDataset: {
    INVALID_ARGUMENT: [
      (api, { datasetId }) => api.addThreadToDataset(datasetId, ''),
      (api, { datasetId }) => api.addThreadToDataset(datasetId, 'quiet'),
      (api, { datasetId }) => api.addThreadToDataset(datasetId, 'thread', 'run'),
    ],
    NOT_FOUND: [
      (api) => api.addThreadToDataset('none', 'thread'),
      (api, { datasetId }) => api.addThreadToDataset(datasetId, 'none'),
      (api, { datasetId }) => api.addThreadToDataset(datasetId, 'thread', 'said'),
    ],
    TOO_LARGE: [
      (api, { datasetId }) => api.addThreadToDataset(datasetId, 'talk'),
      (api, { datasetId }) => api.addThreadToDataset(datasetId, 'talk', 'said', { BIG }),
    ],
  },
  addGenerationToDataset: {
    INVALID_ARGUMENT: [(api, { datasetId }) => api.addGenerationToDataset(datasetId, '')],
    NOT_FOUND: [
      (api, { datasetId }) => api.addGenerationToDataset(datasetId, 'run'),
      (api) => api.addGenerationToDataset('none', 'a'),
    ],
    TOO_LARGE: [(api, { datasetId }) => api.addGenerationToDataset(datasetId, 'a', { BIG })],
  },
  addGenerationsToDataset: {
    INVALID_ARGUMENT: [
      (api) => api.addGenerationsToDataset('', ['a']),
      (api, { datasetId }) => api.addGenerationsToDataset(datasetId, [1]),
    ],
    NOT_FOUND: [
      (api, { datasetId }) => api.addGenerationsToDataset(datasetId, ['a', 'none']),
      (api) => api.addGenerationsToDataset('none', ['a']),
    ],
  },
  createExperiment: {
    INVALID_ARGUMENT: [
      (api) => api.createExperiment({}),
      (api) => api.createExperiment({ name: 'x', params: 5 }),
    ],
    NOT_FOUND: [(api) => api.createExperiment({ name: 'x', datasetId: 'none' })],
    TOO_LARGE: [(api) => api.createExperiment({ name: 'x', params: { BIG } })],
  },
  createExperimentItem: {
    INVALID_ARGUMENT: [
      (api) => api.createExperimentItem({}),
      (api, { experimentId }) =>
        api.createExperimentItem({
          datasetExperimentId: experimentId,
          scores: [{ name: '', type: 'AI', value: 1 }],
        }),
    ],
    NOT_FOUND: [
      (api) => api.createExperimentItem({ datasetExperimentId: 'none' }),
      (api, { experimentId }) =>
        api.createExperimentItem({ datasetExperimentId: experimentId, datasetItemId: 'none' }),
    ],
    TOO_LARGE: [
      (api, { experimentId }) =>
        api.createExperimentItem({ datasetExperimentId: experimentId, input: { BIG } }),
    ],
  },
  endExperiment: {
    INVALID_ARGUMENT: [(api) => api.endExperiment({ status: 'STOPPED' })],
    TOO_LARGE: [
      (api, { experimentId }) =>
        api.endExperiment({ id: experimentId, status: 'STOPPED', problem: BIG }),
    ],
  },
  leaseExperimentItems: {
    INVALID_ARGUMENT: [
      (api, run) => api.leaseExperimentItems({ ...leaseOf(run), holder: '' }),
      (api, run) => api.leaseExperimentItems({ ...leaseOf(run), items: [PLACE, PLACE] }),
      (api, run) => api.leaseExperimentItems({ ...leaseOf(run), seconds: -1 }),
      (api, run) =>
        api.leaseExperimentItems({ ...leaseOf(run), items: [{ key: 'k', repetition: 0 }] }),
    ],
    NOT_FOUND: [(api) => api.leaseExperimentItems(leaseOf({ experimentId: 'none' }))],
    TOO_LARGE: [
      (api, run) =>
        api.leaseExperimentItems({
          ...leaseOf(run),
          items: [{ key: 'k'.repeat(513), repetition: 1 }],
        }),
    ],
  },
  retryExperimentItems: {
    NOT_FOUND: [(api) => api.retryExperimentItems({ datasetExperimentId: 'none' })],
  },
  createExperimentItems: {
    INVALID_ARGUMENT: [
      (api, run) => api.createExperimentItems({ ...resultsOf(run), holder: '' }),
      (api, run) => api.createExperimentItems(resultsOf(run, PLACE, PLACE)),
      (api, run) =>
        api.createExperimentItems(
          resultsOf(run, { ...PLACE, scores: [{ name: 'x', type: 'AI', value: Number.NaN }] }),
        ),
    ],
    NOT_FOUND: [
      (api) => api.createExperimentItems(resultsOf({ experimentId: 'none' }, PLACE)),
      (api, run) => api.createExperimentItems(resultsOf(run, { ...PLACE, datasetItemId: 'none' })),
    ],
    TOO_LARGE: [
      (api, run) => api.createExperimentItems(resultsOf(run, { ...PLACE, output: { BIG } })),
    ],
  },
  getJudgementPairs: {
    INVALID_ARGUMENT: [
      (api) => api.getJudgementPairs({ judgeId: '', name: 'x' }),
      (api) => api.getJudgementPairs({ judgeId: 'x', name: '' }),
    ],
  },
  leaseJudgements: {
    INVALID_ARGUMENT: [
      (api) => api.leaseJudgements({ ...WORK, judge: { ...JUDGE, sample: 2 } }),
      (api) => api.leaseJudgements({ ...WORK, judge: { ...JUDGE, name: '' } }),
      (api) => api.leaseJudgements({ ...WORK, judge: { ...JUDGE, quietSeconds: -1 } }),
      (api) => api.leaseJudgements({ ...WORK, judge: { ...JUDGE, budget: { tokens: -1 } } }),
      (api) =>
        api.leaseJudgements({
          ...WORK,
          judge: { ...JUDGE, filters: [{ field: 'nothing', operator: 'eq', value: 1 } as never] },
        }),
      (api) => api.leaseJudgements({ ...WORK, judge: JUDGE, holder: '' }),
      (api) => api.leaseJudgements({ ...WORK, judge: JUDGE, first: 101 }),
      (api) => api.leaseJudgements({ ...WORK, judge: JUDGE, seconds: 0 }),
    ],
    TOO_LARGE: [
      (api) => api.leaseJudgements({ ...WORK, judge: { ...JUDGE, name: 'n'.repeat(513) } }),
    ],
  },
  createJudgements: {
    INVALID_ARGUMENT: [
      (api) => api.createJudgements({ judgeId: 'j', holder: '', judgements: [] }),
      (api) =>
        api.createJudgements({ judgeId: 'j', holder: 'h', judgements: [{ id: 'a' }, { id: 'a' }] }),
      async (api) => {
        await api.leaseJudgements({ ...WORK, judge: JUDGE })
        await api.sendSteps([{ id: 'judged', endTime: FROM }])
        await api.leaseJudgements({ ...WORK, judge: JUDGE })
        await api.createJudgements({
          judgeId: 'j@1',
          holder: 'h',
          judgements: [{ id: 'judged', scores: [{ name: 'x', type: 'AI', value: Number.NaN }] }],
        })
      },
    ],
    NOT_FOUND: [(api) => api.createJudgements({ judgeId: 'none', holder: 'h', judgements: [] })],
    TOO_LARGE: [
      (api) =>
        api.createJudgements({ judgeId: 'j', holder: 'h', judgements: [{ id: 'a', error: BIG }] }),
    ],
  },
  getExperimentItems: {
    INVALID_ARGUMENT: [
      (api, { experimentId }) => api.getExperimentItems({ experimentId, after: 'x' }),
    ],
    NOT_FOUND: [(api) => api.getExperimentItems({ experimentId: 'none' })],
  },
  getMetrics: {
    INVALID_ARGUMENT: [
      (api) => api.getMetrics({ subject: 'steps', from: TO, to: FROM }),
      (api) => api.getMetrics({ subject: 'steps', from: FROM, to: TO, buckets: 501 }),
      (api) => api.getMetrics({ subject: 'steps', from: FROM, to: TO, query: 'error:' }),
    ],
    TOO_LARGE: [(api) => api.getMetrics({ subject: 'steps', from: FROM, to: TO })],
  },
  getFacets: { INVALID_ARGUMENT: [(api) => api.getFacets({ field: 'model', first: 101 })] },
  getOrCreatePrompt: {
    INVALID_ARGUMENT: [
      (api) => api.getOrCreatePrompt('', message('x')),
      (api) => api.getOrCreatePrompt('p', ['x']),
      (api) => api.getOrCreatePrompt('p', message('{{#open}}')),
    ],
    TOO_LARGE: [(api) => api.getOrCreatePrompt('p', message(BIG))],
  },
  createPrompt: {
    INVALID_ARGUMENT: [
      (api) => api.createPrompt('', message('x')),
      (api) => api.createPrompt('p', ['x']),
      (api) => api.createPrompt('p', message('{{#open}}')),
    ],
    TOO_LARGE: [(api) => api.createPrompt('p', message(BIG))],
  },
  createPromptVariant: {
    INVALID_ARGUMENT: [
      (api) => api.createPromptVariant('', message('x')),
      (api) => api.createPromptVariant('p', ['x']),
      (api) => api.createPromptVariant('p', message('{{#open}}')),
    ],
    TOO_LARGE: [(api) => api.createPromptVariant('support', message(BIG))],
  },
  getPrompt: {
    INVALID_ARGUMENT: [(api) => api.getPrompt(''), (api) => api.getPrompt('support', 0.5)],
    NETWORK: [() => away().api.getPrompt('support')],
  },
  getPromptById: {
    INVALID_ARGUMENT: [(api) => api.getPromptById('')],
    NETWORK: [() => away().api.getPromptById('x')],
  },
  updatePromptAbTesting: {
    INVALID_ARGUMENT: [
      (api) => api.updatePromptAbTesting('', []),
      (api) => api.updatePromptAbTesting('support', 'all'),
    ],
  },
  getPromptLabels: { INVALID_ARGUMENT: [(api) => api.getPromptLabels('')] },
  setPromptLabel: {
    INVALID_ARGUMENT: [
      (api) => api.setPromptLabel({ name: '', label: 'production', version: 0 }),
      (api) => api.setPromptLabel({ name: 'support', label: '', version: 0 }),
      (api) => api.setPromptLabel({ name: 'support', label: 'production', version: 99 }),
    ],
    NOT_FOUND: [(api) => api.setPromptLabel({ name: 'none', label: 'production', version: 0 })],
  },
  removePromptLabel: {
    INVALID_ARGUMENT: [
      (api) => api.removePromptLabel({ name: '', label: 'production' }),
      (api) => api.removePromptLabel({ name: 'support', label: 'nobody' }),
    ],
    NOT_FOUND: [(api) => api.removePromptLabel({ name: 'none', label: 'production' })],
  },
  getPromptWithQuery: {
    BAD_REQUEST: [(api) => api.getPromptWithQuery('{ none }')],
    INVALID_ARGUMENT: [(api) => api.getPromptWithQuery(''), (api) => api.getPromptWithQuery('{{')],
  },
  // A list refuses what can't be a page of it, and gives up a search that finds nothing among many rows.
  ...Object.fromEntries(
    [
      'getSteps',
      'getThreads',
      'listThreads',
      'getGenerations',
      'getScores',
      'getUsers',
      'getAuditEntries',
      'getExperiments',
    ].map((name) => [
      name,
      {
        INVALID_ARGUMENT: [
          (api) => api[name]({ after: 'x' }),
          (api) => api[name]({ first: 1001 }),
        ] satisfies Provoke[],
      },
    ]),
  ),
}
/** Conditions that no index answers, and nothing passes. */
const SEARCHED = {
  getSteps: 'output',
  getThreads: 'metadata',
  listThreads: 'metadata',
  getGenerations: 'error',
  getScores: 'comment',
  getUsers: 'metadata',
}
for (const [name, field] of Object.entries(SEARCHED)) {
  const filters = [{ field, operator: 'ilike', value: 'none' }]
  PROVOKED[name] = {
    ...PROVOKED[name],
    TOO_LARGE: [() => (small.api as AnyApi)[name]({ filters })],
  }
}
// Those that take nothing but an id, or a name.
for (const { symbol } of camel)
  PROVOKED[symbol.name] ??= { INVALID_ARGUMENT: [(api) => api[symbol.name]('')] }

const codesOf = ({ tags }: (typeof camel)[number]): string[] =>
  [
    ...new Set(
      (tags.get('throws') ?? []).flatMap((text) =>
        [...text.matchAll(/`([A-Z_]{5,})`/g)].map(([, c]) => c ?? ''),
      ),
    ),
  ].sort()

test.each(camel.map((one) => [one.symbol.name, one] as const))(
  '%s throws with the codes that its docstring names',
  async (name, operation) => {
    const given = new Set<string>()
    for (const [code, provocations] of Object.entries(PROVOKED[name] ?? {}))
      for (const provoke of provocations) {
        const error = await Promise.resolve(provoke(client.api, known)).then(
          () => undefined,
          (error: unknown) => error,
        )
        expect(StepwellError.is(error) ? error.code : error, `${name}: ${provoke}`).toBe(code)
        given.add(code)
      }
    // A service that is away, or slow, is the same for all.
    expect(codesOf(operation).filter((code) => !/^(TIMEOUT|UNAVAILABLE)$/.test(code))).toEqual(
      [...given].sort(),
    )
  },
)

const OLD = { from: '2001-01-01T00:00:00.000Z', to: '2001-01-02T00:00:00.000Z' }
/** Requests for what is not there, of operations that take more than an id or a name. */
const ABSENT: Record<string, unknown[]> = {
  getOutline: [{ threadId: 'none' }],
  findInOutline: [{ threadId: 'none', text: 'x' }],
  getStepsById: [['none']],
  getDataset: [{ name: 'none' }],
  getDatasetItems: [{ datasetId: 'none' }],
  getExperiments: [{ datasetId: 'none' }],
  getExperimentItems: [{ experimentId: 'none' }],
  getJudgementPairs: [{ judgeId: 'none', name: 'none' }],
  getAlertEvents: [{ alertId: 'none' }],
  getAuditEntries: [{ filters: [{ field: 'subjectId', operator: 'eq', value: 'none' }] }],
  getViews: [{ subject: 'USERS' }],
  getMetrics: [{ subject: 'steps', ...OLD }],
  getFacets: [{ field: 'model', prefix: 'none' }],
  getPromptWithQuery: ['{ promptVersion(name: "none") { id } }'],
}
/** Results that a key always has, and those that are made where there are none. */
const ALWAYS = [
  'getPriceBook',
  'getProjectId',
  'getProject',
  'getRetention',
  'getApiKeys',
  'getOrCreateUser',
  'getOrCreatePrompt',
]
const finding = camel.filter(
  ({ symbol: { name } }) => /^(get|list|find|delete)/.test(name) && !ALWAYS.includes(name),
)

/** The word for a result that has nothing in it. */
const wordFor = (result: unknown): string => {
  if (result === null || result === undefined) return String(result)
  if (Array.isArray(result)) return result.length === 0 ? 'empty' : wordFor(result[0])
  // Numbers of what was deleted.
  if ((result as object & { steps?: unknown }).steps === 0) return 'zeros'
  const { data, series } = result as { data?: object; series?: unknown[] }
  if (series !== undefined) return series.length === 0 ? 'no series' : 'series'
  if (Array.isArray(data)) return wordFor(data)
  return wordFor(Object.values(data ?? {})[0])
}

test.each(finding.map((one) => [one.symbol.name, one] as const))(
  '%s says what it gives when nothing is found',
  async (name, { tags }) => {
    const { apiKey } = await service.createProject(`empty ${name}`)
    const { api } = new StepwellClient({ apiKey, fetch: service.fetch })
    const isList = 'all' in (api as AnyApi)[name] && !(name in ABSENT)
    const parameters = ABSENT[name] ?? (isList ? [{}] : ['none'])
    const result = await (api as AnyApi)
      [name](...parameters)
      .then(wordFor, (error: unknown) => (StepwellError.is(error) ? error.code : error))
    const said = result === 'NOT_FOUND' ? tags.get('throws') : tags.get('returns')
    expect(said?.join(' ')).toMatch(new RegExp(`\\b${result}\\b`))
  },
)
