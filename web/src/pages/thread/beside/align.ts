/** The words of a turn that tell it from others: its question, and the tools that were called in it. */
export interface TurnWords {
  text: string
  tools: readonly string[]
}

/** The places of two turns beside each other; -1 where only one thread has the turn. */
export type Pair = readonly [left: number, right: number]

/** The score of a pair of turns that have nothing in common: better than both alone, so that reworded turns meet. */
const PAIR = 100
const ALIKE = 300
const TEXT_SHARE = 0.7
/** The weight of likeness against the number of pairs, which decides between alignments that are equally alike. */
const LIKENESS = 65_536
/** Comparisons that take a moment; longer threads are paired in order between their like beginnings and ends. */
const MAX_COMPARISONS = 4_000_000
/** Words of a question that are compared; the rest of a long one adds nothing. */
const MAX_WORDS = 80

/**
 * Aligns the turns of two threads in their order, so that together the pairs are as alike as can be. A turn that only one
 * of them has moves no other one.
 */
export const alignTurns = (left: readonly TurnWords[], right: readonly TurnWords[]): Pair[] => {
  let start = 0
  const shorter = Math.min(left.length, right.length)
  while (start < shorter && isSame(left[start], right[start])) start++
  let end = 0
  while (end < shorter - start && isSame(left.at(-1 - end), right.at(-1 - end))) end++
  const [height, width] = [left.length - end - start, right.length - end - start]
  const pairs: Pair[] = Array.from({ length: start }, (_, place) => [place, place])
  const middle =
    height * width > MAX_COMPARISONS
      ? inOrder(height, width)
      : best(left.slice(start, start + height), right.slice(start, start + width))
  for (const [one, other] of middle)
    pairs.push([one < 0 ? -1 : one + start, other < 0 ? -1 : other + start])
  for (let place = end; place > 0; place--) pairs.push([left.length - place, right.length - place])
  return pairs
}

const isSame = (one: TurnWords | undefined, other: TurnWords | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.text === other.text &&
  one.tools.join('\n') === other.tools.join('\n')

const inOrder = (height: number, width: number): Pair[] =>
  Array.from({ length: Math.max(height, width) }, (_, place) => [
    place < height ? place : -1,
    place < width ? place : -1,
  ])

/** Finds the alignment with the highest sum of scores; of equal ones that with most pairs, and of these the earliest. */
const best = (left: readonly TurnWords[], right: readonly TurnWords[]): Pair[] => {
  const known = new Map<string, number>()
  const [rows, columns] = [left, right].map((turns) =>
    turns.map((turn) => ({
      ...turn,
      words: idsOf(turn.text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [], known),
      calls: idsOf(turn.tools, known),
    })),
  ) as [Prepared[], Prepared[]]
  const width = columns.length + 1
  // The highest sum for the turns from a place on, in either thread.
  const sums = new Float64Array((rows.length + 1) * width)
  const pairSum = (row: number, column: number): number =>
    scoreOf(rows[row] as Prepared, columns[column] as Prepared) +
    (sums[(row + 1) * width + column + 1] ?? 0)
  for (let row = rows.length - 1; row >= 0; row--)
    for (let column = columns.length - 1; column >= 0; column--)
      sums[row * width + column] = Math.max(
        pairSum(row, column),
        sums[(row + 1) * width + column] ?? 0,
        sums[row * width + column + 1] ?? 0,
      )
  const pairs: Pair[] = []
  let [row, column] = [0, 0]
  while (row < rows.length && column < columns.length) {
    const sum = sums[row * width + column] ?? 0
    if (sum === pairSum(row, column)) pairs.push([row++, column++])
    else if (sum === sums[(row + 1) * width + column]) pairs.push([row++, -1])
    else pairs.push([-1, column++])
  }
  while (row < rows.length) pairs.push([row++, -1])
  while (column < columns.length) pairs.push([-1, column++])
  return pairs
}

interface Prepared extends TurnWords {
  words: Int32Array
  calls: Int32Array
}

/** Returns numbers for words, each once and sorted. */
const idsOf = (words: readonly string[], known: Map<string, number>): Int32Array => {
  const ids = new Set<number>()
  for (const word of words.slice(0, MAX_WORDS)) {
    let id = known.get(word)
    if (id === undefined) {
      id = known.size
      known.set(word, id)
    }
    ids.add(id)
  }
  return Int32Array.from(ids).sort()
}

/** Whole numbers, so that sums are equal when they should be. */
const scoreOf = (one: Prepared, other: Prepared): number => {
  const text = one.text === other.text ? 1 : shared(one.words, other.words) * 0.9
  const tools = shared(one.calls, other.calls)
  return (PAIR + Math.round(ALIKE * (TEXT_SHARE * text + (1 - TEXT_SHARE) * tools))) * LIKENESS + 1
}

/** Returns the share of two sorted sets that both have: 1 for equal ones. */
const shared = (one: Int32Array, other: Int32Array): number => {
  if (one.length === 0 && other.length === 0) return 1
  let [at, to, both] = [0, 0, 0]
  while (at < one.length && to < other.length) {
    const difference = (one[at] ?? 0) - (other[to] ?? 0)
    if (difference === 0) both++
    if (difference <= 0) at++
    if (difference >= 0) to++
  }
  return both / (one.length + other.length - both)
}
