import type { StepwellClient } from '../../client.js'
import { hashOf } from '../data/canonical.js'
import { readScorers, type VersionedScorer } from '../scoring/run-scorers.js'
import { checkLiveJudge, type LiveJudgeOptions } from './options.js'

/** A judge whose version is known. */
export interface PreparedJudge {
  readonly options: LiveJudgeOptions
  /** Its name and version: the `scorer` of its scores. */
  readonly id: string
  readonly version: string
  readonly scorers: readonly VersionedScorer[]
  readonly stepwell: StepwellClient
}

const VERSION_LENGTH = 12

/** Checks a judge, and finds out its version. @throws StepwellError that names an invalid option. */
export const prepareJudge = async (
  options: LiveJudgeOptions,
  stepwell: StepwellClient,
): Promise<PreparedJudge> => {
  checkLiveJudge(options)
  const scorers = await readScorers(options.scorers)
  const parts = scorers.map(({ name, version }) => `${name}@${version}`)
  const version =
    options.version ??
    (await hashOf('live judge', ...parts, options.read?.toString() ?? '')).slice(0, VERSION_LENGTH)
  return { options, id: `${options.name}@${version}`, version, scorers, stepwell }
}
