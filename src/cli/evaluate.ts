import { StepwellError } from '../errors.js'
import { type EvaluateOptions, type Evaluation, evaluate, formatTable } from '../evaluate/index.js'
import { prepareFiles, writeFiles } from '../evaluate/reporting/write-files.js'
import { guarded, loadDefault, stackOf } from './load-default.js'
import { readUsage, UsageError } from './usage.js'

const HELP = `Usage: stepwell evaluate FILE [options]

Runs the evaluations that a module exports by default: the options of evaluate() of stepwell/evaluate, or a list of them.
Node runs TypeScript from version 22.18 on; before, node --import tsx does.

  --junit FILE      write the results as JUnit
  --json FILE       write everything as JSON
  --markdown FILE   write the tables as Markdown, for the comment of a pull request
  --release NAME    the release of the code; processes of the same release share a run
  --take-over       take the items that a killed process left behind at once
  --no-resume       begin anew
  --retry-errors    run items again whose result has an error
  --stop-early      end as soon as the verdict is clear
  --quiet           show no progress

With several evaluations, files get the number of each before their ending. Exit codes: 0 passed, 1 worse, 2 can't tell,
3 broken.
`

const VALUES = ['junit', 'json', 'markdown', 'release'] as const
const FLAGS = ['take-over', 'no-resume', 'retry-errors', 'stop-early', 'quiet'] as const
const BROKEN = 3
/** From the worst exit code on. */
const SEVERITY: readonly Evaluation['exitCode'][] = [3, 1, 2, 0]

/** Runs the evaluations of a file. Returns the worst exit code. */
export const evaluateFile = async (args: readonly string[]): Promise<number> => {
  const usage = readUsage(args, HELP, VALUES, FLAGS)
  if (usage === undefined) return 0
  if (usage.command === '') {
    process.stderr.write('stepwell: expected a file. Usage: stepwell evaluate --help\n')
    return BROKEN
  }
  try {
    return await guarded(BROKEN, () => evaluateAll(usage))
  } catch (error) {
    // A bug of the evaluated application: its stack is needed.
    const text = StepwellError.is(error) ? error.message : stackOf(error)
    process.stderr.write(`stepwell: ${text}\n`)
    return BROKEN
  }
}

const evaluateAll = async (usage: Usage): Promise<number> => {
  const given = await load(usage.command)
  if (usage.has('stop-early') && given.every(({ decide }) => decide === undefined))
    throw new UsageError(
      '--stop-early: expected an evaluation with `decide`, which asks for a verdict',
    )
  const codes: Evaluation['exitCode'][] = []
  for (const [index, options] of given.entries()) {
    const { files, ...one } = withFlags(options, usage, given.length > 1 ? index + 1 : undefined)
    prepareFiles(files)
    const evaluation = await evaluate(one)
    // Before the files, which a full disk rejects.
    process.stdout.write(`${index === 0 ? '' : '\n'}${formatTable(evaluation)}`)
    writeFiles(evaluation, files)
    codes.push(evaluation.exitCode)
  }
  return SEVERITY.find((code) => codes.includes(code)) ?? 0
}

const load = async (file: string): Promise<EvaluateOptions[]> => {
  const given = await loadDefault(file, 'evaluate')
  const list: unknown[] = Array.isArray(given) ? given : [given]
  for (const one of list)
    if (typeof one !== 'object' || one === null || !('task' in one))
      throw new UsageError(
        `${file}: expected the options of evaluate() as its default export, or a list of them`,
      )
  return list as EvaluateOptions[]
}

type Usage = NonNullable<ReturnType<typeof readUsage<(typeof VALUES)[number]>>>

const withFlags = (
  options: EvaluateOptions,
  { values, has }: Usage,
  number: number | undefined,
): EvaluateOptions => {
  const { junit, json, markdown, release } = values
  const numbered = (path: string) =>
    number === undefined ? path : path.replace(/(\.\w+)?$/, `-${number}$1`)
  const files = Object.entries({ junit, json, markdown }).flatMap(([kind, path]) =>
    path === undefined ? [] : [[kind, numbered(path)]],
  )
  const resume = has('no-resume') ? false : has('take-over') ? 'take over' : options.resume
  return {
    ...options,
    files: { ...options.files, ...Object.fromEntries(files) },
    release: release ?? options.release,
    resume,
    retryErrors: has('retry-errors') ? true : options.retryErrors,
    progress: has('quiet') ? false : options.progress,
    ...(has('stop-early') && options.decide !== undefined
      ? { decide: { ...options.decide, stopEarly: true } }
      : {}),
  }
}
