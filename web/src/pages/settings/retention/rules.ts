import type { RetentionException, RetentionRule } from '../../../../../generated/schema.js'
import { ENVIRONMENTS } from '../../../ui/environment-select.js'

/** The field of the rule for all environments without one of their own. */
const OTHERS = 'others'

/** A number of days each, as it is typed; empty to keep everything. */
export const FIELDS = [
  {
    name: OTHERS,
    label: 'Days',
    hint: 'For all environments without days of their own, except for experiment. Empty: kept for ever.',
  },
  ...ENVIRONMENTS.map((name) => ({ name, label: `Days of ${name}`, hint: undefined })),
]

export const EXCEPTIONS: readonly { name: RetentionException; label: string }[] = [
  { name: 'scored', label: 'threads and runs with a score' },
  { name: 'scoredByPeople', label: 'threads and runs with a score by a person' },
  { name: 'inDataset', label: 'threads and runs that were copied into a dataset' },
]

/** The hint of the choice to keep figures. */
export const KEPT_FIGURES =
  'Counts, errors, tokens, costs and durations by the hour, of what is deleted from now on. Not by user, and no scores.'

/** Returns the rules as they are typed, by field. */
export const daysOf = (rules: readonly RetentionRule[]): Record<string, string> =>
  Object.fromEntries(rules.map(({ environment, days }) => [environment ?? OTHERS, `${days}`]))

/** Returns the rules of what is typed. */
export const rulesOf = (typed: Readonly<Record<string, string>>) =>
  Object.entries(typed).flatMap(([name, days]) =>
    days.trim() === '' ? [] : [{ environment: name === OTHERS ? null : name, days: Number(days) }],
  )

/** The rules in parts that are changed each by itself: days as they are typed, and the choices below them. */
export interface Parts extends Readonly<Record<string, unknown>> {
  keep: readonly RetentionException[]
  keepMetrics: boolean
}

/** The parts of the rules, as people know them. */
export const TITLES: Readonly<Record<string, string>> &
  Readonly<Record<'keep' | 'keepMetrics', string>> = {
  ...Object.fromEntries(FIELDS.map(({ name, label }) => [name, label])),
  keep: 'Keep whatever its age',
  keepMetrics: 'Metrics',
}

interface Settings {
  rules: readonly RetentionRule[]
  keep: readonly RetentionException[]
  keepMetrics: boolean
}

export const partsOf = ({ rules, keep, keepMetrics }: Settings): Parts => {
  const days = daysOf(rules)
  return {
    ...Object.fromEntries(FIELDS.map(({ name }) => [name, days[name] ?? ''])),
    keep: EXCEPTIONS.map(({ name }) => name).filter((name) => keep.includes(name)),
    keepMetrics,
  }
}

/** Returns the rules of parts, as the service takes them. */
export const settingsOf = ({ keep, keepMetrics, ...days }: Parts) => ({
  rules: rulesOf(days as Record<string, string>),
  keep: [...keep],
  keepMetrics,
})
