import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StepwellClient } from '../../client.js'
import { fixtureOf, type RunFixture } from '../../testing/index.js'
import type { Mask } from '../../tracing/recording/masking.js'
import { importFile } from '../load-default.js'
import { noSuchCommand, readUsage, UsageError } from '../usage.js'
import { writeOut } from '../write-out.js'
import { fileNameOf, readExport } from './paths.js'
import { runOfStep, runOfThread, runsThat } from './read-runs.js'
import { testFile } from './template.js'

const HELP = `Usage: stepwell test from THREAD [--out FOLDER] [--app FILE#EXPORT] [options]
       stepwell test from --step STEP [--out FOLDER] [options]
       stepwell test from --where 'QUERY' [--limit NUMBER] [--out FOLDER] [options]

Writes a test for vitest, and a fixture for each recorded thread: the answers of its models and tools. The test runs offline: it
runs the application on the recorded input, and compares order, arguments, structure of outputs, tokens, costs and scores. Without
--app it does the record once more, until you put your application in its place.

  --step STEP          a step with everything below it, instead of a thread
  --where QUERY        all threads that pass, as in stepwell find threads: 'score[solved]=1 any(type=tool)'
  --limit NUMBER       the most threads. Default: 100
  --out FOLDER         the folder to write to. Default: test/recorded
  --app FILE#EXPORT    the function to test, such as ./src/agent.ts#run. It is called with each recorded input, and with the client
  --client FILE#EXPORT the module with the client of the application, such as ./src/stepwell.ts#stepwell, to be replaced in the test
  --mask FILE          a module whose default export is a mask, as a client takes it. Keys and tokens of known forms are masked anyway
  --force              write the test anew, too. A test that is there stays as it is; fixtures are always written

Exit codes: 0 written, 1 nothing has this id or passes the query, 2 the command or the service failed.
`
const NAMES = ['step', 'where', 'limit', 'out', 'app', 'client', 'mask'] as const
const OUT = 'test/recorded'
const LIMIT = 100

/** Writes tests of recorded runs. */
export const test = async (args: readonly string[]): Promise<number> => {
  const [first = '', ...rest] = args
  const isKnown = first === 'from'
  const usage = readUsage(isKnown ? rest : args.slice(0, 1), HELP, NAMES, ['force'])
  if (usage === undefined) return 0
  if (!isKnown) throw noSuchCommand(first, ['from'])
  const { command: threadId, values, has } = usage
  const { step, where, out = OUT } = values
  if ([threadId !== '', step !== undefined, where !== undefined].filter(Boolean).length !== 1)
    throw new UsageError(
      'test from: expected a thread, or --step and a step, or --where and a query',
    )
  const app = readExport('app', values.app, out)
  const client = readExport('client', values.client, out)
  const mask = values.mask === undefined ? undefined : await readMask(values.mask)
  const stepwell = new StepwellClient({ disabled: true })
  const runs =
    where !== undefined
      ? runsThat(stepwell, where, limitOf(values.limit))
      : step !== undefined
        ? runOfStep(stepwell, step)
        : runOfThread(stepwell, threadId)
  const fixtures: RunFixture[] = []
  for await (const { steps, options } of runs) {
    const fixture = fixtureOf(steps, { ...options, mask })
    const file = join(out, 'fixtures', fileNameOf(fixture.stepId ?? fixture.threadId ?? 'run'))
    writeOut(file, `${JSON.stringify(fixture, undefined, 2)}\n`)
    fixtures.push(fixture)
  }
  if (fixtures.length === 0) {
    process.stderr.write(`stepwell: ${nothing(threadId, step)}\n`)
    return 1
  }
  const written = writeTest(
    join(out, 'recorded.test.ts'),
    testFile(fixtures, app, client),
    has('force'),
  )
  const count = fixtures.length === 1 ? '1 fixture' : `${fixtures.length} fixtures`
  process.stdout.write(`${count} written to ${join(out, 'fixtures')}\n${written}\n`)
  return 0
}

const nothing = (threadId: string, step: string | undefined): string => {
  if (step !== undefined) return 'there is no step with this id'
  return threadId === ''
    ? 'no thread with steps passes the query'
    : 'there is no thread with this id, or it has no steps'
}

/** Writes the test, unless there is one: it may have been changed by hand. */
const writeTest = (file: string, content: string, isForced: boolean): string => {
  if (existsSync(file) && !isForced) {
    const isSame = readFileSync(file, 'utf8') === content
    return isSame
      ? `${file} has them`
      : `${file} stays as it is, and has them; --force writes it anew`
  }
  writeOut(file, content)
  return `${file} written; run it with: npx vitest run ${file}`
}

const limitOf = (given: string | undefined): number => {
  if (given === undefined) return LIMIT
  if (/^\d+$/.test(given) && Number(given) > 0) return Number(given)
  throw new UsageError(`--limit: expected a whole number from 1 on, got ${JSON.stringify(given)}`)
}

const readMask = async (file: string): Promise<Mask> => {
  const { default: mask } = (await importFile(file, 'test from --mask')) as { default?: unknown }
  if (typeof mask === 'function') return mask as Mask
  throw new UsageError(`--mask: expected a module whose default export is a function, got ${file}`)
}
