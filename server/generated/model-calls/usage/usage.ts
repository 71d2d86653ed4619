// Copied from src/model-calls/usage/usage.ts.
/**
 * Tokens of a model call, in parts that have none in common. A part that is absent is unknown: the provider did not say,
 * and nothing is estimated. The sum of the parts is the total.
 */
export interface Usage {
  /** Read by the model, and in none of the other parts of the input. */
  input?: number
  /** Read from a cache. */
  cached?: number
  /** Written to a cache, for a time that the provider did not say. */
  cacheWrite?: number
  /** Written to a cache for five minutes. */
  cacheWrite5m?: number
  /** Written to a cache for an hour. */
  cacheWrite1h?: number
  /** Sound that was read. */
  audioInput?: number
  /** Images that were read. */
  imageInput?: number
  /** Written by the model, and in none of the other parts of the output. */
  output?: number
  /** Written as reasoning. */
  reasoning?: number
  /** Sound that was written. */
  audioOutput?: number
  /** Images that were written. */
  imageOutput?: number
  /** Part of the provider's total that is in none of its other numbers. */
  unexplained?: number
  /** The sum of the parts. */
  total: number
}

export type Part = Exclude<keyof Usage, 'total'>
export type Parts = Partial<Record<Part, number | undefined>>

export const INPUT_PARTS = [
  'input',
  'cached',
  'cacheWrite',
  'cacheWrite5m',
  'cacheWrite1h',
  'audioInput',
  'imageInput',
] as const satisfies readonly Part[]
export const OUTPUT_PARTS = [
  'output',
  'reasoning',
  'audioOutput',
  'imageOutput',
] as const satisfies readonly Part[]
export const PARTS: readonly Part[] = [...INPUT_PARTS, ...OUTPUT_PARTS, 'unexplained']

const MAX_COUNT = 2 ** 31 - 1

/** Returns a number of tokens; undefined for a value that is none. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= MAX_COUNT ? Math.round(value) : undefined

/**
 * Divides a whole number into named parts and a rest. Parts that are together more than the whole get what is left of it,
 * in their order. Without a whole, the parts are as they are.
 */
export const divided = (whole: number | undefined, rest: Part, parts: Parts): Parts => {
  if (whole === undefined) return parts
  const result: Parts = {}
  let left = whole
  for (const name in parts) {
    const count = parts[name as Part]
    if (count === undefined) continue
    const taken = Math.min(count, left)
    result[name as Part] = taken
    left -= taken
  }
  result[rest] = left
  return result
}

/** Some providers count reasoning beside the output: then the total has it once more. */
export const isOutside = (
  input = 0,
  output = 0,
  reasoning = 0,
  total: number | undefined,
): boolean => reasoning > 0 && total === input + output + reasoning

/**
 * Makes usage of parts, and of the provider's total, if it told one: a larger total leaves an unexplained part. Returns
 * undefined when nothing is known.
 */
export const usageOf = (parts: Parts, total?: number): Usage | undefined => {
  // Written member by member: engines take microseconds for a copy by `...`, and this is run for each call.
  const usage: Usage = { total: 0 }
  let sum = 0
  let isKnown = total !== undefined
  for (const name of PARTS) {
    const count = countOf(parts[name])
    if (count === undefined) continue
    usage[name] = count
    sum += count
    isKnown = true
  }
  if (total !== undefined && total > sum) {
    usage.unexplained = (usage.unexplained ?? 0) + total - sum
    sum = total
  }
  usage.total = sum
  return isKnown && sum <= MAX_COUNT ? usage : undefined
}

/** The sums that generations had before they had usage. */
export interface Counts {
  inputTokenCount?: number
  outputTokenCount?: number
  tokenCount?: number
}

/** Returns the sums of usage; a sum without any known part is left out. */
export const countsOf = (usage: Usage): Counts => {
  const counts: Counts = { tokenCount: usage.total }
  const input = sumOf(usage, INPUT_PARTS)
  if (input !== undefined) counts.inputTokenCount = input
  const output = sumOf(usage, OUTPUT_PARTS)
  if (output !== undefined) counts.outputTokenCount = output
  return counts
}

const sumOf = (usage: Usage, parts: readonly Part[]): number | undefined => {
  let sum: number | undefined
  for (const part of parts) {
    const count = usage[part]
    if (count !== undefined) sum = (sum ?? 0) + count
  }
  return sum
}

/**
 * Merges two tellings of the same call's usage, of which providers send several: in each place the larger number stays.
 * So order and repetition do not matter.
 */
export const mergedRaw = (
  one: Readonly<Record<string, unknown>> | undefined,
  other: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const merged: Record<string, unknown> = { ...one }
  for (const name of Object.keys(other)) {
    const before = merged[name]
    const value = other[name]
    if (typeof value === 'number' && typeof before === 'number')
      merged[name] = Math.max(before, value)
    else if (isRecord(value)) merged[name] = mergedRaw(isRecord(before) ? before : undefined, value)
    else if (Array.isArray(value))
      merged[name] = Object.values(mergedRaw({ ...(before as object) }, { ...value }))
    else if (before === undefined || before === null) merged[name] = value
  }
  return merged
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
