import { getHeapStatistics } from 'node:v8'
import { limitsOfHeap } from '../../kernel/heap-limits.js'
import type { Settings } from '../../settings.js'
import { type Finding, ok, warning } from './check.js'

const SHARE_OF_MEMORY = 0.75

/** Compares the limits of memory with the most that the heap may grow to, and that with the memory there is. */
export const memory = (
  { limits }: Settings,
  heapBytes = getHeapStatistics().heap_size_limit,
  allowedBytes = process.constrainedMemory?.() ?? 0,
): Finding => {
  const heap = `a heap of ${megabytes(heapBytes)} MB at most`
  // Zero, or more than any machine has, where nothing limits the process.
  if (allowedBytes > 0 && allowedBytes < 2 ** 50 && allowedBytes < heapBytes)
    return warning(
      `${heap}, and the system allows this process ${megabytes(allowedBytes)} MB`,
      `start the service with NODE_OPTIONS=--max-old-space-size=${megabytes(allowedBytes * SHARE_OF_MEMORY)}, or give it more memory`,
    )
  const fitting = limitsOfHeap(heapBytes)
  for (const name of Object.keys(fitting) as (keyof typeof fitting)[]) {
    const set = limits[name]
    if (set === undefined || set <= fitting[name]) continue
    const needed = (set / fitting[name]) * heapBytes
    return warning(
      `${heap}, which is small for the limit ${name} of ${set} bytes`,
      `start the service with NODE_OPTIONS=--max-old-space-size=${megabytes(needed)}, or leave the limit out: its default follows the heap`,
    )
  }
  return ok(
    `${heap}, ${megabytes(limits.bytesInFlight ?? fitting.bytesInFlight)} MB of it for requests`,
  )
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20)
