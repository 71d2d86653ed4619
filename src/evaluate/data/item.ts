/** An example to run the task on. */
export interface EvalItem<Input = unknown, Expected = unknown> {
  /** Unique in the data: the dataset item's id, the given key, or a hash of the content. */
  readonly key: string
  /** The input. */
  readonly input: Input
  /** The expected output; `undefined` when there is none. */
  readonly expected: Expected | undefined
  /** Anything else that is known about it. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** The id of its dataset item; `undefined` when it comes from elsewhere. */
  readonly datasetItemId: string | undefined
}

/** An example as a list or an iterable has it. */
export interface EvalItemInput<Input = unknown, Expected = unknown> {
  /** Unique in the data. By it, items are compared with those of other runs. Default: a hash of the content. */
  key?: string | undefined
  /** The input of the task. */
  input: Input
  /** The expected output, for scorers. */
  expected?: Expected | undefined
  /** Anything else that the task, a scorer or `cluster` wants to know. */
  metadata?: Record<string, unknown> | undefined
}

/** One repetition of an item, as it is leased and stored. */
export interface Trial {
  readonly item: EvalItem
  /** From 1 on. */
  readonly repetition: number
}

/** Returns a text that tells a trial from all others of a run. */
export const nameOfTrial = (key: string, repetition: number): string => `${repetition} ${key}`
