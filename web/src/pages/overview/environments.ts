/** The environments that a page shows. */
export interface Environments {
  /** One alone; null for all. */
  environment: string | null
  /** Leaves out experiments, among all. */
  excludeExperiments: boolean
}

interface OfScore {
  datasetExperimentItemId: string | null
  thread: { environment: string | null } | null
  step: { environment: string | null } | null
}

/** Returns true for a score of these environments: the list of scores can't be filtered by them. */
export const isOfEnvironments = (
  { thread, step, datasetExperimentItemId }: OfScore,
  { environment, excludeExperiments }: Environments,
): boolean => {
  const own = thread?.environment ?? step?.environment
  if (environment !== null) return own === environment
  return !excludeExperiments || (own !== 'experiment' && datasetExperimentItemId === null)
}
