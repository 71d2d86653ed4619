import type { ScoreType, StepType } from '../../../generated/schema.js'
import { invalidArgument } from '../../errors.js'
import { readOptions } from '../expectation.js'

/** The parts of a run that are compared with a fixture. */
export interface SameRunOptions {
  /** The order of steps with the same parent. Default: true. */
  order?: boolean | undefined
  /** Inputs of steps and messages to models: their values, their structure, or nothing. Default: `exact`. */
  arguments?: 'exact' | 'structure' | false | undefined
  /** Outputs, answers of models and errors: their values, their structure, or nothing. Default: `structure`. */
  outputs?: 'exact' | 'structure' | false | undefined
  /**
   * The share by which the tokens of each model call, and the cost that its answer told, may differ; false compares neither them
   * nor models. Default: 0.
   */
  cost?: number | false | undefined
  /** Scores of steps and of the thread: all, those of some types, or none. Default: true. */
  scores?: boolean | readonly ScoreType[] | undefined
  /** Types of steps that are compared on neither side, with all that is below them. Default: none. */
  leaveOut?: readonly StepType[] | undefined
  /** Parts of texts that may differ, such as dates and ids that the application makes. Default: none. */
  ignore?: readonly RegExp[] | undefined
}

export type SameRun = { [Name in keyof SameRunOptions]-?: NonNullable<SameRunOptions[Name]> }

const DEFAULTS: SameRun = {
  order: true,
  arguments: 'exact',
  outputs: 'structure',
  cost: 0,
  scores: true,
  leaveOut: [],
  ignore: [],
}

/** Checks the options of a comparison. */
export const readSameRun = (given: SameRunOptions | null | undefined): SameRun => {
  const names = Object.keys(DEFAULTS) as (keyof SameRunOptions)[]
  const read = Object.fromEntries(
    Object.entries(readOptions(given, names)).filter(([, value]) => value != null),
  )
  const options = { ...DEFAULTS, ...read } as SameRun
  for (const name of ['arguments', 'outputs'] as const)
    if (![false, 'exact', 'structure'].includes(options[name]))
      throw invalidArgument(`${name}: expected exact, structure or false, got ${options[name]}`)
  const { cost, ignore } = options
  if (cost !== false && !(typeof cost === 'number' && cost >= 0))
    throw invalidArgument(`cost: expected a share from 0 on, or false, got ${cost}`)
  if (!ignore.every((form) => form instanceof RegExp))
    throw invalidArgument('ignore: expected a list of RegExp')
  return options
}
