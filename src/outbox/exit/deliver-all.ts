import type { Host } from '../host.js'
import type { Outbox } from '../outbox.js'
import type { Outcome } from '../sending/answer.js'

/** Rounds in a row that bring nothing, after which there is no point in another one. */
const MAX_IDLE_ROUNDS = 3
/** Rounds in a row in which the service says that it fails, and takes nothing: a few steps may be all that it means at first. */
const MAX_FAILED_ROUNDS = 3

/**
 * Delivers while nothing else can run, in rounds: a batch that is refused, or that fails while others are taken, is divided,
 * and its parts are sent in the next one. When it `isEnd`, the service is also told that the session ends, and of all losses.
 */
export const deliverAll = (
  outbox: Outbox,
  isEnd: boolean,
  send: (bodies: Uint8Array[], timeoutMs: number) => (Outcome | undefined)[],
  host: Host,
  timeoutMs: number,
): void => {
  const isDone = () => (isEnd ? outbox.isFinished : outbox.isEmpty)
  const deadline = host.elapsed() + timeoutMs
  let failed = 0
  for (let idle = 0; idle < MAX_IDLE_ROUNDS && !isDone() && host.elapsed() < deadline; ) {
    // Again, as the answers of a round may leave something to tell.
    if (isEnd) outbox.markEnd()
    const leased = outbox.leaseBodies()
    const bodies = leased.map(({ body }) => body)
    const outcomes = bodies.length === 0 ? [] : send(bodies, deadline - host.elapsed())
    let hasProgress = false
    let isTaken = false
    let isServiceFailing = false
    let isServiceAway = false
    for (const [index, { batch }] of leased.entries()) {
      const outcome = outcomes[index]
      if (outcome === undefined) {
        outbox.nack([batch], `no answer within ${timeoutMs} ms`)
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
