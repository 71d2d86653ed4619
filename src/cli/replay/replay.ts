import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetPromptDocument } from '../../../generated/operations.js'
import { StepwellClient } from '../../client.js'
import { projectUrl } from '../../evaluate/reporting/link.js'
import { persist } from '../../evaluate/service/persist.js'
import { wholeFixtureOf } from '../../testing/fixtures/fixture-of.js'
import { readFixture } from '../../testing/fixtures/read-fixture.js'
import { isTool } from '../../testing/replaying/tool-answers.js'
import { spawnGroup } from '../process-group.js'
import { runOfThread } from '../tests/read-runs.js'
import { readUsage, UsageError } from '../usage.js'
import { idsBelow } from './answer-from.js'
import { stepsBefore } from './fork-of.js'
import { planFile, readEvents, VARIABLE } from './plan.js'
import { type PinnedPrompt, startRelay } from './relay.js'

const HELP = `Usage: stepwell replay THREAD [--from STEP] [--prompt NAME@VERSION] [--model MODEL] [options] -- COMMAND

Runs a Node application once more on a recorded thread. Its model calls and tools that began before STEP are answered from the record;
what follows is sent. Without --from, everything is answered. The first request that does not match is named, with the nearest one.

  --from STEP            the step to fork at: its id, or the number of a model call, from 1
  --prompt NAME@VERSION  the version of a prompt that the application gets, with --from. Before the fork, instructions, tools,
                         settings and model may differ
  --model MODEL          the model that is asked behind the fork, with --from
  --live NAME,NAME       tools that work as they are
  --ignore REGEX         parts of texts that may differ, such as dates
  --offline              sends and records nothing; not with --from
  --timeout SECONDS      ends the command after this time, and everything that it started. Default: none

The replay is recorded as a thread of its own. Requests are answered if they are made by fetch.

Exit codes: 0 done, 1 a request did not match the record, or a recorded one was not made, 2 invalid, or the service failed, 3 the
command failed.
`
const NAMES = ['from', 'prompt', 'model', 'live', 'ignore', 'timeout'] as const
const FAILED = 3
const MAX_SHOWN = 5
/** Time for which requests to the service are repeated, before the command and after it. */
const PATIENCE_MS = 15_000

/** Runs an application once more on a recorded thread. */
export const replay = async (args: readonly string[]): Promise<number> => {
  const end = args.indexOf('--')
  const usage = readUsage(end < 0 ? args : args.slice(0, end), HELP, NAMES, ['offline'])
  if (usage === undefined) return 0
  const { command: threadId, values, has } = usage
  const command = end < 0 ? [] : args.slice(end + 1)
  if (threadId === '') throw new UsageError('replay: expected a thread')
  if (command.length === 0) throw new UsageError('replay: expected -- and a command')
  const isOffline = has('offline')
  if (isOffline && values.from !== undefined)
    throw new UsageError('--offline: expected no --from, as what follows it is sent')
  for (const name of ['model', 'prompt'] as const)
    if (values[name] !== undefined && values.from === undefined)
      throw new UsageError(`--${name}: expected --from too, as only what follows it is sent`)
  checkRegex(values.ignore)
  const timeoutMs = timeoutOf(values.timeout)
  const stepwell = new StepwellClient({ disabled: true })
  const { value: run } = await persist(
    stepwell.api,
    () => runOfThread(stepwell, threadId).next(),
    AbortSignal.timeout(PATIENCE_MS),
  )
  if (run === undefined) {
    process.stderr.write(
      'stepwell: there is no thread with this id in the project of the key, or it has no steps\n',
    )
    return 2
  }
  const fixture = wholeFixtureOf(run.steps, run.options)
  const { all } = readFixture(fixture)
  const { before, from } = stepsBefore(values.from, run.steps, all)
  const pinned = await pinnedOf(stepwell, values.prompt)
  const folder = mkdtempSync(join(tmpdir(), 'stepwell-replay-'))
  const relay = isOffline
    ? undefined
    : await startRelay({
        apiUrl: stepwell.apiUrl,
        recorded: [threadId, ...fixture.steps.map(({ id }) => id)],
        pinned,
      })
  try {
    const plan = {
      fixture,
      before,
      isForked: from !== undefined,
      live: values.live?.split(',') ?? [],
      ignore: values.ignore,
      model: values.model,
      hasOtherPrompt: pinned !== undefined,
      isOffline,
      service: stepwell.apiUrl,
      relay: relay?.url,
    }
    // With the secrets of the record, for this person alone.
    writeFileSync(planFile(folder), JSON.stringify(plan), { mode: 0o600 })
    const ended = await ran(command, timeoutMs, {
      ...process.env,
      [VARIABLE]: folder,
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${preload()}`.trim(),
      ...(relay === undefined ? { STEPWELL_DISABLED: '1' } : { STEPWELL_API_URL: relay.url }),
    })
    const events = readEvents(folder)
    const problem = events.find((event) => event.kind === 'problem')
    const answered = new Set(events.flatMap((one) => (one.kind === 'answered' ? [one.step] : [])))
    const live = events.flatMap((one) => (one.kind === 'live' ? [one.request] : []))
    const done = new Set(answered)
    for (const node of all)
      if (isTool(node) && answered.has(node.step.id)) for (const id of idsBelow(node)) done.add(id)
    const expected = new Set(before)
    const left = all.filter(({ step }) => expected.has(step.id) && !done.has(step.id))
    const calls = left.filter(({ call }) => (call?.messages ?? call?.prompt) !== undefined)
    const tools = left.filter(isTool)
    const say = (line: string): void => {
      process.stderr.write(`replay: ${line}\n`)
    }
    say(`${answered.size} calls answered from the record, ${live.length} sent`)
    if (tools.length > 0)
      say(`${tools.length} tools before the fork were not answered: ${namesOf(tools)}`)
    if (relay !== undefined && pinned !== undefined && !relay.isPromptAsked)
      say(`the prompt ${pinned.name} was not asked for`)
    const metadata = {
      replayOf: threadId,
      ...(from === undefined ? {} : { from }),
      ...(values.model === undefined ? {} : { replayModel: values.model }),
      ...(values.prompt === undefined ? {} : { replayPrompt: values.prompt }),
    }
    // A service that is away by now takes nothing from what the replay found.
    const signal = AbortSignal.timeout(PATIENCE_MS)
    for (const thread of relay?.threads ?? [])
      try {
        const isHere = await persist(stepwell.api, () => hasThread(stepwell, thread), signal)
        if (isHere)
          await persist(
            stepwell.api,
            () => stepwell.api.upsertThread({ threadId: thread, metadata }),
            signal,
          )
        const projectId = await stepwell.api.getProjectId().catch(() => undefined)
        const [one, other] = [threadId, thread].map(encodeURIComponent)
        say(
          isHere
            ? `recorded as ${thread}: ${projectUrl(stepwell.apiUrl, projectId)}/threads/${one}/beside/${other}`
            : `recorded as ${thread}, in another project than that of STEPWELL_API_KEY`,
        )
      } catch (error) {
        say(`recorded as ${thread}, which was not marked as a replay: ${(error as Error).message}`)
      }
    if (relay?.rejected !== undefined)
      say(
        `a request to ${relay.rejected} named the recorded thread or a step of it, and was rejected`,
      )
    if (events.length === 0) {
      if (ended.code !== 0) say(`the command ended with ${ended.why}`)
      say('no process of Node was started: nothing was answered from the record')
      return ended.code === 0 ? 2 : FAILED
    }
    if (problem?.kind === 'problem') {
      process.stderr.write(`stepwell: ${problem.message}\n`)
      return 1
    }
    if (ended.code !== 0) {
      say(`the command ended with ${ended.why}`)
      return FAILED
    }
    if (calls.length > 0) {
      say(`${calls.length} recorded model calls were not made: ${namesOf(calls)}`)
      return 1
    }
    return 0
  } finally {
    await relay?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const namesOf = (nodes: readonly { step: { name?: string | undefined; id: string } }[]): string =>
  [
    ...nodes.slice(0, MAX_SHOWN).map(({ step }) => `${step.name ?? '(no name)'} (${step.id})`),
    ...(nodes.length > MAX_SHOWN ? ['…'] : []),
  ].join(', ')

/** The module lies beside the entry of the command line, which may run from a file that several entries share. */
const preload = (): string => {
  for (const path of ['./replay/preload.js', './preload.js', '../cli/replay/preload.js']) {
    const url = new URL(path, import.meta.url)
    if (existsSync(url)) return url.href
  }
  throw new UsageError('replay: expected the built package, which has the module preload.js')
}

const ran = (
  [program = '', ...args]: readonly string[],
  timeoutMs: number | undefined,
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; why: string }> =>
  new Promise((resolve) => {
    const { child, kill } = spawnGroup(program, args, { env, stdio: 'inherit' })
    let why: string | undefined
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            why = `a kill after ${timeoutMs / 1000} seconds`
            kill('SIGKILL')
          }, timeoutMs)
    process.on('SIGINT', kill).on('SIGTERM', kill)
    const over = (code: number | null, told: string): void => {
      clearTimeout(timer)
      process.off('SIGINT', kill).off('SIGTERM', kill)
      resolve({ code, why: why ?? told })
    }
    child.on('error', (error) => over(null, error.message))
    child.on('close', (code, signal) => over(code, signal ?? `exit code ${code}`))
  })

/** Returns true when the project of the key has a thread: the application may have another key. */
const hasThread = async ({ api }: StepwellClient, id: string): Promise<boolean> => {
  const filters = [{ field: 'id' as const, operator: 'eq' as const, value: id }]
  const { data } = await api.listThreads({ first: 1, totalCount: false, filters })
  return data.length > 0
}

const checkRegex = (given: string | undefined): void => {
  try {
    new RegExp(given ?? '')
  } catch {
    throw new UsageError(`--ignore: expected a regular expression, got ${JSON.stringify(given)}`)
  }
}

const timeoutOf = (given: string | undefined): number | undefined => {
  if (given === undefined) return undefined
  if (Number(given) > 0 && Number(given) < 1e6) return Number(given) * 1000
  throw new UsageError(`--timeout: expected seconds above 0, got ${JSON.stringify(given)}`)
}

const pinnedOf = async (
  stepwell: StepwellClient,
  given: string | undefined,
): Promise<PinnedPrompt | undefined> => {
  if (given === undefined) return undefined
  const [, name = '', number] = /^(.+)@(\d+)$/.exec(given) ?? []
  if (number === undefined)
    throw new UsageError(
      `--prompt: expected NAME@VERSION, such as support@3, got ${JSON.stringify(given)}`,
    )
  const version = Number(number)
  const { promptVersion } = await persist(
    stepwell.api,
    () => stepwell.query(GetPromptDocument, { name, version }),
    AbortSignal.timeout(PATIENCE_MS),
  )
  if (promptVersion === null)
    throw new UsageError(`--prompt: there is no version ${version} of ${JSON.stringify(name)}`)
  return { name, version, fields: promptVersion as unknown as Record<string, unknown> }
}
