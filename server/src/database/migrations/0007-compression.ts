import { type Migration, sql } from 'kysely'

/** Columns with the texts of models and applications, which are most of the bytes. */
const LARGE: Record<string, readonly string[]> = {
  steps: [
    'input',
    'output',
    'metadata',
    'gen_prompt',
    'gen_completion',
    'gen_messages',
    'gen_message_completion',
    'gen_variables',
    'gen_tools',
    'gen_settings',
    'gen_metadata',
  ],
  dataset_items: ['input', 'expected_output', 'intermediary_steps'],
  experiment_items: ['input', 'output'],
}

/** Compresses large values by lz4, several times as fast as the default, if the server was built with it. */
export const compression: Migration = {
  async up(db) {
    const { rows } = await sql<{ hasLz4: boolean }>`
      SELECT 'lz4' = ANY(enumvals) AS "hasLz4" FROM pg_settings WHERE name = 'default_toast_compression'`.execute(
      db,
    )
    if (!rows[0]?.hasLz4) return
    for (const [table, columns] of Object.entries(LARGE)) {
      const changes = columns.map(
        (column) => sql`ALTER COLUMN ${sql.ref(column)} SET COMPRESSION lz4`,
      )
      await sql`ALTER TABLE ${sql.table(table)} ${sql.join(changes)}`.execute(db)
    }
  },
}
