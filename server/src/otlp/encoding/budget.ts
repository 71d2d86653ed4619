import { DomainError } from '../../kernel/errors.js'

/** Spans of one request. Exporters send some hundreds, collectors some thousands. */
const MAX_SPANS = 50_000
/** Approximate memory of a part besides its bytes. */
const COST = {
  status: 16,
  span: 800,
  // A log record is also held in the form in which it is stored, and may be a step of its own.
  log: 1600,
  event: 200,
  link: 300,
  attribute: 120,
  list: 60,
  // A resource or scope with its spans.
  group: 300,
  item: 16,
} as const
export type Part = keyof typeof COST

/** A request may take this many times its size, and in any case a minimum. */
const COST_A_BYTE = 16
const MIN_COST_ALLOWED = 16_000_000
/** One span is read without a pause: 50,000 attributes, where OpenTelemetry itself stops at 128. */
const MAX_COST_OF_SPAN = 6_000_000
/** Cost of reading before others get their turn. */
const COST_AT_ONCE = 2_000_000

/** Thrown while the part of a span is read for which there is no place. */
class SpanFull extends Error {}

/** Keeps spans from taking many times the memory of their request: an empty one is two bytes there. */
export class Budget {
  #left: number
  #spans = 0
  #ofSpan = 0
  #sinceTurn = 0
  #withheld = 0

  constructor(bytes: number) {
    this.#left = Math.max(MIN_COST_ALLOWED, bytes * COST_A_BYTE)
  }

  /** Begins a span, a resource or a scope, of which each may have so much. */
  begin(): void {
    this.#ofSpan = 0
    this.#withheld = 0
  }

  /** Returns true when no further attribute, event or link of the present span is read. */
  get isFull(): boolean {
    return this.#ofSpan > MAX_COST_OF_SPAN
  }

  /** The attributes, events and links of the present span that were not read. */
  get withheld(): number {
    return this.#withheld
  }

  /**
   * Reads an attribute, event or link, or leaves it out when it has no place in its span. Returns false then. A span
   * that is too large keeps all that came before, and no span beside it is lost.
   */
  admits(read: () => void): boolean {
    if (!this.isFull)
      try {
        read()
        return true
      } catch (error) {
        if (!(error instanceof SpanFull)) throw error
      }
    this.#withheld++
    return false
  }

  /**
   * Counts a part. Throws `TOO_LARGE` when it exceeds the budget of the request, and `SpanFull` when it exceeds that of
   * its span.
   */
  spend(part: Part): void {
    const cost = COST[part]
    if (part === 'span' || part === 'log') {
      this.#spans++
      if (this.#spans > MAX_SPANS)
        throw tooLarge(`expected at most ${MAX_SPANS} spans in one request`)
    }
    this.#left -= cost
    this.#sinceTurn += cost
    this.#ofSpan += cost
    if (this.#left < 0)
      throw tooLarge('expected fewer spans, attributes, events and links for its size')
    if (this.isFull && part !== 'status') throw new SpanFull()
  }

  /** Returns true when enough was read since the last time to give others their turn. */
  get isTurn(): boolean {
    if (this.#sinceTurn < COST_AT_ONCE) return false
    this.#sinceTurn = 0
    return true
  }
}

const tooLarge = (expected: string) =>
  new DomainError('TOO_LARGE', `body: ${expected}; send it in several parts`)
