import type { ErrorCode } from '../../generated/resolvers.js'

/** Upper bounds of the histogram's buckets, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const keyOf = (part: string, code: string): string => `part="${part}",code="${code}"`

interface Duration {
  counts: number[]
  sum: number
  count: number
}

/** Reads a value, or one for each set of labels. */
type Read = () => number | readonly (readonly [labels: string, value: number])[]

/**
 * Codes with which items of batches are rejected. Each is counted from 0: Prometheus sees no increase in a series that
 * begins above it, so that an alert would miss the first batch.
 */
const CODES_OF_ITEMS = [
  'CONFLICT',
  'FORBIDDEN',
  'INTERNAL',
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'TOO_LARGE',
  'UNAVAILABLE',
] as const satisfies readonly ErrorCode[]

/** Counts of what the service does, in the text form that Prometheus reads. */
export class Metrics {
  readonly #requests = new Map<string, number>()
  readonly #refusals = new Map<string, number>(
    CODES_OF_ITEMS.map((code) => [keyOf('item', code), 0]),
  )
  readonly #durations = new Map<string, Duration>()
  readonly #gauges: [name: string, help: string, type: 'gauge' | 'counter', read: Read][] = []

  /** Adds a value that is read for each scrape. */
  add(name: string, help: string, type: 'gauge' | 'counter', read: Read): void {
    this.#gauges.push([name, help, type, read])
  }

  /** Counts an answer. */
  count(route: string, status: number, seconds: number): void {
    const key = `route="${route}",status="${status}"`
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1)
    const duration = this.#durations.get(route) ?? {
      counts: BUCKETS.map(() => 0),
      sum: 0,
      count: 0,
    }
    this.#durations.set(route, duration)
    duration.sum += seconds
    duration.count++
    BUCKETS.forEach((end, index) => {
      if (seconds <= end) duration.counts[index] = (duration.counts[index] ?? 0) + 1
    })
  }

  /** Counts requests, fields and items of batches that were rejected. */
  countRefusals(part: string, code: string, count: number): void {
    const key = keyOf(part, code)
    this.#refusals.set(key, (this.#refusals.get(key) ?? 0) + count)
  }

  text(): string {
    const lines: string[] = []
    const head = (name: string, help: string, type: string) =>
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
    head('stepwell_requests_total', 'Answers, by route and status.', 'counter')
    for (const [key, count] of this.#requests)
      lines.push(`stepwell_requests_total{${key}} ${count}`)
    head(
      'stepwell_refusals_total',
      'Requests, fields of documents and items of batches that were rejected, by code.',
      'counter',
    )
    for (const [key, count] of this.#refusals)
      lines.push(`stepwell_refusals_total{${key}} ${count}`)
    const name = 'stepwell_request_duration_seconds'
    head(name, 'Durations of answers, by route.', 'histogram')
    for (const [route, { counts, sum, count }] of this.#durations) {
      BUCKETS.forEach((end, index) => {
        lines.push(`${name}_bucket{route="${route}",le="${end}"} ${counts[index]}`)
      })
      lines.push(`${name}_bucket{route="${route}",le="+Inf"} ${count}`)
      lines.push(`${name}_sum{route="${route}"} ${sum}`, `${name}_count{route="${route}"} ${count}`)
    }
    for (const [gauge, help, type, read] of this.#gauges) {
      head(gauge, help, type)
      const value = read()
      if (typeof value === 'number') lines.push(`${gauge} ${value}`)
      else for (const [labels, one] of value) lines.push(`${gauge}{${labels}} ${one}`)
    }
    return `${lines.join('\n')}\n`
  }
}
