import type { Database } from '../../../database/database.js'
import { chunks, type Span } from '../../../storage/rollups/spans.js'
import {
  findMeasuredScores,
  findScoredSteps,
  findScoredThreads,
  type MeasuredScore,
  type MeasuredScores,
  type ScoredRow,
} from '../../../storage/scores/measured.js'

/** A score with the properties of the step or thread that it belongs to; all are null when there is none. */
export interface Scored {
  score: MeasuredScore
  environment: string | null
  participantId: string | null
  isOfExperiment: boolean
  /** The values of the dimensions that were asked for, in their order. */
  values: (string | null)[]
}

/** Scores to read: of some parts of a range. */
export interface ScoredParts {
  scores: MeasuredScores
  spans: readonly Span[]
  dimensions: readonly string[]
  /** Scores that are read at once. */
  atOnce: number
  /** The first characters of names that are read; all of them when absent. */
  nameCharacters?: number | undefined
}

/**
 * Reads all scores that can be averaged in portions, by their creation, and looks up what they belong to: no statement joins
 * scores with steps, which may be on other servers.
 */
export async function* readScored(
  db: Database,
  projectId: string,
  { scores, spans, dimensions, atOnce, nameCharacters }: ScoredParts,
): AsyncGenerator<Scored[]> {
  for (const some of chunks(spans)) {
    let last: MeasuredScore | undefined
    do {
      const portion = await findMeasuredScores(db, projectId, scores, some, last, {
        most: atOnce,
        nameCharacters,
      })
      if (portion.length > 0) yield lookUp(db, projectId, portion, dimensions)
      last = portion.length < atOnce ? undefined : portion.at(-1)
    } while (last !== undefined)
  }
}

const lookUp = async (
  db: Database,
  projectId: string,
  scores: readonly MeasuredScore[],
  dimensions: readonly string[],
): Promise<Scored[]> => {
  const look = async (find: typeof findScoredSteps, all: readonly (string | null)[]) => {
    const ids = [...new Set(all)].filter((id) => id !== null)
    const rows = ids.length === 0 ? [] : await find(db, projectId, ids, dimensions)
    return new Map<string, ScoredRow>(rows.map((row) => [row.id, row]))
  }
  const steps = await look(
    findScoredSteps,
    // A score of a thread may name a step too, and is the thread's.
    scores.map(({ stepId, threadId }) => (threadId === null ? stepId : null)),
  )
  const threads = await look(
    findScoredThreads,
    scores.map(({ threadId }) => threadId),
  )
  return scores.map((score) => {
    const found =
      score.threadId === null ? steps.get(score.stepId ?? '') : threads.get(score.threadId)
    const environment = found?.environment ?? null
    return {
      score,
      environment,
      participantId: found?.participantId ?? null,
      isOfExperiment: score.datasetExperimentItemId !== null || environment === 'experiment',
      values: found?.values ?? dimensions.map(() => null),
    }
  })
}
