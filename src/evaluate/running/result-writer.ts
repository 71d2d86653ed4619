import { batches } from '../../api/calls/batches.js'
import type { ExperimentResultInput, RefusedResultScore } from '../../api/leases.js'
import type { StepwellClient } from '../../client.js'
import { StepwellError } from '../../errors.js'
import { mayPass, persist } from '../service/persist.js'

interface Waiting {
  result: ExperimentResultInput
  resolve: (stored: ExperimentResultInput | null) => void
  reject: (error: unknown) => void
}

/** Stores results, as many in a request as came during the one before. */
export class ResultWriter {
  readonly #api: StepwellClient['api']
  readonly #run: { datasetExperimentId: string; holder: string }
  #waiting: Waiting[] = []
  #isSending = false
  /** Results that the service does not have yet. */
  unstored = 0

  constructor(api: StepwellClient['api'], run: { datasetExperimentId: string; holder: string }) {
    this.#api = api
    this.#run = run
  }

  /**
   * Stores a result. Resolves once the service has it: to the result as it is stored, or to null when another process had
   * taken the item. One that the service refuses is stored without its values, if need be without its scores too, and one
   * with scores that do not fit their definitions without these; the reason is its error.
   */
  add(result: ExperimentResultInput): Promise<ExperimentResultInput | null> {
    this.unstored++
    return new Promise((resolve, reject) => {
      this.#waiting.push({ result, resolve, reject })
      if (!this.#isSending) void this.#send()
    })
  }

  async #send(): Promise<void> {
    this.#isSending = true
    // Results of the same moment go together.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const taken = this.#waiting
      this.#waiting = []
      for (const { items, offset } of batches(taken.map(({ result }) => result)))
        await this.#store(items, taken.slice(offset, offset + items.length))
    }
    this.#isSending = false
  }

  async #store(
    items: readonly ExperimentResultInput[],
    waiting: readonly Waiting[],
  ): Promise<void> {
    try {
      const request = { ...this.#run, items }
      const { ids, refusedScores } = await persist(this.#api, () =>
        this.#api.createExperimentItems(request),
      )
      for (const [index, { resolve }] of waiting.entries()) {
        this.unstored--
        const refused = refusedScores.filter(({ resultIndex }) => resultIndex === index)
        const stored = withoutRefused(items[index] as ExperimentResultInput, refused)
        resolve((ids[index] ?? null) === null ? null : stored)
      }
    } catch (error) {
      const isRefused = StepwellError.is(error) && !mayPass(this.#api, error)
      if (isRefused && waiting.length > 1) {
        // One of them is refused: the others must not suffer.
        for (const [index, one] of waiting.entries())
          await this.#store([items[index] as ExperimentResultInput], [one])
        return
      }
      const less = isRefused ? withLess(items[0] as ExperimentResultInput, error) : undefined
      if (less !== undefined) await this.#store([less], waiting)
      else
        for (const { reject } of waiting) {
          this.unstored--
          reject(error)
        }
    }
  }
}

/** Returns a result as the service stores it when it refuses some of its scores. */
const withoutRefused = (
  result: ExperimentResultInput,
  refused: readonly RefusedResultScore[],
): ExperimentResultInput => {
  if (refused.length === 0) return result
  const places = new Set(refused.map(({ index }) => index))
  const told = refused.map(({ name, message }) => `${name}: ${message}`)
  return {
    ...result,
    error: [...(result.error ? [result.error] : []), ...told].join('\n'),
    scores: (result.scores ?? []).filter((_, index) => !places.has(index)),
  }
}

/**
 * Returns what may be stored of a result that can't be stored; `undefined` when nothing is left. Scores and costs stay, if
 * the values were at fault: they were paid for.
 */
const withLess = (
  { datasetItemId, ...result }: ExperimentResultInput,
  { code, message, status }: StepwellError,
): ExperimentResultInput | undefined => {
  // Somebody deleted the item, or its dataset, since the run began: the run goes on with the data as they were.
  if (code === 'NOT_FOUND' && datasetItemId != null) return result
  const { input, output, expectedOutput, ...rest } = result
  const { key, repetition, experimentRunId, group, error: before, ...figures } = rest
  const reason = `${status === undefined ? "the result can't be stored" : 'the service refused the result'}: ${message}`
  const error = before ? `${before}\n${reason}` : reason
  if ([input, output, expectedOutput].some((one) => one !== undefined))
    return { ...rest, datasetItemId, error }
  return Object.values(figures).some((one) => one !== undefined)
    ? { key, repetition, datasetItemId, experimentRunId, group, error }
    : undefined
}
