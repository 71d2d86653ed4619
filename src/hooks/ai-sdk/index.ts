// The entry point of the hooks for the AI SDK: spans of its versions 5 and 6, events of version 7.
export { type StepwellIntegration, stepwellIntegration } from './integration.js'
export type { StepwellSpan, StepwellTracer } from './open-telemetry.js'
export { stepwellTelemetry } from './telemetry.js'
