// Databases of measurements on a PostgreSQL server.
import pg from 'pg'

/** Creates a database, replacing an earlier one of the name, and returns its URL. */
export const freshDatabase = async (server, name) => {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return Object.assign(new URL(server), { pathname: name }).href
}
