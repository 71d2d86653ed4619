// Thirty seeded faults in recorded conversations, for programs that ask if answers for agents name the faulty step.
//
// Each fault is put into one step of a thread of 30 runs of tau-bench, with 480 to 830 steps, where a tree of all steps has no
// room. The oracle is the id: it is in the answer, or it is not.
import { readFile } from 'node:fs/promises'
import type { StepInput } from '../src/index.js'

interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | null
  name?: string
  tool_calls?: { function: { name: string; arguments: string } }[]
}

interface Run {
  traj: Message[]
}

const RUNS_IN_A_THREAD = 30

/** A step as it was recorded, with its arguments. */
const stepsOf = (runs: readonly Run[], threadId: string, first: number): StepInput[] => {
  const steps: StepInput[] = []
  let at = Date.UTC(2026, 10, 1)
  for (const [place, { traj }] of runs.slice(first, first + RUNS_IN_A_THREAD).entries()) {
    const rootId = `${threadId}-run-${place}`
    const time = () => {
      at += 100
      return { startTime: new Date(at).toISOString(), endTime: new Date(at + 90).toISOString() }
    }
    steps.push({ id: rootId, threadId, type: 'run', name: 'agent', ...time() })
    let given: unknown
    let characters = 0
    for (const [index, message] of traj.entries()) {
      characters += (message.content ?? '').length
      const base = { id: `${rootId}-${index}`, threadId, parentId: rootId, ...time() }
      if (message.role === 'assistant') {
        const call = message.tool_calls?.[0]?.function
        given = call === undefined ? undefined : JSON.parse(call.arguments)
        steps.push({
          ...base,
          type: 'llm',
          name: 'gpt-4o',
          output: message.content ?? call,
          generation: {
            type: 'CHAT',
            model: 'gpt-4o',
            messages: [],
            tokenCount: Math.round(characters / 4),
          },
        } as StepInput)
      } else if (message.role === 'tool')
        steps.push({
          ...base,
          type: 'tool',
          name: message.name,
          input: given,
          output: message.content,
        } as StepInput)
    }
  }
  return steps
}

type Fault = (steps: StepInput[], seed: number) => string

/** Chooses a step of a kind. */
const choose = (steps: StepInput[], seed: number, name?: string): StepInput => {
  const fit = steps.filter(
    (step) => step.type === 'tool' && (name === undefined || step.name === name),
  )
  return fit[(seed * 37) % fit.length] as StepInput
}

const frequent = (steps: readonly StepInput[]): string => {
  const counts = new Map<string, number>()
  for (const { type, name } of steps)
    if (type === 'tool') counts.set(name ?? '', (counts.get(name ?? '') ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? ''
}

const FAULTS: Record<string, Fault> = {
  'wrong argument': (steps, seed) => {
    const step = choose(steps, seed, frequent(steps))
    step.input = { query: 'all', limit: seed }
    return step.id
  },
  loop: (steps, seed) => {
    const step = choose(steps, seed)
    const at = steps.indexOf(step)
    const again = Array.from({ length: 6 }, (_, index) => ({
      ...step,
      id: `${step.id}-again-${index}`,
    }))
    steps.splice(at + 1, 0, ...again)
    return step.id
  },
  'swallowed error': (steps, seed) => {
    const step = choose(steps, seed)
    step.output = ['Traceback: connection refused', '{"status":500,"detail":"request timed out"}'][
      seed % 2
    ]
    return step.id
  },
  'truncated context': (steps, seed) => {
    const calls = steps.filter(({ type }) => type === 'llm')
    const large = calls.filter((_, index) => index % 12 > 6)
    const step = large[(seed * 11) % large.length] as StepInput
    step.generation = { ...step.generation, tokenCount: 40 } as StepInput['generation']
    return step.id
  },
  'wrong tool': (steps, seed) => {
    const step = choose(steps, seed)
    step.name = `delete_everything_${seed}`
    return step.id
  },
  'stale retrieval': (steps, seed) => {
    const name = frequent(steps)
    const step = choose(steps, seed, name)
    const before = steps.find(
      (one) => one.name === name && JSON.stringify(one.input) !== JSON.stringify(step.input),
    )
    step.output = before?.output
    return step.id
  },
}

/** A thread with one fault. */
export interface FaultyThread {
  kind: string
  threadId: string
  /** In the order of their time; a step comes after its parent. */
  steps: StepInput[]
  /** The id of the step with the fault. */
  faulty: string
}

/** Makes the thirty threads, five of each kind, from a file as for examples/tau-bench.ts. */
export async function* faultyThreads(
  file: string,
  firstSeed: number,
): AsyncGenerator<FaultyThread> {
  const runs = JSON.parse(await readFile(file, 'utf8')) as Run[]
  let all = 0
  for (const [kind, put] of Object.entries(FAULTS))
    for (let seed = firstSeed; seed < firstSeed + 5; seed++) {
      const threadId = `${kind.replaceAll(' ', '-')}-${seed}`
      const steps = stepsOf(runs, threadId, (all++ * 5) % (runs.length - RUNS_IN_A_THREAD))
      const faulty = put(steps, seed)
      yield { kind, threadId, steps, faulty }
    }
}
