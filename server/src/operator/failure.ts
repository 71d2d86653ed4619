import { DomainError } from '../kernel/errors.js'
import { SettingsError } from '../settings.js'

/** Reports a failed command in one line, with the place to look when the command was invalid. Returns the exit code. */
export const fail = (error: unknown, command: string): number => {
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  const isUnread = code?.startsWith('ERR_PARSE_ARGS') === true
  const isUsage = isUnread || error instanceof SettingsError
  // Node adds advice about positional arguments, which does not apply here.
  const reason = isUnread ? (reasonOf(error).split('. ', 1)[0] ?? '') : reasonOf(error)
  const line = reason.replace(/\s*\n\s*/g, ' ')
  process.stderr.write(
    `stepwell: ${isUsage ? `${line.replace(/\.$/, '')}. Usage: stepwell ${command} --help` : line}\n`,
  )
  return isUsage || error instanceof DomainError ? 2 : 1
}

/** Returns the message of an error, and of its cause unless the message contains it. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  return cause instanceof Error && cause.message !== '' && !message.includes(cause.message)
    ? `${message} (${cause.message})`
    : message
}
