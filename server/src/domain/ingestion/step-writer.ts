import type { Database } from '../../database/database.js'
import { encodeJson } from '../../database/text.js'
import type { Clock, Instant } from '../../kernel/instant.js'
import { Turn } from '../../kernel/sharing/turn.js'
import { noteChanges } from '../../storage/contents/changes.js'
import type { WrittenStep } from '../../storage/ingestion/merge.js'
import {
  type AttachmentWrite,
  upsertAttachments,
  upsertScores,
  type WriteMode,
} from '../../storage/ingestion/nested.js'
import {
  byKey,
  clearSteps,
  findThreadsOfSteps,
  touchSteps,
  upsertSteps,
} from '../../storage/ingestion/write.js'
import {
  markThreadsStale,
  type SeenThread,
  type StaleMark,
  type ThreadRef,
  touchThreads,
} from '../../storage/threads.js'
import { mayBeJudged, noteForJudges } from '../judges/awaiting.js'
import { withCosts } from '../prices/arriving-calls.js'
import type { ProjectPrices } from '../prices/project-prices.js'
import { mergeStepPatches } from './merge-step-patches.js'
import { keyOf, overlay } from './merging.js'
import { nestedScores } from './nested-scores.js'
import type { StepPatch } from './step-patch.js'

/**
 * Writes patches of steps in a transaction. The number of statements does not grow with the number of patches, except
 * that a very large statement is divided into portions. Without prices, calls wait for their costs.
 */
export const writeBatch = async (
  db: Database,
  clock: Clock,
  patches: readonly StepPatch[],
  prices?: ProjectPrices,
): Promise<void> => {
  const arrived = mergeById(patches)
  // Creation times follow the order of arrival.
  const createdAt = new Map(arrived.map((step) => [step, clock()]))
  // Processes that write the same steps lock them in one order, so they don't wait for each other in a circle.
  const sorted = arrived.toSorted(byKey)
  const continuing = sorted.filter(({ continues }) => continues)
  const steps = continuing.length === 0 ? sorted : sorted.filter(({ continues }) => !continues)
  const unnamed = await markUnnamedThreads(db, steps)
  const touched = await touchThreadsOf(db, clock, steps)
  for (const { projectId, id } of unnamed) touched.add(keyOf(projectId, id))
  const writes = steps.map((step) => ({
    projectId: step.projectId,
    id: step.id,
    values: step.values,
    createdAt: createdAt.get(step) ?? clock(),
  }))
  const written = await upsertSteps(
    db,
    prices === undefined ? writes : await withCosts(db, prices, writes),
  )
  const continued = await touchSteps(db, continuing)
  const stored = [...steps, ...presentOf(continuing, continued)]
  const older = olderThanStored(stored, [...written, ...continued])
  const newer = older.size === 0 ? stored : stored.filter((step) => !older.has(step))
  await clearSteps(
    db,
    newer
      .filter(({ cleared }) => cleared.length > 0)
      .map(({ projectId, id, cleared }) => ({
        projectId,
        id,
        columns: cleared.includes('threadId') ? [...cleared, 'participantId'] : cleared,
      })),
  )
  // A patch with another thread leaves the old one behind; and a step may have moved before it was locked.
  const changed = new Map<string, ThreadRef>()
  const note = (projectId: string, id: string | null) => {
    if (id === null) return
    const key = keyOf(projectId, id)
    if (!touched.has(key)) changed.set(key, { projectId, id })
  }
  for (const { projectId, threadId, leftThreadId } of written) {
    note(projectId, threadId)
    note(projectId, leftThreadId)
  }
  await markThreadsStale(db, [...changed.values()])
  await writeNested(db, clock, newer, 'replace')
  if (older.size > 0) await writeNested(db, clock, [...older], 'add')
  await noteChanges(db, stored)
  await noteForJudges(db, {
    steps: stored,
    threads: threadsToJudge(stored, [
      ...unnamed,
      ...changed.values(),
      ...continued.flatMap(({ projectId, threadId: id }) => (id === null ? [] : { projectId, id })),
    ]),
  })
}

/**
 * Marks and returns the threads that steps are in or leave without naming them, as threads are locked before steps. Locks those that
 * are named with them: one statement after another would lock them in no order.
 */
const markUnnamedThreads = async (
  db: Database,
  steps: readonly StepPatch[],
): Promise<ThreadRef[]> => {
  const unnamed = await findThreadsOfSteps(
    db,
    steps.filter(({ threadId }) => threadId === undefined),
  )
  if (unnamed.length === 0) return unnamed
  const marks = new Map<string, StaleMark>()
  for (const { projectId, threadId: id } of steps)
    if (id !== undefined) marks.set(keyOf(projectId, id), { projectId, id, keepsWords: true })
  for (const thread of unnamed) marks.set(keyOf(thread.projectId, thread.id), thread)
  await markThreadsStale(db, [...marks.values()])
  return unnamed
}

/** Returns the threads that steps name, and those that they are in or have left; none for steps of experiments. */
const threadsToJudge = (steps: readonly StepPatch[], others: readonly ThreadRef[]): ThreadRef[] => {
  const seen = steps.filter(mayBeJudged)
  if (seen.length === 0) return []
  const named = seen.flatMap(({ projectId, threadId: id }) =>
    id === undefined ? [] : { projectId, id },
  )
  const refs = [...named, ...others].map(({ projectId, id }) => ({ projectId, id }))
  return [...new Map(refs.map((ref) => [keyOf(ref.projectId, ref.id), ref])).values()]
}

/** Returns the parts whose step was not deleted since its first part was stored. */
const presentOf = (continuing: readonly StepPatch[], found: readonly WrittenStep[]) => {
  const present = new Set(found.map(({ projectId, id = '' }) => keyOf(projectId, id)))
  return continuing.filter(({ projectId, id }) => present.has(keyOf(projectId, id)))
}

const writeNested = async (
  db: Database,
  clock: Clock,
  steps: readonly StepPatch[],
  mode: WriteMode,
): Promise<void> => {
  const judged = steps.filter(({ scores }) => scores.length > 0)
  if (judged.length > 0) await upsertScores(db, await nestedScores(db, judged, mode, clock), mode)
  const attachments = new Map<string, AttachmentWrite>()
  const turn = new Turn()
  for (const { projectId, id: stepId, threadId, attachments: drafts } of steps)
    for (const draft of drafts) {
      if (turn.isOver()) await turn.next()
      const write = {
        ...draft,
        projectId,
        stepId,
        threadId: draft.threadId ?? threadId ?? null,
        at: clock(),
      }
      const key = keyOf(projectId, draft.id)
      const earlier = attachments.get(key)
      attachments.set(key, earlier === undefined ? write : overlay(earlier, write))
    }
  if (attachments.size > 0) await upsertAttachments(db, [...attachments.values()], mode)
}

/** Creates new threads, and gives the steps of existing ones their participant. */
const touchThreadsOf = async (
  db: Database,
  clock: Clock,
  steps: readonly StepPatch[],
): Promise<Set<string>> => {
  const seen = new Map<string, Omit<SeenThread, 'createdAt'>>()
  for (const { projectId, threadId: id, environment, values } of steps) {
    if (id === undefined) continue
    const key = keyOf(projectId, id)
    const startedAt = startOf(values)
    const thread = seen.get(key)
    if (thread === undefined) seen.set(key, { projectId, id, environment, startedAt })
    else if (startedAt !== null && !(thread.startedAt !== null && thread.startedAt <= startedAt))
      thread.startedAt = startedAt
  }
  if (seen.size === 0) return new Set()
  const threads = await touchThreads(
    db,
    [...seen.values()].sort(byKey).map((thread) => ({ ...thread, createdAt: clock() })),
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

/** Returns the start that a patch tells, which is JSON text. Texts of moments sort as moments do. */
const startOf = ({ startTime }: StepPatch['values']): Instant | null =>
  startTime === undefined ? null : (JSON.parse(startTime) as Instant | null)

interface Parts {
  /** Patches that arrived after ones recorded later than they; the last of them is last. */
  before: StepPatch[]
  after: StepPatch[]
  /** The patch that was recorded last. */
  last: StepPatch
}

/** Merges the patches into one per step, in the order of their first appearance. */
const mergeById = (patches: readonly StepPatch[]): StepPatch[] => {
  const steps = new Map<string, Parts>()
  for (const patch of patches) {
    const key = keyOf(patch.projectId, patch.id)
    const parts = steps.get(key)
    if (parts === undefined) steps.set(key, { before: [], after: [patch], last: patch })
    else if (isOlder(patch, parts.last)) parts.before.push(patch)
    else {
      parts.after.push(patch)
      if (patch.values.sequence !== undefined) parts.last = patch
    }
  }
  return [...steps.values()].map(({ before, after }) =>
    mergeStepPatches([...before.reverse(), ...after]),
  )
}

/** Returns the patches whose stored step was written from a part that the same client recorded later. */
const olderThanStored = (
  steps: readonly StepPatch[],
  written: readonly WrittenStep[],
): Set<StepPatch> => {
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

/** Returns true when a patch was recorded before another one of the same session, though it arrived after it. */
const isOlder = ({ values }: StepPatch, { values: other }: StepPatch): boolean =>
  values.sessionId !== undefined &&
  values.sessionId === other.sessionId &&
  Number(values.sequence) < Number(other.sequence)
