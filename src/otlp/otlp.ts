import type { Exporter } from '../tracing/recording/exporters.js'
import { VERSION } from '../version.js'
import { ofCollector } from './answers.js'
import { createSpanDelivery } from './delivery.js'
import { SpanOutbox } from './outbox.js'
import { requestWriter } from './request.js'
import { checkOptions, endpointOf, headersOf, type OtlpOptions, resourceOf } from './settings.js'

/**
 * Makes an exporter of everything that a client records, as spans, to any collector that accepts OTLP/HTTP with JSON: an
 * OpenTelemetry Collector, or a vendor's endpoint. Spans follow OpenTelemetry's conventions for generative AI.
 *
 * @returns an exporter for the option `exporters` of a client.
 * @throws `INVALID_ARGUMENT` when an option is invalid.
 * @example
 * import { StepwellClient } from 'stepwell'
 * import { otlp } from 'stepwell/otlp'
 * const stepwell = new StepwellClient({ exporters: [otlp({ url: 'http://localhost:4318/v1/traces' })] })
 */
export const otlp = (options: OtlpOptions = {}): Exporter => {
  checkOptions(options)
  const url = endpointOf(options)
  const headers = headersOf(options)
  const { name = new URL(url).host, content = true } = options
  return {
    name,
    createDelivery: ({ report: tell, ...setup }) => {
      const report = (message: string) => tell(`${name}: ${message}`)
      const resource = resourceOf(options, setup.release)
      const write = requestWriter(resource, { name: 'stepwell', version: VERSION }, content)
      const target = { url, headers, fetch: undefined, understand: ofCollector(report), write }
      const delivery = createSpanDelivery(target, { ...setup, report })
      return { ...delivery, outbox: new SpanOutbox(delivery.outbox).asSink() }
    },
  }
}
