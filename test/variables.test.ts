import { expect, test } from 'vitest'
import * as documents from '../generated/operations.js'
import { StepwellClient } from '../src/index.js'

// When a released service learns a new variable, so do the SDK's documents: no code in between may have to know it.
const mutations = Object.values(documents).flatMap((document) =>
  typeof document === 'object' && 'definitions' in document
    ? (document as unknown as Document).definitions.filter(
        ({ operation }) => operation === 'mutation',
      )
    : [],
)
for (const mutation of mutations) {
  mutation.variableDefinitions ??= []
  mutation.variableDefinitions.push({
    kind: 'VariableDefinition',
    variable: { kind: 'Variable', name: { kind: 'Name', value: 'addedTomorrow' } },
    type: { kind: 'NamedType', name: { kind: 'Name', value: 'Json' } },
  })
}

interface Document {
  definitions: { operation?: string; name: { value: string }; variableDefinitions?: unknown[] }[]
}
type Operation = (...parameters: unknown[]) => Promise<unknown>

const TOMORROW = { someKey: 'stays', as_it: 'is' }
const camel = { addedTomorrow: TOMORROW, unknownToAll: 1 }
const snake = { added_tomorrow: TOMORROW, unknown_to_all: 1 }
const RUN = { holder: 'h', items: [], seconds: 1 }
const WORK = { holder: 'h', judgements: [], first: 1, seconds: 1 }
const ENDPOINT = { name: 'm', protocol: 'OPENAI', model: 'm' }
const ALERT = {
  name: 'n',
  subject: 'STEPS',
  query: '',
  metric: 'COUNT',
  comparison: 'ABOVE',
  threshold: 1,
  windowMinutes: 5,
  window_minutes: 5,
  webhookUrl: 'w',
  webhook_url: 'w',
}
const messages = [{ role: 'user', content: 'hi' }]

const CALLS: [mutation: string, method: string, ...parameters: unknown[]][] = [
  ['CreateStep', 'createStep', { name: 'n', ...camel }],
  ['CreateStep', 'create_step', { name: 'n', ...snake }],
  ['UpdateStep', 'updateStep', { id: 'i', name: 'n', ...camel }],
  ['UpdateStep', 'update_step', { id: 'i', name: 'n', ...snake }],
  ['CreateThread', 'createThread', { name: 'n', ...camel }],
  ['CreateThread', 'create_thread', { name: 'n', ...snake }],
  ['UpdateThread', 'updateThread', { id: 'i', name: 'n', ...camel }],
  ['UpdateThread', 'update_thread', { id: 'i', name: 'n', ...snake }],
  ['UpsertThread', 'upsertThread', { threadId: 'i', name: 'n', ...camel }],
  ['UpsertThread', 'upsert_thread', { thread_id: 'i', name: 'n', ...snake }],
  ['UpdateScore', 'updateScore', 'i', { value: 1, ...camel }],
  ['UpdateScore', 'update_score', { id: 'i', value: 1, ...snake }],
  ['UpdateScore', 'update_score', { id: 'i', update_params: { value: 1, ...snake } }],
  ['SetScoreDefinition', 'setScoreDefinition', { name: 'n', ...camel }],
  ['SetScoreDefinition', 'set_score_definition', { name: 'n', ...snake }],
  ['CreateView', 'createView', { subject: 'STEPS', query: '', name: 'n', ...camel }],
  ['CreateView', 'create_view', { subject: 'STEPS', query: '', name: 'n', ...snake }],
  ['UpdateView', 'updateView', 'i', { name: 'n', ...camel }],
  ['UpdateView', 'update_view', { id: 'i', name: 'n', ...snake }],
  ['CreateAlert', 'createAlert', { ...ALERT, ...camel }],
  ['CreateAlert', 'create_alert', { ...ALERT, ...snake }],
  ['UpdateAlert', 'updateAlert', 'i', { name: 'n', ...camel }],
  ['UpdateAlert', 'update_alert', { id: 'i', name: 'n', ...snake }],
  ['CreateDataset', 'createDataset', { name: 'n', ...camel }],
  ['CreateDataset', 'create_dataset', { name: 'n', ...snake }],
  ['UpdateDataset', 'updateDataset', 'i', { name: 'n', ...camel }],
  ['UpdateDataset', 'update_dataset', { id: 'i', name: 'n', ...snake }],
  ['CreateDatasetItem', 'createDatasetItem', 'd', { input: {}, ...camel }],
  ['CreateDatasetItem', 'create_dataset_item', { dataset_id: 'd', input: {}, ...snake }],
  ['UpdateDatasetItem', 'updateDatasetItem', 'i', { input: {}, ...camel }],
  ['UpdateDatasetItem', 'update_dataset_item', { id: 'i', input: {}, ...snake }],
  ['CreateExperiment', 'createExperiment', { name: 'n', ...camel }],
  ['CreateExperiment', 'create_experiment', { name: 'n', ...snake }],
  ['CreateExperimentItem', 'createExperimentItem', { datasetExperimentId: 'e', ...camel }],
  ['CreateExperimentItem', 'create_experiment_item', { dataset_experiment_id: 'e', ...snake }],
  ['EndExperiment', 'endExperiment', { id: 'e', status: 'COMPLETE', ...camel }],
  ['EndExperiment', 'end_experiment', { id: 'e', status: 'COMPLETE', ...snake }],
  ['LeaseExperimentItems', 'leaseExperimentItems', { ...RUN, datasetExperimentId: 'e', ...camel }],
  [
    'LeaseExperimentItems',
    'lease_experiment_items',
    { ...RUN, dataset_experiment_id: 'e', ...snake },
  ],
  ['RetryExperimentItems', 'retryExperimentItems', { datasetExperimentId: 'e', ...camel }],
  ['RetryExperimentItems', 'retry_experiment_items', { dataset_experiment_id: 'e', ...snake }],
  [
    'CreateExperimentItems',
    'createExperimentItems',
    { ...RUN, datasetExperimentId: 'e', ...camel },
  ],
  [
    'CreateExperimentItems',
    'create_experiment_items',
    { ...RUN, dataset_experiment_id: 'e', ...snake },
  ],
  ['LeaseJudgements', 'leaseJudgements', { ...WORK, judge: { name: 'j' }, ...camel }],
  ['LeaseJudgements', 'lease_judgements', { ...WORK, judge: { name: 'j' }, ...snake }],
  ['CreateJudgements', 'createJudgements', { ...WORK, judgeId: 'j', ...camel }],
  ['CreateJudgements', 'create_judgements', { ...WORK, judge_id: 'j', ...snake }],
  ['CreateUser', 'create_user', { identifier: 'u', ...snake }],
  ['CreateUser', 'get_or_create_user', { identifier: 'u', ...snake }],
  ['UpdateUser', 'update_user', { id: 'i', ...snake }],
  ['DeleteUserData', 'deleteUserData', 'u', { dryRun: true, addedTomorrow: TOMORROW }],
  [
    'DeleteUserData',
    'delete_user_data',
    { identifier: 'u', dry_run: true, added_tomorrow: TOMORROW },
  ],
  ['UpdateAttachment', 'updateAttachment', { id: 'i', ...camel }],
  ['UpdateAttachment', 'updateAttachment', { id: 'i', updateParams: camel }],
  ['UpdateAttachment', 'update_attachment', { id: 'i', ...snake }],
  ['UpdateAttachment', 'create_attachment', { id: 'known', name: 'n', ...snake }],
  ['CreateAttachment', 'create_attachment', { step_id: 's', object_key: 'k', ...snake }],
  ['CreatePromptLineage', 'create_prompt_lineage', { name: 'n', ...snake }],
  ['CreatePromptVersion', 'create_prompt', { name: 'n', template_messages: messages, ...snake }],
  [
    'CreatePromptVariant',
    'create_prompt_variant',
    { name: 'n', template_messages: messages, ...snake },
  ],
  ['AddStepToDataset', 'add_step_to_dataset', { dataset_id: 'd', step_id: 's', ...snake }],
  ['AddThreadToDataset', 'add_thread_to_dataset', { dataset_id: 'd', thread_id: 't', ...snake }],
  ['SetModelEndpoint', 'setModelEndpoint', { ...ENDPOINT, baseUrl: 'https://m.example', ...camel }],
  [
    'SetModelEndpoint',
    'set_model_endpoint',
    { ...ENDPOINT, base_url: 'https://m.example', ...snake },
  ],
  ['SetPromptLabel', 'setPromptLabel', { name: 'n', label: 'l', version: 1, ...camel }],
  ['SetPromptLabel', 'set_prompt_label', { name: 'n', label: 'l', version: 1, ...snake }],
  ['RemovePromptLabel', 'removePromptLabel', { name: 'n', label: 'l', ...camel }],
  ['RemovePromptLabel', 'remove_prompt_label', { name: 'n', label: 'l', ...snake }],
  ['SetRetention', 'setRetention', { rules: [], ...camel }],
  ['SetRetention', 'set_retention', { rules: [], ...snake }],
  ['SetConversationEnd', 'setConversationEnd', { tags: ['done'], addedTomorrow: TOMORROW }],
  ['SetConversationEnd', 'set_conversation_end', { tags: ['done'], added_tomorrow: TOMORROW }],
  [
    'AddGenerationToDataset',
    'add_generation_to_dataset',
    { dataset_id: 'd', generation_id: 'g', ...snake },
  ],
  [
    'AddGenerationsToDataset',
    'add_generations_to_dataset',
    { dataset_id: 'd', generation_ids: ['g'], ...snake },
  ],
  ['UpdatePromptAbTesting', 'update_prompt_ab_testing', { name: 'n', rollouts: [], ...snake }],
  ['CreateApiKey', 'createApiKey', { name: 'n', scopes: ['read'], addedTomorrow: TOMORROW }],
  ['CreateApiKey', 'create_api_key', { name: 'n', scopes: ['read'], added_tomorrow: TOMORROW }],
]

test.each(CALLS)(
  'a variable that %s gets tomorrow is sent by %s',
  async (mutation, method, ...parameters) => {
    const asked: { operationName: string; variables: Record<string, unknown> }[] = []
    const stepwell = new StepwellClient({
      apiKey: 'key',
      fetch: async (_, init) => {
        const request = JSON.parse(String(init?.body))
        asked.push(request)
        const attachment = request.variables.id === 'known' ? { id: 'known' } : null
        const data = { attachment, promptLineage: null, createPromptLineage: { id: 'l' } }
        return new Response(JSON.stringify({ data: { ...data, participant: null } }))
      },
    })
    const operation = (stepwell.api as unknown as Record<string, Operation>)[method]
    // The answer is empty, and some methods throw because of it.
    await operation?.(...parameters).catch(() => undefined)
    const { variables } = asked.find(({ operationName }) => operationName === mutation) ?? {}
    expect(variables).toMatchObject({ addedTomorrow: TOMORROW })
  },
)

test('every mutation with more than an id is called above', () => {
  // The outbox writes its own.
  const called = new Set(['RecordSteps', ...CALLS.map(([mutation]) => mutation)])
  const rest = mutations
    .filter(({ variableDefinitions }) => (variableDefinitions?.length ?? 0) > 2)
    .map(({ name }) => name.value)
  expect(rest.filter((name) => !called.has(name))).toEqual([])
})
