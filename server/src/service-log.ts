import { outageOf, unreachable } from './database/failures.js'
import { DomainError } from './kernel/errors.js'
import type { AccessLog } from './kernel/watching/access-log.js'
import { type DescribedFault, describeFault, FaultLog } from './kernel/watching/fault-log.js'
import { type LogFormat, Logger, type LogLevel } from './kernel/watching/logger.js'

export interface ServiceLog {
  /** Lines for people, or JSON. Default: `pretty`. */
  format?: LogFormat | undefined
  /** The least level that is written. Default: `info`. */
  level?: LogLevel | undefined
  /** The requests with a line each: `off`, `failures` or `all`. Default: `off`. */
  access?: AccessLog | undefined
  /** Receives each line, with its end. Default: standard error. */
  write?: ((line: string) => void) | undefined
}

/** The name that all faults of an outage share, whichever work met it. */
const OUTAGE = 'database'

export const createLog = ({ format, level, access, write }: ServiceLog = {}) => {
  const logger = new Logger({
    format: format ?? 'pretty',
    level: level ?? 'info',
    write: write ?? ((line) => process.stderr.write(line)),
  })
  return { logger, faults: new FaultLog(logger, describe), access: access ?? 'off' }
}

const describe = (error: unknown): DescribedFault => {
  const outage = outageOf(error)
  if (outage !== undefined)
    return { key: OUTAGE, level: 'error', message: outage.message, code: causeOf(outage) }
  // Nothing in the program is at fault, so the place in it says nothing.
  if (error instanceof DomainError)
    return { key: error.message, level: 'warn', message: error.message, code: error.code }
  return describeFault(error)
}

const causeOf = ({ cause }: DomainError): string | undefined => {
  const { code, message } = cause as { code?: unknown; message?: unknown }
  return typeof code === 'string' ? code : typeof message === 'string' ? message : undefined
}

/** Returns a function that logs the begin of an outage, and its end with its duration. */
export const outageLog = (faults: FaultLog, logger: Logger) => {
  let since = performance.now()
  return (isUp: boolean, reason: unknown): void => {
    if (!isUp) {
      since = performance.now()
      faults.report(unreachable(reason))
      return
    }
    faults.settle(OUTAGE)
    const seconds = Math.round((performance.now() - since) / 1000)
    logger.log('info', 'the database answers again', { seconds })
  }
}
