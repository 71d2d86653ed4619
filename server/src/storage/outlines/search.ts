import type { Database } from '../../database/database.js'
import { s } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import type { Criterion } from '../../lists/fields.js'
import { ownOrder } from '../../lists/listing.js'
import { planOf } from '../../lists/plan.js'
import { search } from '../../lists/search.js'
import { SEARCH_SIZES, type SearchLimits } from '../../lists/sizes.js'
import { contentOfStep } from '../contents/texts.js'
import { started, startOfStep } from '../reading/starts.js'
import { stepListing, stepThread } from '../steps.js'

/** The steps to search: all of a thread, or those of a time that a test lets pass. */
export type SearchedSteps =
  | { threadId: string }
  | { from: Instant; to: Instant; passing: (ids: readonly string[]) => readonly string[] }

/**
 * Finds the steps with a text in their contents: those that started first, up to a number. `isComplete` is false when the
 * search gave up before it knew them.
 */
export const findStepsWithText = async (
  db: Database,
  projectId: string,
  steps: SearchedSteps,
  text: string,
  most: number,
  limits: SearchLimits,
): Promise<{ ids: string[]; isComplete: boolean }> => {
  const listing = stepListing(projectId, 'light')
  const column = 'startedAt'
  const query = {
    listing,
    projectId,
    column,
    order: ownOrder(listing, column),
    isAscending: true,
    criteria: [
      ...criteriaOf(steps),
      contentOfStep.criterion({ operator: 'ilike', value: text, path: undefined }),
    ],
  }
  const found = await search(db, query, planOf(query), most, limits, SEARCH_SIZES)
  return { ids: found.positions.map(({ id }) => id), isComplete: found.isComplete }
}

const criteriaOf = (steps: SearchedSteps): Criterion[] => {
  const path = undefined
  if ('threadId' in steps)
    return [stepThread.criterion({ operator: 'eq', value: steps.threadId, path })]
  const { from, to, passing } = steps
  const start = started(startOfStep)
  return [
    start.criterion({ operator: 'gte', value: from, path }),
    start.criterion({ operator: 'lte', value: to, path }),
    { relation: { link: s.id, isNegated: false, passing: async (ids) => passing(ids) } },
  ]
}
