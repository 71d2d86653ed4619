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
     * Gets a session: the steps that one client recorded, and how many of them the service has not received.
     * `stats().sessionId` is the id of the client's own session.
     *
     * @returns the session; null when the service knows none with this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `read`
     * @example
     * const session = await stepwell.api.getSession(sessionId)
     * console.log(session?.missing)
     */
    getSession,
    /**
     * Gets a session; `getSession` in the other spelling.
     *
     * @returns the session; null when the service knows none with this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `read`
     * @example
     * const session = await stepwell.api.get_session(sessionId)
     * console.log(session?.ended_at)
     */
    get_session: async (session: IdParam): Promise<Snake<ClientSession> | null> =>
      toSnake(await getSession(idOf(session)), 'ClientSession'),

    /**
     * Gets the sessions that recorded the steps of a thread.
     *
     * @returns the sessions, the oldest first; an empty list when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `read`
     * @example
     * for (const { missing, endedAt } of await stepwell.api.getThreadSessions(threadId))
     *   if (endedAt && missing > 0) console.warn(`${missing} steps lost, client ended ${endedAt}`)
     */
    getThreadSessions,
    /**
     * Gets the sessions of a thread; `getThreadSessions` in the other spelling.
     *
     * @returns the sessions, the oldest first; an empty list when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `read`
     * @example
     * for (const { missing, ended_at } of await stepwell.api.get_thread_sessions(threadId)) console.log(missing, ended_at)
     */
    get_thread_sessions: async (thread: IdParam): Promise<Snake<ClientSession>[]> =>
      (await getThreadSessions(idOf(thread))).map((session) => toSnake(session, 'ClientSession')),
  }
}
