import type { Database } from '../../database/database.js'
import type { Instant } from '../../kernel/instant.js'
import { type MarkGroup, mark } from '../../storage/rollups/marks.js'
import { spanStart } from '../../storage/rollups/spans.js'

/** Spans that were measured just now. */
export interface Measured {
  group: MarkGroup
  starts: readonly Instant[]
}

/**
 * Marks the spans of a longer length that have some spans in them. Those that have ended are due at once, and not in a fill,
 * which goes back through all that they have.
 */
export const markLonger = async (
  db: Database,
  { group, starts }: Measured,
  { seconds, quietSeconds }: { seconds: number; quietSeconds: number },
  isFill = false,
): Promise<void> => {
  const current = spanStart(new Date().toISOString(), seconds)
  const marks = { ...group, seconds }
  const around = [...new Set(starts.map((start) => spanStart(start, seconds)))]
  const ended = isFill ? [] : around.filter((start) => start < current)
  await mark(db, marks, ended, quietSeconds)
  await mark(
    db,
    marks,
    around.filter((start) => !ended.includes(start)),
  )
}
