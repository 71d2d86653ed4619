// The instrumentations that are tried, and how each is started.

/** An instrumentation in one version, and the application that it watches. */
export interface Subject {
  name: string
  program: 'node' | 'python'
  /** The API of the model that the application calls. */
  api: 'chat' | 'anthropic'
  /** True for a framework that calls the tools itself, so that spans tell of them. */
  runsTools?: boolean
  /** A text that the span of a call has, where other spans name the model too. */
  callsAs?: RegExp
  /** The environment of Python that has it. */
  environment?: string
}

const node = (name: string, more: Partial<Subject> = {}): Subject => ({
  name,
  program: 'node',
  api: 'chat',
  ...more,
})

const python = (name: string, more: Partial<Subject> = {}): Subject => ({
  name,
  program: 'python',
  api: 'chat',
  environment: 'instrumentations',
  ...more,
})

const PREVIOUS = { environment: 'instrumentations-previous' }
const ANTHROPIC = { api: 'anthropic' } as const
const AGENT = { runsTools: true }
/** Version 5 and 6 name the model in the span around its calls, too. */
const AI_SDK = { ...AGENT, callsAs: /\.do(?:Generate|Stream)/ }

export const SUBJECTS: readonly Subject[] = [
  node('ai 5', AI_SDK),
  node('ai 6', AI_SDK),
  node('ai 7 with @ai-sdk/otel', AGENT),
  node('@arizeai/openinference-vercel 2', AI_SDK),
  node('@arizeai/openinference-vercel 3', AGENT),
  node('@opentelemetry/instrumentation-openai 0.21'),
  node('@traceloop/instrumentation-openai 0.27'),
  node('@traceloop/instrumentation-openai 0.22'),
  node('@traceloop/instrumentation-anthropic 0.27', ANTHROPIC),
  node('@traceloop/instrumentation-langchain 0.27', AGENT),
  node('@arizeai/openinference-instrumentation-openai 4'),
  node('@arizeai/openinference-instrumentation-openai 3'),
  node('@arizeai/openinference-instrumentation-anthropic 0.2', ANTHROPIC),
  node('@anthropic-ai/sdk 1', ANTHROPIC),
  node('@arizeai/openinference-instrumentation-langchain 4', AGENT),
  node('@langfuse/openai 5'),
  node('@langfuse/openai 4'),
  python('opentelemetry-instrumentation-openai-v2 2.3'),
  python('opentelemetry-instrumentation-openai 0.62'),
  python('opentelemetry-instrumentation-anthropic 0.62', ANTHROPIC),
  python('openinference-instrumentation-openai 0.1'),
  python('openinference-instrumentation-anthropic 3', ANTHROPIC),
  python('openinference-instrumentation-openai-agents 2', AGENT),
  python('pydantic-ai 2', AGENT),
  python('logfire 5'),
  python('opentelemetry-instrumentation-openai-v2 2.1', PREVIOUS),
  python('opentelemetry-instrumentation-openai 0.49', PREVIOUS),
  python('opentelemetry-instrumentation-anthropic 0.49', { ...PREVIOUS, ...ANTHROPIC }),
  python('openinference-instrumentation-openai-agents 1', { ...PREVIOUS, ...AGENT }),
  python('pydantic-ai 1', { ...PREVIOUS, ...AGENT }),
  python('logfire 4', PREVIOUS),
]
