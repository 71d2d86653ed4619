import type { Spool, SpoolOptions } from './spool.js'

/**
 * Opens a spool. Passed in, so that clients without a spool do not contain its code: `stepwell/tracing` comes without.
 */
export type OpenSpool = (options: SpoolOptions) => Spool
