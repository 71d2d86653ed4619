import pg from 'pg'
import type { Connections } from './driver.js'
import type { EngineConnection } from './engine/connection.js'
import type { Engine } from './engine/engine.js'
import { engineError } from './engine/engine-thread.js'

/** Time that a connection waits for an engine that is restarting. */
const CONNECT_TIMEOUT_MS = 60_000

/**
 * Connects to the embedded engine. It has a single session, so there is one connection at a time, held for a
 * transaction or a statement.
 */
export const embeddedConnections = (engine: Engine): Connections => {
  const streamOf = (client: pg.PoolClient) =>
    (client as unknown as { connection: { stream: EngineConnection } }).connection.stream
  return {
    pool: new pg.Pool({
      max: 1,
      user: 'postgres',
      database: 'postgres',
      ssl: false,
      stream: () => engine.connect() as never,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: 0,
      allowExitOnIdle: true,
    }),
    cancel: async (client) => streamOf(client).thread?.interrupt(),
    abandon: (client) => streamOf(client).thread?.kill(engineError('57014', 'it did not end')),
  }
}
