import { batches } from '../../api/calls/batches.js'
import type { ExperimentResultInput } from '../../api/leases.js'
import type { StepwellClient } from '../../client.js'
import { StepwellError } from '../../errors.js'
import { persist } from '../service/persist.js'

interface Waiting {
  result: ExperimentResultInput
  resolve: (id: string | null) => void
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
   * Stores a result. Resolves once the service has it: to its id, or to null when another process had taken the item. A
   * result that the service refuses is stored without its values, with the reason as its error.
   */
  add(result: ExperimentResultInput): Promise<string | null> {
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
      const ids = await persist(() => this.#api.createExperimentItems({ ...this.#run, items }))
      for (const [index, { resolve }] of waiting.entries()) {
        this.unstored--
        resolve(ids[index] ?? null)
      }
    } catch (error) {
      const [only] = waiting
      const isRefused = StepwellError.is(error) && !error.retryable
      if (isRefused && waiting.length > 1) {
        // One of them is refused: the others must not suffer.
        for (const [index, one] of waiting.entries())
          await this.#store([items[index] as ExperimentResultInput], [one])
      } else if (isRefused && only !== undefined && hasValues(items[0])) {
        const bare = withoutValues(items[0] as ExperimentResultInput, error.message)
        await this.#store([bare], waiting)
      } else
        for (const { reject } of waiting) {
          this.unstored--
          reject(error)
        }
    }
  }
}

const hasValues = (item: ExperimentResultInput | undefined): boolean =>
  item?.input !== undefined || item?.output !== undefined || item?.scores !== undefined

const withoutValues = (
  { key, repetition, experimentRunId }: ExperimentResultInput,
  reason: string,
): ExperimentResultInput => ({
  key,
  repetition,
  experimentRunId,
  error: `the service refused the result: ${reason}`,
})
