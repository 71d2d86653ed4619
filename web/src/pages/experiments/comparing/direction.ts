/** The good direction of a score. */
export type Better = 'HIGHER' | 'LOWER' | 'NONE'
