/** Time for requests under way to end before work begins that they would wait for. */
const ENDING_MS = 2000

/** Requests of operators, which do that work. */
const OPERATOR = '/api/operator'

/** Holds requests back that may write, for the moment in which nothing may be written. */
export class Gate {
  #closed: Promise<unknown> | undefined
  #under = 0
  #ended: (() => void) | undefined

  /** Answers a request: at once, or when the gate is open again. Those that only read always pass. */
  async pass<Result>(
    input: Request | URL | string,
    answer: () => Promise<Result>,
  ): Promise<Result> {
    const isFree =
      (input instanceof Request && (input.method === 'GET' || input.method === 'HEAD')) ||
      pathOf(input) === OPERATOR
    if (isFree) return answer()
    while (this.#closed !== undefined) await this.#closed
    this.#under++
    try {
      return await answer()
    } finally {
      this.#under--
      if (this.#under === 0) this.#ended?.()
    }
  }

  /** Works while the gate is closed, once requests under way have ended, or have had their time. */
  async hold<Result>(work: () => Promise<Result>): Promise<Result> {
    let open: () => void = () => undefined
    this.#closed = new Promise<void>((resolve) => {
      open = resolve
    })
    try {
      if (this.#under > 0)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ENDING_MS)
          this.#ended = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      return await work()
    } finally {
      this.#ended = undefined
      this.#closed = undefined
      open()
    }
  }
}

const pathOf = (input: Request | URL | string): string => {
  const url = input instanceof Request ? input.url : String(input)
  return URL.canParse(url) ? new URL(url).pathname : ''
}
