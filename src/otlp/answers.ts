import { isJson, type Json, parsed } from '../model-calls/json.js'
import type { Answer } from '../outbox/sending/http-post.js'

/** Converts an answer about spans to the one of the service with the same meaning. */
export type Understand = (answer: Answer) => Answer

/** Items of a request, and more. */
const MAX_REJECTED = 100_000

/** Understands a collector, of any vendor: anything but an error says that it took the spans. */
export const ofCollector =
  (report: (message: string) => void): Understand =>
  (answer) => {
    if (!isTaken(answer)) return failureOf(answer)
    const { count, message } = rejectionOf(parsed(answer.text))
    if (count === 0) return taken(answer, [])
    report(`it rejected ${count} spans: ${message}`)
    // The numbers are right. A collector does not say which spans they are about, and may store a repeated one twice.
    const why = `one of ${count} spans of a request that are rejected without their names: ${message}`
    const refused = Array.from({ length: Math.min(count, MAX_REJECTED) }, (_, index) => ({
      index,
      message: why,
    }))
    return taken(answer, refused)
  }

/**
 * Understands the service itself: its answers are JSON, and a span that comes again is stored once. A request of which it
 * rejects spans is therefore divided until each of them stands alone.
 */
export const ofService: Understand = (answer) => {
  if (!isTaken(answer)) return failureOf(answer)
  const body = parsed(answer.text)
  // A page of somebody else, as of a proxy that wants a password.
  if (!isJson(body)) return { ...answer, text: '' }
  const { count, message } = rejectionOf(body)
  return count === 0 ? taken(answer, []) : rejected(answer, message)
}

const isTaken = ({ status }: Answer): boolean => status >= 200 && status < 300

const taken = (answer: Answer, refused: readonly Json[]): Answer => ({
  ...answer,
  status: 200,
  text: JSON.stringify({ data: { ingestSteps: { refused, refusedThreads: [] } } }),
})

const rejected = (answer: Answer, message: string): Answer => ({
  ...answer,
  status: 400,
  text: JSON.stringify({ errors: [{ message }] }),
})

/** All but a bad request is tried again: a gateway or an overload. */
const failureOf = (answer: Answer): Answer =>
  answer.status === 400
    ? rejected(answer, `status 400${shortOf(answer.text)}`)
    : { ...answer, text: '' }

const rejectionOf = (body: unknown): { count: number; message: string } => {
  const partial = isJson(body) && isJson(body.partialSuccess) ? body.partialSuccess : {}
  const count = Number(partial.rejectedSpans ?? 0)
  return { count: count > 0 ? Math.ceil(count) : 0, message: String(partial.errorMessage ?? '') }
}

const shortOf = (text: string): string => {
  const body = parsed(text)
  return isJson(body) && typeof body.message === 'string' ? `: ${body.message.slice(0, 500)}` : ''
}
