import { expect, test } from 'vitest'
import { PARTS } from '../src/domain/prompts/rollouts.js'
import { useService } from './support/new-service.js'

const newProject = useService()

test('the weights and the segments of an answer are those of one split, while it is changed', async () => {
  const ask = await newProject()
  const { createPromptLineage } = await ask(
    'mutation { createPromptLineage(name: "split") { id } }',
  )
  for (const content of ['a', 'b'])
    await ask(
      'mutation ($id: String!, $messages: Json) { createPromptVersion(lineageId: $id, templateMessages: $messages) { version } }',
      { id: createPromptLineage.id, messages: [{ role: 'user', content }] },
    )
  const split = (rollout: number) =>
    ask(
      'mutation ($rollouts: [PromptVersionRolloutInput!]!) { updatePromptLineageRollout(name: "split", rollouts: $rollouts) { ok } }',
      {
        rollouts: [
          { version: 0, rollout },
          { version: 1, rollout: 100 - rollout },
        ],
      },
    )
  const read = async () => {
    const { promptRollout } = await ask(
      '{ promptRollout(name: "split") { segments { version from to } lineage { rollouts { version rollout } } } }',
    )
    const { segments, lineage } = promptRollout as {
      segments: { version: number; from: number; to: number }[]
      lineage: { rollouts: { version: number; rollout: number }[] }
    }
    for (const { version, rollout } of lineage.rollouts) {
      const own = segments.filter((one) => one.version === version)
      const parts = own.reduce((sum, { from, to }) => sum + to - from, 0)
      expect(parts / PARTS).toBeCloseTo(rollout / 100, 5)
    }
  }
  await split(50)
  for (let round = 1; round < 30; round++)
    await Promise.all([split(round), read(), read(), split(100 - round), read(), read()])
})
