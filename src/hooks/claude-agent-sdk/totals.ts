import type { Part, Usage } from '../../model-calls/usage/usage.js'
import { isJson, type Json, objectsOf } from '../shared/json.js'

const CACHE_WRITES: readonly Part[] = ['cacheWrite', 'cacheWrite5m', 'cacheWrite1h']

/** Tokens by the four sums in which Claude tells them. */
export type Sums = readonly [input: number, cached: number, written: number, output: number]

const NOTHING: Sums = [0, 0, 0, 0]

const added = (sums: Sums, other: Sums, sign: 1 | -1 = 1): Sums =>
  sums.map((count, place) => count + sign * (other[place] ?? 0)) as unknown as Sums

/** Returns the sums of a call's tokens. */
const ofCall = (usage: Usage): Sums => [
  usage.input ?? 0,
  usage.cached ?? 0,
  CACHE_WRITES.reduce((sum, part) => sum + (usage[part as 'input'] ?? 0), 0),
  (usage.output ?? 0) + (usage.reasoning ?? 0),
]

/** Returns the sums over all models that a result tells. */
const ofResult = (models: Json): Sums =>
  objectsOf(Object.values(models)).reduce<Sums>(
    (sums, model) =>
      added(
        sums,
        [
          model.inputTokens,
          model.cacheReadInputTokens,
          model.cacheCreationInputTokens,
          model.outputTokens,
        ].map((count) => (typeof count === 'number' ? count : 0)) as unknown as Sums,
      ),
    NOTHING,
  )

/** Compares the tokens of the calls that were seen with the running totals of a session. */
export class Totals {
  #counted: Sums = NOTHING
  /** The totals before this query; undefined where it goes on with a session, until the first result. */
  #isKnown: boolean

  constructor(isResumed: boolean) {
    this.#isKnown = !isResumed
  }

  count(usage: Usage | undefined): void {
    if (usage !== undefined) this.#counted = added(this.#counted, ofCall(usage))
  }

  /**
   * Returns the tokens that a result tells of and no call had: of subagents' last answers, and of answers that came without
   * events. Undefined when there are none, or when nobody knows. They are counted from then on.
   */
  rest(models: unknown): Json | undefined {
    if (!isJson(models) || Object.keys(models).length === 0) return undefined
    const told = ofResult(models)
    const left = added(told, this.#counted, -1)
    const isComparable = this.#isKnown && left.every((count) => count >= 0)
    this.#counted = told
    this.#isKnown = true
    if (!isComparable || left.every((count) => count === 0)) return undefined
    const [input, cached, written, output] = left
    return {
      input_tokens: input,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: written,
      output_tokens: output,
    }
  }
}
