import type { Database } from '../../database/database.js'
import { sql } from '../../database/rows/sql.js'
import { valuesOf } from '../../database/rows/writes.js'
import type { Instant } from '../../kernel/instant.js'

/** Notes that a link was used, and forgets those whose time is over. Returns false when it was used before. */
export const noteUsedLink = async (
  db: Database,
  link: { id: string; expiresAt: Instant },
  now: Instant,
): Promise<boolean> => {
  await sql`DELETE FROM used_links WHERE expires_at < ${now}::timestamptz`.execute(db)
  const { numAffectedRows } = await sql`
    INSERT INTO used_links ${valuesOf('used_links', link)} ON CONFLICT DO NOTHING`.execute(db)
  return numAffectedRows === 1n
}
