// Every instrumentation of the lab that runs in Node, by the name that `lab/subjects.ts` has.
import { createRequire } from 'node:module'
import { watching } from './ai-sdk.js'
import { alone, instrumented as anthropic } from './anthropic.js'
import { instrumented as langchain } from './langchain.js'
import { wrapped } from './langfuse.js'
import { instrumented as openai } from './openai.js'

const require = createRequire(import.meta.url)

const registered = async (ai) => {
  const { OpenTelemetry } = await import('@ai-sdk/otel')
  ai.registerTelemetry(new OpenTelemetry({ runtimeContext: true, usage: true }))
}
const openInference = (name) => async () => {
  const { OpenInferenceBatchSpanProcessor } = await import(name)
  return (exporter) => new OpenInferenceBatchSpanProcessor({ exporter })
}
const openAIOf = (name, options) =>
  openai(() => {
    const { OpenAIInstrumentation } = require(name)
    return new OpenAIInstrumentation(options)
  })

export const WATCHED = {
  'ai 5': watching({
    load: () => import('ai5'),
    provider: () => import('openai-compatible-1'),
  }),
  'ai 6': watching({ load: () => import('ai6') }),
  'ai 7 with @ai-sdk/otel': watching({ load: () => import('ai7'), register: registered }),
  '@arizeai/openinference-vercel 2': watching({
    load: () => import('ai6'),
    processor: openInference('openinference-vercel-2'),
  }),
  '@arizeai/openinference-vercel 3': watching({
    load: () => import('ai7'),
    register: registered,
    processor: openInference('@arizeai/openinference-vercel'),
  }),
  '@opentelemetry/instrumentation-openai 0.21': openAIOf('@opentelemetry/instrumentation-openai', {
    captureMessageContent: true,
  }),
  '@traceloop/instrumentation-openai 0.27': openAIOf('@traceloop/instrumentation-openai', {
    traceContent: true,
  }),
  '@traceloop/instrumentation-openai 0.22': openAIOf('traceloop-openai-previous', {
    traceContent: true,
  }),
  '@arizeai/openinference-instrumentation-openai 4': openAIOf(
    '@arizeai/openinference-instrumentation-openai',
  ),
  '@arizeai/openinference-instrumentation-openai 3': openAIOf('openinference-openai-3'),
  '@langfuse/openai 5': wrapped(
    () => import('@langfuse/otel'),
    () => import('@langfuse/openai'),
    () => import('@langfuse/tracing'),
  ),
  '@langfuse/openai 4': wrapped(
    () => import('langfuse-otel-4'),
    () => import('langfuse-openai-4'),
    () => import('langfuse-tracing-4'),
  ),
  '@traceloop/instrumentation-anthropic 0.27': anthropic(() => {
    const { AnthropicInstrumentation } = require('@traceloop/instrumentation-anthropic')
    return new AnthropicInstrumentation({ traceContent: true })
  }),
  '@arizeai/openinference-instrumentation-anthropic 0.2': anthropic(() => {
    const { AnthropicInstrumentation } = require('@arizeai/openinference-instrumentation-anthropic')
    return new AnthropicInstrumentation()
  }),
  '@anthropic-ai/sdk 1': alone(() => import('anthropic-1')),
  '@traceloop/instrumentation-langchain 0.27': langchain((callbackManagerModule) => {
    const { LangChainInstrumentation } = require('@traceloop/instrumentation-langchain')
    const instrumentation = new LangChainInstrumentation({ traceContent: true })
    instrumentation.manuallyInstrument({ callbackManagerModule })
    return instrumentation
  }),
  '@arizeai/openinference-instrumentation-langchain 4': langchain((callbackManagerModule) => {
    const { LangChainInstrumentation } = require('@arizeai/openinference-instrumentation-langchain')
    const instrumentation = new LangChainInstrumentation()
    instrumentation.manuallyInstrument(callbackManagerModule)
    return instrumentation
  }),
}
