// The entry point for OpenTelemetry: recorded steps to collectors, and spans of other tracers to the service.

export type { Exporter } from '../tracing/recording/exporters.js'
export { otlp } from './otlp.js'
export type { ReadableSpan, SpanResource, SpanScope } from './readable-span.js'
export type { OtlpOptions } from './settings.js'
export { type SpanProcessorOptions, StepwellSpanProcessor } from './span-processor.js'
