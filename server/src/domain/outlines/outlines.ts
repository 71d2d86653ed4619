import { LRUCache } from 'lru-cache'
import type { QueryOutlineArgs } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { inPassing } from '../../database/task.js'
import type { Caller } from '../../kernel/caller.js'
import { DomainError, invalid, within } from '../../kernel/errors.js'
import { sumUpParts } from '../../storage/outlines/look.js'
import {
  readOutlineBelow,
  readOutlineBetween,
  readOutlineOfThread,
} from '../../storage/outlines/read.js'
import { findThreads } from '../../storage/threads.js'
import type { Values } from '../values.js'
import { isSame } from './differences.js'
import {
  changedSince,
  countOf,
  dividedFurther,
  instantOfBound,
  type Known,
  type Look,
  revisionOf,
} from './look.js'
import { OrderedSteps } from './ordered-steps.js'
import { Outline } from './outline.js'

/** Time for which an outline is kept after it was last asked for. */
const KEPT_MS = 60_000
/** Outlines that are kept for clients that ask for the rest of one in parts, or for what changed since. */
const MAX_KEPT = 100
/** Steps of the outlines that are kept, of 140 bytes each; a larger outline is kept with the one before it. */
const MAX_KEPT_STEPS = 1_000_000

/** Steps of a part of a thread, which is read again when one of them changed. */
const PART_STEPS = 2000

const MAX_INT = 2 ** 31 - 1

/** Finds the outlines of threads and of runs. */
export class Outlines {
  readonly #db: Database
  readonly #values: Values
  readonly #partSteps: number
  /** The outlines that were asked for last, by their subject and revision. */
  readonly #kept = new LRUCache<string, Outline>({
    max: MAX_KEPT,
    ttl: KEPT_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  })

  /** The looks before which steps of threads were read. */
  readonly #known = new WeakMap<OrderedSteps, Known>()

  constructor(db: Database, values: Values, partSteps = PART_STEPS) {
    this.#db = db
    this.#values = values
    this.#partSteps = partSteps
  }

  async find(caller: Caller, args: Partial<QueryOutlineArgs>): Promise<Outline | null> {
    const { threadId, rootStepId } = args
    if ((threadId == null) === (rootStepId == null))
      throw invalid('threadId, rootStepId: expected exactly one of them')
    const first = args.first == null ? undefined : within('first', args.first, 1, MAX_INT)
    const subject =
      threadId == null
        ? { rootStepId: this.#values.requiredId('rootStepId', rootStepId ?? '') }
        : { threadId: this.#values.requiredId('threadId', threadId) }
    const kept =
      args.revision == null ? undefined : this.#kept.get(keyOf(caller, subject, args.revision))
    if (kept !== undefined && first === undefined) return kept
    if ('rootStepId' in subject) return this.#below(caller, subject.rootStepId, first)
    return first === undefined
      ? this.#ofThread(caller, subject.threadId)
      : this.#beginning(caller, subject.threadId, first)
  }

  async #below(
    caller: Caller,
    rootStepId: string,
    first: number | undefined,
  ): Promise<Outline | null> {
    const { projectId } = caller
    const { limits } = this.#values
    const goOn = deadline(limits.searchMs, 'rootStepId: the tree below this step is too deep')
    const steps = await inPassing(() =>
      OrderedSteps.read(
        readOutlineBelow(this.#db, projectId, rootStepId, goOn, { most: first }),
        rootStepId,
      ),
    )
    if (steps.count === 0) return null
    const before = this.#before(caller)
    const outline = new Outline(this.#db, caller, {
      first,
      limits,
      before,
      read: async () => steps,
    })
    if (first !== undefined) return outline
    const key = keyOf(caller, { rootStepId }, await outline.revision())
    const kept = this.#kept.get(key)
    // Who asks for changes names the one that was read first.
    if (kept?.loaded !== undefined && (await isSame(steps, kept.loaded))) return kept
    this.#keep(key, outline)
    return outline
  }

  /** Its revision is that of its own steps, as one of the thread would take time for all of them. */
  async #beginning(caller: Caller, threadId: string, first: number): Promise<Outline | null> {
    const { limits } = this.#values
    const steps = await this.#readThread(caller, threadId, first)
    const read = async () => steps
    return steps.count > 0
      ? new Outline(this.#db, caller, { threadId, first, limits, read })
      : this.#empty(caller, threadId)
  }

  async #ofThread(caller: Caller, threadId: string): Promise<Outline | null> {
    const { projectId } = caller
    const { limits } = this.#values
    const known = this.#find(caller, ({ look }) => look.threadId === threadId)
    const bounds = known?.bounds ?? []
    const parts = await sumUpParts(this.#db, projectId, threadId, bounds.map(instantOfBound))
    const look: Look = { threadId, bounds, parts }
    if (countOf(look) === 0) return this.#empty(caller, threadId)
    const revision = revisionOf(look)
    const key = keyOf(caller, { threadId }, revision)
    const kept = this.#kept.get(key)
    // Nothing changed since, so that this look in more parts is of the same steps.
    if (known !== undefined && known.steps === kept?.loaded)
      this.#known.set(known.steps, { ...known, look })
    if (kept !== undefined) return kept
    const before = this.#before(caller)
    const read = () => this.#readAfter(caller, look)
    const outline = new Outline(this.#db, caller, { threadId, revision, limits, before, read })
    this.#keep(key, outline)
    return outline
  }

  /** Returns the outline of a thread without steps; null without a thread. */
  async #empty(caller: Caller, threadId: string): Promise<Outline | null> {
    const { limits } = this.#values
    const [thread] = await findThreads(this.#db, caller.projectId, [threadId])
    const read = () => this.#readThread(caller, threadId)
    return thread === undefined
      ? null
      : new Outline(this.#db, caller, { threadId, revision: '0', limits, read })
  }

  /** Reads steps after a look at them: those alone that changed since the look that has its bounds. */
  async #readAfter(caller: Caller, look: Look): Promise<OrderedSteps> {
    const known = this.#find(caller, ({ bounds }) => bounds === look.bounds)
    const steps =
      (known && (await this.#readChanged(caller, known, look))) ??
      (await this.#readThread(caller, look.threadId))
    const bounds = await dividedFurther(look, steps, this.#partSteps)
    this.#known.set(steps, { look, steps, bounds })
    return steps
  }

  /** Returns undefined when most steps changed. */
  async #readChanged(
    { projectId }: Caller,
    known: Known,
    look: Look,
  ): Promise<OrderedSteps | undefined> {
    const { kept, times, count } = await changedSince(known, look)
    if (count > countOf(look) / 2) return undefined
    const db = this.#db
    return inPassing(() =>
      OrderedSteps.read(
        (async function* () {
          yield* known.steps.asRead(kept)
          for (const time of times) yield* readOutlineBetween(db, projectId, look.threadId, time)
        })(),
      ),
    )
  }

  /** Finds what is known of steps that a caller's project read, those that were asked for last first. */
  #find({ projectId }: Caller, fits: (known: Known) => boolean): Known | undefined {
    for (const { caller, loaded } of this.#kept.values()) {
      const known = loaded && this.#known.get(loaded)
      if (caller.projectId === projectId && known !== undefined && fits(known)) return known
    }
    return undefined
  }

  #readThread({ projectId }: Caller, threadId: string, most?: number): Promise<OrderedSteps> {
    return inPassing(() =>
      OrderedSteps.read(readOutlineOfThread(this.#db, projectId, threadId, { most })),
    )
  }

  /** Returns a function that finds steps that a caller's project read before, and that are kept still. */
  #before({ projectId }: Caller) {
    return (snapshot: string): OrderedSteps | undefined => {
      for (const { caller, loaded } of this.#kept.values())
        if (caller.projectId === projectId && loaded?.snapshot === snapshot) return loaded
      return undefined
    }
  }

  #keep(key: string, outline: Outline): void {
    this.#kept.set(key, outline)
    const steps = () =>
      [...this.#kept.values()].reduce((sum, { loaded }) => sum + (loaded?.count ?? 0), 0)
    while (this.#kept.size > 2 && steps() > MAX_KEPT_STEPS) this.#kept.pop()
  }
}

const keyOf = ({ projectId }: Caller, subject: object, revision: string): string =>
  JSON.stringify([projectId, subject, revision])

/** Returns a function that yields to other requests, and throws once the time is over. */
const deadline = (ms: number, message: string): (() => Promise<void>) => {
  const end = performance.now() + ms
  return async () => {
    await new Promise((resolve) => setImmediate(resolve))
    if (performance.now() > end) throw new DomainError('TOO_LARGE', message)
  }
}
