import type { Database } from '../../../database/database.js'
import type { Instant } from '../../../kernel/instant.js'
import { type Range, TOLD_CHARACTERS } from '../../../storage/metrics.js'
import type { MarkGroup } from '../../../storage/rollups/marks.js'
import {
  SCORE_DIMENSIONS,
  SCORE_LENGTHS,
  SCORED_PROPERTIES,
  type ScoreItem,
} from '../../../storage/rollups/scores.js'
import { UNSPLIT } from '../../../storage/rollups/series.js'
import type { MeasuredSeries } from '../../../storage/rollups/write.js'
import { hasMoreScores } from '../../../storage/scores/measured.js'
import { rangeOfSpan, sumShorter } from '../shorter.js'
import { findScoreParts } from './find-score-parts.js'
import { readScored } from './read-scored.js'
import { ScoreSums } from './score-sums.js'

/** Series of a span by one property, over all environments and names. A span that has more is read from its scores. */
const MAX_SCORE_SERIES = 500
/** Characters of the names and values of a span's series by one property. With more it is read from its scores too. */
const MAX_CHARACTERS = 50_000
/** Scores outside of shorter spans that are read for a longer one. */
const MAX_SCORES = 20_000

/**
 * Measures a span: from the clean spans in it, and from the scores of what these leave. A longer one is left out while too much of
 * it is not measured: it is marked again with the shorter ones that are.
 */
export const measureScoreSpan = async (
  db: Database,
  { projectId, seconds }: MarkGroup,
  start: Instant,
  portionRows: number,
): Promise<MeasuredSeries<ScoreItem>[]> => {
  const range = rangeOfSpan(start, seconds)
  const scores = { range, name: null }
  const shorter = SCORE_LENGTHS.filter((length) => length < seconds)
  const { sums, gaps } =
    shorter.length > 0
      ? await sumShorter(
          SCORE_DIMENSIONS,
          (dimension) => findScoreParts(db, projectId, dimension, range, shorter),
          () => new ScoreSums(),
        )
      : nothingOf(range)
  if (shorter.length > 0 && (await hasMoreScores(db, projectId, scores, MAX_SCORES, gaps)))
    return []
  const dimensions = SCORED_PROPERTIES
  const portions = readScored(db, projectId, {
    scores,
    spans: gaps,
    dimensions,
    atOnce: portionRows,
    nameCharacters: TOLD_CHARACTERS + 1,
  })
  for await (const portion of portions)
    for (const { score, environment, isOfExperiment, values } of portion) {
      // It is not the whole name, of up to a megabyte.
      if (score.name.length > TOLD_CHARACTERS) return []
      for (const [dimension, own] of sums) {
        const key = dimension === UNSPLIT ? null : (values[dimensions.indexOf(dimension)] ?? null)
        own.add([environment, isOfExperiment, score.name, key, 1, score.value, 0])
        if (!isKept(own)) sums.delete(dimension)
      }
    }
  return [...sums]
    .filter(([, own]) => isKept(own))
    .map(([dimension, own]) => ({ subject: 'scores', dimension, series: own.items() }))
}

const isKept = ({ size, characters }: ScoreSums): boolean =>
  size <= MAX_SCORE_SERIES && characters <= MAX_CHARACTERS

const nothingOf = ({ from, to }: Range) => ({
  sums: new Map(SCORE_DIMENSIONS.map((dimension) => [dimension, new ScoreSums()])),
  gaps: [{ from, to }],
})
