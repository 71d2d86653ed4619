/** Returns a function that runs work as an active span of an OpenTelemetry tracer. */
export const spanning = (tracer) => (title, attributes, work) =>
  tracer.startActiveSpan(title, { attributes }, (span) => {
    const result = work()
    span.end()
    return result
  })
