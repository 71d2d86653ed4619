/** Why nothing can be written, by the operating system's error code. */
const REASONS: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'the quota of this user is used up',
}

/**
 * Names what could not be written, for the system's error of a write tells no path. Errors that name another path than
 * where it was written to, as that of a file that may not be read, stay as they are.
 */
export const unwritten = (place: string, partial: string, error: unknown): unknown => {
  const { code = '', message, path = partial } = (error ?? {}) as NodeJS.ErrnoException
  const reason = REASONS[code]
  return reason === undefined || !path.startsWith(partial)
    ? error
    : new Error(`${place} can't be written: ${reason}; name another place (${message})`)
}
