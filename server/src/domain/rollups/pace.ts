import type { Instant } from '../../kernel/instant.js'
import { Resting } from '../../kernel/sharing/resting.js'
import type { MarkGroup } from '../../storage/rollups/marks.js'

/**
 * Keeps spans that took long to measure from being measured again at once: a write into one costs little, and has all of its
 * rows read again. They stay marked meanwhile, and are read from their rows.
 */
export class Pace {
  readonly #spans: Resting<MarkGroup & { start: Instant }>

  /** Takes the time that a span rests, as a multiple of the time that its measuring took. */
  constructor(factor: number) {
    this.#spans = new Resting(factor)
  }

  /** Lets a span rest that was measured just now. */
  rest(group: MarkGroup, start: Instant, tookMs: number): void {
    this.#spans.rest({ ...group, start }, tookMs)
  }

  /** Returns the spans of a group that rest. */
  resting({ projectId, source, seconds }: MarkGroup): Instant[] {
    return this.#spans
      .all()
      .filter((one) => one.projectId === projectId && one.source === source)
      .filter((one) => one.seconds === seconds)
      .map(({ start }) => start)
  }
}
