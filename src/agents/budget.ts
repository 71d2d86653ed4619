import { invalidArgument } from '../errors.js'
import { maxTokens } from './tokens.js'

const DEFAULT_BUDGET = 8000
/** Below it not even the head of an answer and the way to more would fit. */
const MIN_BUDGET = 200
const MAX_BUDGET = 1_000_000

/** The size of an answer. */
export interface Budgeted {
  /** The most tokens that the answer has, by the vocabularies of today's models: 200 to 1,000,000. Default: 8000. */
  budget?: number | undefined
}

export const budgetOf = ({ budget = DEFAULT_BUDGET }: Budgeted): number => {
  if (!Number.isInteger(budget) || budget < MIN_BUDGET || budget > MAX_BUDGET)
    throw invalidArgument(
      `budget: expected a whole number from ${MIN_BUDGET} to 1000000, got ${String(budget)}`,
    )
  return budget
}

/** Lines of an answer that together never have more tokens than a budget. */
export class Lines {
  readonly #lines: string[] = []
  #left: number

  constructor(budget: number) {
    this.#left = budget
  }

  /** Tokens that are left. */
  get left(): number {
    return this.#left
  }

  /** Adds lines, all of them or none. Returns false when they have no room. */
  add(...lines: readonly string[]): boolean {
    const tokens = lines.reduce((sum, line) => sum + costOf(line), 0)
    if (tokens > this.#left) return false
    this.#left -= tokens
    this.#lines.push(...lines)
    return true
  }

  /** Keeps tokens for lines that come later. */
  reserve(tokens: number): void {
    this.#left -= tokens
  }

  toString(): string {
    return this.#lines.join('\n')
  }
}

/** Returns the most tokens of a line with the break before it. */
export const costOf = (line: string): number => maxTokens(`\n${line}`)
