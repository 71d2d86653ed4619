import { expect } from 'vitest'
import type { Database } from '../../src/database/database.js'
import { countAhead } from '../../src/domain/rollups/count.js'
import { DEFAULT_LIMITS } from '../../src/kernel/limits.js'
import type { Listing } from '../../src/lists/listing.js'
import { type PageRequest, Pages } from '../../src/lists/page.js'
import { generationListing } from '../../src/storage/generations.js'
import { stepListing } from '../../src/storage/steps.js'
import { threadListing } from '../../src/storage/threads.js'

export type CountedList = 'steps' | 'generations' | 'threads'

const LISTINGS: Record<CountedList, (projectId: string) => Listing> = {
  steps: stepListing,
  generations: generationListing,
  threads: threadListing,
}

/** Compares the count from measured spans with that of the rows. Returns false when no measured span was used. */
export const compareCounts = async (
  db: Database,
  projectId: string,
  list: CountedList,
  request: PageRequest,
): Promise<boolean> => {
  const listing = LISTINGS[list](projectId)
  const ahead = await countAhead(db, projectId, list, listing, request)
  if (ahead === undefined) return false
  const page = await new Pages(db, DEFAULT_LIMITS).read(projectId, listing, {
    ...request,
    first: 0,
  })
  expect(ahead).toBe(await page.count())
  return true
}
