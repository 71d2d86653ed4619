import { StepwellClient } from '../../client.js'
import { StepwellError } from '../../errors.js'
import { hashOf } from '../../evaluate/data/canonical.js'
import { readData } from '../../evaluate/data/read-data.js'
import { groupsOf } from '../../evaluate/deciding/observations.js'
import { unitsInOrder } from '../../evaluate/deciding/units.js'
import { stackOf } from '../load-default.js'
import { readUsage, UsageError } from '../usage.js'
import { gitVersions } from './git.js'
import { promptVersions } from './prompt-versions.js'
import { reportOf, textOf } from './report.js'
import { runnerOf } from './run-trials.js'
import { loadScorers } from './score-of.js'
import { SkippedVersion, search } from './search/search.js'
import { Trials } from './search/trials.js'
import { openState } from './state.js'
import type { Versions } from './versions.js'

const HELP = `Usage: stepwell bisect --good A --bad B --dataset D --metric M [options] -- COMMAND

Finds the version between A and B with which a score changed. Runs the command on items of a dataset, at as few versions and with as few
items as a paired test needs. Versions are commits of git, or those of a prompt.

The command gets an item as JSON on stdin: id, input, expectedOutput, metadata, seed, repetition. It prints {"scores":{"M":0.8}}, or the
number alone, or with --scorer its output. Exit code 125 skips the version.

  --good A, --bad B      commits, B after A: its first parents up to A are looked at. With --prompt, numbers of versions
  --dataset D            the name or id of a dataset of Stepwell
  --metric M             the name of the score
  --prompt NAME          look at the versions of this prompt; the command runs where it is
  --setup COMMAND        prepares the worktree of a commit, as 'npm ci' does. A commit whose setup fails is skipped
  --scorer FILE          scores the output: a module that exports a scorer of stepwell/evaluate, or several, by default
  --cluster ENTRY        the entry of the items' metadata by which they are groups. Default: group, else threadId
  --repetitions N        runs of each item in a comparison that needs them, at most. Default: 3
  --max-runs N           runs of the command, at most. Default: 40 % of all versions with all items, but no less than 14 versions
  --error-score SCORE    the score of an item whose command fails. Default: the search ends
  --retries N            further attempts at an item whose command fails. Default: 1
  --timeout SECONDS      the time that a run of the command has. Default: 300
  --concurrency N        runs at once. Default: 4
  --state FILE           keeps all scores: the same command goes on with them
  --seed N               chooses the order of items, and their seeds. Default: 0
  --json                 print the result as JSON
  --quiet                show no progress

Exit codes: 0 found, 2 can't tell, 3 broken.
`
const NAMES = [
  ...(['good', 'bad', 'dataset', 'metric', 'prompt', 'setup', 'scorer', 'cluster'] as const),
  ...(['repetitions', 'max-runs', 'error-score', 'retries', 'timeout', 'concurrency'] as const),
  ...(['state', 'seed'] as const),
]
const CANNOT_TELL = 2
const BROKEN = 3
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
/** The runs that a search may take: a share of all, but no less than those of some versions. */
const MAX_SHARE = 0.4
const LEAST_VERSIONS = 14

/** Finds the version that changed a score. Returns the exit code. */
export const bisect = async (args: readonly string[]): Promise<number> => {
  const stopped = new AbortController()
  let code: number = BROKEN
  let versions: Versions | undefined
  const close = (): void => versions?.close()
  const stop = (signal: NodeJS.Signals): void => {
    code = SIGNALS[signal as keyof typeof SIGNALS]
    // A second signal ends the process at once; what was prepared is removed even so.
    if (stopped.signal.aborted) process.exit(code)
    stopped.abort(new Error(`stopped by ${signal}`))
  }
  for (const signal of Object.keys(SIGNALS)) process.on(signal, stop)
  process.on('exit', close)
  try {
    const given = await readArguments(args)
    if (given === undefined) return 0
    const prepared = await prepare(given, stopped.signal, (made) => {
      versions = made
    })
    return await find(prepared, stopped.signal)
  } catch (error) {
    process.stderr.write(`stepwell: ${messageFor(error, stopped.signal)}\n`)
    return code
  } finally {
    close()
    process.off('exit', close)
    for (const signal of Object.keys(SIGNALS)) process.off(signal, stop)
  }
}

const messageFor = (error: unknown, signal: AbortSignal): string => {
  if (signal.aborted) return (signal.reason as Error).message
  const { code, syscall, message } = error as NodeJS.ErrnoException
  const isUnread = code?.startsWith('ERR_PARSE_ARGS') === true
  const usage = 'Usage: stepwell bisect --help'
  if (isUnread) return `${message.split('. ', 1)[0]}. ${usage}`
  if (error instanceof UsageError) return `${message.replace(/\.$/, '')}. ${usage}`
  // A bug of a scorer: its stack is needed.
  return StepwellError.is(error) || syscall !== undefined ? message : stackOf(error)
}

type Arguments = NonNullable<Awaited<ReturnType<typeof readArguments>>>

const readArguments = async (args: readonly string[]) => {
  const end = args.indexOf('--')
  const usage = readUsage(end < 0 ? args : args.slice(0, end), HELP, NAMES, ['json', 'quiet'])
  if (usage === undefined) return undefined
  const { values, has, command: extra } = usage
  const command = end < 0 ? [] : args.slice(end + 1)
  if (extra !== '')
    throw new UsageError(`bisect: expected options and -- COMMAND, got ${JSON.stringify(extra)}`)
  if (command.length === 0) throw new UsageError('bisect: expected -- and a command')
  const text = (name: 'good' | 'bad' | 'dataset' | 'metric'): string => {
    const value = values[name]
    if (value === undefined || value === '') throw new UsageError(`--${name}: expected a value`)
    return value
  }
  const number = <Else>(
    name: (typeof NAMES)[number],
    otherwise: Else,
    [low, high]: [number, number],
  ): number | Else => {
    const value = values[name]
    if (value === undefined) return otherwise
    const isWhole = name !== 'error-score' && name !== 'timeout'
    const read = value.trim() === '' ? Number.NaN : Number(value)
    if (read >= low && read <= high && (!isWhole || Number.isInteger(read))) return read
    throw new UsageError(
      `--${name}: expected a ${isWhole ? 'whole ' : ''}number from ${low} to ${high}, got ${JSON.stringify(value)}`,
    )
  }
  if (values.prompt !== undefined && values.setup !== undefined)
    throw new UsageError('--setup: expected no --prompt, whose versions need no worktree')
  return {
    command,
    good: text('good'),
    bad: text('bad'),
    dataset: text('dataset'),
    metric: text('metric'),
    prompt: values.prompt,
    setup: values.setup,
    scorer: values.scorer,
    cluster: values.cluster,
    state: values.state,
    repetitions: number('repetitions', 3, [1, 100]),
    maxRuns: number('max-runs', undefined, [1, 1e9]),
    errorScore: number('error-score', undefined, [-1e100, 1e100]),
    retries: number('retries', 1, [0, 100]),
    timeoutMs: number('timeout', 300, [0.001, 2e6]) * 1000,
    concurrency: number('concurrency', 4, [1, 1000]),
    seed: number('seed', 0, [0, 2 ** 32 - 1]),
    isJson: has('json'),
    say: (line: string): void => {
      if (!has('quiet')) process.stderr.write(`bisect: ${line}\n`)
    },
  }
}

const prepare = async (
  given: Arguments,
  signal: AbortSignal,
  opened: (versions: Versions) => void,
) => {
  const { good, bad, prompt, setup, say } = given
  const stepwell = new StepwellClient({ disabled: true })
  const scorers = given.scorer === undefined ? [] : await loadScorers(given.scorer)
  const versions =
    prompt === undefined
      ? gitVersions({ good, bad, setup, signal, say })
      : await promptVersions({ name: prompt, good, bad, stepwell, signal })
  opened(versions)
  const data = await readData(given.dataset, stepwell, signal)
  const groups = groupsOf(data.items, given.cluster)
  const facts = {
    versions: versions.list.map(({ id }) => id),
    data: data.hash,
    groups: [...groups],
    scorers: scorers.map(({ name, version }) => `${name}@${version}`),
    command: given.command,
    metric: given.metric,
    setup: setup ?? null,
    seed: given.seed,
  }
  const state = openState(given.state, await hashOf('bisect', JSON.stringify(facts)))
  return { given, stepwell, scorers, versions, data, groups, state }
}

const find = async (
  { given, stepwell, scorers, versions, data, groups, state }: Awaited<ReturnType<typeof prepare>>,
  signal: AbortSignal,
): Promise<number> => {
  const { say, metric, seed } = given
  const { list } = versions
  const items = data.items.length
  const trials = new Trials(groups)
  const { run, account } = runnerOf({
    ...given,
    versions,
    trials,
    scorers,
    stepwell,
    state,
    signal,
  })
  say(`${list.length - 1} versions after ${list[0]?.title}, ${items} items`)
  const all = items * (list.length - 1)
  try {
    const found = await search({
      versions: list.length,
      units: unitsInOrder(data.items, groups, seed),
      repetitions: given.repetitions,
      maxTrials: given.maxRuns ?? Math.max(MAX_SHARE * all, LEAST_VERSIONS * items),
      trials,
      run,
      onLook: ({ version, low, high }) =>
        say(
          `${trials.count} runs; ${high - low} versions left; looking at ${list[version]?.title}`,
        ),
    })
    const report = reportOf(found, { versions, trials, account, metric, items })
    process.stdout.write(given.isJson ? `${JSON.stringify(report)}\n` : textOf(report, versions))
    return found.verdict === 'found' ? 0 : CANNOT_TELL
  } catch (error) {
    if (!(error instanceof SkippedVersion)) throw error
    const name = error.version === 0 ? '--good' : '--bad'
    throw new StepwellError(
      `${name}: ${list[error.version]?.title} can't be tested: ${error.message}`,
      { code: 'INVALID_ARGUMENT', cause: error },
    )
  }
}
