import { SpanStatusCode, trace } from '@opentelemetry/api'

/** Runs a scenario within a span of the application, which names the conversation and the user. */
export const within = (played, session, run) =>
  trace
    .getTracer('application')
    .startActiveSpan(
      'agent',
      { attributes: { 'session.id': session, 'user.id': played.user } },
      async (span) => {
        try {
          return await run()
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR })
          throw error
        } finally {
          span.end()
        }
      },
    )

/** Reads a stream to its end, or aborts one without an end after its fourth part. */
export const readAll = async (stream, scenario, abort) => {
  let parts = 0
  for await (const _ of stream) if (scenario.endless && ++parts === 4) abort()
}
