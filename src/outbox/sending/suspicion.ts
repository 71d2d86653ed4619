import { type Batch, dividedBatch } from '../batch.js'

// One batch that a firewall rejects, or that makes the service fail, must not hold up all behind it; and an outage of the
// service must not cost a step. A probe without content tells the two apart: a batch that fails while the service takes
// a probe is to blame. It is divided until the one step is found, which is tried apart from all others, and at last set
// aside where somebody answered each time.

/** Failures in a row after which a probe tells whether the batch or the service is what fails. */
const FAILURES_BEFORE_PROBE = 2
/** Failures beside a taken probe from which on a batch is divided, or tried apart from others. */
const SUSPECT_FROM = 2
/** Failures beside a taken probe after which a single step is set aside. */
export const MAX_BLAME = 16

const FIRST_MS = 200
const MAX_MS = 5000
/** A step that nobody answers is never set aside, only tried less often. */
const MAX_UNANSWERED_MS = 60_000

/** Whether the failures of a batch say nothing about the service any more. */
export const isSuspect = ({ blame }: Batch): boolean => blame >= SUSPECT_FROM

/** Whether a batch that failed waits for a probe. */
export const needsProbe = (batch: Batch): boolean =>
  isSuspect(batch) || batch.failures >= FAILURES_BEFORE_PROBE

/**
 * Blames a batch that failed while the service took something else, at a moment of the host's `elapsed`. Returns what to
 * send instead: its parts, or it alone after a while.
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
