import { FLAG } from '../../../generated/outline-flags.js'
import type { StepType } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { evenIfLeft } from '../../database/task.js'
import type { Caller } from '../../kernel/caller.js'
import { DomainError, invalid } from '../../kernel/errors.js'
import type { Instant } from '../../kernel/instant.js'
import type { SearchLimits } from '../../lists/sizes.js'
import { findStepsWithText } from '../../storage/outlines/search.js'
import { NEW, type Run, runsSince } from './differences.js'
import { instantOf, type OrderedSteps, type OutlineColumns } from './ordered-steps.js'

const MAX_MATCHES = 10_000
/** Changed steps of one answer, of some megabytes. */
const MAX_CHANGES = 50_000

/** The steps of an outline as runs of those of another one, and the columns of the others. */
export interface OutlineChanges extends OutlineColumns {
  runs: Run[]
}

export interface OutlineOptions {
  /** The thread whose steps it has; absent below a step. */
  threadId?: string | undefined
  /** Without one, it is derived from the steps. */
  revision?: string | undefined
  /** The number of steps after which it ends; absent if it has all of them. */
  first?: number | undefined
  limits: SearchLimits
  /** Finds steps that were read before, by their snapshot. */
  before?: ((snapshot: string) => OrderedSteps | undefined) | undefined
  read: () => Promise<OrderedSteps>
}

/** The outline of a thread or of a run: its tree of steps, read once, when one of its fields is first used. */
export class Outline {
  readonly #db: Database
  readonly caller: Caller
  readonly #options: OutlineOptions
  #steps: Promise<OrderedSteps> | undefined
  /** Its steps, once they are read. */
  loaded: OrderedSteps | undefined

  constructor(db: Database, caller: Caller, options: OutlineOptions) {
    this.#db = db
    this.caller = caller
    this.#options = options
  }

  async revision(): Promise<string> {
    return this.#options.revision ?? (await this.#all()).revision
  }

  async stepCount(): Promise<number> {
    return (await this.#all()).count
  }

  async isWhole(): Promise<boolean> {
    const { first } = this.#options
    return first === undefined || (await this.#all()).count < first
  }

  async errorCount(): Promise<number> {
    return (await this.#all()).countOf(FLAG.failed)
  }

  async runningCount(): Promise<number> {
    return (await this.#all()).countOf(FLAG.running)
  }

  async startedAt(): Promise<Instant | null> {
    return momentOf((await this.#all()).first)
  }

  async endedAt(): Promise<Instant | null> {
    return momentOf((await this.#all()).last)
  }

  async maxDepth(): Promise<number> {
    return (await this.#all()).maxDepth
  }

  async names(): Promise<readonly string[]> {
    return (await this.#all()).names
  }

  async types(): Promise<readonly StepType[]> {
    return (await this.#all()).types
  }

  async skeleton({
    from,
    count,
  }: {
    from?: number | null | undefined
    count?: number | null | undefined
  }): Promise<OutlineColumns> {
    const start = wholeNumber('from', from ?? 0)
    const steps = await this.#all()
    const end = count == null ? steps.count : start + wholeNumber('count', count)
    return steps.columns([[start, end]])
  }

  async snapshot(): Promise<string> {
    return (await this.#all()).snapshot
  }

  async changes({ since }: { since: string }): Promise<OutlineChanges | null> {
    const steps = await this.#all()
    const before = this.#options.before?.(since)
    // Places in time are told from the first step.
    if (before === undefined || before.first !== steps.first) return null
    const runs = await runsSince(steps, before)
    const ranges: [number, number][] = []
    let place = 0
    for (const [from, count] of runs) {
      if (from === NEW) ranges.push([place, place + count])
      place += count
    }
    const changed = ranges.reduce((sum, [from, to]) => sum + to - from, 0)
    return Math.max(changed, runs.length) > MAX_CHANGES
      ? null
      : { runs, ...(await steps.columns(ranges)) }
  }

  async matches({
    text,
    first,
  }: {
    text: string
    first?: number | null | undefined
  }): Promise<string[]> {
    const most = wholeNumber('first', first ?? 1000)
    if (most > MAX_MATCHES) throw invalid(`first: expected at most ${MAX_MATCHES}, got ${most}`)
    if (text.trim() === '') throw invalid('text: expected a text to find, got an empty one')
    const steps = await this.#all()
    if (most === 0 || steps.count === 0) return []
    const { threadId, limits } = this.#options
    const { ids, isComplete } = await findStepsWithText(
      this.#db,
      this.caller.projectId,
      threadId === undefined ? steps.searched : { threadId },
      text,
      most,
      limits,
    )
    if (!isComplete) throw new DomainError('TOO_LARGE', 'text: the thread is too large to search')
    return steps.idsAmong(new Set(ids))
  }

  #all(): Promise<OrderedSteps> {
    if (this.#steps !== undefined) return this.#steps
    const steps = evenIfLeft(this.#options.read)
    this.#steps = steps
    steps.then(
      (all) => {
        this.loaded = all
      },
      // A failure is not kept: others may ask for a kept outline.
      () => {
        this.#steps = undefined
      },
    )
    return steps
  }
}

const wholeNumber = (field: string, value: number): number => {
  if (value >= 0) return value
  throw invalid(`${field}: expected a whole number, 0 or more, got ${value}`)
}

const momentOf = (milliseconds: number | null): Instant | null =>
  milliseconds === null ? null : instantOf(Math.floor(milliseconds))
