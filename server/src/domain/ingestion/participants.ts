import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.js'
import type { Clock } from '../../kernel/instant.js'
import { insertParticipants, keepParticipantsByNames } from '../../storage/users.js'

/**
 * Returns the ids of participants by the names that threads and spans use. An unknown identifier creates the participant.
 * Needs a transaction, which keeps them until it ends.
 */
export const participantsOf = async (
  db: Database,
  clock: Clock,
  projectId: string,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> => {
  if (names.size === 0) return new Map()
  const found = await keepParticipantsByNames(db, projectId, [...names])
  const fresh = [...names].filter((name) => !found.has(name)).sort()
  if (fresh.length === 0) return found
  await insertParticipants(
    db,
    projectId,
    fresh.map((identifier) => ({ id: randomUUID(), identifier, createdAt: clock() })),
  )
  // Reads these again, and those that another request has created in between.
  return new Map([...found, ...(await keepParticipantsByNames(db, projectId, fresh))])
}
