// The entry point of the hook for the OpenAI Agents SDK.
export { type StepwellProcessor, stepwellProcessor } from './processor.js'
export type { AgentsSpan, AgentsTrace } from './spans.js'
