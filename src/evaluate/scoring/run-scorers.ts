import type { StepwellClient } from '../../client.js'
import { invalidArgument } from '../../errors.js'
import { isError } from '../../values/is-error.js'
import { readably } from '../../values/readably.js'
import { hashOf } from '../data/canonical.js'
import type { ScoreArguments, ScoreFunction, Scorer } from './scorer.js'
import { scorer } from './scorer.js'
import { type NormalScore, readScores } from './values.js'

/** A scorer whose version is known. */
export interface VersionedScorer extends Omit<Scorer, 'version'> {
  readonly version: string
}

/** A score of a scorer, as it is stored. */
export interface ScorerScore extends NormalScore {
  readonly type: 'CODE' | 'AI'
  /** `name@version` of the scorer. */
  readonly scorer: string
}

/** The scores of an output, and the failures of scorers by name. */
export interface Scored {
  readonly scores: ScorerScore[]
  readonly errors: string[]
}

const VERSION_LENGTH = 12

/** Reads the scorers that were given. @throws StepwellError when one has no name, or two have the same. */
export const readScorers = async (
  given: readonly (Scorer<never, never, never> | ScoreFunction<never, never, never>)[],
): Promise<VersionedScorer[]> => {
  const scorers: VersionedScorer[] = []
  for (const [index, one] of (given as readonly (Scorer | ScoreFunction)[]).entries()) {
    const made = typeof one === 'function' ? scorer({ name: one.name, score: one }) : one
    if (typeof made?.score !== 'function' || typeof made.name !== 'string' || made.name === '')
      throw invalidArgument(
        `scorers[${index}]: expected a function with a name, or a scorer made by scorer() or judge()`,
      )
    if (typeof made.version !== 'string' && !Array.isArray(made.version))
      throw invalidArgument(
        `scorers[${index}].version: expected a text; scorer() gives the object ${made.name} one`,
      )
    if (scorers.some(({ name }) => name === made.name))
      throw invalidArgument(`scorers[${index}]: expected each name once, got ${made.name} twice`)
    const version =
      typeof made.version === 'string'
        ? made.version
        : (await hashOf(...made.version)).slice(0, VERSION_LENGTH)
    scorers.push({ ...made, version })
  }
  return scorers
}

/** Runs all scorers at once, until they end or the signal is aborted. A failed one is an error of the item, and none of its scores is kept. Never rejects. */
export const runScorers = async (
  scorers: readonly VersionedScorer[],
  given: ScoreArguments,
  stepwell: StepwellClient,
): Promise<Scored> => {
  const scores: ScorerScore[] = []
  const errors: string[] = []
  // One listener for all scorers: Node warns of more than ten at one signal.
  const { aborted, stop } = whenAborted(given.signal)
  const run = async (one: VersionedScorer): Promise<NormalScore[] | string> => {
    try {
      given.signal.throwIfAborted()
      const work = one.type === 'AI' ? judged(one, given, stepwell) : scored(one, given)
      return readScores(one.name, await Promise.race([work, aborted]), one.categories)
    } catch (error) {
      return `${one.name}: ${messageOf(error)}`
    }
  }
  const results = await Promise.all(scorers.map(run)).finally(stop)
  for (const [index, result] of results.entries()) {
    const { name, type, version } = scorers[index] as VersionedScorer
    if (typeof result === 'string') errors.push(result)
    // The name is chosen by code of the application, and may come from two scorers.
    else
      for (const score of result)
        if (scores.some((other) => other.name === score.name))
          errors.push(`${name}: another scorer has a score ${score.name}, too`)
        else scores.push({ ...score, type, scorer: `${name}@${version}` })
  }
  return { scores, errors }
}

/** Returns a promise that is rejected when a signal is aborted, and a function that ends the listening. */
const whenAborted = (signal: AbortSignal): { aborted: Promise<never>; stop: () => void } => {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    stop = () => signal.removeEventListener('abort', abort)
  })
  // Without a scorer, nobody waits for it.
  aborted.catch(() => {})
  return { aborted, stop }
}

const scored = async (one: VersionedScorer, given: ScoreArguments) => one.score(given)

const judged = (one: VersionedScorer, given: ScoreArguments, stepwell: StepwellClient) =>
  stepwell.trace({ name: `judge ${one.name}`, type: 'undefined' }, async (step) => {
    step.input = { output: given.output }
    return one.score(given)
  })

/** Returns the message of an error, or the text that was thrown; the kind of any other value. */
export const messageOf = (error: unknown): string =>
  readably(() => {
    if (isError(error)) return String(error.message || error.name)
    if (typeof error === 'string' && error !== '') return error
    return error === null ? 'null was thrown' : `${kindOf(error)} was thrown`
  })

const kindOf = (value: unknown): string =>
  typeof value === 'object' ? 'an object' : `a value of type ${typeof value}`
