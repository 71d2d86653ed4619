/** The flags of a step in an outline, by their numbers. */
export const FLAG = {
  circle: 8,
  failed: 1,
  generation: 16,
  parentMissing: 4,
  running: 2,
  unpriced: 32,
} as const
