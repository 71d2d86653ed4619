import type { JudgeBudgetInput } from '../../../generated/resolvers.js'
import { invalid } from '../../kernel/errors.js'
import type { Reserved } from '../../storage/judges/items.js'
import type { JudgeRow, JudgeUsageRow } from '../../storage/judges/judges.js'

type Unit = 'tokens' | 'dollars'

/** The leases that a budget allows. */
export interface Allowance {
  leases: number
  /** True when the budget of the day is used up; false while judgements under way may leave some of it. */
  isSpent: boolean
  /** The usage to reserve for each lease; null while no judgement has told. */
  tokens: number | null
  dollars: number | null
}

/** @throws DomainError when a limit is none. */
export const checkBudget = (budget: JudgeBudgetInput | null | undefined): void => {
  for (const [name, limit] of Object.entries(budget ?? {}))
    if (limit !== null && limit !== undefined && !(limit >= 0))
      throw invalid(`judge.budget.${name}: expected a number of 0 or more, got ${limit}`)
}

/**
 * Returns how many of some leases a budget allows. A judgement's cost is known only afterwards, so each lease reserves the
 * mean of those before; the first one goes alone.
 */
export const allowanceOf = (
  budget: JudgeBudgetInput | null | undefined,
  wanted: number,
  judge: Pick<JudgeRow, 'judged' | 'tokens' | 'dollars'>,
  used: JudgeUsageRow,
  reserved: Reserved,
): Allowance => {
  const meanOf = (unit: Unit) => (judge.judged === 0 ? null : judge[unit] / judge.judged)
  const allowance: Allowance = {
    leases: wanted,
    isSpent: false,
    tokens: meanOf('tokens'),
    dollars: meanOf('dollars'),
  }
  const allow = (leases: number, isSpent: boolean) => {
    allowance.leases = Math.max(0, Math.min(allowance.leases, leases))
    allowance.isSpent ||= isSpent
  }
  if (budget?.judgements != null) {
    const left = budget.judgements - used.judgements
    allow(left, left <= 0)
  }
  for (const unit of ['tokens', 'dollars'] as const) {
    const limit = budget?.[unit]
    if (limit == null) continue
    const left = limit - used[unit]
    const mean = allowance[unit]
    if (left <= 0) allow(0, true)
    else if (mean === null) allow(reserved.count > 0 ? 0 : 1, false)
    else if (mean > 0)
      allow(Math.floor((left - reserved[unit]) / mean), left < mean && reserved.count === 0)
  }
  return allowance
}
