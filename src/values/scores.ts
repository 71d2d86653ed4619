/**
 * The value of a score: a number, true or false, or a label that has its number in the definition of the score, or among
 * the categories of a scorer.
 */
export type ScoreValue = number | boolean | string

/** Returns a score in its wire form: true and false are 1 and 0 with a label, and a text is a label. */
export const wireScore = <Given extends { value?: unknown; label?: unknown }>(
  given: Given,
): Omit<Given, 'value'> & { value?: number | null; label?: string | null } => {
  if (typeof given !== 'object' || given === null) return given
  const { value, ...score } = given
  if (typeof value === 'boolean')
    return { ...score, value: value ? 1 : 0, label: score.label ?? String(value) } as never
  if (typeof value === 'string') return { ...score, label: value } as never
  return given as never
}
