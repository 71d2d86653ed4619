import { setTimeout as wait } from 'node:timers/promises'
import { compareMigrations, type Look } from '../../database/probe.js'

export interface HealthChecks {
  database: () => Promise<Look>
  files: () => Promise<unknown>
  timeoutMs: number
  /** Time for which a result is reused, so that probes cost nothing. */
  freshMs: { database: number; files: number }
  now?: () => number
  /** Called when the database begins or ceases to answer. */
  turned?: (isUp: boolean, reason: unknown) => void
}

type State = 'ok' | 'busy' | 'newer' | 'missing' | 'failing' | 'unknown'

export interface HealthReport {
  /** `degraded`: files cannot be stored or read now, and everything else can. */
  status: 'ready' | 'degraded' | 'unready'
  checks: Record<'database' | 'migrations' | 'files', { state: State }>
}

interface Result<Value> {
  value?: Value
  error?: unknown
}

/** Checks the parts that the service depends on, each within a time limit. Callers at the same time share a check. */
export class Health {
  readonly #checks: HealthChecks
  readonly #database: () => Promise<Result<Look>>
  readonly #files: () => Promise<Result<unknown>>
  #isUp = true

  constructor(checks: HealthChecks) {
    this.#checks = checks
    const { timeoutMs, freshMs, now = () => performance.now() } = checks
    this.#database = reused(() => within(timeoutMs, checks.database), freshMs.database, now)
    this.#files = reused(() => within(timeoutMs, checks.files), freshMs.files, now)
  }

  /** False from the first look at the database that failed until one succeeds. */
  get isDatabaseUp(): boolean {
    return this.#isUp
  }

  async check(): Promise<HealthReport> {
    const [database, files] = await Promise.all([this.checkDatabase(), this.#files()])
    const migrations = migrationState(database)
    const isUsable = !('error' in database) && migrations !== 'missing'
    return {
      status: !isUsable ? 'unready' : 'error' in files ? 'degraded' : 'ready',
      checks: {
        database: {
          state: 'error' in database ? 'failing' : database.value === 'busy' ? 'busy' : 'ok',
        },
        migrations: { state: migrations },
        files: { state: 'error' in files ? 'failing' : 'ok' },
      },
    }
  }

  async checkDatabase(): Promise<Result<Look>> {
    const result = await this.#database()
    const isUp = !('error' in result)
    if (isUp !== this.#isUp) {
      this.#isUp = isUp
      this.#checks.turned?.(isUp, result.error)
    }
    return result
  }
}

const migrationState = ({ value }: Result<Look>): State => {
  if (value === undefined || value === 'busy') return 'unknown'
  const found = compareMigrations(value.migrations)
  return found === 'current' ? 'ok' : found
}

const within = async <Value>(ms: number, check: () => Promise<Value>): Promise<Result<Value>> => {
  const patience = new AbortController()
  const late = wait(ms, undefined, { signal: patience.signal, ref: false }).then(() => {
    throw Object.assign(new Error(`no answer within ${ms} ms`), { code: 'ETIMEDOUT' })
  })
  late.catch(() => undefined)
  try {
    return { value: await Promise.race([check(), late]) }
  } catch (error) {
    return { error }
  } finally {
    patience.abort()
  }
}

const reused = <Value>(work: () => Promise<Value>, freshMs: number, now: () => number) => {
  let last: Promise<Value> | undefined
  let endedAt = Number.POSITIVE_INFINITY
  return (): Promise<Value> => {
    if (last === undefined || now() - endedAt >= freshMs) {
      endedAt = Number.POSITIVE_INFINITY
      last = work().finally(() => {
        endedAt = now()
      })
    }
    return last
  }
}
