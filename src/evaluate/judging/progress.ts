import { duration, shown } from '../reporting/text.js'
import type { JudgeProgress } from './worker.js'

const TERMINAL_MS = 100
const QUIET_MS = 60_000

const lineOf = (name: string, progress: JudgeProgress): string => {
  const { judged, errors, usedToday, active } = progress
  const today =
    usedToday === null
      ? ''
      : `; today ${usedToday.judgements} judgements, ${shown(usedToday.tokens)} tokens${usedToday.dollars > 0 ? `, ${shown(usedToday.dollars)} $` : ''}`
  return `${name}: ${judged} judged${errors > 0 ? `, ${errors} errors` : ''}, ${active} under way${today}`
}

/** Creates a view of a worker: one line that changes in a terminal, now and then a line elsewhere; each news has its own. */
export const judgeView = (name: string) => {
  const stream = globalThis.process?.stderr
  const isTerminal = stream?.isTTY === true && !globalThis.process?.env.CI
  let shownAt = performance.now()
  let last = ''
  let lastError: string | null = null
  let isSpent = false
  const say = (text: string) => stream?.write(`${isTerminal ? '\r\x1b[K' : ''}${name}: ${text}\n`)
  return {
    update: (progress: JudgeProgress) => {
      const { spentForMs } = progress
      if (progress.lastError !== null && progress.lastError !== lastError) say(progress.lastError)
      lastError = progress.lastError
      if ((spentForMs !== null) !== isSpent) {
        isSpent = spentForMs !== null
        say(
          spentForMs === null
            ? 'the budget of a new day begins'
            : `the budget of the day is spent; it begins anew in ${duration(spentForMs)}, at midnight UTC`,
        )
      }
      const now = performance.now()
      if (now - shownAt < (isTerminal ? TERMINAL_MS : QUIET_MS)) return
      const line = lineOf(name, progress)
      if (line === last) return
      stream?.write(isTerminal ? `\r\x1b[K${line}` : `${line}\n`)
      last = line
      shownAt = now
    },
    end: () => {
      if (isTerminal) stream.write('\r\x1b[K')
    },
  }
}
