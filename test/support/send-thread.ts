import type { StepwellClient } from '../../src/index.js'

/** A step of a made thread. */
export interface Told {
  type?: 'run' | 'tool' | 'llm' | 'retrieval'
  name?: string
  parentId?: string
  input?: unknown
  output?: unknown
  error?: string
  ms?: number
  tokens?: number
}

/** Sends steps of one thread, one after another in time. Returns the ids. */
export const sendThread = async (
  client: StepwellClient,
  told: readonly Told[],
  threadId = crypto.randomUUID(),
) => {
  let at = Date.UTC(2026, 10, 1)
  const steps = told.map(({ ms = 10, tokens, ...step }) => {
    const startTime = new Date(at).toISOString()
    at += ms
    return {
      id: crypto.randomUUID(),
      threadId,
      type: 'tool' as const,
      startTime,
      endTime: new Date(at).toISOString(),
      ...step,
      ...(tokens === undefined
        ? {}
        : { generation: { type: 'CHAT' as const, model: 'm', messages: [], tokenCount: tokens } }),
    }
  })
  for (let from = 0; from < steps.length; from += 500)
    await client.api.sendSteps(steps.slice(from, from + 500))
  return { threadId, ids: steps.map(({ id }) => id) }
}
