import { setMaxListeners } from 'node:events'
import type { StepwellClient } from '../../client.js'
import { StepwellError } from '../../errors.js'
import { seedOf } from '../../evaluate/data/canonical.js'
import { messageOf, type VersionedScorer } from '../../evaluate/scoring/run-scorers.js'
import { pause } from '../../evaluate/service/pause.js'
import { runCommand } from './run-command.js'
import { printedScore, scoreBy } from './score-of.js'
import { SkippedVersion } from './search/search.js'
import type { Trials, VersionTrial } from './search/trials.js'
import type { State } from './state.js'
import { VersionError, type Versions } from './versions.js'

/** The exit code of a command that can't tell anything of a version, as in `git bisect run`. */
const SKIP = 125
const WAIT_MS = 500

interface RunOptions {
  command: readonly string[]
  versions: Versions
  trials: Trials
  metric: string
  /** Scorers of the output; without any, the command prints the score. */
  scorers: readonly VersionedScorer[]
  stepwell: StepwellClient
  state: State
  seed: number
  concurrency: number
  timeoutMs: number
  /** Further attempts at an item whose command fails. */
  retries: number
  /** The score of an item whose command fails; without one, the search ends. */
  errorScore: number | undefined
  signal: AbortSignal
}

/** Facts of a search besides its scores. */
export interface Account {
  /** Trials that ran now. */
  ran: number
  /** Trials whose scores were in the state. */
  read: number
  /** Trials that failed and have the score of errors, by the ids of versions. */
  errors: Map<string, number>
  /** Trials that succeeded after a failure. */
  retried: number
  /** Versions that could not be tested, and why. */
  skipped: Map<string, string>
}

/** Returns a function that runs trials, several at once. Ends all of them at the first one that ends the search. */
export const runnerOf = (
  options: RunOptions,
): { account: Account; run: (wanted: readonly VersionTrial[]) => Promise<void> } => {
  const { versions, trials, state, concurrency, signal } = options
  const account: Account = { ran: 0, read: 0, errors: new Map(), retried: 0, skipped: new Map() }
  const known = knownIn(state)
  const idOf = (version: number): string => versions.list[version]?.id ?? ''
  const skip = (version: number, why: string): never => {
    account.skipped.set(idOf(version), why)
    throw new SkippedVersion(version, why)
  }
  const note = (trial: VersionTrial, score: number | null, error: string | undefined): void => {
    if (error !== undefined) {
      const id = idOf(trial.version)
      account.errors.set(id, (account.errors.get(id) ?? 0) + 1)
    }
    trials.add(trial, score)
  }

  const runOne = async (trial: VersionTrial, inner: AbortSignal): Promise<void> => {
    const version = idOf(trial.version)
    const why = known.skipped.get(version)
    if (why !== undefined) skip(trial.version, why)
    const before = known.scores.get(nameOf(version, trial))
    if (before !== undefined) {
      account.read++
      return note(trial, before.score, before.error)
    }
    const result = await attempts(options, trial, inner, account)
    if ('skipped' in result) {
      state.add({ skipped: version, why: result.skipped })
      skip(trial.version, result.skipped)
    } else {
      const { score, error } = result
      const { item, repetition } = trial
      state.add({
        version,
        item: item.key,
        repetition,
        score,
        ...(error === undefined ? {} : { error }),
      })
      account.ran++
      note(trial, score, error)
    }
  }

  return {
    account,
    async run(wanted) {
      const broken = new AbortController()
      const inner = AbortSignal.any([signal, broken.signal])
      // Each command that runs listens.
      setMaxListeners(0, inner)
      let at = 0
      let failure: { error: unknown } | undefined
      const worker = async (): Promise<void> => {
        while (at < wanted.length && failure === undefined)
          try {
            await runOne(wanted[at++] as VersionTrial, inner)
          } catch (error) {
            failure ??= { error }
            broken.abort(error)
          }
      }
      await Promise.all(Array.from({ length: concurrency }, worker))
      signal.throwIfAborted()
      if (failure !== undefined) throw failure.error
      for (const version of new Set(wanted.map((trial) => trial.version))) {
        const fault = versions.faultOf(version)
        if (fault !== undefined) throw broke(fault)
      }
    },
  }
}

type Result = { score: number | null; error?: string } | { skipped: string }

/** Runs the command on an item until it succeeds, or has failed too often. */
const attempts = async (
  options: RunOptions,
  trial: VersionTrial,
  signal: AbortSignal,
  account: Account,
): Promise<Result> => {
  for (let attempt = 1; ; attempt++) {
    const result = await attemptAt(options, trial, signal)
    if (!('failure' in result)) {
      if (attempt > 1) account.retried++
      return result
    }
    if (attempt <= options.retries) {
      await pause(WAIT_MS * attempt, signal)
      continue
    }
    const { failure } = result
    if (options.errorScore !== undefined) return { score: options.errorScore, error: failure }
    const { title } = options.versions.list[trial.version] ?? { title: '' }
    throw broke(
      `the command failed at ${title}, with the item ${trial.item.key}: ${failure}\n--error-score SCORE gives such items a score; a command that ends with exit code ${SKIP} skips the version`,
    )
  }
}

const attemptAt = async (
  options: RunOptions,
  { version, item, repetition }: VersionTrial,
  signal: AbortSignal,
): Promise<Result | { failure: string }> => {
  const { versions, command, metric, scorers, stepwell, timeoutMs } = options
  try {
    const place = await versions.open(version)
    const input = JSON.stringify({
      id: item.key,
      input: item.input,
      expectedOutput: item.expected,
      metadata: item.metadata,
      seed: seedOf(options.seed, item.key, repetition),
      repetition,
    })
    const ended = await runCommand(command, { ...place, input, timeoutMs, signal })
    const told = ended.errors === '' ? '' : `\n${ended.errors}`
    if (ended.code === SKIP) return { skipped: `exit code ${SKIP}${told}` }
    if (ended.code !== 0) return { failure: `${ended.why}${told}` }
    try {
      const { output } = ended
      const score =
        scorers.length === 0
          ? printedScore(output, metric)
          : await scoreBy(scorers, metric, { output, item, signal, stepwell })
      return { score }
    } catch (error) {
      return { failure: messageOf(error) }
    }
  } catch (error) {
    if (error instanceof VersionError) return { skipped: error.message }
    throw error
  }
}

const broke = (message: string): StepwellError =>
  new StepwellError(message, { code: 'INVALID_ARGUMENT' })

const nameOf = (version: string, { item, repetition }: VersionTrial): string =>
  `${version} ${repetition} ${item.key}`

const knownIn = ({ known }: State) => {
  const scores = new Map<string, { score: number | null; error: string | undefined }>()
  const skipped = new Map<string, string>()
  for (const line of known)
    if ('skipped' in line) skipped.set(line.skipped, line.why)
    else
      scores.set(`${line.version} ${line.repetition} ${line.item}`, {
        score: line.score,
        error: line.error,
      })
  return { scores, skipped }
}
