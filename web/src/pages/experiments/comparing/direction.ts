/** The good direction of a score. */
export type Better = 'HIGHER' | 'LOWER' | 'NONE'

/** Returns the good direction of a score, whose name may be one that every object has. */
export const directionOf = (better: Readonly<Record<string, Better>>, score: string): Better =>
  Object.hasOwn(better, score) ? (better[score] ?? 'HIGHER') : 'HIGHER'
