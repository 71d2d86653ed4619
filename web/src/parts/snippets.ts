/** Snippets that record data, with the address of this service. */
export const typescriptSnippet = (url: string): string => `npm install stepwell

import { StepwellClient } from 'stepwell'

const stepwell = new StepwellClient({ apiUrl: '${url}', apiKey: process.env.STEPWELL_API_KEY })
await stepwell.thread({ name: 'A first conversation', participantId: 'ada' }).wrap(() =>
  stepwell.trace('agent', async (step) => {
    step.input = { question: 'Where is my order?' }
    return { answer: 'On its way' }
  }),
)
await stepwell.flush()
`

export const legacySnippet = (url: string): string => `# TypeScript: @literalai/client
LITERAL_API_URL=${url}
LITERAL_API_KEY=<an API key of this project>

# Python: literalai
export LITERAL_API_URL=${url}
export LITERAL_API_KEY=<an API key of this project>
`

export const chainlitSnippet = (
  url: string,
): string => `# .env of the Chainlit app; nothing else changes
LITERAL_API_URL=${url}
LITERAL_API_KEY=<an API key of this project>
`

export const otlpSnippet = (
  url: string,
): string => `# Any application that exports traces over OTLP/HTTP
export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${url}/v1/traces
export OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_TRACES_HEADERS=x-api-key=<an API key of this project>
`

export const httpSnippet = (url: string): string => `curl ${url}/api/graphql \\
  -H 'x-api-key: <an API key of this project>' -H 'content-type: application/json' \\
  -d '{"query":"mutation { ingestStep(id: \\"first\\", threadId: \\"hello\\", type: user_message, output: { content: \\"Hello\\" }) { ok message } }"}'
`
