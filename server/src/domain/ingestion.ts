import type { Database } from '../storage/database.js'
import { isConflict, isOutage } from '../storage/failures.js'
import {
  type AttachmentWrite,
  clearSteps,
  findThreadsOfSteps,
  type ScoreWrite,
  type StepColumn,
  upsertAttachments,
  upsertScores,
  upsertSteps,
  type WriteMode,
  type WrittenStep,
} from '../storage/ingestion.js'
import { findScoresOfSteps } from '../storage/scores.js'
import { encodeJson } from '../storage/text.js'
import { markStale, touchThreads } from '../storage/threads.js'
import { withoutTimeLimit, withTimeLimit } from '../storage/time-limit.js'
import type { Refusal } from './errors.js'
import { type Fragment, mergeFragments, scoreIdOf, toScoreWrite } from './fragments.js'
import type { Clock } from './instant.js'

/** What one commit holds at most, so that a burst neither blocks readers for long nor builds one huge statement. */
const MOST_STEPS = 2000
const MOST_CHARACTERS = 8_000_000
/** How often a transaction is tried that others were in the way of. */
const MOST_ATTEMPTS = 5
/** What a part of a batch gets at least, when little of its time is left. */
const LEAST_MS = 250

interface Waiting {
  fragment: Fragment
  settle: (refusal: Refusal | null) => void
}

export interface IngestionOptions {
  /** Transactions at once. */
  writers: number
  /** How long the steps that share a transaction may take in all, with whatever is tried again of them. */
  commitMs: number
  report: (error: unknown) => void
  /** Is told after each commit how many steps it had. */
  wrote: (steps: number) => void
}

/**
 * Stores steps. While as many transactions run as may at once, what arrives waits and then shares the next one, whichever
 * request it came with: many small requests cost no more than a large one. What is said of one step is stored in the
 * order in which it came. Whoever waits is told only after the commit.
 */
export class Ingestion {
  readonly #db: Database
  readonly #clock: Clock
  readonly #options: IngestionOptions
  #waiting: Waiting[] = []
  #isStarting = false
  readonly #running = new Set<Promise<void>>()
  /** The steps of running transactions. */
  readonly #inFlight = new Set<string>()

  constructor(db: Database, clock: Clock, options: IngestionOptions) {
    this.#db = db
    this.#clock = clock
    this.#options = options
  }

  /** Gives for each fragment null once it is stored, or why it could not be. */
  store(fragments: readonly Fragment[]): Promise<(Refusal | null)[]> {
    const outcomes = Promise.all(
      fragments.map(
        (fragment) =>
          new Promise<Refusal | null>((settle) => this.#waiting.push({ fragment, settle })),
      ),
    )
    if (!this.#isStarting) {
      this.#isStarting = true
      // One turn of the event loop lets requests that arrived together share the first transaction too.
      setImmediate(() =>
        withoutTimeLimit(() => {
          this.#isStarting = false
          this.#start()
        }),
      )
    }
    return outcomes
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#isStarting || this.#running.size > 0) {
      await Promise.all(this.#running)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  #start(): void {
    while (this.#running.size < this.#options.writers) {
      const batch = this.#takeBatch()
      if (batch.length === 0) return
      const keys = batch.map(({ fragment }) => keyOf(fragment.projectId, fragment.id))
      for (const key of keys) this.#inFlight.add(key)
      const run = this.#commit(batch).then(() => {
        for (const key of keys) this.#inFlight.delete(key)
        this.#running.delete(run)
        this.#start()
      })
      this.#running.add(run)
    }
  }

  /** What came first, up to a step that a running transaction has too. */
  #takeBatch(): Waiting[] {
    let characters = 0
    let count = 0
    for (const { fragment } of this.#waiting) {
      if (count > 0 && (count >= MOST_STEPS || characters + fragment.size > MOST_CHARACTERS)) break
      if (this.#inFlight.has(keyOf(fragment.projectId, fragment.id))) break
      characters += fragment.size
      count++
    }
    return this.#waiting.splice(0, count)
  }

  /**
   * Commits a batch; when that fails, its halves, so that whatever is wrong with one step keeps no other out. Each attempt
   * gets half of the time that is left, so that one which is blocked leaves some for the others.
   */
  async #commit(
    batch: Waiting[],
    deadline = performance.now() + this.#options.commitMs,
    attempt = 1,
  ): Promise<void> {
    const leftMs = deadline - performance.now()
    try {
      await withTimeLimit(Math.max(leftMs / 2, LEAST_MS), () =>
        this.#db.transaction().execute((transaction) => this.#write(transaction, batch)),
      )
      for (const { settle } of batch) settle(null)
      this.#options.wrote(batch.length)
    } catch (error) {
      if (isConflict(error) && attempt < MOST_ATTEMPTS)
        return this.#commit(batch, deadline, attempt + 1)
      const middle = Math.ceil(batch.length / 2)
      // While the database is away, every part of the batch would fail, and wait to fail.
      if (batch.length > 1 && !isOutage(error) && performance.now() < deadline) {
        await this.#commit(batch.slice(0, middle), deadline)
        await this.#commit(batch.slice(middle), deadline)
        return
      }
      this.#options.report(error)
      const message = 'the service could not store this step; send it again'
      for (const { settle } of batch) settle({ code: 'UNAVAILABLE', message })
    }
  }

  async #write(db: Database, batch: readonly Waiting[]): Promise<void> {
    const arrived = mergeById(batch.map(({ fragment }) => fragment))
    // The order in which they came is that of their moments.
    const createdAt = new Map(arrived.map((step) => [step, this.#clock()]))
    // In one order everywhere, so that processes that write the same steps wait for each other instead of in a circle.
    const steps = arrived.toSorted(byKey)
    const touched = await this.#touchThreads(db, steps)
    const left = await this.#threadsLeft(db, steps)
    const written = await upsertSteps(
      db,
      steps.map((step) => ({
        projectId: step.projectId,
        id: step.id,
        values: step.values,
        createdAt: createdAt.get(step) ?? this.#clock(),
      })),
    )
    const older = olderThanStored(steps, written)
    const newer = older.size === 0 ? steps : steps.filter((step) => !older.has(step))
    await this.#clear(db, newer)
    // A fragment that names no thread changes the one that its step belongs to; one that names another leaves one behind.
    const changed = new Groups()
    const note = (projectId: string, threadId: string | null) => {
      if (threadId !== null && !touched.has(keyOf(projectId, threadId)))
        changed.add(projectId, threadId)
    }
    for (const { projectId, threadId, leftThreadId } of written) {
      note(projectId, threadId)
      note(projectId, leftThreadId)
    }
    for (const { projectId, threadId } of left) note(projectId, threadId)
    for (const [projectId, ids] of changed) await markStale(db, projectId, ids)
    await this.#writeScores(db, newer, 'replace')
    await this.#writeAttachments(db, newer, 'replace')
    if (older.size === 0) return
    await this.#writeScores(db, [...older], 'add')
    await this.#writeAttachments(db, [...older], 'add')
  }

  /** Creates the threads that are new, and gives the steps of the others their participant. */
  async #touchThreads(db: Database, steps: readonly Fragment[]): Promise<Set<string>> {
    const seen = new Map<string, Fragment & { threadId: string }>()
    for (const step of steps) {
      const { threadId } = step
      if (threadId === undefined) continue
      const key = keyOf(step.projectId, threadId)
      if (!seen.has(key)) seen.set(key, { ...step, threadId })
    }
    if (seen.size === 0) return new Set()
    const threads = await touchThreads(
      db,
      [...seen.values()].sort(byThread).map(({ projectId, threadId, environment }) => ({
        projectId,
        id: threadId,
        environment,
        createdAt: this.#clock(),
      })),
    )
    const participants = new Map(
      threads.map((thread) => [keyOf(thread.projectId, thread.id), thread.participantId]),
    )
    for (const { projectId, threadId, values } of steps) {
      const participantId =
        threadId === undefined ? undefined : participants.get(keyOf(projectId, threadId))
      if (participantId) values.participantId = JSON.stringify(participantId)
    }
    return new Set(seen.keys())
  }

  /** The threads that steps are taken out of by an explicit null. */
  async #threadsLeft(db: Database, steps: readonly Fragment[]) {
    const moving = new Groups()
    for (const { projectId, id, cleared } of steps)
      if (cleared.includes('threadId')) moving.add(projectId, id)
    const found: { projectId: string; threadId: string }[] = []
    for (const [projectId, ids] of moving)
      for (const threadId of await findThreadsOfSteps(db, projectId, ids))
        found.push({ projectId, threadId })
    return found
  }

  async #clear(db: Database, steps: readonly Fragment[]): Promise<void> {
    const groups = new Map<string, { projectId: string; columns: StepColumn[]; ids: string[] }>()
    for (const { projectId, id, cleared } of steps) {
      if (cleared.length === 0) continue
      const columns: StepColumn[] = cleared.includes('threadId')
        ? [...cleared, 'participantId']
        : cleared
      const key = keyOf(projectId, columns.toSorted().join())
      const group = groups.get(key) ?? { projectId, columns, ids: [] }
      group.ids.push(id)
      groups.set(key, group)
    }
    for (const { projectId, ids, columns } of groups.values())
      await clearSteps(db, projectId, ids, columns)
  }

  async #writeScores(db: Database, steps: readonly Fragment[], mode: WriteMode): Promise<void> {
    const writes = new Map<string, ScoreWrite>()
    for (const { projectId, id: stepId, scores } of steps) {
      if (scores.length === 0) continue
      const stored = scores.some(({ id }) => id === undefined)
        ? await findScoresOfSteps(db, projectId, [stepId])
        : []
      for (const draft of scores) {
        // One of this batch counts like a stored one: parts merge alike in one request and in two.
        const same = [...stored, ...writes.values()].find(
          (score) =>
            score.projectId === projectId &&
            score.stepId === stepId &&
            score.name === draft.name &&
            score.type === draft.type &&
            score.scorer === draft.scorer,
        )
        const id = draft.id ?? same?.id ?? scoreIdOf(stepId, draft)
        const write = toScoreWrite(draft, id, projectId, stepId, this.#clock())
        const key = keyOf(projectId, id)
        const earlier = writes.get(key)
        writes.set(key, earlier === undefined ? write : overlay(earlier, write))
      }
    }
    if (writes.size > 0) await upsertScores(db, [...writes.values()], mode)
  }

  async #writeAttachments(
    db: Database,
    steps: readonly Fragment[],
    mode: WriteMode,
  ): Promise<void> {
    const writes = new Map<string, AttachmentWrite>()
    for (const { projectId, id: stepId, threadId, attachments } of steps)
      for (const draft of attachments) {
        const write = {
          ...draft,
          projectId,
          stepId,
          threadId: draft.threadId ?? threadId ?? null,
          at: this.#clock(),
        }
        const key = keyOf(projectId, draft.id)
        const earlier = writes.get(key)
        writes.set(key, earlier === undefined ? write : overlay(earlier, write))
      }
    if (writes.size > 0) await upsertAttachments(db, [...writes.values()], mode)
  }
}

/** Ids by project, each once. */
class Groups extends Map<string, string[]> {
  add(projectId: string, id: string): void {
    const ids = this.get(projectId)
    if (ids === undefined) this.set(projectId, [id])
    else if (!ids.includes(id)) ids.push(id)
  }
}

/** With the length in front no two pairs share a key, whatever characters ids hold. */
const keyOf = (projectId: string, id: string) => `${projectId.length}:${projectId}${id}`

/** One fragment per step, in the order of their first appearance. */
const mergeById = (fragments: readonly Fragment[]): Fragment[] => {
  const steps = new Map<string, Fragment>()
  for (const fragment of fragments) {
    const key = keyOf(fragment.projectId, fragment.id)
    const earlier = steps.get(key)
    // A copy, as a batch that fails is tried again in halves, from the fragments as they came.
    steps.set(
      key,
      earlier === undefined
        ? { ...fragment, values: { ...fragment.values } }
        : isOlder(fragment, earlier)
          ? mergeFragments(fragment, earlier)
          : mergeFragments(earlier, fragment),
    )
  }
  return [...steps.values()]
}

/** The fragments whose step was written from a part that the same client recorded later. */
const olderThanStored = (
  steps: readonly Fragment[],
  written: readonly WrittenStep[],
): Set<Fragment> => {
  const stored = new Map(
    written.flatMap(({ projectId, id, sessionId, sequence }) =>
      id === undefined || sequence == null
        ? []
        : [[keyOf(projectId, id), { sessionId: encodeJson(sessionId), sequence }] as const],
    ),
  )
  return new Set(
    steps.filter(({ projectId, id, values }) => {
      const row = stored.get(keyOf(projectId, id))
      return (
        row !== undefined &&
        values.sessionId === row.sessionId &&
        Number(values.sequence) < row.sequence
      )
    }),
  )
}

/** Whether a fragment was recorded before another one of the same session, though it came after it. */
const isOlder = ({ values }: Fragment, { values: other }: Fragment): boolean =>
  values.sessionId !== undefined &&
  values.sessionId === other.sessionId &&
  Number(values.sequence) < Number(other.sequence)

/** A later write over an earlier one of the same row: its nulls keep what is there. */
const overlay = <Write extends object>(earlier: Write, later: Write): Write => ({
  ...earlier,
  ...(Object.fromEntries(
    Object.entries(later).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  ) as Write),
})

const byKey = (a: Fragment, b: Fragment): number =>
  compare(a.projectId, b.projectId) || compare(a.id, b.id)

const byThread = (a: Fragment & { threadId: string }, b: Fragment & { threadId: string }): number =>
  compare(a.projectId, b.projectId) || compare(a.threadId, b.threadId)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
