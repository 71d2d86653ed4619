import { shown } from '../shown.js'
import { currentRequest } from './current-request.js'
import type { Logger, LogLevel } from './logger.js'

/** A fault in words for operators, and the name that it shares with its repetitions. */
export interface DescribedFault {
  key: string
  level: LogLevel
  message: string
  code?: string | undefined
  stack?: string | undefined
}

interface Repeated {
  fault: DescribedFault
  count: number
  timer: NodeJS.Timeout
}

/** Kinds of faults that are counted at once; any further ones are counted together. */
const MAX_KINDS = 200
const MINUTE_MS = 60_000

/** Logs faults: the first of a kind at once, its repetitions as one line a minute with their count. */
export class FaultLog {
  readonly #logger: Logger
  readonly #describe: (error: unknown) => DescribedFault
  readonly #everyMs: number
  readonly #repeated = new Map<string, Repeated>()

  constructor(
    logger: Logger,
    describe: (error: unknown) => DescribedFault = describeFault,
    everyMs = MINUTE_MS,
  ) {
    this.#logger = logger
    this.#describe = describe
    this.#everyMs = everyMs
  }

  report(error: unknown): void {
    const described = this.#describe(error)
    const isKnown = this.#repeated.has(described.key) || this.#repeated.size < MAX_KINDS
    const fault = isKnown ? described : { ...described, key: OTHERS, message: 'other faults' }
    const known = this.#repeated.get(fault.key)
    if (known !== undefined) {
      known.count++
      return
    }
    const { level, message, code, stack } = fault
    this.#logger.log(level, message, { code, requestId: currentRequest()?.id, stack })
    this.#repeat(fault)
  }

  /** Logs the repetitions so far, and forgets that the fault came before. */
  settle(key: string): void {
    const repeated = this.#repeated.get(key)
    if (repeated === undefined) return
    clearTimeout(repeated.timer)
    this.#repeated.delete(key)
    this.#logCount(repeated)
  }

  /** Logs all repetitions so far. */
  close(): void {
    for (const key of [...this.#repeated.keys()]) this.settle(key)
  }

  #repeat(fault: DescribedFault): void {
    const timer = setTimeout(() => {
      const { count } = this.#repeated.get(fault.key) ?? { count: 0 }
      this.settle(fault.key)
      if (count > 0) this.#repeat(fault)
    }, this.#everyMs)
    timer.unref()
    this.#repeated.set(fault.key, { fault, count: 0, timer })
  }

  #logCount({ fault: { level, message, code }, count }: Repeated): void {
    if (count > 0) this.#logger.log(level, `${message} (again)`, { code, count })
  }
}

const OTHERS = 'others'

/** Describes a fault by its stack, whose first lines name it. */
export const describeFault = (error: unknown): DescribedFault => {
  const text = String(shown(error))
  const [message = '', ...rest] = text.split('\n')
  const place = rest.find((line) => /^\s+at /.test(line)) ?? ''
  return {
    key: `${message}${place}`,
    level: 'error',
    message,
    stack: rest.length === 0 ? undefined : rest.join('\n'),
  }
}
