import type { Database } from '../../../database/database.js'
import type { Range } from '../../../storage/metrics.js'
import {
  SCORE_LENGTHS,
  type ScoreDimension,
  type ScoreItem,
} from '../../../storage/rollups/scores.js'
import type { Span } from '../../../storage/rollups/spans.js'
import { readCleanSpans } from '../parts.js'

/** The measured scores of a range, by one property, and the parts of it that have to be read from scores. */
export interface ScoreParts {
  parts: { bucket: number; item: ScoreItem }[]
  gaps: Span[]
  /** False when nothing of the range is measured. */
  isCovered: boolean
}

/**
 * Finds the scores of clean spans of some lengths that lie in the buckets of a range. They are exact in one snapshot; without, what
 * changes in between is marked afterwards.
 */
export const findScoreParts = async (
  db: Database,
  projectId: string,
  dimension: ScoreDimension,
  range: Range,
  lengths: readonly number[] = SCORE_LENGTHS,
): Promise<ScoreParts> => {
  const parts: ScoreParts['parts'] = []
  const read = await readCleanSpans<ScoreItem>(
    db,
    { projectId, subject: 'scores', dimension },
    { source: 'scores', lengths },
    range,
    (series, bucket) => {
      for (const item of series) parts.push({ bucket, item })
    },
  )
  return { parts, ...read }
}
