import type { StepwellClient } from '../../client.js'
import type { EvalItem } from '../../evaluate/data/item.js'
import {
  readScorers,
  runScorers,
  type VersionedScorer,
} from '../../evaluate/scoring/run-scorers.js'
import type { ScoreFunction, ScoreResult, Scorer } from '../../evaluate/scoring/scorer.js'
import { readScores } from '../../evaluate/scoring/values.js'
import { parsed, parsedOr } from '../../model-calls/json.js'
import { isPlain } from '../../values/fit.js'
import { importFile } from '../load-default.js'

const MAX_SHOWN = 80

/**
 * Returns the score that a command printed: a number, true or false, or `{ "scores": { METRIC: … } }`, alone or in the last line. Null when
 * the metric does not apply to the item.
 *
 * @throws Error that says what was expected.
 */
export const printedScore = (output: string, metric: string): number | null => {
  const text = output.trim()
  const last = text.slice(text.lastIndexOf('\n') + 1)
  const value = parsed(text) ?? parsed(last)
  if (typeof value === 'number' || typeof value === 'boolean')
    return readScores(metric, value, undefined)[0]?.value ?? null
  const scores = isPlain(value) ? value.scores : undefined
  if (!isPlain(scores) || !Object.hasOwn(scores, metric))
    throw new Error(
      `expected {"scores":{${JSON.stringify(metric)}: …}} or a number in its output, got ${text === '' ? 'nothing' : JSON.stringify(last.slice(0, MAX_SHOWN))}`,
    )
  return readScores(metric, scores[metric] as ScoreResult, undefined)[0]?.value ?? null
}

/** Reads the scorers that a module exports by default: one, or a list. @throws Error when it has none. */
export const loadScorers = async (file: string): Promise<VersionedScorer[]> => {
  const { default: given } = (await importFile(file, 'bisect')) as { default?: unknown }
  return readScorers((Array.isArray(given) ? given : [given]) as (Scorer | ScoreFunction)[])
}

/** Returns the score that scorers give an output: JSON, or else the text. @throws Error when one of them fails. */
export const scoreBy = async (
  scorers: readonly VersionedScorer[],
  metric: string,
  given: { output: string; item: EvalItem; signal: AbortSignal; stepwell: StepwellClient },
): Promise<number | null> => {
  const { item, signal, stepwell } = given
  const { input, expected } = item
  const output = parsedOr(given.output.trim())
  const { scores, errors } = await runScorers(
    scorers,
    { input, expected, output, item, signal },
    stepwell,
  )
  if (errors.length > 0) throw new Error(errors.join('; '))
  return scores.find(({ name }) => name === metric)?.value ?? null
}
