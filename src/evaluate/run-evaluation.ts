import type { StepwellClient } from '../client.js'
import { conclude } from './conclude.js'
import type { PinnedData } from './data/read-data.js'
import { groupsOf } from './deciding/observations.js'
import type { Evaluation } from './evaluation.js'
import { openExperiment } from './experiment.js'
import type { EvaluateOptions } from './options.js'
import type { PreparedRun } from './prepared-run.js'
import { writeFiles } from './reporting/write-files.js'
import { runAll } from './run-all.js'
import { tellEnd } from './running/tell-end.js'
import { readScorers } from './scoring/run-scorers.js'
import { persist } from './service/persist.js'

const CONFIDENCE = 0.95

/** Finds or creates the experiment of a run. `rescored` is the id of the one whose outputs are scored anew. */
export const prepare = async (
  options: EvaluateOptions,
  data: PinnedData,
  stepwell: StepwellClient,
  rescored?: string,
): Promise<PreparedRun> => {
  const begun = performance.now()
  const { repetitions = 1, confidence = CONFIDENCE } = options
  const groups = groupsOf(data.items, options.cluster)
  const scorers = await readScorers(options.scorers)
  const task = rescored ?? options.task.toString()
  const facts = { data, task, scorers, repetitions, rescored }
  const { id, isResumed } = await openExperiment(options, stepwell, facts)
  // For links alone: without it they lead to the project that the browser has open.
  const projectId = await stepwell.api.getProjectId().catch(() => undefined)
  const { retryErrors = false, signal } = options
  const run = { datasetExperimentId: id }
  if (isResumed && retryErrors)
    while (
      signal?.aborted !== true &&
      (await persist(stepwell.api, () => stepwell.api.retryExperimentItems(run), signal)) > 0
    );
  return {
    options,
    experimentId: id,
    projectId,
    isResumed,
    data,
    stepwell,
    scorers,
    groups,
    base: undefined,
    passedOver: 0,
    measured: undefined,
    confidence,
    repetitions,
    begun,
  }
}

/** Runs what is left of a run, and concludes. Resolves once the service has all that was recorded. */
export const runPrepared = async (run: PreparedRun): Promise<Evaluation> => {
  const evaluation = conclude(run, await runAll(run))
  await tellEnd(run.stepwell.api, evaluation, run.options.signal)
  await run.stepwell.flush()
  writeFiles(evaluation, run.options.files)
  return evaluation
}
