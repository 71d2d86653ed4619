import type { Domain } from '../../domain/domain.js'
import type { Files } from '../../files/files.js'
import type { Caller } from '../../kernel/caller.js'
import type { StepParts } from '../../storage/steps.js'
import type { IngestionPlan } from './ingestion-plan.js'
import type { Loaders } from './loaders.js'

/** What resolvers know besides their arguments. One per request. */
export interface Context {
  domain: Domain
  files: Files
  caller: Caller
  /** Where the caller reached the service, without a slash at the end: URLs that it gets start with it. */
  origin: string
  /** Whether the document asks for what steps hold, or only for what is said of them. */
  parts: StepParts
  /** Counts what is dear, and refuses what a document asks too often. */
  expensive: (what: string) => void
  loaders: Loaders
  ingestion: IngestionPlan
}
