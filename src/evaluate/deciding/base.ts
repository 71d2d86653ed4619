import type { ExperimentStatus, ExperimentWithScores } from '../../api/experiments.js'
import type { StepwellClient } from '../../client.js'
import { StepwellError } from '../../errors.js'
import { walk } from '../service/persist.js'
import { type EvalResult, readResults } from './results.js'

/**
 * The experiment to compare with: `previous` for the newest other run of the same name that was not broken, or the name or
 * id of an experiment. With `rescore`, its stored outputs are scored anew by the scorers of this run, without running its task.
 */
export type CompareTo = string | { experiment: string; rescore?: boolean | undefined }

/** The experiment that a run is compared with. */
export interface Base {
  readonly id: string
  readonly name: string
  readonly results: readonly EvalResult[]
}

/** Experiments among which a name is looked for. */
const MAX_SEARCHED = 1000

/** The run that looks for its base. */
interface OwnRun {
  readonly experimentId: string
  readonly name: string
  readonly datasetId: string | undefined
  /** Returns the failed results that a run may have, by the number of all. */
  readonly allowed?: (total: number) => number
  /** The score that decides; `undefined` when the base need not have it. */
  readonly metric?: string | undefined
}

/** An experiment to compare with, and those that were passed over on the way to it. */
interface Found {
  readonly base: Base | undefined
  readonly passedOver: number
}

/**
 * Finds the experiment to compare with; `undefined` when `previous` has none. Reads the results of each broken run that is
 * newer than that. @throws StepwellError when a named one is
 * missing.
 */
export const findBase = async (
  api: StepwellClient['api'],
  compareTo: CompareTo,
  own: OwnRun,
  signal?: AbortSignal,
): Promise<Found> => {
  const wanted = typeof compareTo === 'string' ? compareTo : compareTo.experiment
  const isPrevious = wanted === 'previous'
  let searched = 0
  let passedOver = 0
  const range = isPrevious && own.datasetId !== undefined ? { datasetId: own.datasetId } : {}
  for await (const experiment of walk(api, api.getExperiments, { ...range, first: 100 }, signal)) {
    if (++searched > MAX_SEARCHED) break
    const { id, name } = experiment
    const isIt = isPrevious ? name === own.name : id === wanted || name === wanted
    if (!isIt || id === own.experimentId) continue
    // Nothing has run yet.
    if (isPrevious && experiment.itemCount === 0) continue
    if (!isPrevious || !isUnfinished(experiment)) {
      const results = await readResults(api, id, signal)
      if (!isPrevious || !isBroken(results, own)) return { base: { id, name, results }, passedOver }
    }
    passedOver++
  }
  if (isPrevious) return { base: undefined, passedOver }
  throw new StepwellError(`compareTo: no other experiment has the name or id ${wanted}`, {
    code: 'NOT_FOUND',
  })
}

/** Ends of a run that leave items without a result, for a reason that has to do with the items. */
const UNFINISHED: readonly (ExperimentStatus | null)[] = ['STOPPED', 'OVER_BUDGET']

/**
 * Returns true when a run did not come to its end: the items that it has are the quick ones, or the first ones. A run
 * that told no end, as its process was killed or still runs, is known by the results that it lacks.
 */
const isUnfinished = ({
  status,
  itemCount,
  params,
}: Pick<ExperimentWithScores, 'status' | 'itemCount' | 'params'>): boolean => {
  if (UNFINISHED.includes(status)) return true
  const { items, repetitions } =
    (params as { evaluate?: { items?: unknown; repetitions?: unknown } } | null)?.evaluate ?? {}
  const planned = Number(items) * Number(repetitions)
  return status === null && itemCount < planned
}

/** Returns true when a run has more errors than are allowed to this one, nothing but errors, or no score that decides. */
const isBroken = (
  results: readonly EvalResult[],
  { allowed = () => 0, metric }: OwnRun,
): boolean => {
  const failed = results.filter(({ error }) => error !== null).length
  if (failed > allowed(results.length) || failed === results.length) return true
  const known = results.some(({ scores }) => scores.some(({ name }) => name === metric))
  return metric !== undefined && !known
}
