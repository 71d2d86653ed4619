import type { ReasonedScore, ScoreResult, ScoreValue } from './scorer.js'

/** A score as it is stored: categories and truths are numbers with a label. */
export interface NormalScore {
  name: string
  /** Finite. */
  value: number
  /** The category, or `true` or `false`; null for a number. */
  label: string | null
  /** Null when none was given. */
  reason: string | null
}

type Categories = Readonly<Record<string, number>> | undefined

/** Reads the result of a scorer. @throws TypeError that says what was expected, without the value. */
export const readScores = (
  name: string,
  result: ScoreResult | undefined,
  categories: Categories,
): NormalScore[] => {
  if (result === null) return []
  if (typeof result !== 'object')
    return [readScore(name, { value: result as ScoreValue }, categories)]
  if (Array.isArray(result)) throw new TypeError(`${EXPECTED}, got a list`)
  if ('value' in result) return [readScore(name, result as ReasonedScore, categories)]
  const several = Object.entries(result as Record<string, ScoreValue | ReasonedScore | null>)
  if (several.length === 0) throw new TypeError(`${EXPECTED}, got an empty object`)
  return several.flatMap(([own, score]) =>
    score === null
      ? []
      : [readScore(own, typeof score === 'object' ? score : { value: score }, categories)],
  )
}

const EXPECTED = 'expected a number, true, false, a category, null, or an object with a value'

const readScore = (
  name: string,
  { value, reason }: ReasonedScore,
  categories: Categories,
): NormalScore => {
  if (name === '') throw new TypeError('expected each score to have a name')
  const rest = { name, reason: reason == null || reason === '' ? null : String(reason) }
  if (typeof value === 'boolean') return { ...rest, value: value ? 1 : 0, label: String(value) }
  if (typeof value === 'string') {
    const known = Object.keys(categories ?? {})
    if (categories === undefined || !known.includes(value))
      throw new TypeError(
        known.length === 0
          ? 'a category was returned, but the scorer has no categories: scorer({ categories }) gives each its number'
          : `expected one of the categories ${known.join(', ')}, got another one`,
      )
    return { ...rest, value: categories[value] as number, label: value }
  }
  if (typeof value !== 'number') throw new TypeError(`${EXPECTED}, got ${kindOf(value)}`)
  if (!Number.isFinite(value)) throw new TypeError(`expected a finite number, got ${value}`)
  return { ...rest, value, label: null }
}

const kindOf = (value: unknown): string =>
  value === null || value === undefined ? String(value) : `a ${typeof value}`
