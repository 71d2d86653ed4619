/** The fields of a step that expectations look at: steps in memory have them, and those that `getSteps` returns. */
export interface StepLike {
  /** Unique in the project. */
  readonly id: string
  /** The name to show. */
  readonly name?: string | null | undefined
  /** The kind of work. */
  readonly type?: string | null | undefined
  /** The step inside which it ran. */
  readonly parentId?: string | null | undefined
  /** The thread that it belongs to. */
  readonly threadId?: string | null | undefined
  /** When it began: ISO 8601. */
  readonly startTime?: string | null | undefined
  /** The value that went in. */
  readonly input?: unknown
  /** The value that came out. */
  readonly output?: unknown
  /** The text of the error. */
  readonly error?: unknown
  /** Anything else that was stored. */
  readonly metadata?: unknown
  /** Labels. */
  readonly tags?: readonly string[] | null | undefined
  /** The model call that it stands for. */
  readonly generation?: object | null | undefined
  /** Scores of the step. */
  readonly scores?: readonly object[] | null | undefined
  /** Files of the step. */
  readonly attachments?: readonly object[] | null | undefined
  /** `dev`, `staging`, `prod` or `experiment`. */
  readonly environment?: string | null | undefined
  /** True until it ends; only steps in memory have it. */
  readonly isOpen?: boolean | undefined
  /** The thread that it belongs to, if its fields are known. */
  readonly thread?: StepLikeThread | null | undefined
}

/** The fields of a thread that expectations look at. */
export interface StepLikeThread {
  /** Its title. */
  readonly name?: string | null | undefined
  /** Scores of the thread itself. */
  readonly scores?: readonly object[] | null | undefined
}

/** An object with steps: a recording, or one of its threads. */
export interface WithSteps {
  /** The steps to look at. */
  readonly steps: readonly StepLike[]
}

/** Steps, or an object with steps. */
export type Steps = readonly StepLike[] | WithSteps

/** Returns the steps of a list, or of an object with one; undefined for anything else, as callers may have no types. */
export const listIn = (given: Steps): readonly StepLike[] | undefined => {
  const list: unknown = 'steps' in Object(given) ? (given as { steps: unknown }).steps : given
  return Array.isArray(list) ? list : undefined
}

/** Returns steps in order of start. */
export const inOrder = (steps: readonly StepLike[]): readonly StepLike[] => {
  const moment = ({ startTime }: StepLike) => Date.parse(startTime ?? '')
  // Both are in order already, and microseconds are lost in dates.
  if (steps.some((step) => step.isOpen !== undefined)) return steps
  return steps
    .map((step, index) => ({ step, index, moment: moment(step) }))
    .sort(
      (one, other) =>
        one.moment - other.moment ||
        (one.step.startTime ?? '').localeCompare(other.step.startTime ?? '') ||
        one.index - other.index,
    )
    .map(({ step }) => step)
}

/** The tokens of a step's model call: in, out, and both. */
export const tokensOf = ({
  generation,
}: StepLike): {
  input: number | undefined
  output: number | undefined
  total: number | undefined
} => {
  const { inputTokenCount, outputTokenCount, tokenCount } = (generation ?? {}) as Record<
    string,
    number | null | undefined
  >
  const input = inputTokenCount ?? undefined
  const output = outputTokenCount ?? undefined
  const sum = input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0)
  return { input, output, total: tokenCount ?? sum }
}
