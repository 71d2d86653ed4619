import type { Outcome } from '../answer.js'
import type { Host } from '../host.js'
import type { Outbox } from '../outbox.js'

/** Rounds in a row that bring nothing, after which there is no point in another one. */
const MAX_IDLE_ROUNDS = 3

/**
 * Delivers while nothing else can run, in rounds: a batch that is refused, or that fails while others are taken, is divided,
 * and its parts are sent in the next one.
 */
export const deliverAll = (
  outbox: Outbox,
  isDone: () => boolean,
  send: (bodies: Uint8Array[], timeoutMs: number) => (Outcome | undefined)[],
  host: Host,
  timeoutMs: number,
): void => {
  const deadline = host.elapsed() + timeoutMs
  for (let idle = 0; idle < MAX_IDLE_ROUNDS && !isDone() && host.elapsed() < deadline; ) {
    const leased = outbox.leaseBodies()
    const bodies = leased.map(({ body }) => body)
    const outcomes = bodies.length === 0 ? [] : send(bodies, deadline - host.elapsed())
    let hasProgress = false
    let isServiceAway = false
    for (const [index, { batch }] of leased.entries()) {
      const outcome = outcomes[index]
      if (outcome === undefined) {
        outbox.nack([batch], `no answer within ${timeoutMs} ms`)
        isServiceAway = true
      } else if (outcome.kind !== 'failed') {
        outbox.ack(batch, outcome)
        hasProgress = true
      } else if (outcome.isOfService) {
        outbox.nack([batch], outcome.message)
        isServiceAway = true
      } else if (outbox.nackInParts(batch, outcome.message)) hasProgress = true
    }
    if (isServiceAway) return
    idle = hasProgress ? 0 : idle + 1
  }
}
