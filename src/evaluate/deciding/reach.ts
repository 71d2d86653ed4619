import { smallestEffect } from '../../statistics/index.js'
import type { PreparedRun } from '../prepared-run.js'
import { shown } from '../reporting/text.js'

/** The standard deviation of differences of scores of 0 and 1 when one item in five changes. */
const DEVIATION = 0.45

/**
 * Returns the smallest difference that a run can show, in words, before anything is spent; `undefined` without a rule, or
 * with nothing to compare with.
 */
export const reachOf = ({
  options,
  base,
  data,
  groups,
  confidence,
}: PreparedRun): string | undefined => {
  if (options.decide === undefined || base === undefined) return undefined
  const keys = new Set(base.results.map(({ key }) => key))
  const shared = data.items.filter(({ key }) => keys.has(key))
  if (shared.length === 0) return 'no item is in both runs'
  const units = new Set(shared.map(({ key }) => groups.get(key) ?? `item ${key}`)).size
  const effect = smallestEffect({
    items: shared.length,
    deviation: DEVIATION,
    groupSize: shared.length / units,
    confidence,
  })
  const reach = Number.isFinite(effect) ? `a difference of about ${shown(effect)}` : 'no difference'
  return `${shared.length} items can show ${reach}, if one in five changes between passing and failing`
}
