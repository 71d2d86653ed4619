// Imports recorded conversations of the public tau-bench benchmark, reads them back, and computes the benchmark's own
// figures from what was read:
//
//   node scripts/run.js examples/tau-bench.ts FILE
//
// FILE is an array of { task_id, trial, reward, traj, info }, as tau-bench publishes its runs. The service is the one
// at STEPWELL_API_URL; without that, one in memory that ends with the program.
import { readFile } from 'node:fs/promises'
import { createService } from '@stepwell/server'
import { type StepInput, StepwellClient } from 'stepwell'

interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | null
  name?: string
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

interface Run {
  task_id: number
  trial: number
  reward: number
  traj: Message[]
  info: { task: { user_id: string; instruction: string; actions: unknown[] } }
}

const [file] = process.argv.slice(2)
if (file === undefined) {
  console.error('usage: node scripts/run.js examples/tau-bench.ts FILE')
  process.exit(2)
}
const runs = JSON.parse(await readFile(file, 'utf8')) as Run[]
const service = process.env.STEPWELL_API_URL ? undefined : await createService()
const { api } = new StepwellClient(
  service?.apiKey ? { apiKey: service.apiKey, fetch: service.fetch } : {},
)
try {
  await importRuns(runs)
  await report()
} finally {
  await service?.close()
}

async function importRuns(runs: readonly Run[]): Promise<void> {
  const dataset = await api.createDataset({
    name: 'tau-bench airline',
    metadata: { source: 'tau-bench' },
  })
  const items = new Map<number, string>()
  const experiments = new Map<number, string>()
  for (const run of runs) {
    const { user_id, instruction, actions } = run.info.task
    const threadId = `tau-bench-${run.task_id}-${run.trial}`
    await api.upsertThread({
      threadId,
      name: instruction,
      participantId: user_id,
      metadata: { taskId: run.task_id, trial: run.trial },
      tags: ['tau-bench'],
    })
    const steps = stepsOf(run, threadId)
    const { data } = await api.sendSteps(steps)
    if (!data.ingestSteps.ok) throw new Error(`${threadId}: ${data.ingestSteps.message}`)

    const itemId =
      items.get(run.task_id) ??
      (
        await api.createDatasetItem(dataset.id, {
          input: { instruction, userId: user_id },
          expectedOutput: { actions },
          metadata: { taskId: run.task_id },
        })
      ).id
    items.set(run.task_id, itemId)
    const experimentId =
      experiments.get(run.trial) ??
      (
        await api.createExperiment({
          name: `trial ${run.trial}`,
          datasetId: dataset.id,
          params: { model: 'gpt-4o' },
        })
      ).id
    experiments.set(run.trial, experimentId)
    await api.createExperimentItem({
      datasetExperimentId: experimentId,
      datasetItemId: itemId,
      experimentRunId: steps.at(-1)?.id,
      output: { threadId },
      scores: [{ name: 'reward', type: 'CODE', value: run.reward, tags: [`trial ${run.trial}`] }],
    })
  }
}

/**
 * Returns a step per message, in their order. The benchmark recorded no times, so each gets a millisecond of its own.
 */
function stepsOf(run: Run, threadId: string): StepInput[] {
  const begin = Date.parse('2024-06-01T00:00:00Z')
  const callers = new Map<string, string>()
  const toStep = (message: Message, index: number): StepInput => {
    const id = `${threadId}-${index}`
    const time = new Date(begin + index).toISOString()
    const isLast = index === run.traj.length - 1
    const common: StepInput = {
      id,
      threadId,
      startTime: time,
      endTime: time,
      output: { content: message.content },
      ...(isLast ? { scores: [{ name: 'reward', type: 'CODE', value: run.reward }] } : {}),
    }
    switch (message.role) {
      case 'system':
        return { ...common, type: 'system_message', name: 'policy' }
      case 'user':
        return { ...common, type: 'user_message', name: run.info.task.user_id }
      case 'assistant':
        for (const call of message.tool_calls ?? []) callers.set(call.id, id)
        return {
          ...common,
          type: 'llm',
          name: 'gpt-4o',
          generation: {
            type: 'CHAT',
            provider: 'openai',
            model: 'gpt-4o',
            messages: run.traj.slice(0, index),
            messageCompletion: message,
          },
        }
      case 'tool':
        return {
          ...common,
          type: 'tool',
          name: message.name,
          parentId: callers.get(message.tool_call_id ?? ''),
        }
    }
  }
  return run.traj.map(toStep)
}

async function report(): Promise<void> {
  let messages = 0
  let threads = 0
  const wins = new Map<number, boolean[]>()
  for await (const thread of api.getThreads.all({
    first: 20,
    filters: [{ field: 'tags', operator: 'in', value: ['tau-bench'] }],
  })) {
    threads++
    messages += thread.steps.length
    const { taskId } = thread.metadata as { taskId: number }
    const reward = thread.steps
      .flatMap(({ scores }) => scores)
      .find(({ name }) => name === 'reward')
    wins.set(taskId, [...(wins.get(taskId) ?? []), reward?.value === 1])
  }
  const items = (await api.getDataset({ name: 'tau-bench airline' }))?.items.length
  const rewards = new Map<string, number[]>()
  for await (const score of api.getScores.all({
    filters: [{ field: 'stepId', operator: 'is', value: null }],
  })) {
    const trial = score.tags?.[0] ?? ''
    rewards.set(trial, [...(rewards.get(trial) ?? []), score.value])
  }
  console.log(
    `${messages.toLocaleString('en')} messages in ${threads} threads, ${items} items in the dataset`,
  )
  for (const [trial, values] of [...rewards].sort())
    console.log(
      `experiment ${trial}: ${values.length} items, mean reward ${mean(values).toFixed(3)}`,
    )
  for (const k of [1, 2, 3, 4]) console.log(`pass^${k} ${passAt(k, wins).toFixed(3)}`)
}

/** Returns the chance that k trials of a task, drawn without repetition, all succeed; the mean over all tasks. */
function passAt(k: number, wins: ReadonlyMap<number, boolean[]>): number {
  return mean(
    [...wins.values()].map(
      (trials) => choose(trials.filter(Boolean).length, k) / choose(trials.length, k),
    ),
  )
}

function choose(n: number, k: number): number {
  return k === 0 ? 1 : n < k ? 0 : (choose(n - 1, k - 1) * n) / k
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
