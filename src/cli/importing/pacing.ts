import { StepwellError } from '../../errors.js'

/** Returns the milliseconds that an answer asks to wait; undefined when it says nothing. */
const askedWait = (headers: Headers): number | undefined => {
  const given = headers.get('retry-after')
  if (given === null) return undefined
  const seconds = Number(given)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(given) - Date.now()
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

const PASSING = new Set([408, 425, 429, 500, 502, 503, 504])
/** Tells whether the same request may be answered otherwise later. */
export const isPassing = (status: number): boolean => PASSING.has(status)
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000
const TIMEOUT_MS = 120_000

export interface Pacing {
  /** The longest time in a row in which a request is repeated, in milliseconds. */
  patienceMs: number
  /** Hears of each wait that is worth a line. */
  onWait: (line: string) => void
  /** True for a request of which a repetition would do the same again: then only an answer that says so is repeated. */
  isOnce?: (body: unknown) => boolean
  /** Reads an answer to its end, so that one that breaks off in the middle is none. */
  whole?: (answer: Response) => Promise<Response>
  /** The way of redirects. By default they are rejected, as they would carry a key elsewhere. */
  redirect?: RequestRedirect
}

/**
 * Makes a `fetch` that repeats requests until they are answered: after the time that a 429 or 503 asks for, and with growing
 * waits when there is no answer.
 */
export const pacedFetch =
  ({ patienceMs, onWait, isOnce = () => false, whole = read, redirect = 'manual' }: Pacing) =>
  async (url: string, init: RequestInit = {}): Promise<Response> => {
    const isUnsafe = isOnce(init.body)
    const began = Date.now()
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      let reason: string
      let asked: number | undefined
      let failure: unknown
      let answer: Response | undefined
      try {
        answer = await whole(
          await fetch(url, {
            redirect,
            ...init,
            signal: AbortSignal.timeout(TIMEOUT_MS),
          }),
        )
        if (!isPassing(answer.status) || (isUnsafe && answer.status !== 429)) return answer
        asked = askedWait(answer.headers)
        reason = `status ${answer.status}`
      } catch (error) {
        if (isUnsafe) throw error
        failure = error
        reason = reasonOf(error)
      }
      const pause = Math.max(asked ?? wait, asked === 0 ? 1 : 0)
      if (Date.now() - began + pause > patienceMs) {
        if (answer !== undefined) return answer
        throw new StepwellError(`no answer from ${new URL(url).origin}: ${reason}`, {
          code: 'NETWORK',
          cause: failure,
        })
      }
      if (pause >= 1000)
        onWait(`${new URL(url).host} answers with ${reason}: waiting ${Math.ceil(pause / 1000)} s`)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }

/** Statuses that have no body. */
const EMPTY = new Set([101, 204, 205, 304])

const read = async (answer: Response): Promise<Response> => {
  const { status, headers } = answer
  const body = await answer.arrayBuffer()
  return new Response(EMPTY.has(status) ? null : body, { status, headers })
}

const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error
  const inner = cause as NodeJS.ErrnoException | undefined
  return inner?.code ?? (inner?.message || message)
}
