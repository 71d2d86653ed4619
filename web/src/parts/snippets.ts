/** Lines that go to one place, so that a copy of them works where it is pasted. */
export interface CodeBlock {
  /** Where the lines go. */
  place: string
  code: string
}

/** Ways to record data, with the address of this service and a key. */
export type Ways = (url: string, apiKey: string) => readonly CodeBlock[]

const SHELL = 'In a shell'

/** Stands for the key until there is one: no sign in it means anything to a shell. */
export const KEY_TO_COME = 'YOUR_API_KEY'

export const typescriptWay: Ways = (url, apiKey) => [
  {
    place: SHELL,
    code: `npm install stepwell
export STEPWELL_API_URL=${url}
export STEPWELL_API_KEY=${apiKey}
`,
  },
  {
    place: 'In a file first.mjs',
    code: `import { StepwellClient } from 'stepwell'

// The address and the key are those of STEPWELL_API_URL and STEPWELL_API_KEY.
const stepwell = new StepwellClient()
await stepwell.thread({ name: 'A first conversation', participantId: 'ada' }).wrap(() =>
  stepwell.trace('agent', async (step) => {
    step.input = { question: 'Where is my order?' }
    return { answer: 'On its way' }
  }),
)
await stepwell.flush()
`,
  },
  { place: 'In the same shell', code: 'node first.mjs\n' },
]

export const legacyWay: Ways = (url, apiKey) => [
  {
    place: 'In the shell that starts the application, with @literalai/client or literalai in it',
    code: `export LITERAL_API_URL=${url}
export LITERAL_API_KEY=${apiKey}
`,
  },
]

export const chainlitWay: Ways = (url, apiKey) => [
  {
    place: 'In the file .env of the Chainlit app; nothing else changes',
    code: `LITERAL_API_URL=${url}
LITERAL_API_KEY=${apiKey}
`,
  },
]

export const otlpWay: Ways = (url, apiKey) => [
  {
    place: 'In the shell that starts an application that exports traces over OTLP',
    code: `export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${url}/v1/traces
export OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_TRACES_HEADERS=x-api-key=${apiKey}
`,
  },
]

export const httpWay: Ways = (url, apiKey) => [
  {
    place: SHELL,
    code: `curl ${url}/api/graphql \\
  -H 'x-api-key: ${apiKey}' -H 'content-type: application/json' \\
  -d '{"query":"mutation { ingestStep(id: \\"first\\", threadId: \\"hello\\", type: user_message, output: { content: \\"Hello\\" }) { ok message } }"}'
`,
  },
]
