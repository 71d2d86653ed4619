import { LRUCache } from 'lru-cache'
import type { QueryOutlineArgs } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { invalid } from '../../kernel/errors.js'
import { findOutlineBelow, findOutlineOfThread, findRevision } from '../../storage/outlines.js'
import { findThreads } from '../../storage/threads.js'
import type { Values } from '../values.js'
import { deadline, Outline } from './outline.js'

/** Time for which an outline is kept. */
const KEPT_MS = 60_000
/** Outlines that are kept for clients that ask for the rest of one in parts. */
const MAX_KEPT = 4

/** Finds the outlines of threads and of runs. */
export class Outlines {
  readonly #db: Database
  readonly #values: Values
  /** The outlines that were read last, by thread or run and by revision. */
  readonly #kept = new LRUCache<string, Outline>({
    max: MAX_KEPT,
    ttl: KEPT_MS,
    ttlAutopurge: true,
    noUpdateTTL: true,
  })

  constructor(db: Database, values: Values) {
    this.#db = db
    this.#values = values
  }

  async find(
    caller: Caller,
    { threadId, rootStepId }: Partial<QueryOutlineArgs>,
  ): Promise<Outline | null> {
    if ((threadId == null) === (rootStepId == null))
      throw invalid('threadId, rootStepId: expected exactly one of them')
    if (threadId != null)
      return this.#ofThread(caller, this.#values.requiredId('threadId', threadId))
    const { searchMs } = this.#values.limits
    const rootId = this.#values.requiredId('rootStepId', rootStepId ?? '')
    const rows = await findOutlineBelow(
      this.#db,
      caller.projectId,
      rootId,
      deadline(searchMs, 'rootStepId: the tree below this step is too deep'),
    )
    return rows.length === 0
      ? null
      : new Outline(this.#db, caller, async () => rows, { rootId, searchMs })
  }

  async #ofThread(caller: Caller, threadId: string): Promise<Outline | null> {
    const { projectId } = caller
    const { searchMs } = this.#values.limits
    const revision = await findRevision(this.#db, projectId, threadId)
    if (revision === undefined) {
      const [thread] = await findThreads(this.#db, projectId, [threadId])
      return thread === undefined
        ? null
        : new Outline(this.#db, caller, async () => [], { revision: '0', searchMs })
    }
    const key = JSON.stringify([projectId, threadId, revision])
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const outline = new Outline(
      this.#db,
      caller,
      () => findOutlineOfThread(this.#db, projectId, threadId),
      { revision, searchMs },
    )
    this.#kept.set(key, outline)
    return outline
  }
}
