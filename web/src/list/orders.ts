import { LIST_COLUMNS } from '../../generated/list-fields.js'
import type { View } from '../filter/views.js'

const LISTS: Readonly<Record<View['subject'], readonly string[]>> = {
  THREADS: LIST_COLUMNS.threads,
  STEPS: LIST_COLUMNS.steps,
  GENERATIONS: LIST_COLUMNS.generations,
  SCORES: LIST_COLUMNS.scores,
  USERS: LIST_COLUMNS.participants,
  CHARTS: [],
}

/** Returns the columns by which the service orders a list: more than it shows. */
export const ordersOf = (subject: View['subject']): readonly string[] => LISTS[subject]
