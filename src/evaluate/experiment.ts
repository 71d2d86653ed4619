import type { StepwellClient } from '../client.js'
import { newId } from '../values/id.js'
import { canonicalJson, hashOf } from './data/canonical.js'
import type { PinnedData } from './data/read-data.js'
import type { EvaluateOptions } from './options.js'
import type { VersionedScorer } from './scoring/run-scorers.js'
import { persist, walk } from './service/persist.js'

/** The experiment of a run. */
export interface RunExperiment {
  readonly id: string
  /** True when it may have been there before. */
  readonly isResumed: boolean
}

/** Variables of CI services that name the commit. */
const COMMITS = [
  'STEPWELL_RELEASE',
  'GITHUB_SHA',
  'CI_COMMIT_SHA',
  'BUILDKITE_COMMIT',
  'CIRCLE_SHA1',
]
/** Earlier experiments among which an incomplete one is looked for. */
const MAX_SEARCHED = 100

const releaseOf = (given: string | undefined, stepwell: StepwellClient): string | undefined =>
  given ??
  stepwell.release ??
  COMMITS.map((name) => globalThis.process?.env[name]).find((value) => value)

/** Finds the experiment of a run that began before, or creates one. */
export const openExperiment = async (
  options: Pick<
    EvaluateOptions,
    | 'name'
    | 'params'
    | 'release'
    | 'resume'
    | 'retryErrors'
    | 'seed'
    | 'signal'
    | 'confidence'
    | 'decide'
  >,
  stepwell: StepwellClient,
  run: {
    data: PinnedData
    task: string
    scorers: readonly VersionedScorer[]
    repetitions: number
    rescored?: string | undefined
  },
): Promise<RunExperiment> => {
  const { api } = stepwell
  const { name, params = {}, seed = 0, resume = true, retryErrors = false, signal } = options
  const { data, scorers, repetitions } = run
  const release = releaseOf(options.release, stepwell)
  const facts = {
    data: data.hash,
    items: data.items.length,
    repetitions,
    seed,
    release: release ?? null,
    scorers: Object.fromEntries(scorers.map((scorer) => [scorer.name, scorer.version])),
    rescored: run.rescored ?? null,
  }
  const hash = await hashOf('run', name, canonicalJson(params), canonicalJson(facts), run.task)
  const create = async (identity: string) => {
    // The web UI compares by these. They are no part of the identity: another rule asks for no new run.
    const shown = {
      lower: scorers.filter(({ better }) => better === 'lower').map((scorer) => scorer.name),
      confidence: options.confidence,
      decide: options.decide,
    }
    const stored = { ...params, evaluate: { ...facts, ...shown, hash } }
    const created = { name, datasetId: data.datasetId, params: stored, identity }
    // The identity makes a repeated request find what the first one created.
    return persist(api, () => api.createExperiment(created), signal)
  }
  const fresh = async () => ({ id: (await create(`${hash} ${newId()}`)).id, isResumed: false })
  if (resume === false) return fresh()
  if (release !== undefined) {
    // Nothing tells if this request or an earlier one created it: the clocks of client and service may differ.
    const { id } = await create(hash)
    return { id, isResumed: true }
  }
  // The code may have changed since: only a run that did not come to its end is gone on with.
  let searched = 0
  for await (const one of walk(api, api.getExperiments, { first: MAX_SEARCHED }, signal)) {
    if (++searched > MAX_SEARCHED) break
    const known = (one.params as { evaluate?: { hash?: unknown } } | null)?.evaluate?.hash
    if (known === hash && one.name === name)
      return one.itemCount < data.items.length * repetitions || (retryErrors && one.errorCount > 0)
        ? { id: one.id, isResumed: true }
        : fresh()
  }
  return fresh()
}
