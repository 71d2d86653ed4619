const MINUTE_MS = 60_000

/**
 * Returns the period before a range, from `before` to `beforeTo`. Of a range that has not ended, it has the part that has
 * passed so far: else each figure would seem to have fallen.
 */
export const periodBefore = (
  { from, to }: { from: string; to: string },
  now = Date.now(),
): { before: string; beforeTo: string } => {
  const [begin, end] = [Date.parse(from), Date.parse(to)]
  const left = Math.max(0, Math.floor((end - now) / MINUTE_MS) * MINUTE_MS)
  const before = begin - (end - begin)
  // A range that begins now has hardly a part that has passed.
  const beforeTo = Math.max(before + 1, begin - left)
  return { before: new Date(before).toISOString(), beforeTo: new Date(beforeTo).toISOString() }
}
