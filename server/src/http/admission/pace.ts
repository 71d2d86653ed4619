import { DomainError } from '../../kernel/errors.js'

export interface PaceLimits {
  /** Bytes that have to arrive in a second, on average. */
  bodyBytesPerSecond: number
  /** Time that a body may take, in milliseconds, at any speed. */
  bodyMs: number
}

/** Time after which the required pace applies. */
const GRACE_MS = 10_000

/** A refusal of a body that arrives too slowly; its connection cannot be used any more. */
export class TooSlow extends DomainError {
  constructor({ bodyBytesPerSecond, bodyMs }: PaceLimits) {
    super(
      'BAD_REQUEST',
      `body: expected at least ${bodyBytesPerSecond} bytes a second, and all of it within ${bodyMs / 1000} s`,
    )
  }
}

export interface Pace {
  count: (bytes: number) => void
  /** Rejects when the body is too slow; never resolves. */
  tooSlow: Promise<never>
  stop: () => void
}

/** Watches the pace at which a body arrives. */
export const watchPace = (limits: PaceLimits): Pace => {
  const begin = performance.now()
  let came = 0
  let timer: NodeJS.Timeout
  let fail: (error: TooSlow) => void
  const tooSlow = new Promise<never>((_, reject) => {
    fail = reject
  })
  tooSlow.catch(() => undefined)
  const look = () => {
    const passedMs = performance.now() - begin
    const expected = (limits.bodyBytesPerSecond * passedMs) / 1000
    if (passedMs >= limits.bodyMs || came < expected) return fail(new TooSlow(limits))
    timer = setTimeout(look, Math.min(GRACE_MS, limits.bodyMs))
  }
  timer = setTimeout(look, Math.min(GRACE_MS, limits.bodyMs))
  return {
    count: (bytes) => {
      came += bytes
    },
    tooSlow,
    stop: () => clearTimeout(timer),
  }
}
