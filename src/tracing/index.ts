// The entry point for recording alone: without the API, GraphQL clients and generated documents.

export type {
  AttachmentPayloadInput,
  CostSource,
  GenerationPayloadInput,
  GenerationType,
  ScorePayloadInput,
  ScoreType,
  StepType,
  TokenUsageInput,
} from '../../generated/schema.js'
export { StepwellError, type StepwellErrorCode, type StepwellErrorDetails } from '../errors.js'
export type { DroppedStep, DropReason, ExportStats, Stats } from '../outbox/account.js'
export type { DeliveryOptions } from '../outbox/create-outbox.js'
export type { FlushOptions, OutboxLimits } from '../outbox/limits.js'
export type { PlatformFetch, PlatformRequestInit, PlatformResponse } from '../platform.js'
export type { ConnectionOptions, Environment, Fetch } from '../settings.js'
export type { ScoreValue } from '../values/scores.js'
export type { Decoration } from './context.js'
export type { HeadersLike } from './propagation.js'
export type { Exporter } from './recording/exporters.js'
export type { Mask, MaskedField } from './recording/masking.js'
export type { Sample, SampledStep } from './sampling/trace.js'
export type { Step as LiveStep } from './step.js'
export type { ScoreData, StepData, Update } from './step-data.js'
export type { Thread as LiveThread, ThreadData } from './thread.js'
export type { TracedOptions } from './traced.js'
export { Tracer } from './tracer.js'
export type { TracerOptions } from './tracer-options.js'
