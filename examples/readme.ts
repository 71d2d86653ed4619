import { StepwellClient } from 'stepwell'

const { api } = new StepwellClient() // STEPWELL_API_KEY, STEPWELL_API_URL
await api.sendSteps([
  { id: 'run-1', threadId: 'chat-1', type: 'run', name: 'agent', input: { content: 'Hello?' } },
  { id: 'llm-1', parentId: 'run-1', type: 'llm', generation: { model: 'gpt-4o', tokenCount: 44 } },
])
await api.createScore({ name: 'quality', type: 'HUMAN', value: 1, stepId: 'run-1' })
for await (const step of api.getSteps.all({
  filters: [{ field: 'type', operator: 'eq', value: 'run' }],
}))
  console.log(step.name, step.scores)
