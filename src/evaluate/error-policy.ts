import type { ErrorPolicy } from './options.js'

/** Returns the number of failed results that a run may have. */
export const allowedErrors = ({ allowed = 0 }: ErrorPolicy = {}, total: number): number =>
  allowed < 1 ? Math.floor(allowed * total) : allowed
