import type { JudgeInput } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import type { Instant } from '../../kernel/instant.js'
import type { Pages } from '../../lists/page.js'
import { findConversationEnd, findEnds } from '../../storage/conversations/ending.js'
import { stepListing } from '../../storage/steps.js'
import { threadListing } from '../../storage/threads.js'
import { later as afterwards } from '../alerts/time.js'
import type { ThreadSums } from '../threads/sums.js'

/** The readiness of things that are quiet. Those in neither part wait until they are written again. */
export interface Readiness {
  /** The ids of those that have ended and pass the filters. */
  passing: ReadonlySet<string>
  /**
   * Conversations that have not ended, with the moments at which they will have when nothing more happens, and those that others
   * hold just now.
   */
  later: ReadonlyMap<string, Instant>
}

interface Services {
  db: Database
  pages: Pages
  sums: ThreadSums
}

/** Time after which a thread is looked at again that another transaction holds: the others do not wait for it. */
const HELD_MS = 5000

const NOT_OF_EXPERIMENTS = { field: 'environment', operator: 'neq', value: 'experiment' }

/** Returns which of some things a judge may have at a moment. */
export const readinessOf = (
  services: Services,
  projectId: string,
  judge: JudgeInput,
  ids: readonly string[],
  now: Instant,
): Promise<Readiness> =>
  judge.subject === 'THREADS'
    ? readinessOfThreads(services, projectId, judge, ids, now)
    : readinessOfSteps(services, projectId, judge, ids)

const readinessOfSteps = async (
  { pages }: Services,
  projectId: string,
  { filters }: JudgeInput,
  ids: readonly string[],
): Promise<Readiness> => {
  const hasEnded = { field: 'endTime', operator: 'nis', value: null }
  const all = [...(filters ?? []), hasEnded, NOT_OF_EXPERIMENTS]
  const passing = await pages.passing(projectId, stepListing(projectId, 'light'), all, ids)
  return { passing: new Set(passing), later: new Map() }
}

const readinessOfThreads = async (
  { db, pages, sums }: Services,
  projectId: string,
  { threadFilters }: JudgeInput,
  ids: readonly string[],
  now: Instant,
): Promise<Readiness> => {
  const held = new Set((await sums.updateUnheld(projectId, ids)).map(({ id }) => id))
  const free = ids.filter((id) => !held.has(id))
  const ending = { rule: await findConversationEnd(db, projectId), now }
  const later = new Map([...held].map((id) => [id, afterwards(now, HELD_MS)]))
  let ended: readonly string[] = free
  if (ending.rule !== null) {
    const ends = await findEnds(db, projectId, free, ending)
    ended = ends.flatMap(({ id, endedAt }) => (endedAt === null ? [] : id))
    // Before the filters, which may ask for the end.
    for (const { id, endedAt, idleEnd } of ends)
      if (endedAt === null && idleEnd !== null) later.set(id, idleEnd)
  }
  // A thread may be named and tagged before its first step arrives.
  const hasSteps = { field: 'stepCount', operator: 'gt', value: 0 }
  const all = [...(threadFilters ?? []), hasSteps, NOT_OF_EXPERIMENTS]
  const passing = await pages.passing(projectId, threadListing(projectId, ending), all, ended)
  return { passing: new Set(passing), later }
}
