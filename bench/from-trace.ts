// Recorded conversations become tests by one command: are all of them green, how long do they take, is a socket opened, and
// does the comparison find what differs?
//
//   node scripts/build.js && node scripts/run.js bench/from-trace.ts FILE
//
// FILE has runs of tau-bench, as for examples/tau-bench.ts; 200 are read into a service in this process, with tokens that are
// a quarter of the characters, so that its price book sets their costs. Then `stepwell test from --where …` writes the tests, and
// vitest runs them where each connection fails: once as they are written, and once with an application in the place of the record.
// Last, each conversation is done once more with one change of five kinds, against its fixture as it was.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createService, listen } from '@stepwell/server'
import { type StepInput, StepwellClient } from '../src/index.js'
import {
  assertSameRun,
  type FixtureStep,
  type RunFixture,
  replayInMemory,
} from '../src/testing/index.js'

interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | null
  name?: string
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
}

const [file] = process.argv.slice(2)
if (file === undefined) {
  console.error('usage: node scripts/run.js bench/from-trace.ts FILE')
  process.exit(2)
}
const root = join(import.meta.dirname, '..')
// Inside the repository, where the package resolves its own name.
const folder = join(root, 'bench/.from-trace')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + Math.ceil(JSON.stringify(message).length / 4), 0)

/** A run around all, a step for each message, a tool below the model that called it. */
const stepsOf = (threadId: string, traj: readonly Message[], reward: number): StepInput[] => {
  const rootId = `${threadId}-run`
  const begin = Date.UTC(2026, 10, 1)
  const startTime = (index: number) => new Date(begin + index).toISOString()
  const said = traj.filter(({ role }) => role === 'user').map(({ content }) => content)
  const steps: StepInput[] = [
    {
      id: rootId,
      threadId,
      type: 'run',
      name: 'airline',
      input: { policy: traj[0]?.content, said },
      startTime: startTime(0),
      endTime: startTime(traj.length + 1),
      // The benchmark judges, and not the application.
      scores: [{ name: 'reward', type: 'AI', value: reward }],
    },
  ]
  let caller: { id: string; given: unknown } | undefined
  for (const [index, message] of traj.entries()) {
    const id = `${threadId}-${index}`
    const times = { startTime: startTime(index + 1), endTime: startTime(index + 1) }
    if (message.role === 'assistant') {
      const [input, output] = [tokensOf(traj.slice(0, index)), tokensOf([message])]
      const call = message.tool_calls?.[0]?.function
      caller = call && { id, given: JSON.parse(call.arguments) }
      steps.push({
        id,
        threadId,
        parentId: rootId,
        type: 'llm',
        name: 'gpt-4o',
        ...times,
        generation: {
          type: 'CHAT',
          provider: 'openai',
          model: 'gpt-4o',
          messages: traj.slice(0, index),
          messageCompletion: message,
          usage: { input, output, total: input + output },
        },
      } as StepInput)
    } else if (message.role === 'tool')
      steps.push({
        id,
        threadId,
        parentId: caller?.id ?? rootId,
        type: 'tool',
        name: message.name ?? 'tool',
        input: caller?.given,
        // As the client records a text.
        output: { output: message.content },
        ...times,
      } as StepInput)
  }
  return steps
}

/**
 * An application in the form of the recorded ones: it asks the model until no tool is called any more, until somebody takes over, or
 * thirty times.
 */
const APPLICATION = `
export const run = ({ policy, said }, stepwell) =>
  stepwell.trace({ name: 'airline', type: 'run', input: { policy, said } }, async () => {
    const messages = [{ role: 'system', content: policy }]
    let left = 30
    for (const content of said) {
      messages.push({ role: 'user', content })
      let isAnswered = content.includes('###STOP###')
      while (!isAnswered && left > 0)
        await stepwell.trace({ name: 'gpt-4o', type: 'llm' }, async () => {
          left--
          const body = JSON.stringify({ model: 'gpt-4o', messages })
          const answer = await stepwell.fetch('https://api.openai.com/v1/chat/completions', { method: 'POST', body })
          const { choices: [{ message }] } = await answer.json()
          messages.push(message)
          isAnswered = message.tool_calls == null
          for (const { id, function: { name, arguments: given } } of message.tool_calls ?? []) {
            const tool = stepwell.traced(() => { throw new Error('a test calls no tool') }, { name, type: 'tool', input: (one) => one })
            messages.push({ role: 'tool', name, tool_call_id: id, content: tool(JSON.parse(given)) })
            if (name === 'transfer_to_human_agents') left = 0
          }
        })
    }
  })
`

/** Fails at each connection, and so proves that there is none. */
const NO_SOCKETS = `import { Socket } from 'node:net'
Socket.prototype.connect = () => { throw new Error('a socket was opened') }
`

/** Runs a program without blocking this process, which has the service. */
const ran = (
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; output: string; seconds: number }> =>
  new Promise((resolve) => {
    const begin = performance.now()
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        output += part
      })
    child.on('close', (code) =>
      resolve({ code, output, seconds: (performance.now() - begin) / 1000 }),
    )
  })

const summary = (output: string): string =>
  /^\s*Tests\s+(.*)$/m.exec(output)?.[1]?.trim() ?? output.slice(-2000)

const generated = async (out: string, environment: NodeJS.ProcessEnv, ...more: string[]) => {
  const bin = join(root, 'bin/stepwell.js')
  const args = ['test', 'from', '--where', 'tags:tau', '--limit', '1000', '--out', out, ...more]
  const { code, output, seconds } = await ran([bin, ...args], environment)
  console.log(`${output.trim().split('\n')[0]}: exit code ${code}, ${seconds.toFixed(1)} s`)
}

const tested = async (name: string, out: string) => {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { code, output, seconds } = await ran([vitest, 'run', '--root', folder, out])
  console.log(`${name}: ${summary(output)}, exit code ${code}, ${seconds.toFixed(1)} s`)
}

type Mutation = (steps: FixtureStep[], seed: number) => FixtureStep[] | undefined

const chosen = <Item>(items: readonly Item[], seed: number): Item | undefined =>
  items[(seed * 37) % Math.max(1, items.length)]

/** Places of the steps of a kind: of tools, and where a conversation has none, of models. */
const placesOf = (steps: readonly FixtureStep[]): number[] => {
  const of = (type: string) => steps.flatMap((step, place) => (step.type === type ? [place] : []))
  const tools = of('tool')
  return tools.length > 0 ? tools : of('llm')
}

/** Each changes what is done; undefined where a conversation has nothing to change. */
const MUTATIONS: Record<string, Mutation> = {
  // Two neighbours that are not the same change places.
  order: (steps, seed) => {
    const calls = steps.flatMap((step, place) => (step.type === 'llm' ? [place] : []))
    const first = chosen(calls.slice(0, -1), seed)
    const second = first === undefined ? undefined : calls[calls.indexOf(first) + 1]
    if (first === undefined || second === undefined) return undefined
    const end = calls[calls.indexOf(second) + 1] ?? steps.length
    return [
      ...steps.slice(0, first),
      ...steps.slice(second, end),
      ...steps.slice(first, second),
      ...steps.slice(end),
    ]
  },
  argument: (steps, seed) => {
    const place = chosen(placesOf(steps), seed)
    return steps.map((step, at) => (at === place ? { ...step, input: changed(step.input) } : step))
  },
  'missing call': (steps, seed) => {
    const place = chosen(placesOf(steps), seed)
    const depth = steps[place ?? 0]?.depth ?? 0
    let end = (place ?? 0) + 1
    while ((steps[end]?.depth ?? 0) > depth) end++
    return steps.filter((_, at) => place === undefined || at < place || at >= end)
  },
  'extra call': (steps, seed) => {
    const place = chosen(placesOf(steps), seed)
    return steps.flatMap((step, at) => (at === place ? [step, { ...step, id: 'again' }] : [step]))
  },
  cost: (steps, seed) => {
    const calls = steps.flatMap((step, place) => (step.type === 'llm' ? [place] : []))
    const place = chosen(calls, seed)
    return steps.map((step, at) => {
      const { generation } = step
      if (at !== place || generation === undefined) return step
      const { input = 0, output = 0 } = generation.usage as { input?: number; output?: number }
      const usage = { input: input + 1, output, total: input + output + 1 }
      return {
        ...step,
        generation: {
          ...generation,
          usage,
          inputTokenCount: usage.input,
          tokenCount: usage.total,
        },
      }
    })
  },
}

const changed = (input: unknown): unknown =>
  typeof input === 'object' && input !== null ? { ...input, changed: true } : { input: 'changed' }

const mutate = async (fixtures: readonly RunFixture[]): Promise<void> => {
  const { replay, steps } = replayInMemory()
  let green = 0
  for (const fixture of fixtures) {
    await replay(fixture)
    assertSameRun(steps, fixture)
    green++
  }
  console.log(`without a change: ${green} of ${fixtures.length} green`)
  for (const [name, mutation] of Object.entries(MUTATIONS)) {
    let [red, all] = [0, 0]
    for (const [seed, fixture] of fixtures.entries()) {
      const mutant = mutation([...fixture.steps], seed)
      if (mutant === undefined) continue
      all++
      await replay({ ...fixture, steps: mutant })
      try {
        assertSameRun(steps, fixture)
        console.log(`  green in spite of it: ${fixture.threadId}`)
      } catch {
        red++
      }
    }
    console.log(`${name}: ${red} of ${all} red (${((100 * red) / all).toFixed(1)} %)`)
  }
}

const service = await createService()
const { url, stop } = await listen(service, '127.0.0.1', 0)
const apiKey = service.apiKey ?? ''
const { api } = new StepwellClient({ apiKey, apiUrl: url, timeoutMs: 600_000 })
const runs = JSON.parse(await readFile(file, 'utf8')) as {
  task_id: number
  trial: number
  reward: number
  traj: Message[]
}[]
try {
  for (const { task_id, trial, reward, traj } of runs) {
    const threadId = `airline-${task_id}-${trial}`
    await api.upsertThread({ threadId, name: `task ${task_id}, trial ${trial}`, tags: ['tau'] })
    const { data } = await api.sendSteps(stepsOf(threadId, traj, reward))
    if (!data.ingestSteps.ok) throw new Error(data.ingestSteps.message ?? threadId)
  }
  console.log(`${runs.length} conversations recorded`)
  writeFileSync(join(folder, 'no-sockets.mjs'), NO_SOCKETS)
  const config =
    "export default { test: { setupFiles: ['./no-sockets.mjs'], testTimeout: 60_000 } }"
  writeFileSync(join(folder, 'vitest.config.mjs'), config)
  writeFileSync(join(folder, 'application.mjs'), APPLICATION)
  const environment = { STEPWELL_API_URL: url, STEPWELL_API_KEY: apiKey }
  await generated('again', environment)
  await generated('applied', environment, '--app', './application.mjs#run')
} finally {
  await stop()
  await service.close()
}
const fixturesFolder = join(folder, 'again/fixtures')
const names = readdirSync(fixturesFolder)
const texts = names.map((name) => readFileSync(join(fixturesFolder, name), 'utf8'))
const bytes = texts.reduce((sum, text) => sum + text.length, 0)
console.log(`${(bytes / 1e6).toFixed(1)} MB of fixtures`)
await tested('the record once more', 'again')
await tested('an application in its place', 'applied')
await mutate(texts.map((text) => JSON.parse(text) as RunFixture))
rmSync(folder, { recursive: true, force: true })
