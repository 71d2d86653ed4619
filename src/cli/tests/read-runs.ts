import type { OutlineSubject } from '../../api/outlines.js'
import type { Step } from '../../api/steps.js'
import type { StepwellClient } from '../../client.js'
import type { FixtureOptions } from '../../testing/index.js'

/** Steps that are read at once: each may have megabytes. */
const BATCH = 50

/** A recorded run: its steps, and what a fixture has beside them. */
interface Run {
  steps: readonly Step[]
  options: FixtureOptions
}

/** Lists the threads that pass a query. */
export async function* threadsThat(
  { api }: StepwellClient,
  query: string,
  limit: number,
): AsyncGenerator<OutlineSubject> {
  let count = 0
  for await (const { id } of api.listThreads.all({ query, first: Math.min(limit, 100) })) {
    yield { threadId: id }
    if (++count >= limit) return
  }
}

/** Reads a thread, or a step with everything below it; null when there is none, or when it has no steps. */
export const readRun = async (
  { api }: StepwellClient,
  subject: OutlineSubject,
): Promise<Run | null> => {
  const outline = await api.getOutline(subject)
  if (outline === null || outline.steps.length === 0) return null
  const ids = outline.steps.map(({ id }) => id)
  const steps: Step[] = []
  for (let from = 0; from < ids.length; from += BATCH)
    // It may have been deleted meanwhile.
    for (const step of await api.getStepsById(ids.slice(from, from + BATCH)))
      if (step !== null) steps.push(step)
  const { threadId, rootStepId } = subject
  if (threadId == null) return { steps, options: { stepId: rootStepId ?? undefined } }
  const scores = await api.getScores({
    first: 100,
    filters: [
      { field: 'threadId', operator: 'eq', value: threadId },
      { field: 'stepId', operator: 'is', value: null },
    ],
  })
  const { data } = await api.listThreads({
    first: 1,
    filters: [{ field: 'id', operator: 'eq', value: threadId }],
  })
  const name = data[0]?.name ?? threadId
  return { steps, options: { threadId, name, scores: scores.data } }
}
