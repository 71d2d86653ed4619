import type { Step } from '../../api/steps.js'
import type { Thread } from '../../api/threads.js'
import type { StepwellClient } from '../../client.js'
import type { FixtureOptions } from '../../testing/index.js'

/** Steps that are read at once: each may have megabytes. */
const BATCH = 50

/** A recorded run: its steps, and what a fixture has beside them. */
interface Run {
  steps: readonly Step[]
  options: FixtureOptions
}

/** Reads a thread; nothing when there is none with this id, or when it has no steps. */
export async function* runOfThread(client: StepwellClient, id: string): AsyncGenerator<Run> {
  const { data } = await client.api.listThreads({
    first: 1,
    totalCount: false,
    filters: [{ field: 'id', operator: 'eq', value: id }],
  })
  for (const thread of data) yield* runOf(client, thread)
}

/** Reads the threads that pass a query and have steps, the newest first. */
export async function* runsThat(
  client: StepwellClient,
  query: string,
  limit: number,
): AsyncGenerator<Run> {
  let count = 0
  const first = Math.min(limit, 100)
  for await (const thread of client.api.listThreads.all({ query, first }))
    for await (const run of runOf(client, thread)) {
      yield run
      if (++count >= limit) return
    }
}

/** Reads a step with everything below it; nothing when there is none with this id. */
export async function* runOfStep(client: StepwellClient, stepId: string): AsyncGenerator<Run> {
  const steps = await stepsOf(client, { rootStepId: stepId })
  if (steps.length > 0) yield { steps, options: { stepId } }
}

async function* runOf(client: StepwellClient, { id, name }: Thread): AsyncGenerator<Run> {
  const steps = await stepsOf(client, { threadId: id })
  if (steps.length === 0) return
  const { data: scores } = await client.api.getScores({
    first: 100,
    totalCount: false,
    filters: [
      { field: 'threadId', operator: 'eq', value: id },
      { field: 'stepId', operator: 'is', value: null },
    ],
  })
  yield { steps, options: { threadId: id, name: name ?? id, scores } }
}

const stepsOf = async (
  { api }: StepwellClient,
  subject: { threadId: string } | { rootStepId: string },
): Promise<Step[]> => {
  const ids = ((await api.getOutline(subject))?.steps ?? []).map(({ id }) => id)
  const steps: Step[] = []
  for (let from = 0; from < ids.length; from += BATCH)
    // It may have been deleted meanwhile.
    for (const step of await api.getStepsById(ids.slice(from, from + BATCH)))
      if (step !== null) steps.push(step)
  return steps
}
