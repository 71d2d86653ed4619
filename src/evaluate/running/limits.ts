import type { ItemUsage, Usage } from './usage.js'

/** Seconds of an attempt without a limit of its own. */
export const SECONDS = 600

/** Limits of an item; the task, or its scorers, are aborted once it exceeds one, and the item fails. */
export interface ItemLimits {
  /**
   * Seconds of an attempt of the task, of its scorers after it, and of the repetition of refusals for too many requests.
   * Default: 600.
   */
  seconds?: number | undefined
  /** Tokens of the recorded calls of models, those of its scorers among them. */
  tokens?: number | undefined
  /** Recorded steps of the task and of the scorers, without the item's own run. */
  steps?: number | undefined
  /** Dollars of the recorded calls of models. Needs `prices`: a call of a model that it does not name fails the item. */
  dollars?: number | undefined
}

/** Limits of the whole run; once one is reached, no further item starts. */
export interface RunBudget extends Omit<ItemLimits, 'seconds'> {
  /** Seconds of the run. Items that are under way then are given back, and have no result. */
  seconds?: number | undefined
  /** Items that this process runs, each repetition counted. */
  items?: number | undefined
}

/** An item that exceeded a limit. It is not tried again. */
export class LimitError extends Error {
  override readonly name = 'LimitError'
}

/** Returns which limit is exceeded, in words; `undefined` when none is. */
export const exceeded = (
  limits: Pick<ItemLimits, 'tokens' | 'steps' | 'dollars'>,
  usage: Usage,
): string | undefined => {
  for (const unit of ['tokens', 'steps', 'dollars'] as const) {
    const most = limits[unit]
    if (most !== undefined && usage[unit] > most)
      return `more than ${most} ${unit} (${round(usage[unit])})`
  }
  return undefined
}

const round = (value: number): number => Math.round(value * 10_000) / 10_000

/** Returns the error of an item that exceeds its limits; `undefined` when it does not. */
export const limitError = (
  limits: Pick<ItemLimits, 'tokens' | 'steps' | 'dollars'>,
  usage: ItemUsage,
  isPriced: boolean,
): LimitError | undefined => {
  const reason = exceeded(limits, usage)
  if (reason !== undefined) return new LimitError(`the item took ${reason}`)
  return isPriced && usage.unpriced !== undefined
    ? new LimitError(
        `prices has none of the model ${usage.unpriced}, and there is a limit in dollars`,
      )
    : undefined
}

/**
 * Runs work until it ends or a signal is aborted, and rejects with the reason of the abort then: work that ignores the
 * signal goes on, but nobody waits for it.
 */
export const untilAborted = <Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) {
      abort()
      return
    }
    signal.addEventListener('abort', abort, { once: true })
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })
