import type { ConcurrencyLimiter } from './admission/concurrency-limiter.js'
import type { RateLimiter } from './admission/rate-limiter.js'
import type { Room } from './admission/room.js'
import { Metrics } from './metrics.js'

/** The counts of a service, besides those of its answers. */
export const createMetrics = (gate: ConcurrencyLimiter, room: Room, rate: RateLimiter): Metrics => {
  const metrics = new Metrics()
  metrics.add(
    'stepwell_requests_in_progress',
    'Requests that are worked on.',
    'gauge',
    () => gate.state.inside,
  )
  metrics.add(
    'stepwell_requests_waiting',
    'Requests that wait for their turn.',
    'gauge',
    () => gate.state.waiting,
  )
  metrics.add(
    'stepwell_request_bytes_held',
    'Bytes that bodies and what is read from them take.',
    'gauge',
    () => room.state.bytes,
  )
  metrics.add(
    'stepwell_requests_sent_away_total',
    'Requests that found no room to wait.',
    'counter',
    () => gate.state.rejected + room.state.rejected,
  )
  metrics.add(
    'stepwell_requests_rate_limited_total',
    'Requests of keys that asked too often.',
    'counter',
    () => rate.refused,
  )
  metrics.add('process_resident_memory_bytes', 'Memory of the process.', 'gauge', () =>
    process.memoryUsage.rss(),
  )
  metrics.add('process_cpu_seconds_total', 'CPU time of the process.', 'counter', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  return metrics
}
