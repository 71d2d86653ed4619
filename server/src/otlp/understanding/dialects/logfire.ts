// Logfire writes the answer of a stream as a moment at its end, and the seconds that it took beside it.
import type { Span } from '../../span.js'

const NANOSECONDS = 1e9

/** Returns the start of a span, in nanoseconds since 1970: of a moment that says how long it took, the start of that. */
export const startOf = ({ attributes, startTimeUnixNano: start, endTimeUnixNano: end }: Span) => {
  const seconds = attributes.get('duration')
  const isMoment = attributes.get('logfire.span_type') === 'log' && start === end
  if (!isMoment || typeof seconds !== 'number' || !(seconds > 0)) return start
  const before = BigInt(Math.round(Math.min(seconds * NANOSECONDS, Number.MAX_SAFE_INTEGER)))
  return before < start ? start - before : start
}
