import { plural, total } from '../../../format/number.js'
import type { Scope } from '../../../list/bulk/scope.js'

export type Noun = readonly [one: string, many: string]

/** Returns the rows of an action in words: `3 threads`, or `≈ 12 k threads that match the filter`. */
export const rowsOf = ({ size, isAll }: Scope<never>, [one, many]: Noun): string =>
  isAll ? `${total(size, one, many)} that match the filter` : plural(size, one, many)
