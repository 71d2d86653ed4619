import type { Prompt } from '../../prompts/prompt.js'
import type { ScoreValue } from '../../values/scores.js'
import type { EvalItem } from '../data/item.js'

/** Everything that a scorer may look at. */
export interface ScoreArguments<Input = unknown, Expected = unknown, Output = unknown> {
  /** The input of the item. */
  input: Input
  /** The expected output; `undefined` when the item has none. */
  expected: Expected | undefined
  /** The result of the task. */
  output: Output
  /** The item, with its metadata. */
  item: EvalItem<Input, Expected>
  /** Aborted when the run is stopped. */
  signal: AbortSignal
}

export type { ScoreValue }

/** A score with its reason. */
export interface ReasonedScore {
  /** A finite number, true or false, or one of the scorer's categories. */
  value: ScoreValue
  /** The reason, which is stored as the comment of the score. */
  reason?: string | null | undefined
}

/**
 * The result of a scorer: a score, or several by their names. Null says that the scorer does not apply to the item, which
 * then has no such score.
 */
export type ScoreResult =
  | ScoreValue
  | ReasonedScore
  | Readonly<Record<string, ScoreValue | ReasonedScore | null>>
  | null

/** A function that scores outputs. Its name is the name of its score. */
export type ScoreFunction<Input = unknown, Expected = unknown, Output = unknown> = (
  given: ScoreArguments<Input, Expected, Output>,
) => ScoreResult | Promise<ScoreResult>

/** The options of a scorer in code. */
export interface ScorerOptions<Input = unknown, Expected = unknown, Output = unknown> {
  /** The name of its score. */
  name: string
  /** Scores an output. */
  score: ScoreFunction<Input, Expected, Output>
  /**
   * The version. Scores of different versions are not compared. Default: a hash of the function's text and the categories,
   * which does not see the functions that it calls.
   */
  version?: string | undefined
  /** The categories that it may return, each with its number. */
  categories?: Readonly<Record<string, number>> | undefined
  /** The better direction. Default: `higher`. */
  better?: 'higher' | 'lower' | undefined
}

/** A scorer: made by `scorer` or `judge`. */
export interface Scorer<Input = unknown, Expected = unknown, Output = unknown> {
  /** The name of its score. */
  readonly name: string
  /** `CODE`, or `AI` for a judgement of a model. */
  readonly type: 'CODE' | 'AI'
  /** The parts that its version is the hash of; the given version when there is one. */
  readonly version: string | readonly string[]
  /** The categories that it may return, each with its number. */
  readonly categories: Readonly<Record<string, number>> | undefined
  /** The better direction. */
  readonly better: 'higher' | 'lower'
  /** Scores an output. */
  readonly score: ScoreFunction<Input, Expected, Output>
}

/** A prompt of the project, as `api.getPrompt` returns it. */
export type JudgePrompt = Pick<Prompt, 'formatMessages' | 'id'>

/**
 * Makes a scorer of a function, with a version, categories or a direction.
 *
 * @returns the scorer, to be given to `evaluate`.
 * @example
 * import { scorer } from 'stepwell/evaluate'
 * const tone = scorer({ name: 'tone', categories: { rude: 0, polite: 1 }, score: ({ output }) => /please/i.test(String(output)) ? 'polite' : 'rude' })
 * console.log(tone.name)
 */
export const scorer = <Input = unknown, Expected = unknown, Output = unknown>({
  name,
  score,
  version,
  categories,
  better = 'higher',
}: ScorerOptions<Input, Expected, Output>): Scorer<Input, Expected, Output> => ({
  name,
  type: 'CODE',
  version: version ?? ['code', score.toString(), JSON.stringify(categories ?? null)],
  categories,
  better,
  score,
})
