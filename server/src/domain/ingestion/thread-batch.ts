import { randomUUID } from 'node:crypto'
import type { ThreadInput } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { isOutage } from '../../database/failures.js'
import { portionsOf } from '../../database/portions.js'
import { type Caller, parseEnvironment } from '../../kernel/caller.js'
import { DomainError, type Refusal } from '../../kernel/errors.js'
import type { Clock } from '../../kernel/instant.js'
import { keepParticipants } from '../../storage/erasure/notes.js'
import {
  assignParticipants,
  lockThreads,
  type ThreadChanges,
  updateThreads,
} from '../../storage/ingestion/thread-batch.js'
import { findParticipantsByIdentifiers, insertParticipants } from '../../storage/users.js'
import type { Values } from '../values.js'
import { MergedMetadata } from './merging.js'

/** A thread to store, or why it could not even be read. */
export type SentThread = ThreadInput | { refused: Refusal }

/** Threads of one transaction. */
const PORTION = { mostRows: 500, mostCharacters: 2_000_000 }

/** The checked values of a thread. Undefined values were not sent. */
interface Change {
  /** Its place in the batch. */
  index: number
  id: string
  environment: string
  name: string | null | undefined
  metadata: Record<string, unknown> | null | undefined
  tags: readonly string[] | null | undefined
  /** By id or identifier. */
  participant: string | null | undefined
}

interface Services {
  db: Database
  values: Values
  clock: Clock
  report: (error: unknown) => void
}

/**
 * Stores threads as if one came after the other, in a number of statements that does not grow with theirs. Returns null
 * for each thread, or its refusal: a bad thread keeps no other out.
 */
export const upsertThreads = async (
  services: Services,
  caller: Caller,
  threads: readonly SentThread[],
): Promise<(Refusal | null)[]> => {
  const outcomes: (Refusal | null)[] = threads.map(() => null)
  const changes: Change[] = []
  for (const [index, sent] of threads.entries()) {
    if ('refused' in sent) {
      outcomes[index] = sent.refused
      continue
    }
    try {
      changes.push(read(services.values, caller, sent, index))
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      outcomes[index] = refusalOf(error)
    }
  }
  for (const portion of portionsOf(changes, PORTION))
    await store(services, caller, portion, outcomes)
  return outcomes
}

const read = (values: Values, caller: Caller, sent: ThreadInput, index: number): Change => ({
  index,
  id: values.requiredId('id', sent.id),
  environment:
    sent.environment == null
      ? caller.environment
      : parseEnvironment('environment', sent.environment),
  name: values.text('name', sent.name),
  metadata: values.metadata('metadata', sent.metadata),
  tags: values.tags('tags', sent.tags),
  participant:
    sent.participantId === '' ? undefined : values.text('participantId', sent.participantId),
})

const refusalOf = ({ code, message }: DomainError): Refusal => ({ code, message })

/** Commits threads; when that fails, their halves. */
const store = async (
  services: Services,
  caller: Caller,
  changes: readonly Change[],
  outcomes: (Refusal | null)[],
): Promise<void> => {
  try {
    const refused = await services.db
      .transaction()
      .execute((transaction) => write({ ...services, db: transaction }, caller, changes))
    for (const [index, refusal] of refused) outcomes[index] = refusal
  } catch (error) {
    const middle = Math.ceil(changes.length / 2)
    if (changes.length > 1 && !isOutage(error)) {
      await store(services, caller, changes.slice(0, middle), outcomes)
      await store(services, caller, changes.slice(middle), outcomes)
      return
    }
    const message = 'the service could not store this thread; send it again'
    const refusal =
      error instanceof DomainError ? refusalOf(error) : { code: 'UNAVAILABLE' as const, message }
    for (const { index } of changes) outcomes[index] = refusal
    if (!(error instanceof DomainError)) services.report(error)
  }
}

/** Returns the threads that are refused because of stored data. */
const write = async (
  { db, values, clock }: Services,
  { projectId }: Caller,
  changes: readonly Change[],
): Promise<Map<number, Refusal>> => {
  const refused = new Map<number, Refusal>()
  // Before any thread is locked: creating a participant may have to wait.
  const participants = await participantsOf(db, clock, projectId, changes)
  const fresh = new Map<string, Change>()
  for (const change of changes) if (!fresh.has(change.id)) fresh.set(change.id, change)
  const createdAt = new Map([...fresh.keys()].map((id) => [id, clock()]))
  const stored = await lockThreads(
    db,
    projectId,
    [...fresh.values()]
      // Requests that write the same threads lock them in one order, so they don't wait for each other in a circle.
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ id, environment }) => ({ id, environment, createdAt: createdAt.get(id) as string })),
  )
  const results = new Map<string, ThreadChanges>()
  const mergedMetadata = new Map<string, MergedMetadata>()
  const { metadataBytes } = values.limits
  const metadataOf = new Map(stored.map(({ id, metadata }) => [id, metadata]))
  for (const { index, id, name, metadata, tags, participant } of changes) {
    const result = results.get(id) ?? { id }
    if (metadata !== undefined) {
      const merged = mergedMetadata.get(id) ?? new MergedMetadata(metadataOf.get(id))
      mergedMetadata.set(id, merged)
      const bytes = merged.merge(metadata, metadataBytes)
      if (bytes !== undefined) {
        const message = `metadata: expected at most ${metadataBytes} bytes, got ${bytes}`
        refused.set(index, { code: 'TOO_LARGE', message })
        continue
      }
    }
    if (name !== undefined) result.name = name
    if (tags !== undefined) result.tags = tags
    const participantId = participant == null ? participant : participants.get(participant)
    if (participantId !== undefined) result.participantId = participantId
    results.set(id, result)
  }
  for (const [id, merged] of mergedMetadata) {
    const result = results.get(id)
    if (result !== undefined) result.metadata = merged.value()
  }
  const changed = [...results.values()].filter((result) => Object.keys(result).length > 1)
  await updateThreads(db, projectId, changed)
  const before = new Map(stored.map(({ id, participantId }) => [id, participantId]))
  await assignParticipants(
    db,
    projectId,
    changed.flatMap(({ id, participantId }) =>
      participantId === undefined || participantId === before.get(id)
        ? []
        : [{ threadId: id, participantId, before: before.get(id) ?? null }],
    ),
  )
  return refused
}

/** Returns the ids of participants by the names that threads use. An unknown identifier creates the participant. */
const participantsOf = async (
  db: Database,
  clock: Clock,
  projectId: string,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, string>> => {
  const names = new Set<string>()
  for (const { participant } of changes) if (participant != null) names.add(participant)
  const found = new Map<string, string>()
  if (names.size === 0) return found
  for (const id of await keepParticipants(db, projectId, [...names])) found.set(id, id)
  const missing = () => [...names].filter((name) => !found.has(name))
  const look = async () => {
    const unknown = missing()
    if (unknown.length === 0) return
    for (const { id, identifier } of await findParticipantsByIdentifiers(db, projectId, unknown))
      found.set(identifier, id)
  }
  await look()
  const fresh = missing().sort()
  if (fresh.length === 0) return found
  await insertParticipants(
    db,
    projectId,
    fresh.map((identifier) => ({ id: randomUUID(), identifier, createdAt: clock() })),
  )
  // Reads these again, and those that another request has created in between.
  await look()
  return found
}
