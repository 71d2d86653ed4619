// Writes the columns of each table, read from a database after all migrations, for the service to check its rows
// against.
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PostgresDialect } from 'kysely'
import { runnerImport } from 'vite'

const load = async (file) => {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return (await runnerImport(path, { configFile: false })).module
}

export const plugin = async () => {
  const { migrations } = await load('../../server/src/database/database.ts')
  const { readTables } = await load('./read-tables.ts')
  const db = inMemory()
  try {
    for (const { up } of Object.values(migrations)) await up(db)
    const tables = Object.entries(await readTables(db)).map(
      ([table, columns]) => `  ${table}: {\n${columns.map(entry).join('')}  },\n`,
    )
    return `/** The columns of each table, as the migrations make them. */
export const TABLES = {\n${tables.join('')}} as const\n`
  } finally {
    await db.destroy()
  }
}

const entry = ({ name, ...column }) => `    ${name}: ${JSON.stringify(column)},\n`

/** The service's own engine runs in a thread that has to be built first; generation must not depend on a build. */
const inMemory = () => {
  const engine = new PGlite()
  const client = {
    query: async (text, parameters) => {
      const { rows } = await engine.query(text, parameters)
      return { command: 'SELECT', rowCount: rows.length, rows }
    },
    release: () => undefined,
  }
  const pool = { connect: async () => client, end: () => engine.close() }
  return new Kysely({ dialect: new PostgresDialect({ pool }) })
}
