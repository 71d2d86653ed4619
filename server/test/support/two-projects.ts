import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll } from 'vitest'
import { type Ask, asker } from './ask.js'

export interface Projects {
  service: Service
  /** Asks in the project that has a row of every kind, whose texts are "secret". */
  mine: Ask
  theirs: Ask
  theirKey: string
  /** The ids of the rows of my project, by noun. */
  ids: Record<string, string>
  /** Everything that my project can read, before others try anything. */
  before: string
}

/** Returns everything that a project can read, as text to compare. */
export const everything = async (ask: Ask): Promise<string> =>
  JSON.stringify(
    await ask(`{
      steps { edges { node { id name output scores { id value } attachments { id name } generation { id } } } }
      threads { edges { node { id name metadata participant { id } } } }
      generations { edges { node { id } } } scores { edges { node { id value } } }
      participants { edges { node { id identifier metadata } } } datasets { edges { node { id name } } }
      modelEndpoints { id name baseUrl hasKey } promptLineage(name: "mine") { id labels { name version } } promptLineageRollout(lineageName: "mine") { edges { node { version } } }
      views { id name query isDefault }
      alerts { id name query threshold isPaused webhookHost updatedAt }
      project { conversationEnd { idleMinutes tags toolNames } }
    }`),
  )

/** Creates a service with two projects: mine has data, theirs has none. */
export const useProjects = (): Projects => {
  const ids: Record<string, string> = { step: 'shared-id', thread: 'shared-thread' }
  const projects = { ids } as Projects
  beforeAll(async () => {
    const service = await createService({ apiKey: 'mine' })
    const mine = asker(service, 'mine')
    const theirKey = (await service.createProject('theirs')).apiKey
    const theirs = asker(service, theirKey)
    await mine('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
      steps: [
        {
          sessionId: 'mine-session',
          sequence: 1,
          id: ids.step,
          threadId: ids.thread,
          name: 'secret',
          output: { content: 'secret' },
          generation: { model: 'secret' },
        },
      ],
    })
    const created = await mine(`mutation {
      user: createParticipant(identifier: "secret") { id } score: createScore(name: "s", type: AI, value: 1, stepId: "shared-id") { id }
      attachment: createAttachment(name: "secret", stepId: "shared-id", url: "https://example.org/") { id }
      dataset: createDataset(name: "secret") { id } lineage: createPromptLineage(name: "mine") { id }
      experiment: createDatasetExperiment(name: "secret") { id }
      view: createView(subject: THREADS, name: "secret", query: "name=secret", isDefault: true) { id }
    }`)
    for (const [noun, { id }] of Object.entries(created as Record<string, { id: string }>))
      ids[noun] = id
    ids.item = (
      await mine(
        'mutation($id: String!) { createDatasetItem(datasetId: $id, input: { a: 1 }) { id } }',
        { id: ids.dataset },
      )
    ).createDatasetItem.id
    ids.version = (
      await mine(
        'mutation($id: String!) { createPromptVersion(lineageId: $id, templateMessages: []) { id } }',
        { id: ids.lineage },
      )
    ).createPromptVersion.id
    ids.key = (await mine('{ apiKeys { id } }')).apiKeys[0].id
    const price = 'setPrices(prices: [{ model: "secret", rates: { input: 1 } }]) { id }'
    ids.price = (await mine(`mutation { ${price} }`)).setPrices[0].id
    await mine('mutation { setScoreDefinition(name: "secret") { name } }')
    await mine('mutation { setConversationEnd(tags: ["secret"]) { tags } }')
    // Its step is written again, so that the judge has it waiting.
    const lease =
      'leaseJudgements(judge: { name: "mine", version: "1", subject: STEPS, sample: 1, quietSeconds: 0 }, holder: "h", first: 9, seconds: 9) { judgeId }'
    ids.judge = (await mine(`mutation { ${lease} }`)).leaseJudgements.judgeId
    await mine('mutation { updateStep(id: "shared-id", endTime: "2026-01-01T00:00:00Z") { id } }')
    await mine('mutation { setPromptLabel(name: "mine", label: "production", version: 0) { id } }')
    ids.endpoint = (
      await mine(
        'mutation { setModelEndpoint(name: "secret", protocol: OPENAI, baseUrl: "https://models.example", model: "m", key: "secret") { id } }',
      )
    ).setModelEndpoint.id
    ids.alert = (
      await mine(
        'mutation { createAlert(name: "secret", subject: STEPS, metric: COUNT, comparison: ABOVE, threshold: 1e9, windowMinutes: 5, webhookUrl: "https://hooks.example/secret") { alert { id } } }',
      )
    ).createAlert.alert.id
    const before = await everything(mine)
    Object.assign(projects, { service, mine, theirs, theirKey, before })
  })
  afterAll(() => projects.service?.close())
  return projects
}
