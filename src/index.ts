export { StepwellClient } from './client.js'
export * from './prompts/variables.js'
export * from './tracing/index.js'
export type * from './types.js'
