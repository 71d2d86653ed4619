import type { Measure } from '../../statistics/index.js'
import type { Evaluation } from '../evaluation.js'

/** Names of measures with the unit that they are shown in. */
const TITLES: Readonly<Record<Measure, string>> = {
  durationMs: 'duration (ms)',
  tokens: 'tokens',
  cost: 'cost ($)',
  errors: 'errors',
}

/** A score or a measure with its comparison, as reports show it. */
interface ReportedQuantity {
  readonly title: string
  readonly mean: number
  readonly count: number
  readonly comparison: NonNullable<Evaluation['comparison']>['scores'][string] | undefined
}

/** Returns the scores of an evaluation, and below them its measures; without those that are 0 everywhere. */
export const quantitiesOf = ({ scores, measures, comparison }: Evaluation): ReportedQuantity[] => [
  ...scores.map(({ name, mean, count }) => ({
    title: name,
    mean,
    count,
    // A score may have a name that every object has, such as constructor.
    comparison:
      comparison !== null && Object.hasOwn(comparison.scores, name)
        ? comparison.scores[name]
        : undefined,
  })),
  ...measures.flatMap(({ name, mean, count }) => {
    const compared = comparison?.measures[name]
    return mean === 0 && compared === undefined
      ? []
      : [{ title: TITLES[name], mean, count, comparison: compared }]
  }),
]
