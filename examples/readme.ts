import { StepwellClient } from 'stepwell'

const stepwell = new StepwellClient() // reads STEPWELL_API_KEY and STEPWELL_API_URL
const askModel = async (question: string) => `You asked: ${question}` // your call of a model

await stepwell.thread({ id: 'chat-1', participantId: 'ada' }).wrap(() =>
  stepwell.trace({ name: 'model', type: 'llm' }, async (step) => {
    const messages = [{ role: 'user' as const, content: 'Where is my order?' }]
    const content = await askModel('Where is my order?')
    step.generation = {
      model: 'gpt-4o',
      messages,
      messageCompletion: { role: 'assistant', content },
    }
    step.scores = [{ name: 'polite', type: 'CODE', value: 1 }]
    return { content }
  }),
)
await stepwell.flush()
const thread = await stepwell.api.getThread('chat-1')
for (const { name, output, scores } of thread?.steps ?? []) console.log(name, output, scores)
