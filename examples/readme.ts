import { StepwellClient } from 'stepwell'

const stepwell = new StepwellClient() // STEPWELL_API_KEY, STEPWELL_API_URL
const search = stepwell.traced(async (query: string) => [`about ${query}`], { name: 'search' })

await stepwell.thread({ id: 'chat-1', participantId: 'ada' }).wrap(() =>
  stepwell.trace('agent', async (step) => {
    step.input = { question: 'Where is my order?' }
    step.scores = [{ name: 'quality', type: 'CODE', value: 1 }]
    return { answer: `Found ${(await search('orders')).length} page` }
  }),
)
await stepwell.flush()
const thread = await stepwell.api.getThread('chat-1')
for (const { name, output, scores } of thread?.steps ?? []) console.log(name, output, scores)
