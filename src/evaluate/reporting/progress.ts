import { duration } from './text.js'

/** The state of a run while it goes on. */
export interface Progress {
  /** Results so far, those of other processes and of earlier runs among them. */
  readonly done: number
  readonly total: number
  /** Results with an error, of those that this process has seen. */
  readonly errors: number
  /** Items that run now, and that may run at once. */
  readonly active: number
  readonly concurrency: number
  /** Milliseconds that the rest will take at the speed so far; null before the first result. */
  readonly remainingMs: number | null
}

/** Shows a run while it goes on. */
export interface ProgressView {
  /** Shows a line before the first item. */
  begin(text: string): void
  update(progress: Progress): void
  end(): void
}

const TERMINAL_MS = 100
const QUIET_MS = 30_000
/** Share of the items after which a log gets another line. */
const QUIET_SHARE = 0.1

const lineOf = (name: string, progress: Progress): string => {
  const { done, total, errors, remainingMs } = progress
  const share = Math.floor((100 * done) / Math.max(1, total))
  const rest = remainingMs === null || done >= total ? '' : `, ${duration(remainingMs)} left`
  return `${name}: ${done} of ${total} (${share} %)${errors > 0 ? `, ${errors} with errors` : ''}${rest}`
}

/** Creates a view: one line that changes in a terminal, now and then a line elsewhere. */
export const progressView = (name: string): ProgressView => {
  const stream = globalThis.process?.stderr
  const isTerminal = stream?.isTTY === true && !globalThis.process?.env.CI
  let shownAt = Number.NEGATIVE_INFINITY
  let shownShare = 0
  return {
    begin: (text) => stream?.write(`${name}: ${text}\n`),
    update: (progress) => {
      const now = performance.now()
      const share = progress.done / Math.max(1, progress.total)
      if (isTerminal) {
        if (now - shownAt < TERMINAL_MS && share < 1) return
        const { active, concurrency } = progress
        stream.write(`\r\x1b[K${lineOf(name, progress)}, ${active} of ${concurrency} at once`)
      } else {
        const isDue = share - shownShare >= QUIET_SHARE || now - shownAt > QUIET_MS
        if (!isDue || progress.done === 0) return
        stream?.write(`${lineOf(name, progress)}\n`)
      }
      shownAt = now
      shownShare = share
    },
    end: () => {
      if (isTerminal) stream.write('\r\x1b[K')
    },
  }
}
