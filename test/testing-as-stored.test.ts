import { createService } from '@stepwell/server'
import { StepwellClient } from 'stepwell'
import { recordInMemory } from 'stepwell/testing'
import { expect, test } from 'vitest'

/** Records whatever merges: steps that end twice, a failure, a thread that changes. */
const record = async (stepwell: StepwellClient) => {
  const thread = stepwell.thread({ id: 't1', name: 'Order', metadata: { a: 1, b: 2 } })
  await thread.wrap(async () => {
    await stepwell
      .trace({ id: 's1', name: 'agent' }, async (step) => {
        step.tags = ['eu']
        step.scores = [{ id: 'judgement', name: 'good', type: 'HUMAN', value: 0, comment: 'why' }]
        stepwell.trace({ id: 's2', name: 'search', type: 'retrieval' }, () => ['a', 'b'])
        throw new Error('no stock')
      })
      .catch(() => {})
    thread.assign({ metadata: { a: null }, tags: ['urgent'] })
  })
  const twice = stepwell.step({ id: 's3', name: 'draft', type: 'llm', threadId: 't1', tags: ['x'] })
  twice.generation = { model: 'm1', inputTokenCount: 3, outputTokenCount: 4 }
  twice.input = { one: 1 }
  twice.scores = [{ name: 'short', type: 'CODE', value: 0, scorer: 'lint' }]
  twice.end()
  await stepwell.flush()
  twice.tags = []
  twice.input = undefined
  twice.environment = 'dev'
  twice.generation = { outputTokenCount: 5 }
  twice.scores = [{ name: 'short', type: 'CODE', value: 1, scorer: 'lint' }]
  twice.end({ output: 'done' })
  await stepwell.flush()
}

test('memory holds what a service would have stored, also of steps that were recorded twice', async () => {
  const service = await createService()
  try {
    const { apiKey } = await service.createProject('testing')
    const stepwell = new StepwellClient({ apiKey, fetch: service.fetch, environment: 'staging' })
    await record(stepwell)
    const memory = recordInMemory({ environment: 'staging' })
    await record(memory.stepwell)
    expect(memory.steps.map(({ id }) => id)).toEqual(['s1', 's2', 's3'])
    for (const step of memory.steps) {
      const stored = await stepwell.api.getStep(step.id)
      const { name, type, parentId, threadId, rootRunId, input, output, error, tags } = step
      expect(stored).toMatchObject({
        ...{ name, type, threadId, environment: step.environment },
        ...{ parentId: parentId ?? null, rootRunId: rootRunId ?? null, error: error ?? null },
        ...{ input: input ?? null, output: output ?? null },
        ...(step.generation === undefined ? {} : { generation: step.generation }),
      })
      expect(stored?.tags ?? []).toEqual(tags)
      expect(stored?.scores).toMatchObject(step.scores)
      expect(step.scores).toHaveLength(stored?.scores?.length ?? 0)
    }
    const { name, metadata, tags } = memory.thread('t1') ?? {}
    expect(await stepwell.api.getThread('t1')).toMatchObject({ name, metadata, tags })
    await stepwell.close()
  } finally {
    await service.close()
  }
})
