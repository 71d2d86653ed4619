import { StepwellClient } from '../client.js'
import { checkOptions } from './check-options.js'
import { type PinnedData, readData } from './data/read-data.js'
import { findBase } from './deciding/base.js'
import { checkRange } from './deciding/score-range.js'
import { allowedErrors } from './error-policy.js'
import type { Evaluation } from './evaluation.js'
import type { EvaluateOptions } from './options.js'
import { rescoreBase } from './rescore.js'
import { prepare, runPrepared } from './run-evaluation.js'

/**
 * Runs a task on examples, scores the outputs, compares them with those of an earlier run and decides. Each item is a result
 * of an experiment, and all that its task records is a thread of the environment `experiment`. Several processes that
 * evaluate the same at the same time share the work; one that is killed loses only the items that it was running.
 * Needs a key of the scopes `read` and `write`.
 *
 * @returns the scores, the comparison and the verdict, with an exit code. Failures of items are in it, too.
 * @throws `INVALID_ARGUMENT` when an option is invalid; `NOT_FOUND` when the dataset or the experiment of `compareTo` is
 *   missing; errors of the service that last for five minutes.
 * @example
 * import { evaluate } from 'stepwell/evaluate'
 * const { scores } = await evaluate({
 *   name: 'answers',
 *   data: [{ input: 'Where is my order?', expected: 'order' }],
 *   task: ({ input }) => agent(input),
 *   scorers: [function mentions({ output, expected }) { return output.includes(expected ?? '') }],
 *   client: stepwell,
 *   progress: false,
 * })
 * console.log(scores.map(({ name, mean }) => [name, mean]))
 */
export const evaluate = async <Input, Expected, Output>(
  options: EvaluateOptions<Input, Expected, Output>,
): Promise<Evaluation> => {
  // The types of items and outputs matter to the caller alone.
  const given = options as unknown as EvaluateOptions
  checkOptions(given)
  const stepwell = given.client ?? new StepwellClient()
  try {
    return await evaluateData(given, await readData(given.data, stepwell, given.signal), stepwell)
  } finally {
    if (given.client === undefined) await stepwell.close()
  }
}

/** @internal Evaluates data that was read before. */
export const evaluateData = async (
  given: EvaluateOptions,
  data: PinnedData,
  stepwell: StepwellClient,
): Promise<Evaluation> => {
  const run = await prepare(given, data, stepwell)
  const { name, decide, compareTo = decide === undefined ? undefined : 'previous' } = given
  if (compareTo === undefined) return runPrepared(run)
  const isRescored = typeof compareTo === 'object' && compareTo.rescore === true
  const own = {
    experimentId: run.experimentId,
    name,
    datasetId: data.datasetId,
    allowed: (total: number) => allowedErrors(given.errors, total),
    // Scores of a base that is scored anew come later.
    metric: isRescored ? undefined : decide?.metric,
  }
  const { base: found, passedOver } = await findBase(stepwell.api, compareTo, own, given.signal)
  const base =
    found !== undefined && isRescored ? await rescoreBase(found, given, data, stepwell) : found
  if (decide !== undefined && base !== undefined) checkRange(decide, base.results)
  return runPrepared({ ...run, base, passedOver })
}
