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

/** Members of a request that goes on where an answer ended. */
export type Next = Readonly<Record<string, string | number>>

/** An answer for an agent. */
export interface Answer {
  /** The answer. Recorded text is in quotes or fences, and a line labels it as data. */
  text: string
  /** The most tokens that the text has: at most the budget. */
  tokens: number
  /** Members of the request that continues the answer; null when nothing was cut that a second request would show. */
  next: Next | null
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
  #next: Next | null = null

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

  /** Adds a line if the last line of the answer still has room after it. */
  addBefore(last: string, line: string): boolean {
    return costOf(line) + costOf(last) <= this.#left && this.add(line)
  }

  /** Notes where the answer goes on. The first place counts. */
  goOn(next: Next): void {
    this.#next ??= next
  }

  answer(): Answer {
    const text = this.toString()
    return { text, tokens: maxTokens(text), next: this.#next }
  }

  toString(): string {
    return this.#lines.join('\n')
  }
}

/** Returns the most tokens of a line with the break before it. */
export const costOf = (line: string): number => maxTokens(`\n${line}`)
