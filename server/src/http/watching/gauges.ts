import { statfs } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { PoolUse } from '../../database/driver.js'
import type { Ingestion } from '../../domain/ingestion/ingestion.js'
import { packageVersion } from '../../kernel/package-folder.js'
import type { Metrics } from '../metrics.js'
import type { Health } from './health.js'

const DISK_MS = 1000
const QUANTILES = [0.5, 0.99, 1]

export interface Watched {
  health: Health
  ingestion: Pick<Ingestion, 'state'>
  pool: () => PoolUse | undefined
  /** Undefined if everything is in memory. */
  dataFolder: string | undefined
}

/** Adds the state of the process and of the parts that it depends on. None of the values needs the database. */
export class Gauges {
  readonly #watched: Watched
  readonly #delays = monitorEventLoopDelay({ resolution: 20 })
  #disk: { free: number; size: number } | undefined

  constructor(watched: Watched) {
    this.#watched = watched
    this.#delays.enable()
  }

  stop(): void {
    this.#delays.disable()
  }

  /** Reads the values that take a moment, each within a time limit. */
  async refresh(): Promise<void> {
    await Promise.all([this.#watched.health.check(), this.#readDisk()])
  }

  register(metrics: Metrics): void {
    const { health, ingestion, pool } = this.#watched
    const versions = `version="${packageVersion()}",node="${process.version}"`
    metrics.add('stepwell_build_info', 'Versions of the service and of Node.', 'gauge', () => [
      [versions, 1],
    ])
    metrics.add('stepwell_database_up', 'Set to 1 while the database answers.', 'gauge', () =>
      health.isDatabaseUp ? 1 : 0,
    )
    for (const [name, help, read] of [
      ['most', 'Limit of connections to the database.', 'most'],
      ['open', 'Open connections to the database.', 'open'],
      ['in_use', 'Connections to the database that are in use.', 'inUse'],
      ['waiting', 'Statements that wait for a connection to the database.', 'waiting'],
    ] as const)
      metrics.add(`stepwell_database_connections_${name}`, help, 'gauge', () => pool()?.[read] ?? 0)
    metrics.add('stepwell_ingestion_waiting', 'Steps that wait for their commit.', 'gauge', () => {
      return ingestion.state.waiting
    })
    metrics.add(
      'stepwell_ingestion_oldest_seconds',
      'Time that the oldest of them has waited.',
      'gauge',
      () => ingestion.state.oldestMs / 1000,
    )
    metrics.add('stepwell_ingestion_stored_total', 'Steps that were stored.', 'counter', () => {
      return ingestion.state.stored
    })
    metrics.add(
      'stepwell_ingestion_lag_seconds_total',
      'Time between the arrival and the commit of all steps that were stored.',
      'counter',
      () => ingestion.state.storedLagMs / 1000,
    )
    metrics.add(
      'stepwell_disk_free_bytes',
      'Free space on the disk of the data folder.',
      'gauge',
      () => (this.#disk === undefined ? [] : this.#disk.free),
    )
    metrics.add('stepwell_disk_bytes', 'Size of the disk of the data folder.', 'gauge', () =>
      this.#disk === undefined ? [] : this.#disk.size,
    )
    metrics.add(
      'stepwell_event_loop_delay_seconds',
      'Delay of the event loop since the last scrape, by quantile.',
      'gauge',
      () => {
        const values = QUANTILES.map((quantile) => {
          const nanoseconds = this.#delays.percentile(quantile * 100)
          return [`quantile="${quantile}"`, nanoseconds / 1e9] as const
        })
        this.#delays.reset()
        return values
      },
    )
    metrics.add('nodejs_heap_size_used_bytes', 'Used heap of the process.', 'gauge', () => {
      return process.memoryUsage().heapUsed
    })
    const startedAt = Date.now() / 1000 - process.uptime()
    metrics.add(
      'process_start_time_seconds',
      'Start of the process, in seconds since 1970.',
      'gauge',
      () => startedAt,
    )
  }

  async #readDisk(): Promise<void> {
    const { dataFolder } = this.#watched
    if (dataFolder === undefined) return
    const late = new Promise<undefined>((resolve) =>
      setTimeout(resolve, DISK_MS, undefined).unref(),
    )
    // A network drive that hangs must not hold the other metrics up.
    const found = await Promise.race([statfs(dataFolder).catch(() => undefined), late])
    this.#disk = found && {
      free: found.bavail * found.bsize,
      size: found.blocks * found.bsize,
    }
  }
}
