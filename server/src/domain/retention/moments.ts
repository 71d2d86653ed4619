import { ENVIRONMENTS } from '../../kernel/caller.js'
import type { DueBefore } from '../../storage/retention/due.js'
import type { Retention } from '../../storage/retention/rules.js'

const DAY_MS = 86_400_000

/**
 * Returns the moments before which data is due, by environment. The rule for all environments leaves runs of experiments
 * out: verdicts rest on them for longer than anybody looks at traffic.
 */
export const momentsOf = ({ rules }: Retention, now: Date): DueBefore | undefined => {
  const daysOf = (environment: string | null) =>
    rules.find((rule) => rule.environment === environment)?.days
  const moments = ENVIRONMENTS.flatMap((environment) => {
    const days = daysOf(environment) ?? (environment === 'experiment' ? undefined : daysOf(null))
    if (days === undefined) return []
    return [[environment, new Date(now.getTime() - days * DAY_MS).toISOString()]]
  })
  return moments.length === 0 ? undefined : Object.fromEntries(moments)
}
