import { invalidArgument, mustBeFunction } from '../errors.js'
import { canonicalJson } from './data/canonical.js'
import type { CompareTo } from './deciding/base.js'
import { rejectUnknown } from './option-names.js'
import type { EvaluateOptions } from './options.js'
import { prepareFiles } from './reporting/write-files.js'

const whole = (name: string, value: number | undefined, least: number, most: number): void => {
  if (value !== undefined && !(Number.isInteger(value) && value >= least && value <= most))
    throw invalidArgument(`${name}: expected a whole number from ${least} to ${most}, got ${value}`)
}

const positive = (place: string, values: object | undefined): void => {
  for (const [name, value] of Object.entries(values ?? {}))
    if (value !== undefined && !(typeof value === 'number' && value > 0))
      throw invalidArgument(`${place}.${name}: expected a number above 0`)
}

const notNegative = (name: string, value: number | undefined): void => {
  if (value !== undefined && !(Number.isFinite(value) && value >= 0))
    throw invalidArgument(`${name}: expected a number from 0 on`)
}

/** Rejects texts such as `no`, which would be taken for true. */
const flag = (name: string, value: unknown): void => {
  if (value !== undefined && typeof value !== 'boolean')
    throw invalidArgument(`${name}: expected true or false`)
}

const checkPrices = (prices: EvaluateOptions['prices'] = {}): void => {
  if (typeof prices !== 'object' || prices === null)
    throw invalidArgument('prices: expected an object with a price for each model')
  for (const [model, price] of Object.entries(prices))
    for (const part of ['input', 'output'] as const)
      if (!(Number.isFinite(price?.[part]) && price[part] >= 0))
        throw invalidArgument(
          `prices[${JSON.stringify(model)}].${part}: expected a number from 0 on`,
        )
}

const checkCompareTo = (given: CompareTo | null | undefined): void => {
  if (given === undefined) return
  const wanted: unknown = typeof given === 'object' ? given?.experiment : given
  if (typeof wanted !== 'string' || wanted === '')
    throw invalidArgument('compareTo: expected previous, or the name or id of an experiment')
  if (typeof given === 'object') flag('compareTo.rescore', given?.rescore)
}

const checkParams = (params: EvaluateOptions['params']): void => {
  try {
    canonicalJson(params)
  } catch {
    throw invalidArgument(
      'params: expected values that JSON has, without a bigint or one that contains itself',
    )
  }
}

/** Checks options. @throws StepwellError that names the invalid one. */
export const checkOptions = (options: EvaluateOptions): void => {
  rejectUnknown(options)
  const { name, task, scorers, decide, confidence, errors } = options
  if (typeof name !== 'string' || name === '') throw invalidArgument('name: expected a text')
  if (options.data == null) throw invalidArgument('data: expected a dataset, a list or an iterable')
  if (typeof task !== 'function') throw invalidArgument('task: expected a function')
  if (!Array.isArray(scorers)) throw invalidArgument('scorers: expected a list')
  whole('repetitions', options.repetitions, 1, 1000)
  whole('concurrency', options.concurrency, 1, 10_000)
  whole('leaseSeconds', options.leaseSeconds, 1, 3600)
  whole('retry.attempts', options.retry?.attempts, 1, 100)
  positive('limits', options.limits)
  positive('budget', options.budget)
  const { seed, resume, release, client } = options
  if (seed !== undefined && !Number.isFinite(seed)) throw invalidArgument('seed: expected a number')
  if (resume !== 'take over' && resume !== undefined && typeof resume !== 'boolean')
    throw invalidArgument("resume: expected true, false or 'take over'")
  flag('retryErrors', options.retryErrors)
  flag('errors.stop', errors?.stop)
  flag('decide.stopEarly', decide?.stopEarly)
  notNegative('retry.waitMs', options.retry?.waitMs)
  if (options.retry?.when !== undefined) mustBeFunction('retry.when', options.retry.when)
  if (release !== undefined && typeof release !== 'string')
    throw invalidArgument('release: expected a text')
  if (client !== undefined && typeof client?.api?.createExperiment !== 'function')
    throw invalidArgument('client: expected a StepwellClient')
  checkPrices(options.prices)
  const dollars = options.limits?.dollars ?? options.budget?.dollars
  if (dollars !== undefined && Object.keys(options.prices ?? {}).length === 0)
    throw invalidArgument('prices: expected those of the models, as there is a limit in dollars')
  notNegative('errors.allowed', errors?.allowed)
  if (
    confidence !== undefined &&
    !(typeof confidence === 'number' && confidence > 0 && confidence < 1)
  )
    throw invalidArgument('confidence: expected a number between 0 and 1')
  if (decide !== undefined && (typeof decide.metric !== 'string' || decide.metric === ''))
    throw invalidArgument('decide.metric: expected the name of a score')
  const range = decide?.range
  if (
    range !== undefined &&
    !(Number.isFinite(range.low) && range.low < range.high && Number.isFinite(range.high))
  )
    throw invalidArgument('decide.range: expected a number low below a number high')
  notNegative('decide.margin', decide?.margin)
  checkCompareTo(options.compareTo)
  checkParams(options.params)
  const { onResult, progress, signal } = options
  if (onResult !== undefined) mustBeFunction('onResult', onResult)
  if (progress !== undefined && typeof progress !== 'boolean') mustBeFunction('progress', progress)
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    throw invalidArgument('signal: expected an AbortSignal')
  // The last: only options that are valid make folders.
  prepareFiles(options.files)
}
