import { invalidArgument } from '../errors.js'
import type { DecideOptions } from './deciding/decide-options.js'
import type { ErrorPolicy, EvaluateOptions, EvaluationFiles } from './options.js'
import type { ItemLimits, RunBudget } from './running/limits.js'
import type { RetryOptions } from './running/task.js'

// The compiler names an option that is missing here, and one that is too many.
type Names<Options> = Record<keyof Options, true>

const OPTIONS: Names<EvaluateOptions> = {
  name: true,
  data: true,
  task: true,
  scorers: true,
  repetitions: true,
  concurrency: true,
  limits: true,
  budget: true,
  prices: true,
  retry: true,
  errors: true,
  compareTo: true,
  decide: true,
  cluster: true,
  confidence: true,
  resume: true,
  retryErrors: true,
  leaseSeconds: true,
  seed: true,
  params: true,
  release: true,
  client: true,
  files: true,
  progress: true,
  onResult: true,
  signal: true,
}
const DECIDE: Names<DecideOptions> = { metric: true, margin: true, stopEarly: true, range: true }
const LIMITS: Names<ItemLimits> = { seconds: true, tokens: true, dollars: true, steps: true }
const BUDGET: Names<RunBudget> = {
  seconds: true,
  tokens: true,
  steps: true,
  dollars: true,
  items: true,
}
const RETRY: Names<RetryOptions> = { attempts: true, waitMs: true, when: true }
const ERRORS: Names<ErrorPolicy> = { allowed: true, stop: true }
const FILES: Names<EvaluationFiles> = { junit: true, json: true, markdown: true }

/**
 * Rejects options that do not exist, and values where options are expected: a misspelt limit would limit nothing, and a
 * misspelt margin would decide by another rule.
 *
 * @throws StepwellError that names the option and those that there are.
 */
export const rejectUnknown = (options: EvaluateOptions): void => {
  check('', options, OPTIONS)
  check('decide', options.decide, DECIDE)
  check('decide.range', options.decide?.range, { low: true, high: true })
  check('limits', options.limits, LIMITS)
  check('budget', options.budget, BUDGET)
  check('retry', options.retry, RETRY)
  check('errors', options.errors, ERRORS)
  check('files', options.files, FILES)
  // Any other value is refused with what is expected.
  if (typeof options.compareTo === 'object' && options.compareTo !== null)
    check('compareTo', options.compareTo, { experiment: true, rescore: true })
}

const check = (place: string, given: unknown, names: Readonly<Record<string, true>>): void => {
  if (given === undefined) return
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalidArgument(`${place || 'options'}: expected an object`)
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(names, name))
  if (unknown !== undefined)
    throw invalidArgument(
      `${place === '' ? '' : `${place}.`}${unknown}: no such option, expected some of ${Object.keys(names).join(', ')}`,
    )
}
