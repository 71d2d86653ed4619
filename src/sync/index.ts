export type { StepwellClientOptions } from '../client-options.js'
export { StepwellError, type StepwellErrorCode } from '../errors.js'
export type { Blocking, BlockingList, SyncApi } from './api.js'
export { StepwellClient } from './client.js'
