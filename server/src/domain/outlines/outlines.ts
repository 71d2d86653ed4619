import { LRUCache } from 'lru-cache'
import type { QueryOutlineArgs } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { DomainError, invalid } from '../../kernel/errors.js'
import { readOutlineBelow, readOutlineOfThread } from '../../storage/outlines/read.js'
import { findRevision } from '../../storage/outlines/revision.js'
import { findThreads } from '../../storage/threads.js'
import type { Values } from '../values.js'
import { OrderedSteps } from './ordered-steps.js'
import { Outline, wholeNumber } from './outline.js'

/** Time for which an outline is kept after it was last asked for. */
const KEPT_MS = 60_000
/** Outlines that are kept for clients that ask for the rest of one in parts. */
const MAX_KEPT = 4
/** Steps of the outlines that are kept, of 120 bytes each; a larger outline is kept alone. */
const MAX_KEPT_STEPS = 1_000_000

/** Finds the outlines of threads and of runs. */
export class Outlines {
  readonly #db: Database
  readonly #values: Values
  /** The outlines that were asked for last, by their subject and revision. */
  readonly #kept = new LRUCache<string, Outline>({
    max: MAX_KEPT,
    ttl: KEPT_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  })

  constructor(db: Database, values: Values) {
    this.#db = db
    this.#values = values
  }

  async find(caller: Caller, args: Partial<QueryOutlineArgs>): Promise<Outline | null> {
    const { threadId, rootStepId } = args
    if ((threadId == null) === (rootStepId == null))
      throw invalid('threadId, rootStepId: expected exactly one of them')
    const first = args.first == null ? undefined : wholeNumber('first', args.first)
    const subject =
      threadId == null
        ? { rootStepId: this.#values.requiredId('rootStepId', rootStepId ?? '') }
        : { threadId: this.#values.requiredId('threadId', threadId) }
    const kept =
      args.revision == null ? undefined : this.#kept.get(keyOf(caller, subject, args.revision))
    if (kept !== undefined && first === undefined) return kept
    return 'threadId' in subject
      ? this.#ofThread(caller, subject.threadId, first)
      : this.#below(caller, subject.rootStepId, first)
  }

  async #below(
    caller: Caller,
    rootStepId: string,
    first: number | undefined,
  ): Promise<Outline | null> {
    const { projectId } = caller
    const { limits } = this.#values
    const goOn = deadline(limits.searchMs, 'rootStepId: the tree below this step is too deep')
    const steps = await OrderedSteps.read(
      readOutlineBelow(this.#db, projectId, rootStepId, goOn, { most: first }),
      rootStepId,
    )
    if (steps.count === 0) return null
    const outline = new Outline(this.#db, caller, { first, limits, read: async () => steps })
    if (first === undefined)
      this.#keep(keyOf(caller, { rootStepId }, await outline.revision()), outline)
    return outline
  }

  async #ofThread(
    caller: Caller,
    threadId: string,
    first: number | undefined,
  ): Promise<Outline | null> {
    const { projectId } = caller
    const { limits } = this.#values
    const read = () =>
      OrderedSteps.read(readOutlineOfThread(this.#db, projectId, threadId, { most: first }))
    // A part is known by its own steps, as hashing all of them takes time for all of them.
    if (first !== undefined) {
      const steps = await read()
      if (steps.count > 0)
        return new Outline(this.#db, caller, { threadId, first, limits, read: async () => steps })
    }
    const revision = await findRevision(this.#db, projectId, threadId)
    if (revision === undefined) {
      const [thread] = await findThreads(this.#db, projectId, [threadId])
      return thread === undefined
        ? null
        : new Outline(this.#db, caller, { threadId, revision: '0', limits, read })
    }
    const key = keyOf(caller, { threadId }, revision)
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const outline = new Outline(this.#db, caller, { threadId, revision, limits, read })
    this.#keep(key, outline)
    return outline
  }

  #keep(key: string, outline: Outline): void {
    this.#kept.set(key, outline)
    const steps = () => [...this.#kept.values()].reduce((sum, { loaded }) => sum + loaded, 0)
    while (this.#kept.size > 1 && steps() > MAX_KEPT_STEPS) this.#kept.pop()
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
