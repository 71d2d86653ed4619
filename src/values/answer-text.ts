import { StepwellError } from '../errors.js'

/** The part of the platform's `Response` that is read. */
interface Answered {
  readonly body?: unknown
  arrayBuffer?(): Promise<ArrayBuffer>
  text?(): Promise<string>
  json?(): Promise<unknown>
}

/**
 * @internal Reads the text of an answer. Throws `TOO_LARGE` when it has more bytes: one without an end would take all
 * memory before its time is over. Each part is awaited through `race`, which may reject earlier.
 */
export const answerText = async (
  response: Answered,
  most: number,
  race: <Value>(part: Promise<Value>) => Promise<Value>,
): Promise<string> => {
  const decoder = new TextDecoder()
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader?.()
  // The answers of a custom `fetch`, or of one that a test puts in its place, may be no streams, and have one of these alone.
  if (!reader)
    return race(
      Promise.resolve(
        response.arrayBuffer?.().then((bytes) => decoder.decode(bytes)) ??
          response.text?.() ??
          response.json?.().then(JSON.stringify) ??
          '',
      ),
    )
  let text = ''
  let length = 0
  try {
    for (;;) {
      const { done, value } = await race(reader.read())
      if (done) return text + decoder.decode()
      length += value.length
      if (length > most)
        throw new StepwellError(`the answer is longer than ${most} bytes`, { code: 'TOO_LARGE' })
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
