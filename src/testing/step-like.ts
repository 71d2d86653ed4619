/** The fields of a step that expectations look at: steps in memory have them, and those that `getSteps` returns. */
export interface StepLike {
  readonly id: string
  readonly name?: string | null | undefined
  readonly type?: string | null | undefined
  readonly parentId?: string | null | undefined
  readonly threadId?: string | null | undefined
  readonly startTime?: string | null | undefined
  readonly input?: unknown
  readonly output?: unknown
  readonly error?: unknown
  readonly metadata?: unknown
  readonly tags?: readonly string[] | null | undefined
  readonly generation?: object | null | undefined
  readonly scores?: readonly object[] | null | undefined
  readonly attachments?: readonly object[] | null | undefined
  readonly environment?: string | null | undefined
  readonly isOpen?: boolean | undefined
  readonly thread?: { readonly name?: string | null | undefined } | null | undefined
}

/** Steps, or an object with steps: a recording, or one of its threads. */
export type Steps = readonly StepLike[] | { readonly steps: readonly StepLike[] }

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
