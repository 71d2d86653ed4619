/** One repetition of an item in a run, as far as it is compared. */
export interface RunResult {
  /** The key of the item, the same in all runs over it. */
  readonly key: string
  /** From 1 on. */
  readonly repetition: number
  readonly scores: readonly RunScore[]
  /** The failure of the task or of scorers; null when nothing failed. */
  readonly error: string | null
  /** Milliseconds that the task took; null when not recorded. */
  readonly durationMs: number | null
  /** Tokens of the task's calls of models; null when not recorded. */
  readonly tokens: number | null
  /** Dollars of the task's calls of models; null when not known. */
  readonly cost: number | null
}

/** A score of a result. */
export interface RunScore {
  readonly name: string
  readonly value: number
  /** `name@version` of the scorer; null when it is not known. */
  readonly scorer: string | null
}
