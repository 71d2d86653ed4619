import type { Spool, SpoolOptions } from './spool.js'

/** Opens a spool. A part of its own, as those who keep none need not carry it: `stepwell/tracing` comes without. */
export type OpenSpool = (options: SpoolOptions) => Spool
