import { DomainError } from '../kernel/errors.js'

/** What PostgreSQL and the network call an error. */
const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''

/** Whether a statement failed because a value that must be unique is taken. */
export const isTaken = (error: unknown): boolean => codeOf(error) === '23505'

/** Connection exceptions, too many connections, shutting down, no room, and what the network says. */
const OUTAGE =
  /^(08...|53...|57P0[1-4]|ECONN.*|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENOSPC|EDQUOT)$/
/** What the driver says without a code. */
const LOST =
  /^(Connection terminated|Client was closed|timeout exceeded when trying to connect|Client has encountered)/
const CONFLICTS = new Set(['40001', '40P01'])
const TOO_SLOW = '57014'
const LOCKED = '55P03'

/** Members of the drivers' errors that repeat rows, parameters and statements. */
const PAYLOADS = [
  'detail',
  'where',
  'hint',
  'query',
  'params',
  'queryOptions',
  'internalQuery',
  'parameters',
]
/** Errors about a value repeat it in their message, in quotation marks. */
const ABOUT_VALUE = /^22/

/** Takes out of an error of the database all that repeats what somebody stored: errors get into logs. */
const withoutPayload = (error: unknown): void => {
  if (!(error instanceof Error)) return
  const members = error as unknown as Record<string, unknown>
  for (const name of PAYLOADS) delete members[name]
  if (!ABOUT_VALUE.test(codeOf(error))) return
  const { message } = error
  error.message = message.replace(/".*"/s, '"…"')
  if (error.stack !== undefined) error.stack = error.stack.replace(message, () => error.message)
}

/** Why the database can't do now what it could do later; other errors as they are. */
export const translated = (error: unknown): unknown => {
  if (error instanceof DomainError) return error
  withoutPayload(error)
  const code = codeOf(error)
  const unavailable = (message: string) => new DomainError('UNAVAILABLE', message, error)
  if (
    OUTAGE.test(code) ||
    (error instanceof Error && (LOST.test(error.message) || SAYS_NO_ROOM.test(error.message)))
  )
    return unreachable(error)
  if (CONFLICTS.has(code))
    return unavailable('another request changed the same rows at the same time; try again')
  if (code === LOCKED)
    return unavailable('another transaction holds the rows that this request changes; try again')
  if (code === TOO_SLOW) return tooSlow(error)
  return error
}

/** For what took longer than it may. */
export const tooSlow = (reason: unknown = { code: TOO_SLOW }): DomainError =>
  new DomainError(
    'UNAVAILABLE',
    'the request took longer than its limit; narrow it by filters, or ask for less',
    reason,
  )

/** Whether a statement was ended, or not begun, as it took longer than it may. */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof DomainError && codeOf(error.cause) === TOO_SLOW

/** For a database that takes no connection, whatever its reason, or has no room. */
export const unreachable = (reason: unknown): DomainError =>
  reason instanceof DomainError ? reason : new DomainError('UNAVAILABLE', adviceFor(reason), reason)

const NO_ROOM = /^(53100|ENOSPC|EDQUOT)$/
/** What the embedded engine says of the disk when its own code does not. */
const SAYS_NO_ROOM = /No space left on device|[Dd]isk quota exceeded/

/** Returns what an operator can do about a database that does nothing now. */
const adviceFor = (reason: unknown): string => {
  const code = codeOf(reason)
  if (NO_ROOM.test(code) || (reason instanceof Error && SAYS_NO_ROOM.test(reason.message)))
    return 'the disk of the database is full; make room on it, then try again'
  if (code === '53200')
    return 'the database server is out of memory; try again later, or give it more'
  if (code === '53300')
    return 'the database server takes no more connections; try again later, or raise its max_connections'
  return 'the database is unreachable; try again later, or check that its server runs'
}

/** Whether transactions were in each other's way: the same one may succeed when it is tried again. */
export const isConflict = (error: unknown): boolean =>
  error instanceof DomainError && CONFLICTS.has(codeOf(error.cause))

/** Whether a row was held by another transaction for longer than a statement may wait for it. */
export const isLocked = (error: unknown): boolean =>
  error instanceof DomainError && codeOf(error.cause) === LOCKED

/** Whether the database could not be reached or has no room: whatever is tried next will fail too. */
export const isOutage = (error: unknown): boolean =>
  error instanceof DomainError &&
  error.code === 'UNAVAILABLE' &&
  !isConflict(error) &&
  !isLocked(error) &&
  !isTooSlow(error)
