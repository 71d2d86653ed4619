import type { ScorePayloadInput, ScoreType } from '../../../generated/resolvers.js'
import type { Attributes } from '../encoding/schema.js'
import { elementsOf, firstNumber, firstText } from './attributes.js'
import type { CallEvent } from './events.js'

const EVALUATION = 'gen_ai.evaluation.result'

/** Labels that are verdicts, for evaluations without a number. */
const VERDICTS: ReadonlyMap<string, number> = new Map([
  ['pass', 1],
  ['passed', 1],
  ['true', 1],
  ['correct', 1],
  ['relevant', 1],
  ['fail', 0],
  ['failed', 0],
  ['false', 0],
  ['incorrect', 0],
  ['not_relevant', 0],
  ['irrelevant', 0],
])

/** Returns the score of an event that is an evaluation; undefined when it has no value, or for other events. */
export const scoreOf = ({ name, attributes, body }: CallEvent): ScorePayloadInput | undefined => {
  if (name !== EVALUATION) return undefined
  const members =
    typeof body === 'object' && body !== null && !Array.isArray(body)
      ? new Map([...attributes, ...Object.entries(body)])
      : attributes
  return toScore(
    firstText(members, 'gen_ai.evaluation.name'),
    'AI',
    firstNumber(members, 'gen_ai.evaluation.score.value'),
    firstText(members, 'gen_ai.evaluation.score.label'),
    firstText(members, 'gen_ai.evaluation.explanation'),
  )
}

/** Scores of one step; further evaluations stay in its events, attributes or log records. */
const MAX_SCORES = 100

/**
 * Returns the scores of events, in their order. Of several evaluations of one name the last one counts, and what it does not say is that of
 * the one before it.
 */
export const scoresOf = (events: readonly CallEvent[]): ScorePayloadInput[] => {
  const scores = new Map<string, ScorePayloadInput>()
  for (const event of events) {
    const score = scoreOf(event)
    if (score !== undefined) scores.set(score.name, { ...scores.get(score.name), ...score })
  }
  return [...scores.values()].slice(0, MAX_SCORES)
}

const JUDGES: ReadonlyMap<string, ScoreType> = new Map([
  ['HUMAN', 'HUMAN'],
  ['CODE', 'CODE'],
  ['LLM', 'AI'],
])

/** Returns the scores of the evaluations and annotations that OpenInference writes into attributes of a span. */
export const scoresOfAttributes = (attributes: Attributes): ScorePayloadInput[] =>
  [['evaluations', 'evaluation'] as const, ['annotations', 'annotation'] as const]
    .flatMap(([beginning, infix]) =>
      elementsOf(attributes, beginning, infix).flatMap((members) => {
        const score = toScore(
          firstText(members, 'name'),
          JUDGES.get(firstText(members, 'annotator_kind')?.toUpperCase() ?? '') ?? 'AI',
          firstNumber(members, 'score'),
          firstText(members, 'label'),
          firstText(members, 'explanation'),
        )
        return score === undefined ? [] : [score]
      }),
    )
    .slice(0, MAX_SCORES)

const toScore = (
  name: string | undefined,
  type: ScoreType,
  number: number | undefined,
  label: string | undefined,
  comment: string | undefined,
): ScorePayloadInput | undefined => {
  const value = number ?? VERDICTS.get(label?.toLowerCase() ?? '')
  if (name === undefined || value === undefined) return undefined
  return {
    name,
    type,
    value,
    ...(label === undefined ? {} : { label }),
    ...(comment === undefined ? {} : { comment }),
  }
}
