import type { ThreadInput } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { isOutage } from '../../database/failures.js'
import { portionsOf } from '../../database/portions.js'
import { type Caller, parseEnvironment } from '../../kernel/caller.js'
import { DomainError, invalid, type Refusal } from '../../kernel/errors.js'
import type { Clock } from '../../kernel/instant.js'
import { noteRefusedItems } from '../../kernel/watching/refused-items.js'
import { upsertScores } from '../../storage/ingestion/nested.js'
import {
  assignParticipants,
  lockThreads,
  type ThreadChanges,
  updateThreads,
} from '../../storage/ingestion/thread-batch.js'
import { noteForJudges } from '../judges/awaiting.js'
import { type ScoreRefusal, ScoreRules } from '../score-rules.js'
import { assignAhead } from '../threads/assigning.js'
import type { Values } from '../values.js'
import { MergedMetadata } from './merging.js'
import { type ScoreDraft, scoreDraft } from './nested-drafts.js'
import { nestedScores } from './nested-scores.js'
import { participantsOf } from './participants.js'

/** A thread to store, or why it could not even be read. */
export type SentThread = ThreadInput | { refused: Refusal }

/** Threads of one transaction. */
const PORTION = { mostRows: 500, mostWeight: 2_000_000 }
/** Scores that come with one thread. */
const MAX_SCORES = 1000

/** The outcome of a thread: its refusal, or null once it is stored, without the scores that were left out. */
export interface ThreadOutcome {
  refusal: Refusal | null
  refusedScores: readonly ScoreRefusal[]
}

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
  scores: readonly ScoreDraft[]
}

interface Services {
  db: Database
  values: Values
  clock: Clock
  report: (error: unknown) => void
}

/**
 * Stores threads as if one came after the other, in a number of statements that does not grow with theirs. Returns an
 * outcome for each thread: a bad thread keeps no other out, and a bad score not its thread.
 */
export const upsertThreads = async (
  services: Services,
  caller: Caller,
  threads: readonly SentThread[],
): Promise<ThreadOutcome[]> => {
  const outcomes = threads.map((): ThreadOutcome => ({ refusal: null, refusedScores: [] }))
  const refuse = (index: number, refusal: Refusal) => {
    outcomes[index] = { refusal, refusedScores: [] }
  }
  const rules = await rulesOf(services.db, caller, threads)
  const changes: Change[] = []
  for (const [index, sent] of threads.entries()) {
    if ('refused' in sent) {
      refuse(index, sent.refused)
      continue
    }
    try {
      const change = read(services.values, caller, sent, index)
      const { scores, refused } = readScores(services.values, rules, sent)
      if (refused.length > 0) outcomes[index] = { refusal: null, refusedScores: refused }
      changes.push({ ...change, scores })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      refuse(index, refusalOf(error))
    }
  }
  for (const portion of portionsOf(changes, PORTION)) await store(services, caller, portion, refuse)
  noteRefusedItems(outcomes)
  return outcomes
}

const rulesOf = (
  db: Database,
  { projectId }: Caller,
  threads: readonly SentThread[],
): Promise<ScoreRules> => {
  const names = new Set<string>()
  for (const thread of threads)
    if (!('refused' in thread)) for (const { name } of thread.scores ?? []) names.add(name)
  return ScoreRules.read(db, projectId, names)
}

/** Reads the scores of a thread. Any that is invalid is left out alone. */
const readScores = (
  values: Values,
  rules: ScoreRules,
  { scores }: ThreadInput,
): { scores: ScoreDraft[]; refused: ScoreRefusal[] } => {
  if ((scores?.length ?? 0) > MAX_SCORES)
    throw new DomainError(
      'TOO_LARGE',
      `scores: expected at most ${MAX_SCORES} with a thread, got ${scores?.length}; send it in several parts`,
    )
  const { fitted, refused } = rules.sort(scores ?? [], (score, index) => {
    const draft = scoreDraft(values, `scores[${index}]`, score)
    if (draft.datasetExperimentItemId !== null)
      throw invalid(
        `scores[${index}].datasetExperimentItemId: expected none, as the score judges its thread`,
      )
    return rules.fit(`scores[${index}].`, { ...draft, generationId: null })
  })
  return { scores: fitted, refused }
}

const read = (
  values: Values,
  caller: Caller,
  sent: ThreadInput,
  index: number,
): Omit<Change, 'scores'> => ({
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
  refuse: (index: number, refusal: Refusal) => void,
): Promise<void> => {
  try {
    await assignLargeAhead(services, caller, changes)
    const refused = await services.db
      .transaction()
      .execute((transaction) => write({ ...services, db: transaction }, caller, changes))
    for (const [index, refusal] of refused) refuse(index, refusal)
  } catch (error) {
    const middle = Math.ceil(changes.length / 2)
    if (changes.length > 1 && !isOutage(error)) {
      await store(services, caller, changes.slice(0, middle), refuse)
      await store(services, caller, changes.slice(middle), refuse)
      return
    }
    const message = 'the service could not store this thread; send it again'
    const refusal =
      error instanceof DomainError ? refusalOf(error) : { code: 'UNAVAILABLE' as const, message }
    for (const { index } of changes) refuse(index, refusal)
    if (!(error instanceof DomainError)) services.report(error)
  }
}

/** Assigns the steps of large threads to their new users ahead. Threads that come several times are left to the transaction. */
const assignLargeAhead = (
  { db, values, clock }: Services,
  { projectId }: Caller,
  changes: readonly Change[],
): Promise<void> => {
  const times = new Map<string, number>()
  for (const { id } of changes) times.set(id, (times.get(id) ?? 0) + 1)
  const single = changes.filter(({ id }) => times.get(id) === 1)
  const metadataOf = new Map(single.map(({ id, metadata }) => [id, metadata]))
  return assignAhead(
    db,
    clock,
    projectId,
    single.flatMap(({ id, participant }) => (participant === undefined ? [] : { id, participant })),
    ({ id, metadata: stored }) => {
      const metadata = metadataOf.get(id)
      if (metadata === undefined) return true
      const merged = new MergedMetadata(stored)
      return merged.merge(metadata, values.limits.metadataBytes) === undefined
    },
  )
}

/** Returns the threads that are refused because of stored data. */
const write = async (
  { db, values, clock }: Services,
  { projectId }: Caller,
  changes: readonly Change[],
): Promise<Map<number, Refusal>> => {
  const refused = new Map<number, Refusal>()
  // Before any thread is locked: creating a participant may have to wait.
  const names = changes.flatMap(({ participant }) => participant ?? [])
  const participants = await participantsOf(db, clock, projectId, new Set(names))
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
  await noteForJudges(db, { threads: changed.map(({ id }) => ({ projectId, id })) })
  const judged = changes
    .filter(({ index, scores }) => scores.length > 0 && !refused.has(index))
    .map(({ id, scores }) => ({ projectId, id, scores }))
  if (judged.length > 0)
    await upsertScores(db, await nestedScores(db, judged, 'replace', clock, 'threadId'))
  return refused
}
