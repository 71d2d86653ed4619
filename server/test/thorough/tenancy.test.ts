import { beforeAll, expect, test } from 'vitest'
import { asker, post } from '../support/ask.js'
import { documentOf, roots, selectionOf } from '../support/documents.js'
import { everything, useProjects } from '../support/two-projects.js'

// A project whose records have the ids of mine, and refer to mine, asks for them in every way: by thousands of documents.
const projects = useProjects()

let curiousKey: string
beforeAll(async () => {
  curiousKey = (await projects.service.createProject('curious')).apiKey
  const curious = asker(projects.service, curiousKey)
  await curious('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
    steps: [
      {
        id: projects.ids.step,
        threadId: projects.ids.thread,
        parentId: projects.ids.step,
        rootRunId: projects.ids.step,
        sessionId: 'mine-session',
        sequence: 1,
        generation: { promptId: projects.ids.version },
        scores: [{ id: projects.ids.score, name: 'n', type: 'AI', value: 1 }],
        attachments: [{ id: projects.ids.attachment, objectKey: 'files/x' }],
      },
    ],
  })
  await curious(
    `mutation($run: String, $prompt: String) {
      createDatasetExperiment(name: "n", promptExperimentId: $prompt) { id }
      upsertThread(id: "${projects.ids.thread}", participantId: "${projects.ids.user}") { id }
      createScore(name: "n", type: AI, value: 1, stepId: $run) { id }
    }`,
    { run: projects.ids.step, prompt: projects.ids.version },
  )
})

test.each(roots.map((root) => [root.operation, root.field.name, root] as const))(
  '%s %s reveals nothing of mine, with any selection',
  async (_, __, root) => {
    const asked = [
      [3, true],
      [4, false],
    ] as const
    // Without arguments, they are all the same.
    const queries = new Set(
      [...Object.values(projects.ids), 'mine', 'mine-session'].flatMap((text) =>
        asked.map(([depth, isFull]) =>
          documentOf(root, selectionOf(root.field.type, depth), { text, isFull }),
        ),
      ),
    )
    for (const query of queries) {
      const headers = { 'x-api-key': curiousKey }
      const { body } = await post(projects.service, '/api/graphql', { query }, headers)
      expect(JSON.stringify(body)).not.toContain('secret')
    }
  },
)

test('changes nothing of mine', async () => {
  expect(await everything(projects.mine)).toBe(projects.before)
})
