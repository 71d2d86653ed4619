import type { Domain } from '../../domain/domain.js'
import type { Files } from '../../files/files.js'
import type { Caller } from '../../kernel/caller.js'
import type { StepParts } from '../../storage/steps.js'
import type { IngestionPlan } from './ingestion-plan.js'
import type { Loaders } from './loaders.js'

/** The context of resolvers, one per request. */
export interface Context {
  domain: Domain
  files: Files
  caller: Caller
  /**
   * The address under which the caller reached the service, without a slash at the end: URLs in the answer start with
   * it.
   */
  origin: string
  /** Which parts of steps the document asks for: with payloads or without. */
  parts: StepParts
  /** Lets other requests have their turn between the parts of an answer. */
  turn: () => Promise<void>
  loaders: Loaders
  ingestion: IngestionPlan
}
