import type { Database } from '../../database/database.js'
import type { Clock } from '../../kernel/instant.js'
import { Turn } from '../../kernel/sharing/turn.js'
import type { ScoreWrite, WriteMode } from '../../storage/ingestion/nested.js'
import {
  findOldestJudgements,
  findScoreJudgements,
  type Judgement,
} from '../../storage/scores/judgements.js'
import { keyOf, overlay } from './merging.js'
import { type Judged, type ScoreDraft, scoreIdOf, toScoreWrite } from './nested-drafts.js'

/** A step or a thread with scores. */
interface WithScores {
  projectId: string
  id: string
  scores: readonly ScoreDraft[]
}

/**
 * Returns the scores of steps, or of threads, as rows to write, without duplicates. A score that came without an id
 * stands for the oldest one of the same step or thread, name, type and scorer, stored or in this batch, so that patches merge alike in one
 * request and in several.
 */
export const nestedScores = async (
  db: Database,
  subjects: readonly WithScores[],
  mode: WriteMode,
  clock: Clock,
  judged: Judged = 'stepId',
): Promise<ScoreWrite[]> => {
  const writes = new Map<string, ScoreWrite>()
  const known = new KnownScores(await findKnown(db, judged, subjects), judged, mode)
  const turn = new Turn()
  for (const { projectId, id: judgedId, scores } of subjects)
    for (const draft of scores) {
      if (turn.isOver()) await turn.next()
      const { name, type, scorer } = draft
      const subject = { projectId, judgedId, name, type, scorer }
      const id = draft.id ?? known.find(subject) ?? scoreIdOf(judged, judgedId, draft)
      const write = toScoreWrite(draft, id, projectId, judged, judgedId, clock())
      const key = keyOf(projectId, id)
      const earlier = writes.get(key)
      writes.set(key, earlier === undefined ? write : overlay(earlier, write))
      known.put({ ...subject, id })
    }
  return [...writes.values()]
}

/** Finds the stored scores that those without an id may stand for, in two statements for any number of steps or threads. */
const findKnown = async (
  db: Database,
  judged: Judged,
  subjects: readonly WithScores[],
): Promise<Judgement[]> => {
  const asked: { projectId: string; id: string }[] = []
  const names = new Set<string>()
  const given: { projectId: string; id: string }[] = []
  for (const { projectId, id: judgedId, scores } of subjects) {
    let isAsked = false
    for (const { id, name } of scores) {
      if (id !== undefined) given.push({ projectId, id })
      else {
        isAsked = true
        names.add(name)
      }
    }
    if (isAsked) asked.push({ projectId, id: judgedId })
  }
  if (asked.length === 0) return []
  // The batch may change the name or type of scores that it names, so each of them has to be known.
  const named = given.length === 0 ? [] : await findScoreJudgements(db, given)
  const oldest = await findOldestJudgements(db, judged, asked, [...names], given)
  return [...named, ...oldest].sort(
    (a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id),
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

interface Subject extends Pick<Judgement, 'projectId' | 'name' | 'type' | 'scorer'> {
  /** Null for a score that judges something of another kind. */
  judgedId: string | null
}

interface Known {
  id: string
  /** Its place in the order of creation. */
  rank: number
  scorer: string | null
  subject: string
  isStored: boolean
}

/**
 * The scores with their step or thread, name, type and scorer: as stored, and then as the scores of a batch change them one by
 * one.
 */
class KnownScores {
  readonly #mode: WriteMode
  readonly #scores = new Map<string, Known>()
  /** The scores by step or thread, name, type and scorer, oldest first. Some may have changed theirs since. */
  readonly #holders = new Map<string, Known[]>()

  constructor(stored: readonly Judgement[], judged: Judged, mode: WriteMode) {
    this.#mode = mode
    for (const score of stored) this.#put({ ...score, judgedId: score[judged] }, true)
  }

  /** Returns the oldest score of this step or thread, name, type and scorer. */
  find(sought: Subject): string | undefined {
    const holders = this.#holders.get(subjectOf(sought)) ?? []
    while (holders[0] !== undefined && holders[0].subject !== subjectOf(sought)) holders.shift()
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

const subjectOf = ({ projectId, judgedId, name, type, scorer }: Subject): string =>
  JSON.stringify([projectId, judgedId, name, type, scorer])
