import { randomUUID } from 'node:crypto'
import type { MutationUpsertThreadArgs } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { onBehalfOf, withoutTimeLimit } from '../../database/task.js'
import { inTransaction } from '../../database/transactions/attempts.js'
import { type Caller, parseEnvironment } from '../../kernel/caller.js'
import { DomainError, notFound } from '../../kernel/errors.js'
import type { Clock } from '../../kernel/instant.js'
import { SharedRuns } from '../../kernel/sharing/shared-runs.js'
import type { PageRequest, Pages } from '../../lists/page.js'
import { askedFields } from '../../lists/query.js'
import {
  type Ending,
  type EndRow,
  findConversationEnd,
  findEnds,
} from '../../storage/conversations/ending.js'
import { assignParticipants } from '../../storage/ingestion/thread-batch.js'
import {
  findStaleThreads,
  findThreads,
  insertThread,
  lockThread,
  type ThreadRef,
  type ThreadRow,
  threadListing,
  updateThread,
} from '../../storage/threads.js'
import { insertParticipant, keepParticipantsByNames } from '../../storage/users.js'
import { mergeMetadata } from '../ingestion/merging.js'
import { type SentThread, type ThreadOutcome, upsertThreads } from '../ingestion/thread-batch.js'
import { noteForJudges } from '../judges/awaiting.js'
import type { Pricer } from '../prices/pricer.js'
import { countAhead } from '../rollups/count.js'
import type { Values } from '../values.js'
import { assignAhead } from './assigning.js'
import { deleteThreadInPortions } from './deleting.js'
import { withFigures } from './held.js'
import type { ThreadSums } from './sums.js'

/** Fields that wait for calls without a price. */
const PRICED = ['cost', 'unpricedCount']

/** Threads whose sums one transaction updates. */
const SUMMED_AT_ONCE = 500

/**
 * Time that a list by start spends on stale sums. It goes on after that: an earlier start is stored with its step, and only
 * one that became later waits for the sums.
 */
const START_SUMS_MS = 300

type Changes = Omit<MutationUpsertThreadArgs, 'id'>

export class Threads {
  readonly #db: Database
  readonly #pages: Pages
  readonly #values: Values
  readonly #clock: Clock
  readonly #report: (error: unknown) => void
  readonly #pricer: Pricer
  readonly #sums: ThreadSums
  readonly #running = new SharedRuns<boolean>()

  constructor(
    db: Database,
    pages: Pages,
    values: Values,
    clock: Clock,
    report: (error: unknown) => void,
    sums: ThreadSums,
    pricer: Pricer,
  ) {
    this.#sums = sums
    this.#pricer = pricer
    this.#report = report
    this.#db = db
    this.#pages = pages
    this.#values = values
    this.#clock = clock
  }

  create(caller: Caller, changes: Changes): Promise<ThreadRow> {
    return this.upsert(caller, randomUUID(), changes)
  }

  async upsert(caller: Caller, id: string, changes: Changes): Promise<ThreadRow> {
    this.#values.requiredId('id', id)
    return this.#change(caller, id, changes, (transaction) =>
      insertThread(transaction, caller.projectId, {
        id,
        environment: caller.environment,
        createdAt: this.#clock(),
      }),
    )
  }

  /** Stores several threads. Returns an outcome for each. */
  upsertAll(caller: Caller, threads: readonly SentThread[]): Promise<ThreadOutcome[]> {
    const [db, values, clock, report] = [this.#db, this.#values, this.#clock, this.#report]
    return upsertThreads({ db, values, clock, report }, caller, threads)
  }

  async update(caller: Caller, id: string, changes: Changes): Promise<ThreadRow> {
    return this.#change(caller, id, changes)
  }

  async find(caller: Caller, id: string): Promise<ThreadRow | null> {
    return (await findThreads(this.#db, caller.projectId, [id]))[0] ?? null
  }

  async list(caller: Caller, request: PageRequest) {
    const summed = ['tokenCount', 'duration', 'stepCount', 'errorCount', 'endedAt']
    const asked = askedFields('threads', request)
    const uses = (columns: readonly string[]) =>
      columns.includes(request.orderBy?.column ?? '') || columns.some((field) => asked.has(field))
    if (uses(PRICED)) await this.#pricer.catchUp(caller.projectId, this.#values.limits.searchMs)
    if (uses(summed) || uses(PRICED)) await this.sumUpAll({ projectId: caller.projectId })
    else if (uses(['startedAt']))
      await this.#sumUpUnheld({ projectId: caller.projectId }, START_SUMS_MS)
    const listing = await this.listing(caller, asked)
    return this.#pages.read(caller.projectId, listing, request, () =>
      countAhead(this.#db, caller.projectId, 'threads', listing, request),
    )
  }

  /** Returns the list of threads; the ends of conversations are known to it when they are asked for. */
  async listing(caller: Caller, asked: ReadonlySet<string>) {
    const ending = asked.has('endedAt') ? await this.#ending(caller) : undefined
    return threadListing(caller.projectId, ending)
  }

  /** Returns the ends of some threads; leaves out all of them when the project has no rule for it. */
  async ends(caller: Caller, ids: readonly string[]): Promise<EndRow[]> {
    const ending = await this.#ending(caller)
    if (ending.rule === null) return []
    await this.sumUp(caller, ids)
    return findEnds(this.#db, caller.projectId, ids, ending)
  }

  async #ending({ projectId }: Caller): Promise<Ending> {
    return { rule: await findConversationEnd(this.#db, projectId), now: this.#clock() }
  }

  /** Returns threads with sums that are up to date, even if others hold some and these sums can't be stored. */
  async summed({ projectId }: Caller, ids: readonly string[]): Promise<ThreadRow[]> {
    const held = await this.#sums.updateUnheld(projectId, ids)
    const figures = await this.#sums.readHeld(projectId, held)
    const threads = await findThreads(this.#db, projectId, ids)
    if (figures.length === 0) return threads
    const byId = new Map(figures.map((one) => [one.id, one]))
    return threads.map((thread) => {
      const unstored = thread.stale ? byId.get(thread.id) : undefined
      return unstored === undefined ? thread : withFigures(thread, unstored)
    })
  }

  /** Updates the sums over the steps of some threads. */
  async sumUp(caller: Caller, ids: readonly string[]): Promise<void> {
    await this.#sums.update(caller.projectId, ids)
  }

  /**
   * Updates the sums of all threads: of a project, or of some participants. Those of a project are
   * kept nearly up to date in the background, and summed up once for all that ask at a time: several would wait for each
   * other's threads. Throws when there are more stale ones than a search has time for.
   */
  async sumUpAll(of: { projectId: string; participantIds?: readonly string[] }): Promise<void> {
    const { projectId, participantIds } = of
    const sumUp = () =>
      this.#sumUpWithin(of, this.#values.limits.searchMs, (...some) => this.#sums.update(...some))
    const isDone =
      participantIds !== undefined
        ? await sumUp()
        : // For all that ask: the time limit of one must not end the work of the others.
          await this.#running.run(projectId, () =>
            withoutTimeLimit(() => onBehalfOf(`sums of ${projectId}`, sumUp)),
          )
    if (!isDone)
      throw new DomainError(
        'UNAVAILABLE',
        'the tokens and durations of many new threads are still being computed; try again in a moment',
      )
  }

  /** Updates the sums of all projects in the background. Large threads that are written to all the time get their rest. */
  async catchUp(): Promise<void> {
    const rests = ({ projectId, id }: ThreadRef) => this.#sums.rests(projectId, id)
    await this.#sumUpUnheld({}, this.#values.limits.searchMs, rests)
  }

  #sumUpUnheld(
    of: { projectId?: string },
    ms: number,
    rests?: (thread: ThreadRef) => boolean,
  ): Promise<boolean> {
    return this.#sumUpWithin(of, ms, (...some) => this.#sums.updateUnheld(...some), rests)
  }

  /** Returns false when there were more stale sums than there was time for. */
  async #sumUpWithin(
    of: { projectId?: string; participantIds?: readonly string[] },
    ms: number,
    update: (projectId: string, ids: readonly string[]) => Promise<unknown>,
    rests: (thread: ThreadRef) => boolean = () => false,
  ): Promise<boolean> {
    const deadline = performance.now() + ms
    // One that is marked again meanwhile has all that there was at the beginning.
    const passed = new Set<string>()
    for (;;) {
      const most = SUMMED_AT_ONCE + passed.size
      const found = await findStaleThreads(this.#db, of, most)
      const projects = new Map<string, string[]>()
      for (const thread of found) {
        const key = JSON.stringify([thread.projectId, thread.id])
        if (passed.has(key)) continue
        passed.add(key)
        if (rests(thread)) continue
        projects.set(thread.projectId, [...(projects.get(thread.projectId) ?? []), thread.id])
      }
      for (const [projectId, ids] of projects) await update(projectId, ids)
      if (found.length < most) return true
      if (performance.now() > deadline) return false
    }
  }

  /** Returns null when there is no such thread. */
  delete(caller: Caller, id: string): Promise<{ id: string } | null> {
    return deleteThreadInPortions(this.#db, caller, id)
  }

  async #change(
    caller: Caller,
    id: string,
    changes: Changes,
    create?: (db: Database) => Promise<void>,
  ): Promise<ThreadRow> {
    const { participantId: participant } = changes
    if (participant !== undefined && participant !== '') {
      this.#values.text('participantId', participant)
      const { projectId } = caller
      await assignAhead(this.#db, this.#clock, projectId, [{ id, participant }], (stored) => {
        this.#checked(changes, stored)
        return true
      })
    }
    return inTransaction(this.#db, async (transaction) => {
      // Before the thread is locked: the participant may have to be waited for.
      const participantId = await this.#participant(transaction, caller, changes.participantId)
      await create?.(transaction)
      return this.#changeLocked(transaction, caller, id, changes, participantId)
    })
  }

  /** Returns the values of a thread that change, but its user. Throws for invalid ones. */
  #checked(changes: Changes, stored: ThreadRow) {
    const metadata = this.#values.metadata('metadata', changes.metadata)
    return {
      name: this.#values.text('name', changes.name),
      metadata:
        metadata === undefined
          ? undefined
          : this.#values.metadata('metadata', mergeMetadata(stored.metadata, metadata)),
      tags: this.#values.tags('tags', changes.tags),
      // Old clients send null or an empty text for an environment that was not set.
      environment: changes.environment
        ? parseEnvironment('environment', changes.environment)
        : undefined,
    }
  }

  async #changeLocked(
    db: Database,
    caller: Caller,
    id: string,
    changes: Changes,
    participantId: string | null | undefined,
  ): Promise<ThreadRow> {
    const stored = await lockThread(db, caller.projectId, id)
    if (stored === undefined) throw notFound('thread', id)
    await updateThread(db, caller.projectId, id, {
      ...this.#checked(changes, stored),
      participantId,
    } satisfies Record<keyof Changes, unknown>)
    if (participantId !== undefined && participantId !== stored.participantId)
      await assignParticipants(db, caller.projectId, [
        { threadId: id, participantId, before: stored.participantId },
      ])
    await noteForJudges(db, { threads: [{ projectId: caller.projectId, id }] })
    return (await findThreads(db, caller.projectId, [id]))[0] as ThreadRow
  }

  /** Returns the participant with an id or identifier. An unknown identifier creates the participant. */
  async #participant(
    db: Database,
    { projectId }: Caller,
    name: string | null | undefined,
  ): Promise<string | null | undefined> {
    if (name === null || name === undefined) return name
    if (name === '') return undefined
    this.#values.text('participantId', name)
    const find = async () => (await keepParticipantsByNames(db, projectId, [name])).get(name)
    const known = await find()
    if (known !== undefined) return known
    const participant = await insertParticipant(db, projectId, {
      id: randomUUID(),
      identifier: name,
      metadata: {},
      createdAt: this.#clock(),
    })
    // Another request created it in between.
    return participant?.id ?? find()
  }
}
