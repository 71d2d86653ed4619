export type { Limits } from './domain/limits.js'
export { type Listening, listen } from './listen.js'
export { serve } from './serve.js'
export { createService, type Service, type ServiceOptions } from './service.js'
