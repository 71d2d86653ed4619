import type { DatasetExperimentItem } from '../api/experiments.js'
import { StepwellClient } from '../client.js'
import { StepwellError } from '../errors.js'
import { canonicalJson, hashOf } from './data/canonical.js'
import type { EvalItem } from './data/item.js'
import { nameOfTrial } from './data/item.js'
import { fromPayload } from './data/payload.js'
import type { PinnedData } from './data/read-data.js'
import { type Base, findBase } from './deciding/base.js'
import { readResults } from './deciding/results.js'
import type { Evaluation } from './evaluation.js'
import type { EvaluateOptions } from './options.js'
import { prepare, runPrepared } from './run-evaluation.js'
import type { StoredMeasures } from './running/trial-setup.js'
import { persist, walk } from './service/persist.js'

/** The options of `rescore`: those of `evaluate` that concern scores. */
export interface RescoreOptions
  extends Pick<
    EvaluateOptions<never, never, never>,
    | 'scorers'
    | 'concurrency'
    | 'errors'
    | 'cluster'
    | 'confidence'
    | 'leaseSeconds'
    | 'client'
    | 'files'
    | 'progress'
    | 'signal'
  > {
  /** The name or id of the experiment whose outputs are scored; `previous` is not one. */
  experiment: string
}

interface StoredOutput {
  output: unknown
  error: string | null
}

/**
 * Scores the stored outputs of an experiment anew, without running its task: after a scorer has changed. The scores are
 * those of a new experiment; the old one stays as it is.
 *
 * @returns the evaluation of the new experiment, which has the results of the old one.
 * @throws `NOT_FOUND` when no experiment has this name or id; `INVALID_ARGUMENT` when it has no results.
 * @example
 * import { rescore } from 'stepwell/evaluate'
 * await stepwell.api.createExperimentItem({ datasetExperimentId: experimentId, datasetItemId, output: { content: 'On its way.' } })
 * const short = ({ output }: { output: unknown }) => String(output).length < 80
 * const { scores } = await rescore({ experiment: experimentId, scorers: [short], client: stepwell, progress: false })
 * console.log(scores[0]?.mean)
 */
export const rescore = async ({ experiment, ...options }: RescoreOptions): Promise<Evaluation> => {
  const stepwell = options.client ?? new StepwellClient()
  try {
    const own = { experimentId: '', name: '', datasetId: undefined }
    const { base } = await findBase(stepwell.api, experiment, own, options.signal)
    return await rescoreExperiment(
      base as Base,
      options as Partial<EvaluateOptions>,
      undefined,
      stepwell,
    )
  } finally {
    if (options.client === undefined) await stepwell.close()
  }
}

/** @internal Returns a base with the scores of this run's scorers. */
export const rescoreBase = async (
  base: Base,
  options: EvaluateOptions,
  data: PinnedData,
  stepwell: StepwellClient,
): Promise<Base> => {
  const { scorers, concurrency, errors, confidence, leaseSeconds, signal, progress } = options
  const given = { scorers, concurrency, errors, confidence, leaseSeconds, signal, progress }
  const { experimentId, name } = await rescoreExperiment(base, given, data, stepwell)
  return { id: experimentId, name, results: await readResults(stepwell.api, experimentId, signal) }
}

const rescoreExperiment = async (
  base: Base,
  options: Partial<EvaluateOptions>,
  known: PinnedData | undefined,
  stepwell: StepwellClient,
): Promise<Evaluation> => {
  const { data, outputs, measured, repetitions } = await readOutputs(
    base.id,
    known,
    stepwell,
    options.signal,
  )
  const task: EvaluateOptions['task'] = ({ key }, { repetition }) => {
    const stored = outputs.get(nameOfTrial(key, repetition))
    if (stored === undefined) throw new Error('the experiment has no such result')
    if (stored.error !== null && stored.output === undefined) throw new Error(stored.error)
    return stored.output
  }
  const name = `${base.name} (rescored)`
  // The outputs are fixed, so that a run of the same scorers is the same run.
  const given = { ...options, name, data: [], task, repetitions, release: base.id }
  const run = await prepare(given as EvaluateOptions, data, stepwell, base.id)
  return runPrepared({ ...run, measured })
}

/** Reads the outputs of an experiment, and its items: those that are known, else as they were stored. */
const readOutputs = async (
  experimentId: string,
  known: PinnedData | undefined,
  { api }: StepwellClient,
  signal: AbortSignal | undefined,
) => {
  const expected = new Map(known?.items.map((item) => [item.key, item]))
  const items = new Map<string, EvalItem>()
  const outputs = new Map<string, StoredOutput>()
  const measured = new Map<string, StoredMeasures>()
  const counts = new Map<string, number>()
  const page = { experimentId, first: 1000 }
  for await (const one of walk(api, api.getExperimentItems, page, signal)) {
    const key = one.key ?? one.datasetItemId
    if (key === null) continue
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    const { durationMs, tokens, cost } = one
    measured.set(nameOfTrial(key, one.repetition ?? count), { durationMs, tokens, cost })
    outputs.set(nameOfTrial(key, one.repetition ?? count), {
      output: fromPayload(one.output),
      error: one.error,
    })
    if (!items.has(key)) items.set(key, expected.get(key) ?? (await itemOf(one, key, api, signal)))
  }
  if (items.size === 0)
    throw new StepwellError('experiment: expected one with results of items, got none', {
      code: 'INVALID_ARGUMENT',
    })
  const list = [...items.values()]
  const texts = [...outputs].map(([name, { output, error }]) =>
    canonicalJson([name, output ?? null, error]),
  )
  const data: PinnedData = {
    items: list,
    datasetId: list.every(({ datasetItemId }) => datasetItemId !== undefined)
      ? await datasetOf(list, api, signal)
      : undefined,
    hash: await hashOf(...texts),
  }
  return { data, outputs, measured, repetitions: Math.max(...counts.values()) }
}

const itemOf = async (
  { input, expectedOutput, datasetItemId }: DatasetExperimentItem,
  key: string,
  api: StepwellClient['api'],
  signal: AbortSignal | undefined,
): Promise<EvalItem> => {
  const item =
    datasetItemId === null
      ? null
      : await persist(api, () => api.getDatasetItem(datasetItemId), signal)
  return {
    key,
    input: item?.input ?? fromPayload(input),
    expected: item?.expectedOutput ?? fromPayload(expectedOutput),
    metadata: (item?.metadata ?? {}) as Record<string, unknown>,
    datasetItemId: item === null ? undefined : item.id,
  }
}

const datasetOf = async (
  items: readonly EvalItem[],
  api: StepwellClient['api'],
  signal: AbortSignal | undefined,
) => {
  const id = items[0]?.datasetItemId ?? ''
  const item = await persist(api, () => api.getDatasetItem(id), signal)
  return item?.datasetId
}
