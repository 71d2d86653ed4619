import type { Instant } from '../../kernel/instant.js'
import type { JudgeUsageRow } from '../../storage/judges/judges.js'

/** Leases of an item that may end without a result. */
export const MAX_ATTEMPTS = 5

/** Items that one request leases or stores. */
export const MAX_AT_ONCE = 100

/** Adds nothing to the counters of a judge. */
export const NOTHING = { judged: 0, failed: 0, expired: 0, tokens: 0, dollars: 0, lastError: null }

export const NO_USAGE: JudgeUsageRow = { judgements: 0, tokens: 0, dollars: 0 }

/** Returns the day of a budget. */
export const dayOf = (now: Instant): string => now.slice(0, 10)
