import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.js'
import { isTaken } from '../database/failures.js'
import type { Changes } from '../database/rows/writes.js'
import { inTransaction } from '../database/transactions/attempts.js'
import type { Caller } from '../kernel/caller.js'
import { DomainError, invalid, notFound, show } from '../kernel/errors.js'
import type { Clock } from '../kernel/instant.js'
import type { PageRequest, Pages } from '../lists/page.js'
import { askedFields } from '../lists/query.js'
import { countStepsOf, deleteParticipant, leaveSomeSteps } from '../storage/erasure/participant.js'
import {
  findParticipantByIdentifier,
  findParticipants,
  findUsage,
  insertParticipant,
  type ParticipantRow,
  participantListing,
  type Usage,
  updateParticipant,
} from '../storage/users.js'
import { noteFor } from './audit/entry.js'
import { MissedUsers } from './missed-users.js'
import type { Pricer } from './prices/pricer.js'
import { AT_ONCE, inPortions } from './threads/portions.js'
import type { Threads } from './threads/threads.js'
import type { Values } from './values.js'

/** Fields whose values depend on sums of threads, which may be stale. */
const SUMMED = ['tokenCount', 'errorCount', 'cost', 'lastEngaged', 'firstEngaged']

export class Users {
  readonly #db: Database
  readonly #pages: Pages
  readonly #values: Values
  readonly #clock: Clock
  readonly #threads: Threads
  readonly #pricer: Pricer
  readonly #missed = new MissedUsers()

  constructor(
    db: Database,
    pages: Pages,
    values: Values,
    clock: Clock,
    threads: Threads,
    pricer: Pricer,
  ) {
    this.#pricer = pricer
    this.#db = db
    this.#pages = pages
    this.#values = values
    this.#clock = clock
    this.#threads = threads
  }

  /** Creates a participant, or returns the one that others created since the caller was told that there is none. */
  async create(
    caller: Caller,
    user: { identifier: string; metadata?: unknown },
  ): Promise<ParticipantRow> {
    const created = await insertParticipant(this.#db, caller.projectId, {
      id: randomUUID(),
      identifier: this.#values.requiredText('identifier', user.identifier),
      metadata: this.#values.metadata('metadata', user.metadata) ?? {},
      createdAt: this.#clock(),
    })
    const wasMissed = this.#missed.take(caller, user.identifier)
    if (created !== undefined) return created
    const existing = wasMissed ? await this.#findByIdentifier(caller, user.identifier) : undefined
    if (existing === undefined) throw taken(user.identifier)
    return existing
  }

  async update(
    caller: Caller,
    {
      id,
      identifier,
      metadata,
    }: { id: string; identifier?: string | null | undefined; metadata?: unknown },
  ): Promise<ParticipantRow> {
    if (identifier === null) throw invalid('identifier: expected a text, got null')
    if (identifier !== undefined) this.#values.requiredText('identifier', identifier)
    const changes: Changes<'participants'> = {
      identifier,
      metadata:
        metadata === undefined ? undefined : (this.#values.metadata('metadata', metadata) ?? {}),
    }
    try {
      await updateParticipant(this.#db, caller.projectId, id, changes)
    } catch (error) {
      throw isTaken(error) ? taken(String(identifier)) : error
    }
    const [user] = await findParticipants(this.#db, caller.projectId, [id])
    if (user === undefined) throw notFound('participant', id)
    return user
  }

  /** Returns the participant with the id, or else with the identifier. */
  async find(
    caller: Caller,
    { id, identifier }: { id?: string | null | undefined; identifier?: string | null | undefined },
  ): Promise<ParticipantRow | null> {
    if (id) return (await findParticipants(this.#db, caller.projectId, [id]))[0] ?? null
    if (identifier) {
      const found = await this.#findByIdentifier(caller, identifier)
      if (found === undefined) this.#missed.note(caller, identifier)
      return found ?? null
    }
    if (id === '' || identifier === '') return null
    throw invalid('id, identifier: expected one of them, got neither')
  }

  async list(caller: Caller, request: PageRequest) {
    const asked = askedFields('participants', request)
    const uses = (field: string) => field === request.orderBy?.column || asked.has(field)
    if (uses('cost')) await this.#pricer.catchUp(caller.projectId, this.#values.limits.searchMs)
    if (SUMMED.some(uses)) await this.#threads.sumUpAll({ projectId: caller.projectId })
    return this.#pages.read(caller.projectId, participantListing(caller.projectId), request)
  }

  #findByIdentifier({ projectId }: Caller, identifier: string) {
    return findParticipantByIdentifier(this.#db, projectId, identifier)
  }

  async usage(caller: Caller, ids: readonly string[]): Promise<Usage[]> {
    await this.#threads.sumUpAll({ projectId: caller.projectId, participantIds: ids })
    return findUsage(this.#db, caller.projectId, ids)
  }

  /**
   * Deletes a user, whose threads stay. One with many steps leaves these first, in small transactions between which others
   * get their turn: when the process ends in between, another deletion finds the user, and the rest.
   */
  async delete(caller: Caller, id: string): Promise<{ id: string }> {
    const { projectId } = caller
    if ((await countStepsOf(this.#db, projectId, id, AT_ONCE + 1)) > AT_ONCE)
      await inPortions(this.#db, (transaction, most) =>
        leaveSomeSteps(transaction, projectId, id, most),
      )
    const deleted = await inTransaction(this.#db, async (transaction) => {
      if (!(await deleteParticipant(transaction, caller.projectId, id))) return false
      await noteFor(transaction, caller, { action: 'DELETE_USER', on: 'USER', id })
      return true
    })
    if (!deleted) throw notFound('participant', id)
    return { id }
  }
}

const taken = (identifier: string) =>
  new DomainError(
    'CONFLICT',
    `identifier: a participant with the identifier ${show(identifier)} exists already; expected another one`,
  )
