import { MAX_TIMER_MS } from '../settings.js'
import type { BatchLimits } from './backlog.js'

export interface OutboxLimits extends BatchLimits {
  /** The longest that a step waits for others, in milliseconds. Default: 500. */
  flushIntervalMs: number
  /** The most steps of a request. Default: 500. */
  maxBatchSteps: number
  /** About how large a request becomes before it is compressed: 4 MB at most. Default: 1 MB. A larger step goes alone. */
  maxBatchBytes: number
  /** Requests under way at once. Default: 4. */
  maxRequests: number
  /** About how much memory undelivered steps may take. Default: 64 MB. Steps beyond it are dropped, or stay in the spool. */
  maxBufferBytes: number
  /** Bodies from this size on are compressed. Default: 16 kB. */
  gzipFromBytes: number
  /** The time limit of an attempt, and so of `send` and `upsert`, in milliseconds. Default: 10,000. */
  requestTimeoutMs: number
}

export const DEFAULT_LIMITS: OutboxLimits = {
  flushIntervalMs: 500,
  maxBatchSteps: 500,
  maxBatchBytes: 1_000_000,
  maxRequests: 4,
  maxBufferBytes: 64 * 1024 * 1024,
  gzipFromBytes: 16_384,
  requestTimeoutMs: 10_000,
}

export interface FlushOptions {
  /** The time limit of the delivery, in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined
}

export const FLUSH_TIMEOUT_MS = 30_000

/** Reads a time limit, at most one that timers can wait for. A bare number, as programs without types pass it, is one. */
export const timeLimit = (options: FlushOptions): number => {
  const milliseconds = Number(options?.timeoutMs ?? options ?? Number.NaN)
  return Number.isNaN(milliseconds) ? FLUSH_TIMEOUT_MS : Math.min(milliseconds, MAX_TIMER_MS)
}
