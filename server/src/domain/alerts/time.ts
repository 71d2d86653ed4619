import { type Instant, parseInstant } from '../../kernel/instant.js'

/** Returns the moment that is some time after another one, or before it. */
export const later = (moment: Instant, ms: number): Instant =>
  parseInstant('moment', new Date(Date.parse(moment) + ms).toISOString())
