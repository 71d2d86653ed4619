// The entry point of the hook for Mastra.
export { type StepwellBridge, stepwellBridge } from './bridge.js'
export type { MastraEvent, MastraSpan } from './spans.js'
