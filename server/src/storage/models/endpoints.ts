import type { Database } from '../../database/database.js'
import { select, sql } from '../../database/rows/sql.js'
import { o } from '../../database/rows/tables.js'
import { assignments } from '../../database/rows/writes.js'
import { lockAlone } from '../../database/transactions/locks.js'

/** A model that prompts are tried with, as it is stored. */
export interface ModelEndpointRow {
  id: string
  name: string
  protocol: 'OPENAI' | 'ANTHROPIC'
  baseUrl: string
  model: string
  /** The encrypted key; null when the service keeps none. */
  sealedKey: string | null
}

const columns = select({ endpoints: o.modelEndpoints.narrow<ModelEndpointRow[] | null>() })

/** Lists the endpoints of a project. With `isChanging`, others wait to change them until the transaction ends. */
export const listEndpoints = async (
  db: Database,
  projectId: string,
  isChanging = false,
): Promise<ModelEndpointRow[]> => {
  if (isChanging) await lockAlone(db, 'settings', projectId, ['endpoints'])
  const { rows } = await sql`SELECT ${columns} FROM projects o WHERE o.id = ${projectId}`.execute(
    db,
  )
  return rows[0]?.endpoints ?? []
}

export const updateEndpoints = async (
  db: Database,
  projectId: string,
  modelEndpoints: readonly ModelEndpointRow[],
): Promise<void> => {
  await sql`UPDATE projects SET ${assignments('projects', { modelEndpoints })} WHERE id = ${projectId}`.execute(
    db,
  )
}
