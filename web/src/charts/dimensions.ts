import type { MetricDimension, MetricSubject } from '../../../generated/schema.js'

/** The titles of splits. */
export const DIMENSIONS: Record<MetricDimension, string> = {
  model: 'model',
  environment: 'environment',
  promptVersion: 'prompt version',
  release: 'release',
  name: 'name',
  type: 'type',
  provider: 'provider',
  user: 'user',
}

const OF_STEPS = ['environment', 'release', 'user'] as const

/** The splits of each subject. */
export const DIMENSIONS_OF: Record<MetricSubject, readonly MetricDimension[]> = {
  threads: OF_STEPS,
  runs: [...OF_STEPS, 'name'],
  steps: [...OF_STEPS, 'name', 'type'],
  generations: [...OF_STEPS, 'model', 'provider', 'promptVersion'],
  scores: ['environment', 'release', 'name', 'model', 'promptVersion'],
}

/** Returns true for a split that a subject has. */
export const isSplit = (
  subject: MetricSubject,
  by: MetricDimension | undefined,
): by is MetricDimension => by !== undefined && DIMENSIONS_OF[subject].includes(by)
