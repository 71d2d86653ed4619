import { isId } from '../values/id.js'

/**
 * Why a step will not be delivered. `memory`: the buffer was full; `refused`: the service does not take it; `too_large`:
 * not even without its content; `deadline`: undelivered when the process or the client ended; `closed`: recorded after
 * `close`; `spool`: lost from the spool's folder; `internal`: a fault of this SDK.
 */
export type DropReason =
  | 'memory'
  | 'refused'
  | 'too_large'
  | 'deadline'
  | 'closed'
  | 'spool'
  | 'internal'

/** A step that will not be delivered, and why. */
export interface DroppedStep {
  id: string
  reason: DropReason
  message: string
}

/** The counts of the recorded steps: `recorded = delivered + pending + dropped`, always. */
export interface Stats {
  recorded: number
  delivered: number
  /** Not delivered yet; those in the spool are among them. */
  pending: number
  dropped: number
  droppedByReason: Partial<Record<DropReason, number>>
  /** Changes of threads that will not be delivered: refused, or undelivered at the end. They are no part of `recorded`. */
  droppedThreadChanges: number
  /** Scores that the service did not take, as they do not fit their definitions. Their steps and threads are stored. */
  droppedScores: number
  /** Of `recorded`: steps that earlier processes left in the spool. */
  adopted: number
  /** Steps that sampling let go; they count as never recorded. */
  sampledOut: number
  /** Steps that ended because nothing came of their stream, or of what they were to wait for, for too long. */
  timedOut: number
  /** The last 100 of those that were dropped one by one, with the reason that was given. */
  setAside: readonly DroppedStep[]
  /** Why the last attempt to deliver failed; `undefined` when it did not. */
  lastProblem: string | undefined
  /** This client's session, under which the service counts what it received. */
  sessionId: string
  /** The counts of each exporter, which receives the same steps besides; absent without one. */
  exports?: readonly ExportStats[]
}

/** The counts of an exporter, as `Stats` has them for the service. */
export interface ExportStats
  extends Pick<
    Stats,
    'recorded' | 'delivered' | 'pending' | 'dropped' | 'droppedByReason' | 'lastProblem'
  > {
  /** The name of the exporter. */
  name: string
}

/** The counts of a client that records nothing. */
export const NO_STATS: Stats = {
  recorded: 0,
  delivered: 0,
  pending: 0,
  dropped: 0,
  droppedByReason: {},
  droppedThreadChanges: 0,
  droppedScores: 0,
  adopted: 0,
  sampledOut: 0,
  timedOut: 0,
  setAside: [],
  lastProblem: undefined,
  sessionId: '',
}

/** A range of sequence numbers that will never arrive. */
export interface Loss {
  reason: DropReason
  from: number
  to: number
  threadId?: string | undefined
}

const MAX_SET_ASIDE = 100
const MAX_LOSSES = 1000

/** Counts steps. Every step that is recorded is then either delivered or dropped. */
export class Account {
  readonly #report: (message: string) => void
  readonly #dropped = new Map<DropReason, number>()
  readonly #setAside: DroppedStep[] = []
  #losses: Loss[] = []
  recorded = 0
  delivered = 0
  adopted = 0
  droppedThreads = 0
  droppedScores = 0

  constructor(report: (message: string) => void) {
    this.#report = report
  }

  get dropped(): number {
    let sum = 0
    for (const count of this.#dropped.values()) sum += count
    return sum
  }

  get pending(): number {
    return this.recorded - this.delivered - this.dropped
  }

  /** Adds steps of an earlier process. */
  adopt(count: number): void {
    this.recorded += count
    this.adopted += count
  }

  /** Adds steps of which an earlier process left only their numbers. */
  adoptLost(count: number): void {
    if (count === 0) return
    this.adopt(count)
    const before = this.#dropped.get('spool') ?? 0
    this.#dropped.set('spool', before + count)
    this.#report(`${count} steps of an earlier process are no longer in the spool`)
  }

  /** Counts a step that will not be delivered. The first one for each reason is reported. */
  drop(
    reason: DropReason,
    message: string,
    step: { id?: string; sequence?: number; threadId?: string | undefined } = {},
  ): void {
    const before = this.#dropped.get(reason) ?? 0
    this.#dropped.set(reason, before + 1)
    if (step.id !== undefined) {
      this.#setAside.push({ id: step.id, reason, message })
      if (this.#setAside.length > MAX_SET_ASIDE) this.#setAside.shift()
    }
    const { sequence, threadId } = step
    if (sequence !== undefined) addLoss(this.#losses, reason, { sequence, threadId })
    if (before === 0)
      this.#report(
        `${message}. Steps lost for this reason are counted in stats(); this is reported once`,
      )
  }

  /** Counts changes of a thread that will not be delivered. The first ones are reported. */
  dropThread(message: string, count = 1): void {
    if (this.droppedThreads === 0)
      this.#report(
        `${message}. Lost changes of threads are counted in stats(); this is reported once`,
      )
    this.droppedThreads += count
  }

  /** Counts a score that the service did not take. The first one is reported. */
  dropScore(message: string): void {
    if (this.droppedScores === 0)
      this.#report(`${message}. Lost scores are counted in stats(); this is reported once`)
    this.droppedScores++
  }

  /** Returns the losses to report to the service, and forgets them. */
  takeLosses(): Loss[] {
    const losses = this.#losses
    this.#losses = []
    return losses
  }

  /** Puts back losses that could not be reported. */
  putBack(losses: readonly Loss[]): void {
    this.#losses = [...losses, ...this.#losses].slice(0, MAX_LOSSES)
  }

  get hasLosses(): boolean {
    return this.#losses.length > 0
  }

  droppedByReason(): Partial<Record<DropReason, number>> {
    return Object.fromEntries(this.#dropped)
  }

  setAside(): readonly DroppedStep[] {
    return [...this.#setAside]
  }
}

/** Adds a step to ranges of losses, without the id of its thread if it was rejected for that id. */
export const addLoss = (
  losses: Loss[],
  reason: DropReason,
  { sequence, threadId: given }: { sequence: number; threadId?: string | undefined },
): void => {
  const threadId = isId(given) ? given : undefined
  const last = losses.at(-1)
  if (last?.reason === reason && last.threadId === threadId && last.to === sequence - 1)
    last.to = sequence
  // The service notices a missing step even if its loss is not reported.
  else if (losses.length < MAX_LOSSES)
    losses.push({ reason, from: sequence, to: sequence, threadId })
}
