import type { StepwellClient } from 'stepwell'

/** Returns an address of each page, with data of `seed` in it, below the project. */
export const addresses = async ({ api }: StepwellClient): Promise<readonly string[]> => {
  const [dataset] = await api.getDatasets()
  const datasetId = dataset?.id ?? ''
  const { data: experiments } = await api.getExperiments({ datasetId })
  const { data: items } = await api.getDatasetItems({ datasetId, first: 1 })
  const [user] = (await api.getUsers()).data
  const [alert] = await api.getAlerts()
  const [newer, older] = experiments.map(({ id }) => id)
  return [
    '/threads',
    '/threads?q=name%3Dnothing',
    '/threads?q=durations%3E5',
    '/threads/conversation-1',
    '/threads/conversation-0?step=conversation-0-plan&tab=generation',
    '/threads/hostile?step=hostile-step',
    '/threads/conversation-0/beside/conversation-1',
    '/runs/conversation-0-agent',
    '/steps',
    '/generations',
    '/scores',
    '/users',
    `/users/${user?.id}`,
    '/overview',
    '/charts',
    '/review',
    '/review?of=threads',
    '/datasets',
    `/datasets/${datasetId}`,
    `/datasets/${datasetId}?tab=experiments`,
    `/datasets/${datasetId}?item=${items[0]?.id}`,
    `/datasets/${datasetId}/items/${items[0]?.id}`,
    `/datasets/${datasetId}/compare?base=${older}&with=${newer}`,
    '/experiments',
    `/experiments/${newer}`,
    '/prompts',
    '/prompts/support',
    ...['diff', 'preview', 'use', 'labels', 'rollout'].map((tab) => `/prompts/support?tab=${tab}`),
    '/prompts/support/new?from=2',
    '/prompts/support/try',
    ...[
      'connect',
      'keys',
      'environments',
      'scores',
      'conversations',
      'judges',
      'alerts',
      `alerts?alert=${alert?.id}`,
      'models',
      'prices',
      'audit',
      'storage',
      'query',
      'appearance',
    ].map((section) => `/settings/${section}`),
    '/nothing',
  ]
}
