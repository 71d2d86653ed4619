import type { Domain } from '../../domain/domain.js'
import type { Caller } from '../../kernel/caller.js'

/**
 * Answers with the events of a model's answer as they arrive, each a line of JSON. The call ends when nobody reads the
 * answer any more.
 */
export const callModel = async (
  domain: Domain,
  caller: Caller,
  body: Record<string, unknown>,
): Promise<Response> => {
  const ended = new AbortController()
  const events = await domain.modelEndpoints.call(caller, body, ended.signal)
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await events.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
      },
      async cancel() {
        ended.abort()
        await events.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(stream, {
    headers: {
      'content-type': 'application/x-ndjson; charset=utf-8',
      'cache-control': 'no-store',
      // A proxy that collects an answer would show nothing until its end.
      'x-accel-buffering': 'no',
    },
  })
}
