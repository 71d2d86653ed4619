// Evaluations as tests of vitest: each result is one, and so is the verdict.
import { beforeAll, describe, test } from 'vitest'
import { StepwellClient } from '../client.js'
import { checkOptions } from './check-options.js'
import { nameOfTrial } from './data/item.js'
import { readData } from './data/read-data.js'
import type { EvalResult } from './deciding/results.js'
import { evaluateData } from './evaluate.js'
import type { Evaluation } from './evaluation.js'
import type { EvaluateOptions } from './options.js'
import { formatTable } from './reporting/table.js'
import { trialsOf } from './running/run.js'

/** The options of `describeEval`. */
export interface DescribeEvalOptions<Input = unknown, Expected = unknown, Output = unknown>
  extends EvaluateOptions<Input, Expected, Output> {
  /** Returns why a result fails its test; null when it passes. Default: its error. */
  failureOf?: ((result: EvalResult) => string | null) | undefined
}

/** Longer than any run: the limits are those of the evaluation. */
const NO_TIMEOUT_MS = 2_147_483_647

/**
 * Evaluates as a suite of vitest: each result is a test, which fails by its error, and the verdict is a test, which fails
 * unless the exit code is 0. The data is read when tests are collected.
 *
 * @throws `INVALID_ARGUMENT` when an option is invalid.
 * @example
 * ```ts no-run
 * import { describeEval } from 'stepwell/evaluate/vitest'
 * describeEval({ name: 'answers', data: 'questions', task: ({ input }) => agent(String(input)), scorers: [], decide: { metric: 'correct' } })
 * ```
 */
export const describeEval = <Input, Expected, Output>(
  options: DescribeEvalOptions<Input, Expected, Output>,
): void => {
  const { failureOf = ({ error }: EvalResult) => error, ...rest } = options
  // The types of items and outputs matter to the caller alone.
  const given = rest as unknown as EvaluateOptions
  checkOptions(given)
  describe(given.name, async () => {
    const stepwell = given.client ?? new StepwellClient()
    const data = await readData(given.data, stepwell, given.signal)
    const own = new Map<string, (result: EvalResult) => void>()
    const results = new Map<string, Promise<EvalResult>>()
    const trials = trialsOf(data.items, given.repetitions ?? 1)
    for (const { item, repetition } of trials) {
      const name = nameOfTrial(item.key, repetition)
      results.set(name, new Promise((resolve) => own.set(name, resolve)))
    }
    const onResult = (result: EvalResult) => {
      own.get(nameOfTrial(result.key, result.repetition))?.(result)
      given.onResult?.(result)
    }
    let evaluation: Promise<Evaluation>
    // Not waited for: results become tests one by one.
    beforeAll(() => {
      evaluation = evaluateData({ progress: false, ...given, onResult }, data, stepwell)
      evaluation.catch(() => {})
    })
    for (const { item, repetition } of trials) {
      const title =
        (given.repetitions ?? 1) > 1 ? `${item.key}, repetition ${repetition}` : item.key
      const name = nameOfTrial(item.key, repetition)
      test(title, { timeout: NO_TIMEOUT_MS }, async ({ skip }) => {
        const result = await Promise.race([
          results.get(name),
          // Those of other processes, and of earlier ones.
          evaluation.then(({ results: all }) =>
            all.find((one) => one.key === item.key && one.repetition === repetition),
          ),
        ])
        // The run ended before it.
        if (result === undefined) return skip()
        const failure = failureOf(result)
        if (failure !== null) throw new Error(failure)
      })
    }
    test('verdict', { timeout: NO_TIMEOUT_MS }, async () => {
      try {
        const done = await evaluation
        if (done.exitCode !== 0) throw new Error(formatTable(done))
      } finally {
        if (given.client === undefined) await stepwell.close()
      }
    })
  })
}
