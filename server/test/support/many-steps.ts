import { sql } from 'kysely'
import { parseStepPatch } from '../../src/domain/ingestion/step-patch.js'
import { Values } from '../../src/domain/values.js'
import type { Caller } from '../../src/kernel/caller.js'
import { DEFAULT_LIMITS } from '../../src/kernel/limits.js'
import type { TestDomain } from './new-domain.js'

const values = new Values(DEFAULT_LIMITS)

/** Stores many steps, and looks at whom they belong to. */
export const manySteps = (made: TestDomain) => ({
  newCaller: async (): Promise<Caller> => {
    const { projectId } = await made.domain.projects.create(crypto.randomUUID())
    return { projectId, keyId: 'k', keyName: 'key', scopes: ['admin'], environment: 'prod' }
  },

  store: (caller: Caller, threadId: string, count: number, prefix = threadId) => {
    const steps = Array.from({ length: count }, (_, index) => ({
      id: `${prefix}-${index}`,
      threadId,
    }))
    return made.domain.ingestion.store(steps.map((step) => parseStepPatch(values, caller, step)))
  },

  countSteps: async ({ projectId }: Caller, threadId: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*)::integer AS count FROM steps s
      WHERE s.project_id = ${projectId} AND s.thread_id = ${threadId}`.execute(made.db)
    return rows[0]?.count ?? 0
  },

  /** Returns the number of steps that a thread has for each user, by the users' identifiers. */
  stepsByUser: async ({ projectId }: Caller, threadId: string): Promise<Record<string, number>> => {
    const { rows } = await sql<{ identifier: string | null; count: number }>`
      SELECT p.identifier, count(*)::integer AS count FROM steps s
      LEFT JOIN participants p ON p.project_id = s.project_id AND p.id = s.participant_id
      WHERE s.project_id = ${projectId} AND s.thread_id = ${threadId} GROUP BY 1`.execute(made.db)
    return Object.fromEntries(rows.map(({ identifier, count }) => [identifier ?? 'nobody', count]))
  },

  userOf: async (caller: Caller, threadId: string): Promise<string | null> => {
    const thread = await made.domain.threads.find(caller, threadId)
    const id = thread?.participantId
    return id == null ? null : ((await made.domain.users.find(caller, { id }))?.identifier ?? null)
  },
})

/** Looks at something again and again until some work is done. Returns what it looked like. */
export const watch = async <Seen>(
  work: Promise<unknown>,
  look: () => Promise<Seen>,
): Promise<Seen[]> => {
  const seen: Seen[] = []
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  while (!isOver) seen.push(await look())
  await ended
  return seen
}
