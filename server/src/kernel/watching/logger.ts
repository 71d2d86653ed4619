export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const LOG_FORMATS = ['pretty', 'json'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** Values beside a message; undefined ones are left out. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

export interface LogOptions {
  format: LogFormat
  /** Lines below this level are not written. */
  level: LogLevel
  write: (line: string) => void
  now?: () => Date
}

/** Writes lines for people, or JSON for collectors of logs. The time comes first, in UTC. */
export class Logger {
  readonly #options: LogOptions

  constructor(options: LogOptions) {
    this.#options = options
  }

  /** A multi-line `stack` follows the line of a person, and is a member in JSON. */
  log(level: LogLevel, message: string, fields: LogFields = {}): void {
    const { format, level: least, write, now = () => new Date() } = this.#options
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return
    const time = now().toISOString()
    write(
      format === 'json'
        ? `${JSON.stringify({ time, level, message, ...fields })}\n`
        : `${pretty(time, level, message, fields)}\n`,
    )
  }
}

const pretty = (
  time: string,
  level: LogLevel,
  message: string,
  { stack, ...fields }: LogFields,
): string => {
  const members = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}=${shownValue(value)}`],
  )
  const below = stack === undefined ? '' : `\n${String(stack)}`
  // A line break in a message would let a caller write lines of its own.
  return `${time} ${level.toUpperCase()} stepwell: ${oneLine(message)}${members.join('')}${below}`
}

const PLAIN = /^[\w.:/@+-]*$/
const shownValue = (value: string | number | boolean): string =>
  typeof value === 'string' && !PLAIN.test(value) ? JSON.stringify(value) : String(value)

const oneLine = (text: string): string => text.replace(/\s*[\r\n]+\s*/g, ' ')
