import {
  OutlineChangesDocument,
  type OutlineHeadFragment,
  OutlinePartDocument,
  ThreadOutlineDocument,
} from '../../../../generated/operations.js'
import { read } from '../../../data/use-data.js'
import { Outline } from './outline.js'
import { type OutlineChanges, type OutlineColumns, StepArrays } from './step-arrays.js'

/** A thread, or a step with all below it. */
export type Subject = { threadId: string } | { rootStepId: string }

export interface ReadOutline {
  outline: Outline
  /** Changes with the outline; undefined at its beginning, which is that of the thread only. */
  revision: string | undefined
  /** Names the steps as they were read. */
  snapshot: string
  errorCount: number
  runningCount: number
}

/** Steps of one answer, of some megabytes. */
const PART = 50_000
/** Steps of the beginning, and the time after which it is asked for. */
const BEGINNING = 2000
const BEGINNING_AFTER_MS = 300
/** Times that an outline is read again because it changed while it was read. */
const MAX_ATTEMPTS = 3

/**
 * Reads an outline that was read before again: what changed, or the whole where the service does not have that of before
 * any more. Null when there is none. With the revision that a look found, the service looks no second time.
 *
 * @throws ProblemError
 */
export const readAgain = async (
  subject: Subject,
  before: ReadOutline,
  revision: string | undefined,
): Promise<ReadOutline | null> => {
  const asked = { ...subject, revision, since: before.snapshot }
  const { outline: head } = await read(OutlineChangesDocument, asked)
  if (head === null) return null
  const changes = head.changes as OutlineChanges | null
  if (changes !== null) return toOutline(head, StepArrays.changed(before.outline, head, changes))
  const arrays = new StepArrays(head.stepCount)
  return (await readRest(subject, head, arrays)) ? toOutline(head, arrays) : readParts(subject)
}

/**
 * Reads an outline in parts; null when there is none. Of one that takes longer, its beginning comes first.
 *
 * @throws ProblemError
 */
export const readOutline = async (
  subject: Subject,
  onBeginning: (beginning: ReadOutline) => void,
): Promise<ReadOutline | null> => {
  let isOver = false
  const timer = setTimeout(async () => {
    const first = { ...subject, first: BEGINNING, count: BEGINNING }
    // The whole outline tells what is wrong.
    const answer = await read(ThreadOutlineDocument, first).catch(() => undefined)
    const head = answer?.outline
    if (isOver || head == null || head.isWhole) return
    const arrays = StepArrays.of(head.skeleton as OutlineColumns)
    onBeginning({ ...toOutline(head, arrays), revision: undefined })
  }, BEGINNING_AFTER_MS)
  try {
    return await readParts(subject)
  } finally {
    isOver = true
    clearTimeout(timer)
  }
}

const readParts = async (subject: Subject): Promise<ReadOutline | null> => {
  for (let attempt = 1; ; attempt++) {
    // One answer is of one moment, whatever changes meanwhile.
    const count = attempt < MAX_ATTEMPTS ? PART : 2 ** 31 - 1
    const { outline: head } = await read(ThreadOutlineDocument, { ...subject, count })
    if (head === null) return null
    const arrays = new StepArrays(head.stepCount)
    arrays.add(head.skeleton as OutlineColumns)
    if (await readRest(subject, head, arrays)) return toOutline(head, arrays)
  }
}

/** Reads what follows the first part. Returns false when the outline is another one by now. */
const readRest = async (
  subject: Subject,
  { revision, snapshot }: OutlineHeadFragment,
  arrays: StepArrays,
): Promise<boolean> => {
  while (arrays.filled < arrays.count) {
    const from = arrays.filled
    const part = { ...subject, revision, from, count: PART }
    const { outline } = await read(OutlinePartDocument, part)
    if (outline?.snapshot !== snapshot) return false
    arrays.add(outline.skeleton as OutlineColumns)
    if (arrays.filled === from) return false
  }
  return true
}

const toOutline = (head: OutlineHeadFragment, arrays: StepArrays): ReadOutline => {
  const { revision, snapshot, errorCount, runningCount, startedAt, endedAt } = head
  return {
    outline: new Outline(arrays, head, startedAt, endedAt),
    revision,
    snapshot,
    errorCount,
    runningCount,
  }
}
