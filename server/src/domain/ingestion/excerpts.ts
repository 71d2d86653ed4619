import { encodeJson } from '../../database/text.js'
import { excerptOf } from '../../kernel/excerpts/excerpt.js'
import { EXCERPTS, type StepColumn } from '../../storage/ingestion/columns.js'
import type { StepPatch } from './step-patch.js'

type WithExcerpt = keyof typeof EXCERPTS

/** Returns true for a value that lists show the beginning of. */
export const hasExcerpt = (column: StepColumn): column is WithExcerpt =>
  Object.hasOwn(EXCERPTS, column)

/** Adds the excerpt of a value, which every part that brings the value brings too. */
export const putExcerpt = (
  written: StepPatch['values'],
  column: WithExcerpt,
  value: unknown,
): void => {
  written[EXCERPTS[column]] = encodeJson(excerptOf(value))
}
