import type { Database } from '../../database/database.js'
import type { Clock } from '../../kernel/instant.js'
import { Turn } from '../../kernel/sharing/turn.js'
import type { ScoreWrite, WriteMode } from '../../storage/ingestion/nested.js'
import {
  findOldestJudgements,
  findScoreJudgements,
  type JudgedStep,
  type Judgement,
} from '../../storage/scores/judgements.js'
import { keyOf, overlay } from './merging.js'
import { scoreIdOf, toScoreWrite } from './nested-drafts.js'
import type { StepPatch } from './step-patch.js'

/** A step with scores. */
type Judged = Pick<StepPatch, 'projectId' | 'id' | 'scores'>

/**
 * Returns the scores of steps as rows to write, without duplicates. A score that came without an id stands for the
 * oldest one of the same step, name, type and scorer, stored or in this batch, so that patches merge alike in one
 * request and in several.
 */
export const nestedScores = async (
  db: Database,
  steps: readonly Judged[],
  mode: WriteMode,
  clock: Clock,
): Promise<ScoreWrite[]> => {
  const writes = new Map<string, ScoreWrite>()
  const known = new KnownScores(await findKnown(db, steps), mode)
  const turn = new Turn()
  for (const { projectId, id: stepId, scores } of steps)
    for (const draft of scores) {
      if (turn.isOver()) await turn.next()
      const id = draft.id ?? known.find({ ...draft, projectId, stepId }) ?? scoreIdOf(stepId, draft)
      const write = toScoreWrite(draft, id, projectId, stepId, clock())
      const key = keyOf(projectId, id)
      const earlier = writes.get(key)
      writes.set(key, earlier === undefined ? write : overlay(earlier, write))
      known.put({ ...draft, projectId, stepId, id })
    }
  return [...writes.values()]
}

/** Finds the stored scores that those without an id may stand for, in two statements for any number of steps. */
const findKnown = async (db: Database, steps: readonly Judged[]): Promise<Judgement[]> => {
  const judged: JudgedStep[] = []
  const names = new Set<string>()
  const given: { projectId: string; id: string }[] = []
  for (const { projectId, id: stepId, scores } of steps) {
    let isAsked = false
    for (const { id, name } of scores) {
      if (id !== undefined) given.push({ projectId, id })
      else {
        isAsked = true
        names.add(name)
      }
    }
    if (isAsked) judged.push({ projectId, stepId })
  }
  if (judged.length === 0) return []
  // The batch may change the name or type of scores that it names, so each of them has to be known.
  const named = given.length === 0 ? [] : await findScoreJudgements(db, given)
  const oldest = await findOldestJudgements(db, judged, [...names], given)
  return [...named, ...oldest].sort(
    (a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id),
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

type Subject = Pick<Judgement, 'projectId' | 'stepId' | 'name' | 'type' | 'scorer'>

interface Known {
  id: string
  /** Its place in the order of creation. */
  rank: number
  scorer: string | null
  subject: string
  isStored: boolean
}

/**
 * The scores with their step, name, type and scorer: as stored, and then as the scores of a batch change them one by
 * one.
 */
class KnownScores {
  readonly #mode: WriteMode
  readonly #scores = new Map<string, Known>()
  /** The scores by step, name, type and scorer, oldest first. Some may have changed theirs since. */
  readonly #holders = new Map<string, Known[]>()

  constructor(stored: readonly Judgement[], mode: WriteMode) {
    this.#mode = mode
    for (const score of stored) this.#put(score, true)
  }

  /** Returns the oldest score of this step, name, type and scorer. */
  find(judged: Subject): string | undefined {
    const holders = this.#holders.get(subjectOf(judged)) ?? []
    while (holders[0] !== undefined && holders[0].subject !== subjectOf(judged)) holders.shift()
    return holders[0]?.id
  }

  put(score: Subject & { id: string }): void {
    const known = this.#scores.get(keyOf(score.projectId, score.id))
    // Patches older than the stored step add scores and change none.
    if (this.#mode === 'add' && known?.isStored) return
    this.#put(score, known?.isStored ?? false)
  }

  #put(score: Subject & { id: string }, isStored: boolean): void {
    const key = keyOf(score.projectId, score.id)
    const earlier = this.#scores.get(key)
    const scorer = score.scorer ?? earlier?.scorer ?? null
    const subject = subjectOf({ ...score, scorer })
    if (earlier?.subject === subject) return
    const known = earlier ?? { id: score.id, rank: this.#scores.size, scorer, subject, isStored }
    known.scorer = scorer
    known.subject = subject
    this.#scores.set(key, known)
    const holders = this.#holders.get(subject)
    if (holders === undefined) this.#holders.set(subject, [known])
    else insertByRank(holders, known)
  }
}

const insertByRank = (holders: Known[], known: Known): void => {
  let [from, to] = [0, holders.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((holders[middle] as Known).rank < known.rank) from = middle + 1
    else to = middle
  }
  if (holders[from] !== known) holders.splice(from, 0, known)
}

const subjectOf = ({ projectId, stepId, name, type, scorer }: Subject): string =>
  JSON.stringify([projectId, stepId, name, type, scorer])
