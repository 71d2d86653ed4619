// The client of OpenAI in the wrapper of Langfuse, whose spans any service of OpenTelemetry may have.
import { createRequire } from 'node:module'
import { converse } from './openai.js'

const require = createRequire(import.meta.url)

/** Watches the client with the modules of one version of Langfuse. */
export const wrapped = (loadOtel, loadOpenAI, loadTracing) => async () => {
  const { LangfuseSpanProcessor } = await loadOtel()
  return {
    processor: (exporter) => new LangfuseSpanProcessor({ exporter, shouldExportSpan: () => true }),
    start: async ({ modelUrl, played }) => {
      const { observeOpenAI } = await loadOpenAI()
      const { propagateAttributes, startActiveObservation } = await loadTracing()
      const { OpenAI } = require('openai')
      const client = new OpenAI({ apiKey: 'k', baseURL: `${modelUrl}/v1`, maxRetries: 0 })
      return (scenario, sessionId) =>
        startActiveObservation('agent', () =>
          propagateAttributes({ sessionId, userId: played.user }, () =>
            converse(observeOpenAI(client), played, scenario),
          ),
        )
    },
  }
}
