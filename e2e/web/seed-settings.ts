import type { StepwellClient } from 'stepwell'
import { WebCreateViewDocument } from '../../web/generated/operations.js'

/** Fills what a team sets up for itself: views, charts, alerts, prices, models, definitions and labels. */
export const seedSettings = async (stepwell: StepwellClient): Promise<void> => {
  const { api } = stepwell
  await api.createView({
    subject: 'THREADS',
    name: 'Failed this week',
    query: 'error:any',
    range: '7d',
  })
  for (const [name, query, chart] of [
    ['Cost of models', '', { subject: 'generations', metric: 'cost', by: 'model' }],
    ['Failing tools', 'type=tool', { subject: 'steps', metric: 'errors' }],
    ['Quality', 'name=quality', { subject: 'scores', metric: 'mean', score: 'quality' }],
  ] as const)
    await stepwell.query(WebCreateViewDocument, {
      subject: 'CHARTS',
      name,
      query,
      chart,
      range: '7d',
    })
  for (const [name, metric, threshold] of [
    ['Many failing tools', 'ERROR_COUNT', 0],
    ['Slow tools of the production environment, at the 95th percentile', 'DURATION_P95', 30],
  ] as const)
    await api.createAlert({
      name,
      subject: 'STEPS',
      query: 'type=tool',
      metric,
      comparison: 'ABOVE',
      threshold,
      windowMinutes: 10_080,
      webhookUrl: 'https://hooks.example.org/services/alerts',
    })
  await api.setPrices([{ model: 'gpt-4o', provider: 'openai', rates: { input: 2, output: 8 } }])
  await api.setModelEndpoint({
    name: 'The large one',
    protocol: 'OPENAI',
    baseUrl: 'https://models.example.org/v1',
    model: 'gpt-4o',
  })
  await api.setScoreDefinition({
    name: 'tone',
    description: 'Is the answer polite?',
    kind: 'CATEGORY',
    labels: [
      { value: 0, label: 'rude' },
      { value: 0.5, label: 'dry' },
      { value: 1, label: 'polite' },
    ],
    isEnforced: true,
  })
  await api.setScoreDefinition({ name: 'feedback', kind: 'BOOLEAN' })
  await api.setPromptLabel({ name: 'support', label: 'production', version: 1 })
}
