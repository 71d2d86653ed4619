import type { ExperimentLeaseState } from '../../../generated/schema.js'
import type { StepwellClient } from '../../client.js'
import { runtime } from '../../outbox/host.js'
import { nameOfTrial, type Trial } from '../data/item.js'
import { persist } from '../service/persist.js'

/** Places that one request of the service may name. */
const MAX_AT_ONCE = 1000

/** The reason of the signal of a trial that another process has taken. */
export class LostLease extends Error {
  override readonly name = 'LostLease'
  override readonly message = 'another process has taken the item'
}

interface Lease {
  state: ExperimentLeaseState
  /** Milliseconds until the lease of another process ends. */
  remainingMs: number
}

/** Keeps the leases of one process: takes them, extends them while items run, and gives them back. */
export class LeaseKeeper {
  readonly #api: StepwellClient['api']
  readonly #run: { datasetExperimentId: string; holder: string }
  readonly #seconds: number
  readonly #takesOver: boolean
  readonly #signal: AbortSignal
  readonly #own = new Map<string, { trial: Trial; ended: AbortController }>()
  #cancel = () => {}
  #isRenewing = false

  constructor(
    api: StepwellClient['api'],
    run: { datasetExperimentId: string; holder: string },
    options: { seconds: number; takesOver: boolean; signal: AbortSignal },
  ) {
    this.#api = api
    this.#run = run
    this.#seconds = options.seconds
    this.#takesOver = options.takesOver
    this.#signal = options.signal
    this.#renewLater()
  }

  /** Takes leases of trials that are free. Returns the state of each, in their order. */
  async take(trials: readonly Trial[]): Promise<Lease[]> {
    const leases = await this.#ask(trials, this.#seconds, this.#takesOver)
    for (const [index, { state }] of leases.entries()) {
      const trial = trials[index] as Trial
      if (state === 'LEASED') this.#own.set(nameOf(trial), { trial, ended: new AbortController() })
    }
    return leases
  }

  /** Returns a signal that is aborted when another process has taken a trial, or all are given up. */
  signalOf(trial: Trial): AbortSignal {
    const own = this.#own.get(nameOf(trial))
    return own === undefined ? AbortSignal.abort(new LostLease()) : own.ended.signal
  }

  /** Aborts the signals of all trials. */
  abortAll(reason: unknown): void {
    for (const { ended } of this.#own.values()) ended.abort(reason)
  }

  /** Notes that a trial has a result, or is no longer of interest. */
  settle(trial: Trial): void {
    this.#own.delete(nameOf(trial))
  }

  /** Returns leases to the service, so that other processes need not wait for their end. */
  async giveBack(trials: readonly Trial[]): Promise<void> {
    for (const trial of trials) this.settle(trial)
    await this.#ask(trials, 0, false)
  }

  close(): void {
    this.#cancel()
  }

  #renewLater(): void {
    const renew = () => {
      this.#renewLater()
      void this.#renew()
    }
    this.#cancel = runtime.timer(renew, (this.#seconds * 1000) / 3, true)
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing || this.#own.size === 0) return
    this.#isRenewing = true
    try {
      const kept = [...this.#own.values()]
      const trials = kept.map(({ trial }) => trial)
      for (const [index, { state }] of (await this.#ask(trials, this.#seconds, false)).entries()) {
        const { trial, ended } = kept[index] as (typeof kept)[number]
        // It may have got its result in the meantime.
        if (state !== 'LEASED' && this.#own.has(nameOf(trial))) {
          this.settle(trial)
          ended.abort(new LostLease())
        }
      }
    } catch {
      // The next one tries again; a result that comes after the lease's end is stored unless another process has it.
    } finally {
      this.#isRenewing = false
    }
  }

  async #ask(trials: readonly Trial[], seconds: number, takeOver: boolean): Promise<Lease[]> {
    const leases: Lease[] = []
    for (let first = 0; first < trials.length; first += MAX_AT_ONCE) {
      const items = trials
        .slice(first, first + MAX_AT_ONCE)
        .map(({ item, repetition }) => ({ key: item.key, repetition }))
      const request = { ...this.#run, items, seconds, takeOver }
      const ask = () => this.#api.leaseExperimentItems(request)
      leases.push(...(await persist(this.#api, ask, this.#signal)))
    }
    return leases
  }
}

const nameOf = ({ item, repetition }: Trial): string => nameOfTrial(item.key, repetition)
