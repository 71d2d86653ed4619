import { plural } from '../../format/number.js'
import type { useQueue } from './queue.js'

/** Announces the end of the queue, as far as it was read. */
export const QueueEnd = ({
  queue,
  doneCount,
  names,
  noun,
}: {
  queue: ReturnType<typeof useQueue>
  /** The number of items that were judged here. */
  doneCount: number
  names: readonly string[]
  /** The noun for an item: `step` or `conversation`. */
  noun: string
}) => (
  <div className="empty">
    <p>
      {queue.items.length === 0
        ? `No ${noun} matches the filter. Widen it above.`
        : `${queue.hasMore ? 'The first' : 'All'} ${plural(queue.items.length, noun)} of the queue are judged.`}
    </p>
    {doneCount > 0 && (
      <p>
        You judged {plural(doneCount, noun)} by {names.join(', ')}.
      </p>
    )}
    {queue.hasMore ? (
      <button type="button" className="button primary" onClick={queue.goOn}>
        Look further
      </button>
    ) : (
      <button type="button" className="button" onClick={queue.restart}>
        Read the queue again
      </button>
    )}
  </div>
)
