import { observeOpenAI } from '@langfuse/openai'
import { LangfuseSpanProcessor } from '@langfuse/otel'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

export const create = async ({ openAI, url }) => {
  const processor = new LangfuseSpanProcessor({ publicKey: 'pk', secretKey: 'sk', baseUrl: url })
  new NodeTracerProvider({ spanProcessors: [processor] }).register()
  return { openai: observeOpenAI(openAI()), flush: () => processor.forceFlush() }
}
