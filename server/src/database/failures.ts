import { DomainError } from '../kernel/errors.js'

/** Returns the code that PostgreSQL or the network gave an error. */
const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''

/** Returns true when a statement failed because a unique value is taken. */
export const isTaken = (error: unknown): boolean => codeOf(error) === '23505'

/** Returns true when a statement failed because the row that it refers to is gone. */
export const isDangling = (error: unknown): boolean => codeOf(error) === '23503'

/** Connection exceptions, too many connections, shutting down, no disk space, and network errors. */
const OUTAGE =
  /^(08...|53...|57P0[1-4]|ECONN.*|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENOSPC|EDQUOT)$/
/** Texts of the driver's errors that have no code. */
const LOST =
  /^(Connection terminated|Client was closed|timeout exceeded when trying to connect|Client has encountered)/
const CONFLICTS = new Set(['40001', '40P01'])
const TOO_SLOW = '57014'
const LOCKED = '55P03'
/** Raised by the guard of a move. */
const MOVING = 'SW503'
/** A limit of the server, such as that of what an index has of one row. */
const BEYOND = '54000'
/** Texts that an index has whole, by the name of the index; a row of several pages is beyond what PostgreSQL names one for. */
const INDEXED: [index: RegExp, text: string][] = [
  [/"steps_gen_tags/, 'generation: expected tags'],
  [/"scores_tags/, 'scores: expected tags'],
  [/"scores_by_people/, 'scores: expected names'],
  [/"(steps|threads)_tags/, 'tags: expected texts'],
  [/^index row requires/, 'tags: expected texts, and names and tags of scores,'],
]

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
/** Errors about a value, whose messages quote it. */
const ABOUT_VALUE = /^22/

/** Removes stored values from a database error, as errors get into logs. */
const withoutPayload = (error: unknown): void => {
  if (!(error instanceof Error)) return
  const members = error as unknown as Record<string, unknown>
  for (const name of PAYLOADS) delete members[name]
  if (!ABOUT_VALUE.test(codeOf(error))) return
  const { message } = error
  error.message = message.replace(/".*"/s, '"…"')
  if (error.stack !== undefined) error.stack = error.stack.replace(message, () => error.message)
}

/** Turns an error that another attempt may not meet into `UNAVAILABLE`; returns other errors unchanged. */
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
  if (code === BEYOND) return tooLong(error)
  if (code === MOVING)
    return unavailable('the data of this service is being moved, or was moved; try again')
  return error
}

/** Another attempt would meet the same limit. Texts that repeat themselves are packed, so their length alone does not tell. */
const tooLong = (error: unknown): unknown => {
  const { message } = error as Error
  const [, text] = INDEXED.find(([index]) => index.test(message)) ?? []
  return text === undefined
    ? error
    : new DomainError(
        'TOO_LARGE',
        `${text} of at most 2700 bytes when packed, as an index has them whole`,
        error,
      )
}

/** Returns true when a value is longer than an index takes it. */
export const isTooLong = (error: unknown): error is DomainError =>
  error instanceof DomainError && codeOf(error.cause) === BEYOND

/** Creates the error for work that exceeded its time limit. */
export const tooSlow = (reason: unknown = { code: TOO_SLOW }): DomainError =>
  new DomainError(
    'UNAVAILABLE',
    'the request took longer than its limit; narrow it by filters, or ask for less',
    reason,
  )

/** Creates the error for work that nobody waits for any more. It is read by nobody, and no fault of the service. */
export const clientLeft = (): DomainError =>
  new DomainError('BAD_REQUEST', 'the client left before its answer')

/** Returns true when a statement was ended, or not begun, because of a time limit. */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof DomainError && codeOf(error.cause) === TOO_SLOW

/** For a database that takes no connection, whatever its reason, or has no room. */
export const unreachable = (reason: unknown): DomainError =>
  reason instanceof DomainError ? reason : new DomainError('UNAVAILABLE', adviceFor(reason), reason)

const NO_ROOM = /^(53100|ENOSPC|EDQUOT)$/
/** Texts of the embedded engine about the disk, where its code is another one. */
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

/** Returns true when transactions conflicted: a retry may succeed. */
export const isConflict = (error: unknown): boolean =>
  error instanceof DomainError && CONFLICTS.has(codeOf(error.cause))

/** Returns true when another transaction held a row for longer than a statement may wait for it. */
export const isLocked = (error: unknown): boolean =>
  error instanceof DomainError && codeOf(error.cause) === LOCKED

/** Returns true when the database could not be reached or has no disk space: the next statement will fail too. */
export const isOutage = (error: unknown): boolean =>
  error instanceof DomainError &&
  error.code === 'UNAVAILABLE' &&
  !isConflict(error) &&
  !isLocked(error) &&
  !isTooSlow(error)

/** Returns an error of a database that is away or has no room, in words for operators; undefined for other errors. */
export const outageOf = (error: unknown): DomainError | undefined => {
  const failure = translated(error)
  return isOutage(failure) && (failure as DomainError).cause !== undefined
    ? (failure as DomainError)
    : undefined
}
