// An application that an instrumentation watches, which standard input names. It plays every scenario in a conversation of
// its own, and says on standard output when all of a scenario is exported. Its arguments: the address of the model, that
// of the service, and a key.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { logs } from '@opentelemetry/api-logs'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { WATCHED } from './watched/all.js'

const [, , modelUrl, serviceUrl, apiKey] = process.argv
const played = JSON.parse(readFileSync(new URL('scenarios.json', import.meta.url), 'utf8'))
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const { value: name } = await lines.next()
const watched = await WATCHED[name]()

const headers = { 'x-api-key': apiKey }
const exporter = new OTLPTraceExporter({ url: `${serviceUrl}/v1/traces`, headers })
const processor = watched.processor?.(exporter) ?? new BatchSpanProcessor(exporter)
const tracerProvider = new NodeTracerProvider({ spanProcessors: [processor] })
tracerProvider.register()
const logExporter = new OTLPLogExporter({ url: `${serviceUrl}/v1/logs`, headers })
const loggerProvider = new LoggerProvider({
  processors: [new BatchLogRecordProcessor({ exporter: logExporter })],
})
logs.setGlobalLoggerProvider(loggerProvider)

const play = await watched.start({ modelUrl, played, tracerProvider, loggerProvider })
for (const scenario of played.scenarios) {
  const session = `${name}: ${scenario.name}`
  await play(scenario, session).catch((error) => {
    if (!scenario.error && !scenario.endless) throw error
  })
  await tracerProvider.forceFlush()
  await loggerProvider.forceFlush()
  // The one who listens has read what was exported before it lets the next scenario begin.
  process.stdout.write(`${scenario.name}\n`)
  await lines.next()
}
process.stdout.write('end 0\n', () => process.exit(0))
