import { type Batch, dividedBatch } from '../batch.js'

// A batch that a firewall rejects, or that makes the service fail, must not hold up all others; and an outage of the
// service must not cost a step. An empty probe tells the two apart: a batch that fails while the service accepts a
// probe is to blame. It is divided until the one step is found, which is tried apart from all others, and finally
// dropped if each attempt was answered.

/** Failures in a row after which a probe decides if the batch or the service is at fault. */
const FAILURES_BEFORE_PROBE = 2
/** Failures beside a successful probe after which a batch is divided, or tried apart from others. */
const SUSPECT_FROM = 2
/** Failures beside a successful probe after which a single step is dropped. */
export const MAX_BLAME = 16

const FIRST_MS = 200
const MAX_MS = 5000
/** A step without any answer is never dropped, only tried less often. */
const MAX_UNANSWERED_MS = 60_000

/** Returns true when the failures of a batch no longer count against the service. */
export const isSuspect = ({ blame }: Batch): boolean => blame >= SUSPECT_FROM

/** Returns true when a failed batch waits for a probe. */
export const needsProbe = (batch: Batch): boolean =>
  isSuspect(batch) || batch.failures >= FAILURES_BEFORE_PROBE

/**
 * Blames a batch that failed while the service accepted something else, at a time of the host's `elapsed`. Returns the
 * batches to send instead: its parts, or itself after a while.
 */
export const blamed = (batch: Batch, now: number): Batch[] => {
  batch.blame++
  batch.failures = 0
  if (!isSuspect(batch)) return [batch]
  const parts = dividedBatch(batch)
  if (parts.length > 1) {
    for (const part of parts) {
      part.blame = SUSPECT_FROM - 1
      part.failures = FAILURES_BEFORE_PROBE - 1
    }
    return parts
  }
  const most = batch.blame > MAX_BLAME ? MAX_UNANSWERED_MS : MAX_MS
  batch.notBefore = now + Math.min(FIRST_MS * 2 ** Math.min(batch.blame - 1, 20), most)
  return parts
}
