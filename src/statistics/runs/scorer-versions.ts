import type { RunResult } from './result.js'

/** Returns the scorers, with their versions, from which a score comes. */
export const scorersOf = (results: readonly RunResult[], score: string): string[] => {
  const found = new Set<string>()
  for (const { scores } of results)
    for (const { name, scorer } of scores) if (name === score && scorer !== null) found.add(scorer)
  return [...found]
}

/** Returns why a score of two runs is not compared; `undefined` when it is. Unknown versions are no reason. */
export const refusalOf = (
  base: readonly RunResult[],
  candidate: readonly RunResult[],
  score: string,
): string | undefined => {
  const has = (results: readonly RunResult[]) =>
    results.some(({ scores }) => scores.some(({ name }) => name === score))
  if (!has(base)) return 'the other run has no such score'
  const before = scorersOf(base, score)
  const now = scorersOf(candidate, score)
  if (before.length === 0 || now.length === 0) return undefined
  if (before.length === 1 && now.length === 1 && before[0] === now[0]) return undefined
  return `its scorer changed (${before.join(', ')} before, ${now.join(', ')} now)`
}
