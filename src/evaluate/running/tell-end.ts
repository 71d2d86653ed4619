import type { ExperimentStatus } from '../../api/experiments.js'
import type { StepwellClient } from '../../client.js'
import type { Evaluation, EvaluationStatus } from '../evaluation.js'
import { persist } from '../service/persist.js'

const STATUSES: Readonly<Record<EvaluationStatus, ExperimentStatus>> = {
  complete: 'COMPLETE',
  decided: 'DECIDED',
  'over budget': 'OVER_BUDGET',
  stopped: 'STOPPED',
  broken: 'BROKEN',
}
/** A problem may quote an error of any length. */
const MAX_LENGTH = 1000

/**
 * Tells the service the end of a run, so that later ones and the web UI know of it. Never rejects: without it, a run that
 * lacks results still counts as unfinished, and the evaluation is worth more than the note.
 */
export const tellEnd = async (
  api: StepwellClient['api'],
  { experimentId, status, problem }: Evaluation,
  signal: AbortSignal | undefined,
): Promise<void> => {
  // Half of a pair at the end is no character.
  const told =
    problem === null ? null : problem.slice(0, MAX_LENGTH).replace(/[\uD800-\uDBFF]$/, '')
  const end = { id: experimentId, status: STATUSES[status], problem: told }
  await persist(api, () => api.endExperiment(end), signal).catch(() => undefined)
}
