import type { JudgeInput } from '../../../generated/resolvers.js'
import type { Caller } from '../../kernel/caller.js'
import { invalid } from '../../kernel/errors.js'
import type { JudgeWrite } from '../../storage/judges/judges.js'
import type { Values } from '../values.js'
import { checkBudget } from './budget.js'
import { MAX_AT_ONCE } from './usage.js'

const MAX_QUIET_SECONDS = 86_400

/** Reads a judge as its worker knows it. @throws DomainError when a value is none. */
export const readJudge = (values: Values, { projectId }: Caller, given: JudgeInput): JudgeWrite => {
  const { sample, quietSeconds, subject, scoreNames } = given
  const name = values.requiredId('judge.name', given.name)
  const version = values.requiredId('judge.version', given.version)
  if (!(sample >= 0 && sample <= 1))
    throw invalid(`judge.sample: expected a number from 0 to 1, got ${sample}`)
  between('judge.quietSeconds', quietSeconds, 0, MAX_QUIET_SECONDS)
  checkBudget(given.budget)
  const names = scoreNames ?? []
  if (names.length > MAX_AT_ONCE)
    throw invalid(`judge.scoreNames: expected at most ${MAX_AT_ONCE}, got ${names.length}`)
  for (const [index, one] of names.entries()) values.requiredId(`judge.scoreNames[${index}]`, one)
  checkFilters(given)
  const id = values.requiredId('judge.name and judge.version', `${name}@${version}`)
  const { judgements = null, tokens = null, dollars = null } = given.budget ?? {}
  const budget = { judgements, tokens, dollars }
  return { projectId, id, name, version, subject, sample, quietSeconds, scoreNames: names, budget }
}

/** @throws DomainError when there are conditions on things that the judge does not judge. */
const checkFilters = ({ subject, filters, threadFilters }: JudgeInput): void => {
  if (subject === 'THREADS' && filters != null && filters.length > 0)
    throw invalid('judge.filters: expected none for THREADS, whose conditions are threadFilters')
  if (subject === 'STEPS' && threadFilters != null && threadFilters.length > 0)
    throw invalid('judge.threadFilters: expected none for STEPS, whose conditions are filters')
}

export const between = (name: string, value: number, least: number, most: number): void => {
  if (!(value >= least && value <= most))
    throw invalid(`${name}: expected ${least} to ${most}, got ${value}`)
}
