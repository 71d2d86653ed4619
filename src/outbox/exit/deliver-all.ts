import type { Host } from '../host.js'
import type { Outbox } from '../outbox.js'
import type { Outcome } from '../sending/answer.js'

/** Rounds in a row without any success, after which another one is pointless. */
const MAX_IDLE_ROUNDS = 3
/** Rounds in a row in which the service fails and stores nothing: at first, that may concern only a few steps. */
const MAX_FAILED_ROUNDS = 3

/**
 * How far a delivery goes while nothing else can run. `flush`: everything recorded is settled. `exit`: losses are
 * reported too, and the end of the session with the rest, as it is not worth a request of its own then. `close`: the
 * end as well.
 */
export type Extent = 'flush' | 'exit' | 'close'

/**
 * Delivers while nothing else can run, in rounds: a batch that is refused, or that fails while others are stored, is
 * divided, and its parts are sent in the next round.
 */
export const deliverAll = (
  outbox: Outbox,
  extent: Extent,
  send: (bodies: Uint8Array[], timeoutMs: number) => (Outcome | undefined)[],
  host: Host,
  timeoutMs: number,
): void => {
  const isDone = () => {
    if (extent === 'close') return outbox.isFinished
    return outbox.isEmpty && (extent === 'flush' || !outbox.hasUntoldLosses)
  }
  const deadline = host.elapsed() + timeoutMs
  let failed = 0
  for (let idle = 0; idle < MAX_IDLE_ROUNDS && !isDone() && host.elapsed() < deadline; ) {
    // Again, as the answers of a round may have changed what to report.
    if (extent !== 'flush') outbox.markEnd()
    const leased = outbox.leaseBodies()
    const bodies = leased.map(({ body }) => body)
    let outcomes: (Outcome | undefined)[] = []
    let problem = `no answer within ${Math.round(timeoutMs)} ms`
    try {
      if (bodies.length > 0) outcomes = send(bodies, deadline - host.elapsed())
    } catch (error) {
      // Such as a permission model that allows no threads.
      problem = String(error)
    }
    let hasProgress = false
    let isTaken = false
    let isServiceFailing = false
    let isServiceAway = false
    for (const [index, { batch }] of leased.entries()) {
      const outcome = outcomes[index]
      if (outcome === undefined) {
        outbox.nack([batch], problem)
        isServiceAway = true
      } else if (outcome.kind !== 'failed') {
        outbox.ack(batch, outcome)
        isTaken = true
      } else {
        isServiceFailing ||= outcome.isOfService
        if (outbox.nackInParts(batch, outcome.message)) hasProgress = true
      }
    }
    failed = isServiceFailing && !isTaken ? failed + 1 : 0
    if (isServiceAway || failed >= MAX_FAILED_ROUNDS) return
    hasProgress ||= isTaken
    idle = hasProgress ? 0 : idle + 1
  }
}
