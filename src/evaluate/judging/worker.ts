import type { JudgeInput, JudgementInput, JudgementLeases } from '../../api/judges.js'
import { StepwellError } from '../../errors.js'
import { newId } from '../../values/id.js'
import { Concurrency } from '../running/concurrency.js'
import { isQuotaUsed, isRateLimit, readableError, retryAfterMs } from '../running/rate-limits.js'
import { type Usage, UsageMeter } from '../running/usage.js'
import { messageOf } from '../scoring/run-scorers.js'
import { mayPass, persist } from '../service/persist.js'
import { type Judgement, judgeSubject } from './judge-subject.js'
import { JudgementWriter } from './judgement-writer.js'
import type { PreparedJudge } from './prepare.js'
import { findSubject, type Subject, subjectOptions } from './subjects.js'

const CONCURRENCY = 4
const SECONDS = 120
/** Time by which a lease is longer than a judgement may take. */
const SPARE_SECONDS = 30
const MAX_AT_ONCE = 100
/** Time between looks for new things to judge, and at a budget that is spent. */
const LOOK_MS = 2000
const SPENT_LOOK_MS = 60_000
const LEAST_LOOK_MS = 20
/** Time for which nothing starts after a refusal that names none. */
const REFUSED_MS = 5000
const QUOTA_MS = 60_000

/** The state of a worker. */
export interface JudgeProgress {
  /** Judgements of this process, and those among its attempts that failed. */
  readonly judged: number
  readonly errors: number
  /** Judgements under way. */
  readonly active: number
  readonly concurrency: number
  /** The usage of all workers since midnight UTC; null before the first answer of the service. */
  readonly usedToday: JudgementLeases['usedToday'] | null
  /** Milliseconds until the budget is renewed; null while there is some of it left. */
  readonly spentForMs: number | null
  /** The last error; null when there was none. */
  readonly lastError: string | null
}

export interface WorkerSetup {
  readonly judge: PreparedJudge
  readonly signal: AbortSignal
  /** Ends when nothing is due any more. */
  readonly once: boolean
  readonly onProgress: (progress: JudgeProgress) => void
}

/** Judges steps or conversations as they come, together with other workers, until it is stopped. */
export class JudgeWorker {
  readonly #setup: WorkerSetup
  readonly #holder = newId()
  readonly #concurrency: Concurrency
  readonly #meter: UsageMeter
  readonly #writer: JudgementWriter
  readonly #active = new Set<Promise<void>>()
  readonly #ended = new Set<AbortController>()
  readonly #scoreNames: Set<string>
  /** Things whose leases are known. */
  readonly #holding = new Set<string>()
  #judged = 0
  #errors = 0
  #lastError: string | null = null
  #answer: JudgementLeases | undefined
  /** True when the service had nothing, and not even something that it looks at in portions. */
  #isIdle = false
  #failure: { error: unknown } | undefined
  #wake: () => void = () => {}

  constructor(setup: WorkerSetup) {
    this.#setup = setup
    const { options, scorers, stepwell, id } = setup.judge
    this.#concurrency = new Concurrency(options.concurrency ?? CONCURRENCY)
    this.#meter = new UsageMeter(stepwell, options.prices ?? {})
    this.#writer = new JudgementWriter(stepwell.api, { judgeId: id, holder: this.#holder })
    this.#scoreNames = new Set(scorers.map(({ name }) => name))
  }

  get judged(): number {
    return this.#judged
  }

  get errors(): number {
    return this.#errors
  }

  get usage(): Usage {
    return { ...this.#meter.total }
  }

  /** Rejects when the service refuses to answer; an outage is waited for. */
  async run(): Promise<void> {
    const { signal, once } = this.#setup
    // One listener, however many judgements are under way.
    const abort = () => {
      for (const ended of this.#ended) ended.abort(signal.reason)
      this.#wake()
    }
    signal.addEventListener('abort', abort)
    try {
      while (!signal.aborted && this.#failure === undefined) {
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        const waitMs = await this.#take()
        if (once && this.#isIdle && this.#active.size === 0) break
        if (waitMs === 0) continue
        if (signal.aborted) break
        const timer = setTimeout(this.#wake, waitMs)
        await woken
        clearTimeout(timer)
      }
      while (this.#active.size > 0) await Promise.race(this.#active)
      if (this.#failure !== undefined) throw this.#failure.error
    } finally {
      signal.removeEventListener('abort', abort)
      this.#meter.close()
    }
  }

  /** Leases and starts as many judgements as may run. Returns the milliseconds until there may be more to do. */
  async #take(): Promise<number> {
    this.#isIdle = false
    const pauseMs = this.#concurrency.pauseMs()
    const free = Math.min(MAX_AT_ONCE, this.#concurrency.allowed - this.#active.size)
    if (pauseMs > 0) return pauseMs
    if (free <= 0) return LOOK_MS
    const answer = await this.#ask(free)
    if (answer === undefined) return LOOK_MS
    this.#answer = answer
    this.#isIdle = answer.leases.length === 0 && answer.waitMs > 0
    for (const { id } of answer.leases) this.#start(id)
    this.#tell()
    if (answer.leases.length === free) return LOOK_MS
    if (answer.isSpent) return Math.min(answer.waitMs + LEAST_LOOK_MS, SPENT_LOOK_MS)
    if (answer.leases.length > 0) return Math.max(LEAST_LOOK_MS, Math.min(answer.waitMs, LOOK_MS))
    return Math.min(answer.waitMs, LOOK_MS)
  }

  async #ask(first: number): Promise<JudgementLeases | undefined> {
    const { judge, signal } = this.#setup
    const { options, version, stepwell } = judge
    const given: JudgeInput = {
      name: options.name,
      version,
      ...subjectOptions(options),
      sample: options.sample,
      scoreNames: [...this.#scoreNames],
      budget: options.budget?.perDay,
    }
    const seconds = Math.ceil((options.seconds ?? SECONDS) + SPARE_SECONDS)
    const holding = [...this.#holding]
    const request = { judge: given, holder: this.#holder, first, seconds, holding }
    const { api } = stepwell
    try {
      return await persist(api, () => api.leaseJudgements(request), signal)
    } catch (error) {
      // An outage of the service ends some time, and a worker runs for weeks.
      if (!mayPass(api, error)) throw error
      if (!signal.aborted) this.#note(error)
      return undefined
    }
  }

  #start(id: string): void {
    this.#holding.add(id)
    const running: Promise<void> = this.#work(id)
      .catch((error) => {
        this.#failure ??= { error }
      })
      .then(() => {
        this.#active.delete(running)
        this.#holding.delete(id)
        this.#tell()
        this.#wake()
      })
    this.#active.add(running)
  }

  async #work(id: string): Promise<void> {
    const { judge, signal } = this.#setup
    const { api } = judge.stepwell
    let subject: Subject | null
    try {
      subject = await persist(api, () => findSubject(judge.options, api, id), signal)
    } catch (error) {
      this.#note(error)
      // One that can never be read would come again at once.
      const isLasting = StepwellError.is(error) && !mayPass(api, error) && !signal.aborted
      await this.#writer.add({
        id,
        ...(isLasting ? { error: error.message } : { isReleased: true }),
      })
      return
    }
    // Deleted since: there is nothing to be judged.
    if (subject === null) {
      await this.#writer.add({ id })
      return
    }
    const ended = new AbortController()
    if (signal.aborted) ended.abort(signal.reason)
    this.#ended.add(ended)
    const judgement = await judgeSubject(judge, subject, this.#meter, ended.signal)
    this.#ended.delete(ended)
    const result = this.#resultOf(id, judgement)
    const isStored = await this.#writer.add(result)
    if (isStored && result.isReleased !== true && result.error == null) this.#judged++
  }

  #resultOf(id: string, { scores, errors, usage, thrown }: Judgement): JudgementInput {
    const { tokens, dollars } = usage
    const rest = { id, tokens, dollars }
    if (errors.length === 0) {
      this.#concurrency.succeed()
      for (const { name } of scores) this.#scoreNames.add(name)
      return {
        ...rest,
        scores: scores.map(({ name, type, value, label, reason }) => ({
          name,
          type,
          value,
          label,
          comment: reason,
        })),
      }
    }
    if (this.#setup.signal.aborted) return { ...rest, isReleased: true }
    this.#errors++
    this.#lastError = errors.join('; ')
    // The provider has no time for anything now: that is no fault of the thing.
    const refusal = thrown
      .map(readableError)
      .find((error) => isRateLimit(error) || isQuotaUsed(error))
    if (refusal === undefined) return { ...rest, error: errors.join('\n') }
    const waitMs = isQuotaUsed(refusal) ? QUOTA_MS : (retryAfterMs(refusal) ?? REFUSED_MS)
    this.#concurrency.refuse(waitMs)
    return { ...rest, isReleased: true }
  }

  #note(error: unknown): void {
    this.#lastError = messageOf(error)
    this.#tell()
  }

  #tell(): void {
    const answer = this.#answer
    this.#setup.onProgress({
      judged: this.#judged,
      errors: this.#errors,
      active: this.#active.size,
      concurrency: this.#concurrency.allowed,
      usedToday: answer?.usedToday ?? null,
      spentForMs: answer?.isSpent === true ? answer.waitMs : null,
      lastError: this.#lastError,
    })
  }
}
