import { toSnakeCase } from '../../src/spelling.js'

/** Ids that earlier calls created, by name. */
export type Made = Record<string, string>

export interface Case {
  /** The operation in camelCase. */
  name: string
  /** Returns its parameters by name, from what earlier calls created. */
  parameters?: (made: Made) => Record<string, unknown>
  /** The names of the parameters that the camelCase form takes by position; the whole object when absent. */
  positions?: string[]
  /** The part of the result to keep for later calls. */
  keeps?: string
  /** True when the contract defines another result for the snake_case form. */
  differs?: boolean
}

const id = (name: string) => (made: Made) => ({ id: made[name] })
const byId = (name: string, noun: string): Case => ({
  name,
  parameters: id(noun),
  positions: ['id'],
})
const messages = [{ role: 'user', content: 'Hi {{name}}' }]
/** The host that alerts of these services may call. Nothing listens on the port, so that each call fails at once. */
export const WEBHOOK_HOST = '127.0.0.1'
const WEBHOOK_URL = `http://${WEBHOOK_HOST}:9/hooks`

/** Every operation of the contract, in an order in which each finds the data it needs. */
export const CASES: Case[] = [
  { name: 'getProjectId', positions: [] },
  { name: 'setConversationEnd', parameters: () => ({ idleMinutes: 30, toolNames: ['hang up'] }) },
  {
    name: 'sendSteps',
    parameters: () => ({
      steps: [
        {
          id: 'run',
          type: 'run',
          name: 'agent',
          tags: ['a'],
          input: { snake_case: 1, camelCase: 2 },
        },
        { id: 'bad', environment: 'nowhere' },
        { id: 'child', type: 'llm', generation: { model: 'm', messages, variables: { a_b: 1 } } },
        { id: 'said', type: 'user_message', threadId: 'talk', output: { content: 'Hi' } },
      ],
    }),
    positions: ['steps'],
  },
  {
    name: 'getSteps',
    parameters: () => ({ first: 1, orderBy: { column: 'createdAt', direction: 'ASC' } }),
  },
  byId('getStep', 'none'),
  { name: 'getStep', parameters: () => ({ id: 'run' }), positions: ['id'] },
  {
    name: 'createStep',
    parameters: () => ({ name: 'made', type: 'tool', tags: ['x'] }),
    keeps: 'raw:createStep',
  },
  { name: 'updateStep', parameters: (made) => ({ id: made.createStep, name: 'changed' }) },
  { name: 'getGenerations', parameters: () => ({ first: 5 }) },
  {
    name: 'createGeneration',
    parameters: () => ({ type: 'CHAT', model: 'gpt', messages, tokenCount: 5 }),
    differs: true,
  },
  {
    name: 'createAttachment',
    parameters: () => ({
      content: 'hello',
      name: 'a.txt',
      mime: 'text/plain',
      stepId: 'run',
      metadata: { k_v: 1 },
    }),
    keeps: 'attachment',
  },
  {
    name: 'uploadFile',
    parameters: () => ({ content: new Uint8Array([1, 2]), mime: 'image/png' }),
  },
  { name: 'getAttachment', parameters: id('attachment') },
  { name: 'updateAttachment', parameters: (made) => ({ id: made.attachment, name: 'b.txt' }) },
  { name: 'deleteAttachment', parameters: id('attachment') },
  {
    name: 'upsertThread',
    parameters: () => ({
      threadId: 'thread',
      name: 'T',
      participantId: 'ada',
      tags: ['t'],
      metadata: { a_b: 1 },
    }),
  },
  { name: 'getThreads', parameters: () => ({ first: 5, stepTypesToKeep: ['run'] }) },
  { name: 'listThreads', parameters: () => ({ first: 5 }) },
  { name: 'getThread', parameters: () => ({ id: 'thread' }), positions: ['id'] },
  { name: 'createThread', parameters: () => ({ name: 'new' }), keeps: 'thread' },
  { name: 'updateThread', parameters: (made) => ({ id: made.thread, name: 'renamed' }) },
  byId('deleteThread', 'thread'),
  { name: 'getSession', parameters: () => ({ id: 'none' }), positions: ['id'] },
  {
    name: 'getThreadSessions',
    parameters: () => ({ id: 'thread' }),
    positions: ['id'],
  },
  { name: 'getUsers', parameters: () => ({ first: 5 }) },
  { name: 'getUser', parameters: () => ({ identifier: 'ada' }), positions: ['identifier'] },
  { name: 'getUser', parameters: () => ({ identifier: 'nobody' }), positions: ['identifier'] },
  {
    name: 'createUser',
    parameters: () => ({ identifier: 'bob', metadata: { a_b: 1 } }),
    positions: ['identifier', 'metadata'],
    keeps: 'user',
  },
  { name: 'createUser', parameters: () => ({ identifier: 'bob' }), positions: ['identifier'] },
  {
    name: 'updateUser',
    parameters: (made) => ({ id: made.user, identifier: 'bobby' }),
    positions: ['id', 'identifier'],
  },
  {
    name: 'getOrCreateUser',
    parameters: () => ({ identifier: 'eve' }),
    positions: ['identifier'],
    differs: true,
  },
  byId('deleteUser', 'user'),
  {
    name: 'deleteUserData',
    parameters: () => ({ identifier: 'eve' }),
    positions: ['identifier'],
  },
  {
    name: 'createScore',
    parameters: () => ({
      name: 'quality',
      type: 'HUMAN',
      value: 0.5,
      stepId: 'run',
      comment: 'ok',
    }),
    keeps: 'score',
  },
  {
    name: 'createScores',
    parameters: () => ({
      scores: [
        { name: 'a', type: 'AI', value: 1, stepId: 'run' },
        { name: 'b', type: 'CODE', value: 0, stepId: 'run' },
      ],
    }),
    positions: ['scores'],
  },
  {
    name: 'createScores',
    parameters: () => ({
      scores: [{ name: 'resolved', type: 'HUMAN', value: true, threadId: 'of a score' }],
    }),
    positions: ['scores'],
  },
  { name: 'createScore', parameters: () => ({ name: 'bad', type: 'NONE', value: 1 }) },
  {
    name: 'getScores',
    parameters: () => ({ first: 5, orderBy: { column: 'createdAt', direction: 'ASC' } }),
  },
  {
    name: 'getScores',
    parameters: () => ({ filters: [{ field: 'nope', operator: 'eq', value: 1 }] }),
  },
  {
    name: 'updateScore',
    parameters: (made) => ({ id: made.score, updateParams: { value: 1, comment: 'better' } }),
    positions: ['id', 'updateParams'],
  },
  byId('deleteScore', 'score'),
  {
    name: 'createDataset',
    parameters: () => ({ name: 'd', metadata: { a_b: 1 } }),
    keeps: 'dataset',
  },
  { name: 'createDataset', parameters: () => ({ name: 'd' }) },
  { name: 'getDatasets', positions: [] },
  { name: 'getDataset', parameters: () => ({ name: 'd' }) },
  {
    name: 'updateDataset',
    parameters: (made) => ({ id: made.dataset, description: 'x' }),
    positions: ['id', '...'],
  },
  {
    name: 'createDatasetItem',
    parameters: (made) => ({
      datasetId: made.dataset,
      input: { q_a: 1 },
      expectedOutput: { content: 'x' },
    }),
    positions: ['datasetId', '...'],
    keeps: 'item',
  },
  byId('getDatasetItem', 'item'),
  byId('deleteDatasetItem', 'item'),
  {
    name: 'addStepToDataset',
    parameters: (made) => ({ datasetId: made.dataset, stepId: 'run' }),
    positions: ['datasetId', 'stepId'],
  },
  {
    name: 'addThreadToDataset',
    parameters: (made) => ({ datasetId: made.dataset, threadId: 'talk' }),
    positions: ['datasetId', 'threadId'],
  },
  {
    name: 'addGenerationToDataset',
    parameters: (made) => ({ datasetId: made.dataset, generationId: 'child' }),
    positions: ['datasetId', 'generationId'],
  },
  {
    name: 'addGenerationsToDataset',
    parameters: (made) => ({ datasetId: made.dataset, generationIds: ['child'] }),
    positions: ['datasetId', 'generationIds'],
  },
  {
    name: 'createExperiment',
    parameters: (made) => ({ name: 'e', datasetId: made.dataset, params: { a_b: 1 } }),
    keeps: 'experiment',
  },
  {
    name: 'createExperimentItem',
    parameters: (made) => ({
      datasetExperimentId: made.experiment,
      input: { a: 1 },
      output: { b: 2 },
      scores: [{ name: 's', type: 'AI', value: 1 }],
    }),
  },
  {
    name: 'retryExperimentItems',
    parameters: (made) => ({ datasetExperimentId: made.experiment }),
  },
  {
    name: 'leaseExperimentItems',
    parameters: (made) => ({
      datasetExperimentId: made.experiment,
      holder: 'h',
      items: [{ key: 'k', repetition: 1 }],
      seconds: 60,
    }),
  },
  {
    name: 'createExperimentItems',
    parameters: (made) => ({
      datasetExperimentId: made.experiment,
      holder: 'h',
      items: [
        {
          key: 'k',
          repetition: 1,
          output: { a_b: 1 },
          scores: [{ name: 's', type: 'AI', value: 1 }],
        },
      ],
    }),
  },
  {
    name: 'leaseJudgements',
    parameters: () => ({
      judge: {
        name: 'j',
        version: '1',
        subject: 'STEPS',
        sample: 1,
        quietSeconds: 0,
        filters: [{ field: 'name', operator: 'eq', value: 'a_b' }],
        budget: { tokens: 5 },
      },
      holder: 'h',
      first: 1,
      seconds: 60,
    }),
  },
  {
    name: 'createJudgements',
    parameters: () => ({
      judgeId: 'j@1',
      holder: 'h',
      judgements: [
        { id: 'child', isReleased: true, scores: [{ name: 's', type: 'AI', value: 1 }] },
      ],
    }),
  },
  {
    name: 'getJudgementPairs',
    parameters: () => ({ judgeId: 'j@1', name: 's' }),
  },
  { name: 'getPriceBook', positions: [] },
  {
    name: 'setPrices',
    parameters: () => ({ prices: [{ model: 'm', rates: { cacheWrite5m: 0.3, input: 1 } }] }),
    positions: ['prices'],
  },
  { name: 'getPrices', positions: [] },
  byId('deletePrice', 'none'),
  { name: 'reprice', positions: [] },
  { name: 'getRepricing', positions: [] },
  {
    name: 'setRetention',
    parameters: () => ({
      rules: [{ environment: 'dev', days: 36_500 }],
      keep: ['inDataset'],
      keepMetrics: true,
    }),
  },
  { name: 'getRetention', positions: [] },
  {
    name: 'previewRetention',
    parameters: () => ({ rules: [{ days: 36_500 }], keep: ['scored', 'scoredByPeople'] }),
  },
  {
    name: 'createView',
    parameters: () => ({ subject: 'THREADS', name: 'v', query: 'error:any', isDefault: true }),
    keeps: 'view',
  },
  { name: 'getViews', parameters: () => ({ subject: 'THREADS' }) },
  {
    name: 'updateView',
    parameters: (made) => ({ id: made.view, orderColumn: 'duration', orderDirection: 'ASC' }),
    positions: ['id', '...'],
  },
  byId('deleteView', 'view'),
  {
    name: 'createAlert',
    parameters: () => ({
      name: 'a',
      subject: 'STEPS',
      query: 'type=tool',
      metric: 'ERROR_COUNT',
      comparison: 'ABOVE',
      threshold: 1000,
      windowMinutes: 5,
      repeatMinutes: 10,
      quietHours: {
        timeZone: 'Europe/Berlin',
        periods: [{ days: ['SUNDAY'], from: '22:00', to: '07:00' }],
      },
      webhookUrl: WEBHOOK_URL,
    }),
    keeps: 'alert',
  },
  {
    name: 'updateAlert',
    parameters: (made) => ({ id: made.alert, isPaused: true, quietHours: null }),
    positions: ['id', '...'],
  },
  { name: 'getAlerts', positions: [] },
  byId('testAlert', 'alert'),
  byId('rotateAlertSecret', 'alert'),
  { name: 'getAlertEvents', parameters: (made) => ({ alertId: made.alert, first: 1 }) },
  byId('deleteAlert', 'alert'),
  byId('deleteAlert', 'none'),
  { name: 'getJudges', parameters: () => ({}) },
  { name: 'getExperiments', parameters: (made) => ({ first: 5, datasetId: made.dataset }) },
  {
    name: 'getExperimentItems',
    parameters: (made) => ({ first: 5, experimentId: made.experiment }),
  },
  {
    name: 'endExperiment',
    parameters: (made) => ({ id: made.experiment, status: 'STOPPED', problem: 'p' }),
  },
  byId('deleteExperiment', 'experiment'),
  { name: 'getDatasetItems', parameters: (made) => ({ first: 1, datasetId: made.dataset }) },
  {
    name: 'createDatasetItem',
    parameters: (made) => ({ datasetId: made.dataset, input: { a_b: 1 } }),
    positions: ['datasetId', '...'],
    keeps: 'changedItem',
  },
  {
    name: 'updateDatasetItem',
    parameters: (made) => ({ id: made.changedItem, expectedOutput: { c_d: 2 } }),
    positions: ['id', '...'],
  },
  byId('deleteDataset', 'dataset'),
  {
    name: 'getOutline',
    parameters: () => ({ rootStepId: 'run' }),
  },
  { name: 'findInOutline', parameters: () => ({ rootStepId: 'run', text: 'agent' }) },
  { name: 'getStepsById', parameters: () => ({ ids: ['run', 'none'] }), positions: ['ids'] },
  {
    name: 'getMetrics',
    parameters: () => ({
      subject: 'steps',
      from: '2020-01-01T00:00:00.000Z',
      to: '2021-01-01T00:00:00.000Z',
      buckets: 2,
      by: 'type',
      query: 'type=llm OR error:any',
      excludeExperiments: true,
    }),
  },
  { name: 'getFacets', parameters: () => ({ field: 'model', first: 3 }) },
  {
    name: 'setScoreDefinition',
    parameters: () => ({
      name: 'quality',
      min: 0,
      max: 1,
      labels: [{ value: 1, label: 'good' }],
      better: 'HIGHER',
    }),
  },
  { name: 'getScoreDefinitions', positions: [] },
  {
    name: 'deleteScoreDefinition',
    parameters: () => ({ name: 'quality' }),
    positions: ['name'],
  },
  { name: 'getProject', positions: [] },
  {
    name: 'createApiKey',
    parameters: () => ({ name: 'made', scopes: ['read'] }),
  },
  { name: 'getApiKeys', positions: [] },
  { name: 'getAuditEntries', parameters: () => ({ first: 5 }) },
  {
    name: 'getAuditEntries',
    parameters: () => ({ filters: [{ field: 'action', operator: 'eq', value: 'CREATE_KEY' }] }),
  },
  byId('revokeApiKey', 'none'),
  {
    name: 'setModelEndpoint',
    parameters: () => ({
      name: 'm',
      protocol: 'OPENAI',
      baseUrl: 'https://models.example/v1',
      model: 'small',
    }),
    keeps: 'endpoint',
  },
  { name: 'getModelEndpoints', positions: [] },
  { name: 'deleteModelEndpoint', parameters: id('endpoint'), positions: ['id'] },
  {
    name: 'createPromptLineage',
    parameters: () => ({ name: 'p', description: 'x' }),
    positions: ['name', 'description'],
  },
  {
    name: 'getOrCreatePrompt',
    parameters: () => ({
      name: 'p',
      templateMessages: messages,
      settings: { provider: 'openai', top_p: 1 },
    }),
    positions: ['name', 'templateMessages', 'settings'],
    keeps: 'prompt',
  },
  {
    name: 'createPrompt',
    parameters: () => ({ name: 'p', templateMessages: [{ role: 'user', content: 'other' }] }),
    positions: ['name', 'templateMessages'],
  },
  {
    name: 'createPromptVariant',
    parameters: () => ({ name: 'p', templateMessages: messages }),
    positions: ['name', 'templateMessages'],
  },
  byId('getPromptById', 'prompt'),
  {
    name: 'getPrompt',
    parameters: () => ({ name: 'p', version: 1 }),
    positions: ['name', 'version'],
  },
  { name: 'getPrompt', parameters: () => ({ name: 'nobody' }), positions: ['name'] },
  { name: 'getPromptLineages', positions: [] },
  { name: 'getPromptUse', parameters: () => ({ name: 'p' }), positions: ['name'] },
  { name: 'getPromptAbTesting', parameters: () => ({ name: 'p' }), positions: ['name'] },
  {
    name: 'updatePromptAbTesting',
    parameters: () => ({ name: 'p', rollouts: [{ version: 1, rollout: 1 }] }),
    positions: ['name', 'rollouts'],
  },
  {
    name: 'setPromptLabel',
    parameters: () => ({ name: 'p', label: 'production', version: 0 }),
  },
  { name: 'getPromptLabels', parameters: () => ({ name: 'p' }), positions: ['name'] },
  { name: 'removePromptLabel', parameters: () => ({ name: 'p', label: 'production' }) },
  { name: 'getPrompt', parameters: () => ({ name: 'p' }), positions: ['name'] },
  {
    name: 'getPromptWithQuery',
    parameters: (made) => ({
      query: 'query Q($id: String) { promptVersion(id: $id) { id version lineage { name } } }',
      variables: { id: made.prompt },
    }),
    positions: ['query', 'variables'],
  },
  byId('deleteStep', 'createStep'),
  byId('deleteStep', 'none'),
]

/** Parameters that are objects of the schema. */
const NESTED = new Set(['steps', 'scores', 'generation', 'updateParams', 'quietHours'])

const snakeKeys = (value: unknown, depth = 0): unknown => {
  if (Array.isArray(value)) return value.map((item) => snakeKeys(item, depth))
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      toSnakeCase(key),
      NESTED.has(key) ? snakeKeys(inner) : inner,
    ]),
  )
}

/** Returns the parameters of a call in one of the spellings. */
export const argumentsOf = (
  { parameters, positions }: Case,
  made: Made,
  isSnake: boolean,
): unknown[] => {
  const named = parameters?.(made)
  if (named === undefined) return []
  if (isSnake) return [snakeKeys(named)]
  if (positions === undefined) return [named]
  const taken = new Set(positions)
  const rest = Object.fromEntries(Object.entries(named).filter(([key]) => !taken.has(key)))
  return positions.map((position) => (position === '...' ? rest : named[position]))
}

/** Keeps the parts of a result that later calls need. */
export const keep = ({ keeps = '', name }: Case, made: Made, result: unknown): void => {
  const raw = (result as { data?: Record<string, { id: string }> })?.data?.[name]
  const { alert } = (result ?? {}) as { alert?: { id: string } }
  made[keeps.replace('raw:', '')] = (raw ?? alert ?? (result as { id: string })).id
}
