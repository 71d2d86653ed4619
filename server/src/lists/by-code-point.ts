/**
 * Compares texts as the database does, in the order of their bytes. JavaScript compares halves of pairs, which lie below
 * the last characters of one unit; bytes of both texts for each comparison would take ten times as long.
 */
export const byCodePoint = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    const [left, right] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (left !== right) return rank(left) - rank(right)
  }
  return one.length - other.length
}

/** Moves halves of pairs above all other units. */
const rank = (unit: number): number =>
  unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x10000 : unit
