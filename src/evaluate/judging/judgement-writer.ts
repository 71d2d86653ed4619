import type { JudgementInput } from '../../api/judges.js'
import type { StepwellClient } from '../../client.js'
import { StepwellError } from '../../errors.js'
import { persist } from '../service/persist.js'

/** Judgements that a request has at most. */
const MAX_AT_ONCE = 100

interface Waiting {
  judgement: JudgementInput
  resolve: (isStored: boolean) => void
  reject: (error: unknown) => void
}

/** Stores judgements, as many in a request as came during the one before. */
export class JudgementWriter {
  readonly #api: StepwellClient['api']
  readonly #worker: { judgeId: string; holder: string }
  #waiting: Waiting[] = []
  #isSending = false

  constructor(api: StepwellClient['api'], worker: { judgeId: string; holder: string }) {
    this.#api = api
    this.#worker = worker
  }

  /**
   * Stores a judgement. Resolves to false when another worker has its lease by now. One that the service refuses is stored
   * as an error.
   */
  add(judgement: JudgementInput): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ judgement, resolve, reject })
      if (!this.#isSending) void this.#send()
    })
  }

  async #send(): Promise<void> {
    this.#isSending = true
    // Judgements of the same moment go together.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#store(this.#waiting.splice(0, MAX_AT_ONCE))
    this.#isSending = false
  }

  async #store(waiting: readonly Waiting[]): Promise<void> {
    const judgements = waiting.map(({ judgement }) => judgement)
    try {
      const request = { ...this.#worker, judgements }
      const stored = await persist(this.#api, () => this.#api.createJudgements(request))
      for (const [index, { resolve }] of waiting.entries()) resolve(stored[index] === true)
    } catch (error) {
      const [only] = waiting
      const isRefused =
        StepwellError.is(error) && (error.code === 'INVALID_ARGUMENT' || error.code === 'TOO_LARGE')
      if (isRefused && waiting.length > 1)
        // One of them is refused: the others must not suffer.
        for (const one of waiting) await this.#store([one])
      else if (isRefused && only !== undefined && only.judgement.error == null) {
        const { scores: _, ...rest } = only.judgement
        const bare = { ...rest, error: `the service refused the judgement: ${error.message}` }
        await this.#store([{ ...only, judgement: bare }])
      } else for (const { reject } of waiting) reject(error)
    }
  }
}
