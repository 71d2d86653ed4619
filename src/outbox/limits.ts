import { MAX_TIMER_MS } from '../settings.js'
import type { BatchLimits } from './backlog.js'

export interface OutboxLimits extends BatchLimits {
  /** The longest that a step waits for others, in milliseconds: 500 when absent. */
  flushIntervalMs: number
  /** The most steps of a request: 500 when absent. */
  maxBatchSteps: number
  /** About how large a request becomes before it is compressed: 1 MB when absent, 4 MB at most. A larger step goes alone. */
  maxBatchBytes: number
  /** Requests under way at once: 4 when absent. */
  maxRequests: number
  /** About how much memory undelivered steps may take: 64 MB when absent. Steps beyond it are dropped, or stay in the spool. */
  maxBufferBytes: number
  /** Bodies from this size on are compressed: 16 kB when absent. */
  gzipFromBytes: number
  /** How long an attempt may take, in milliseconds, and so `send` and `upsert`: 10,000 when absent. */
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
  /** How long to go on trying, in milliseconds. */
  timeoutMs?: number | undefined
}

export const FLUSH_TIMEOUT_MS = 30_000

/** Returns a time that can be waited for. */
export const clamped = (milliseconds: number): number =>
  Number.isNaN(milliseconds) ? FLUSH_TIMEOUT_MS : Math.min(milliseconds, MAX_TIMER_MS)
