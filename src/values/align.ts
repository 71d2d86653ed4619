/** Two items in the same place, or one that has no counterpart. */
export type Pair<Base, Other = Base> =
  | { readonly base: Base; readonly other: Other }
  | { readonly base: Base; readonly other: undefined }
  | { readonly base: undefined; readonly other: Other }

/**
 * Pairs items side by side in their order: first those that are equal by the strictest key, then, between these, by the
 * next one. `keysOf` returns the keys of an item, the strictest first.
 */
export const align = <Base extends object, Other extends object = Base>(
  base: readonly Base[],
  other: readonly Other[],
  keysOf: (item: Base | Other) => readonly string[],
  level = 0,
): Pair<Base, Other>[] => {
  if (
    base.length === 0 ||
    other.length === 0 ||
    keysOf((base[0] ?? other[0]) as Base | Other).length <= level
  )
    return [
      ...base.map((item) => ({ base: item, other: undefined })),
      ...other.map((item) => ({ base: undefined, other: item })),
    ]
  const keyOf = (item: Base | Other) => keysOf(item)[level] ?? ''
  const matches = [
    ...common(base.map(keyOf), other.map(keyOf)),
    // Closes the last gap.
    [base.length, other.length] as const,
  ]
  const pairs: Pair<Base, Other>[] = []
  let [left, right] = [0, 0]
  for (const [atBase, atOther] of matches) {
    const between = align(base.slice(left, atBase), other.slice(right, atOther), keysOf, level + 1)
    for (const pair of between) pairs.push(pair)
    const [one, two] = [base[atBase], other[atOther]]
    if (one !== undefined && two !== undefined) pairs.push({ base: one, other: two })
    ;[left, right] = [atBase + 1, atOther + 1]
  }
  return pairs
}

type Match = readonly [base: number, other: number]

/** Returns the places of a longest common subsequence; of very different lists, of a long one. */
const common = (base: readonly string[], other: readonly string[]): Match[] => {
  let begin = 0
  while (begin < base.length && begin < other.length && base[begin] === other[begin]) begin++
  let [endBase, endOther] = [base.length, other.length]
  while (endBase > begin && endOther > begin && base[endBase - 1] === other[endOther - 1]) {
    endBase--
    endOther--
  }
  const middle = shortestEdit(base.slice(begin, endBase), other.slice(begin, endOther))
  return [
    ...Array.from({ length: begin }, (_, at) => [at, at] as const),
    ...middle.map(([one, two]) => [one + begin, two + begin] as const),
    ...Array.from(
      { length: base.length - endBase },
      (_, at) => [endBase + at, endOther + at] as const,
    ),
  ]
}

/** Edits beyond which the lists count as different: time and memory grow with their square. */
const MAX_EDITS = 600

/** The algorithm of Myers. Returns the matches of the shortest edit. */
const shortestEdit = (base: readonly string[], other: readonly string[]): Match[] => {
  if (base.length === 0 || other.length === 0) return []
  const most = Math.min(base.length + other.length, MAX_EDITS)
  /** For each number of edits, the furthest place on each diagonal. */
  const traces: Int32Array[] = []
  let furthest = new Int32Array(2 * most + 3)
  for (let edits = 0; edits <= most; edits++) {
    traces.push(furthest.slice())
    const next = furthest.slice()
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = diagonal + most + 1
      let place = isDown(furthest, at, diagonal, edits)
        ? (furthest[at + 1] ?? 0)
        : (furthest[at - 1] ?? 0) + 1
      while (
        place < base.length &&
        place - diagonal < other.length &&
        base[place] === other[place - diagonal]
      )
        place++
      next[at] = place
      if (place >= base.length && place - diagonal >= other.length)
        return traced(traces, most, base.length, other.length, edits)
    }
    furthest = next
  }
  return inOrder(base, other)
}

const isDown = (furthest: Int32Array, at: number, diagonal: number, edits: number): boolean =>
  diagonal === -edits || (diagonal !== edits && (furthest[at - 1] ?? 0) < (furthest[at + 1] ?? 0))

/** Follows the edits back from the ends of both lists. */
const traced = (
  traces: readonly Int32Array[],
  most: number,
  baseLength: number,
  otherLength: number,
  edits: number,
): Match[] => {
  const matches: Match[] = []
  let [one, two] = [baseLength, otherLength]
  for (let edit = edits; edit >= 0; edit--) {
    const furthest = traces[edit] as Int32Array
    const diagonal = one - two
    const at = diagonal + most + 1
    const before = isDown(furthest, at, diagonal, edit) ? diagonal + 1 : diagonal - 1
    const beginOne = edit === 0 ? 0 : (furthest[before + most + 1] ?? 0)
    const beginTwo = edit === 0 ? 0 : beginOne - before
    while (one > beginOne && two > beginTwo) {
      one--
      two--
      matches.push([one, two])
    }
    ;[one, two] = [beginOne, beginTwo]
  }
  return matches.reverse()
}

/** Steps are looked for so far ahead. */
const AHEAD = 50

/** Matches each to the next equal one that is not far. */
const inOrder = (base: readonly string[], other: readonly string[]): Match[] => {
  const matches: Match[] = []
  let from = 0
  base.forEach((key, place) => {
    const near = other.slice(from, from + AHEAD).indexOf(key)
    if (near < 0) return
    matches.push([place, from + near])
    from += near + 1
  })
  return matches
}
