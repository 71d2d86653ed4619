import { runtime } from '../../outbox/host.js'
import { seedOf } from '../data/canonical.js'
import { copyItem } from '../data/copy-item.js'
import type { Trial } from '../data/item.js'
import { messageOf, type Scored } from '../scoring/run-scorers.js'
import { pause } from '../service/pause.js'
import { afterSeconds } from './after-seconds.js'
import { LimitError, limitError, SECONDS, untilAborted } from './limits.js'
import {
  isQuotaUsed,
  isRateLimit,
  isTransient,
  readableError,
  retryAfterMs,
} from './rate-limits.js'
import type { TrialResult, TrialSetup } from './trial-setup.js'
import type { Usage } from './usage.js'

const ATTEMPTS = 3
const WAIT_MS = 500
const MAX_WAIT_MS = 60_000
/** The longest wait before an attempt after a failure, though a server asks for more. */
const MAX_ASKED_MS = 120_000
/** Seconds for which refusals are repeated, at most. */
const REFUSED_SECONDS = 600
/** The shortest wait after the first refusal, and the most that it grows to with each further one. */
const LEAST_WAIT_MS = 5
const MAX_LEAST_WAIT_MS = 1000

/** An attempt of the task, with everything that it used. */
type Attempt = Omit<TrialResult, keyof Scored> & { usage: Usage }

/** Runs the task until it succeeds, or fails for good. */
export const runTask = async (
  setup: TrialSetup,
  trial: Trial,
  signal: AbortSignal,
): Promise<Attempt> => {
  const { retry, concurrency } = setup
  const { attempts = ATTEMPTS, waitMs = WAIT_MS, when = isTransient } = retry
  const { seconds = SECONDS } = setup.limits
  let failures = 0
  let refusedAt: number | undefined
  for (let refusals = 0; ; ) {
    const attempt = await attemptTask(setup, trial, failures + 1, signal)
    signal.throwIfAborted()
    if (!('error' in attempt)) {
      concurrency.succeed()
      return attempt
    }
    const { error, ...rest } = attempt
    const failed = { ...rest, failure: messageOf(error) }
    if (error instanceof LimitError || isQuotaUsed(error)) return failed
    if (isRateLimit(error)) {
      refusedAt ??= runtime.elapsed()
      const backoff = Math.min(MAX_WAIT_MS, waitMs * 2 ** refusals++)
      const least = Math.min(MAX_LEAST_WAIT_MS, LEAST_WAIT_MS * refusals)
      const asked = Math.max(least, retryAfterMs(error) ?? backoff)
      const mostMs = Math.min(seconds, REFUSED_SECONDS) * 1000
      if (runtime.elapsed() + asked - refusedAt > mostMs)
        return {
          ...failed,
          failure: `refused for too many requests, beyond ${mostMs / 1000} seconds: ${failed.failure}`,
        }
      concurrency.refuse(asked)
      // Not all at the same moment.
      await pause(asked * (1 + Math.random() / 4), signal)
    } else {
      if (++failures >= attempts || !when(error)) return failed
      const backoff = Math.min(MAX_WAIT_MS, waitMs * 2 ** (failures - 1))
      const asked = Math.min(MAX_ASKED_MS, retryAfterMs(error) ?? backoff)
      await pause(asked * (0.75 + Math.random() / 2), signal)
    }
    signal.throwIfAborted()
  }
}

const attemptTask = async (
  { stepwell, task, seed, limits, meter, isPriced }: TrialSetup,
  { item, repetition }: Trial,
  attempt: number,
  outer: AbortSignal,
): Promise<Attempt | (Attempt & { error: unknown })> => {
  const step = stepwell.experimentItemRun({ input: item.input })
  const { seconds = SECONDS } = limits
  const inner = new AbortController()
  const cancel = afterSeconds(seconds, () =>
    inner.abort(new LimitError(`the item took more than ${seconds} seconds`)),
  )
  const forward = () => inner.abort(outer.reason)
  outer.addEventListener('abort', forward)
  const usage = meter.begin(step.id, () => {
    if (inner.signal.aborted) return
    const error = limitError(limits, usage, isPriced)
    if (error !== undefined) inner.abort(error)
  })
  const context = {
    signal: inner.signal,
    seed: seedOf(seed, item.key, repetition),
    repetition,
    attempt,
    stepwell,
  }
  const begun = performance.now()
  const end = (rest: { output: unknown } | { error: unknown }) => ({
    output: undefined,
    failure: undefined,
    ...rest,
    runId: step.id,
    durationMs: performance.now() - begun,
    tokens: usage.tokens,
    cost: meter.isPriced && usage.unpriced === undefined ? usage.dollars : null,
    usage: { ...usage },
  })
  try {
    if (outer.aborted) forward()
    const output = await step.wrap(() =>
      untilAborted(async () => task(copyItem(item), context), inner.signal),
    )
    return end({ output })
  } catch (error) {
    return end({ error: readableError(error) })
  } finally {
    cancel()
    outer.removeEventListener('abort', forward)
    meter.end(step.id)
  }
}
