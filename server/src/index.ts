export { type BucketLocation, readBucketLocation } from './files/bucket-location.js'
export type { Limits } from './kernel/limits.js'
export { type Listening, listen } from './listen.js'
export {
  backup,
  exportProject,
  importProject,
  migrate,
  move,
  operate,
  otel,
  restore,
  serviceChecks,
  signIn,
} from './operator/index.js'
export { serve } from './serve.js'
export { createService, type Service, type ServiceOptions } from './service.js'
