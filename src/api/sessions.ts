import {
  GetSessionDocument,
  GetThreadSessionsDocument,
  type SessionFieldsFragment,
} from '../../generated/operations.js'
import type { ClientSession as SchemaSession } from '../../generated/schema.js'
import { type Snake, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'
import { type IdParam, idOf } from './calls/raw.js'

/** A session of a client as the service returns it. */
export type ClientSession = Pick<SchemaSession, keyof SessionFieldsFragment>

export const sessionsApi = ({ call }: Transport) => {
  const getSession = async (id: string): Promise<ClientSession | null> =>
    (await call(GetSessionDocument, { id })).session
  const getThreadSessions = async (id: string): Promise<ClientSession[]> =>
    (await call(GetThreadSessionsDocument, { id })).threadDetail?.sessions ?? []

  return {
    /**
     * Gets a session: what one client recorded, and what of it the service has not received. Null when it knows none of
     * this id. `stats().sessionId` is the id of the client's own.
     */
    getSession,
    /** Gets a session; `getSession` in the other spelling. */
    get_session: async (session: IdParam): Promise<Snake<ClientSession> | null> =>
      toSnake(await getSession(idOf(session)), 'ClientSession'),

    /**
     * Gets the sessions that recorded the steps of a thread, the oldest first; none when nothing has this id.
     *
     * @example
     * for (const { missing, endedAt } of await stepwell.api.getThreadSessions(threadId))
     *   if (endedAt && missing > 0) console.warn(`${missing} steps lost, client ended ${endedAt}`)
     */
    getThreadSessions,
    /** Gets the sessions of a thread; `getThreadSessions` in the other spelling. */
    get_thread_sessions: async (thread: IdParam): Promise<Snake<ClientSession>[]> =>
      (await getThreadSessions(idOf(thread))).map((session) => toSnake(session, 'ClientSession')),
  }
}
