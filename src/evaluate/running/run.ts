import type { ExperimentResultInput } from '../../api/leases.js'
import { runtime } from '../../outbox/host.js'
import type { Trial } from '../data/item.js'
import { toPayload } from '../data/payload.js'
import { pause } from '../service/pause.js'
import { type LeaseKeeper, LostLease } from './lease-keeper.js'
import type { ResultWriter } from './result-writer.js'
import { runTrial } from './run-trial.js'
import type { TrialResult, TrialSetup } from './trial-setup.js'

/** Items that are leased ahead, at least and at most: those of about a second. */
const MAX_AHEAD = 500
const AHEAD_MS = 1000
/** Times between looks at an item of another process: each is twice the one before. */
const FIRST_LOOK_MS = 200
const MAX_LOOK_MS = 3000

/** The reason of a run that was stopped from outside. */
export const STOPPED = 'it was stopped'

export interface RunSetup extends TrialSetup {
  /** Returns the group of an item, as whoever compares the results later should group them; null when nothing is said. */
  readonly groupOf: (key: string) => string | null
  readonly leases: LeaseKeeper
  readonly writer: ResultWriter
  /** Results that may wait for the service before no further item starts. */
  readonly maxUnstored: number
  /** Ends the run at once: items that are under way are given up. */
  readonly signal: AbortSignal
  /** Returns why no further item should start; `undefined` while some should. Called before each one. */
  readonly isOver: () => string | undefined
  /** Called after each result that the service has, as it is stored; without one for those of other processes. */
  readonly onResult: (trial: Trial, stored: ExperimentResultInput | undefined) => void
}

export interface RunOutcome {
  /** Why the run ended before all items had a result; `undefined` when all have. */
  readonly stopped: string | undefined
}

/** Runs all trials, together with the other processes that share the run. */
export class Run {
  readonly #setup: RunSetup
  readonly #begun = runtime.elapsed()
  /** Trials that this process has not asked for, the next one last. */
  readonly #pending: Trial[]
  readonly #ready: Trial[] = []
  #held: { trial: Trial; lookAt: number }[] = []
  /** The last wait of each trial that was held. */
  readonly #waits = new Map<Trial, number>()
  readonly #active = new Set<Promise<void>>()
  readonly #storing = new Set<Promise<void>>()
  #taking: Promise<void> | undefined
  #started = 0
  #finished = 0
  #failure: { error: unknown } | undefined
  #wake: () => void = () => {}

  constructor(setup: RunSetup, trials: readonly Trial[]) {
    this.#setup = setup
    this.#pending = trials.toReversed()
  }

  /** The items that run now. */
  get active(): number {
    return this.#active.size
  }

  /** The items that were started so far. */
  get started(): number {
    return this.#started
  }

  /** Returns the items that are under way to the service: they get no result. */
  giveUp(reason: unknown): void {
    this.#setup.leases.abortAll(reason)
    this.#wake()
  }

  async run(): Promise<RunOutcome> {
    const { signal, isOver, leases } = this.#setup
    const abort = () => this.giveUp(signal.reason)
    signal.addEventListener('abort', abort)
    let stopped: string | undefined
    try {
      for (;;) {
        if (this.#isDone) break
        stopped = this.#failure === undefined ? (signal.aborted ? STOPPED : isOver()) : 'it failed'
        if (stopped !== undefined) break
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        this.#take()
        const waitMs = this.#start()
        await (waitMs === undefined ? woken : Promise.race([woken, pause(waitMs)]))
      }
      await this.#taking
      while (this.#active.size > 0) await Promise.race(this.#active)
      await Promise.all(this.#storing)
      if (this.#ready.length > 0)
        await leases.giveBack(this.#ready.splice(0)).catch(() => undefined)
      if (this.#failure !== undefined) throw this.#failure.error
      return { stopped }
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  get #isDone(): boolean {
    return (
      this.#pending.length + this.#ready.length + this.#held.length === 0 &&
      this.#active.size + this.#storing.size === 0 &&
      this.#taking === undefined
    )
  }

  /** Starts as many items as may run. Returns the milliseconds until there may be more to do. */
  #start(): number | undefined {
    const { concurrency, writer, maxUnstored, isOver } = this.#setup
    const waitMs = concurrency.pauseMs()
    if (waitMs > 0) return waitMs
    while (
      this.#ready.length > 0 &&
      this.#active.size < concurrency.allowed &&
      writer.unstored < maxUnstored &&
      isOver() === undefined
    ) {
      const trial = this.#ready.shift() as Trial
      this.#started++
      let running: Promise<void>
      const end = () => {
        this.#active.delete(running)
        this.#wake()
      }
      running = this.#work(trial).then(end, (error) => {
        this.#failure ??= { error }
        end()
      })
      this.#active.add(running)
    }
    // The end of a request wakes too.
    if (this.#taking !== undefined) return undefined
    const [next] = this.#held.toSorted((one, other) => one.lookAt - other.lookAt)
    return next === undefined ? undefined : Math.max(1, next.lookAt - runtime.elapsed())
  }

  async #work(trial: Trial): Promise<void> {
    const { leases } = this.#setup
    const signal = leases.signalOf(trial)
    let result: TrialResult
    try {
      result = await runTrial(this.#setup, trial, signal)
    } catch (error) {
      if (!signal.aborted) throw error
      if (signal.reason instanceof LostLease) this.#hold(trial, 0)
      else await leases.giveBack([trial]).catch(() => undefined)
      return
    }
    this.#finished++
    // Not waited for: the next item may start while the service stores this one.
    const stored = this.#store(trial, result).catch((error) => {
      this.#failure ??= { error }
    })
    this.#storing.add(stored)
    void stored.then(() => {
      this.#storing.delete(stored)
      this.#wake()
    })
  }

  async #store(trial: Trial, result: TrialResult): Promise<void> {
    const { writer, leases, onResult, groupOf } = this.#setup
    const { item, repetition } = trial
    const { failure, errors } = result
    const stored = await writer.add({
      key: item.key,
      repetition,
      datasetItemId: item.datasetItemId,
      experimentRunId: result.runId,
      input: toPayload(item.input),
      // A dataset item keeps its own.
      expectedOutput:
        item.datasetItemId === undefined && item.expected !== undefined
          ? toPayload(item.expected)
          : undefined,
      output: failure === undefined ? toPayload(result.output) : null,
      error: failure ?? (errors.length === 0 ? null : errors.join('\n')),
      durationMs: result.durationMs,
      tokens: result.tokens,
      cost: result.cost,
      group: groupOf(item.key),
      scores: result.scores.map(({ reason, ...score }) => ({ ...score, comment: reason })),
    })
    leases.settle(trial)
    if (stored === null) this.#hold(trial, 0)
    else onResult(trial, stored)
  }

  /** Looks at a trial of another process later. */
  #hold(trial: Trial, remainingMs: number): void {
    const afterLast = (this.#waits.get(trial) ?? FIRST_LOOK_MS / 2) * 2
    const waitMs = Math.min(MAX_LOOK_MS, afterLast, remainingMs + 50)
    this.#waits.set(trial, waitMs)
    this.#held.push({ trial, lookAt: runtime.elapsed() + waitMs })
  }

  /** Looks in the background at trials of others that are due, and leases further ones when there are few left. */
  #take(): void {
    const { concurrency, leases, onResult } = this.#setup
    // A clock of whole milliseconds, or one that stands still between requests, may show the moment of the start again.
    const perMs = this.#finished / Math.max(1, runtime.elapsed() - this.#begun)
    const ahead = Math.min(MAX_AHEAD, Math.max(concurrency.allowed, Math.ceil(perMs * AHEAD_MS)))
    if (this.#taking !== undefined) return
    const asked = this.#dueTrials()
    // Looks don't wait until few are left: that may be long, and the verdict may need what others have found.
    if (this.#ready.length <= ahead / 2 && asked.length < ahead)
      asked.push(...this.#pending.splice(asked.length - ahead).toReversed())
    if (asked.length === 0) return
    const take = async () => {
      for (const [index, { state, remainingMs }] of (await leases.take(asked)).entries()) {
        const trial = asked[index] as Trial
        if (state === 'LEASED') this.#ready.push(trial)
        else if (state === 'DONE') onResult(trial, undefined)
        else this.#hold(trial, remainingMs)
      }
    }
    this.#taking = take()
      .catch((error) => {
        this.#failure ??= { error }
      })
      .finally(() => {
        this.#taking = undefined
        this.#wake()
      })
  }

  /** Takes the trials of other processes that are due to be looked at, as many as one request may name. */
  #dueTrials(): Trial[] {
    const now = runtime.elapsed()
    const due = this.#held.filter(({ lookAt }) => lookAt <= now).slice(0, MAX_AHEAD)
    if (due.length > 0) {
      const looked = new Set(due)
      this.#held = this.#held.filter((held) => !looked.has(held))
    }
    return due.map(({ trial }) => trial)
  }
}

/** Returns every repetition of every item, the first ones of all items first. */
export const trialsOf = (items: readonly Trial['item'][], repetitions: number): Trial[] =>
  numbersTo(repetitions).flatMap((repetition) => items.map((item) => ({ item, repetition })))

/** Returns the same trials unit by unit: all repetitions of an item, and all items of a group, one after another. */
export const trialsByUnit = (
  units: readonly (readonly Trial['item'][])[],
  repetitions: number,
): Trial[] =>
  units.flat().flatMap((item) => numbersTo(repetitions).map((repetition) => ({ item, repetition })))

const numbersTo = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => index + 1)
