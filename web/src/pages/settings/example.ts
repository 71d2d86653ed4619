import type { StepInput } from '../../../../generated/schema.js'

export const EXAMPLE_THREAD = { name: 'An example: where is my order?', tags: ['example'] }

/** A small conversation: a question, an agent with a search, a tool that fails and a model call, an answer, a score. */
export const exampleSteps = (now = Date.now()): { threadId: string; steps: StepInput[] } => {
  const key = crypto.randomUUID().slice(0, 8)
  const threadId = `example-${key}`
  const at = (ms: number) => new Date(now - 8000 + ms).toISOString()
  const step = (name: string, more: Omit<StepInput, 'id'>): StepInput => ({
    id: `${threadId}-${name}`,
    threadId,
    name,
    ...more,
  })
  const question = 'Where is my order 1042?'
  const answer = 'Your order **1042** left our warehouse yesterday and should arrive on Thursday.'
  return {
    threadId,
    steps: [
      step('Ada', { type: 'user_message', startTime: at(0), output: { content: question } }),
      step('agent', {
        type: 'run',
        startTime: at(200),
        endTime: at(5200),
        input: { question },
        output: { answer },
      }),
      step('search', {
        type: 'retrieval',
        parentId: `${threadId}-agent`,
        startTime: at(300),
        endTime: at(900),
        input: { query: 'order 1042' },
        output: { documents: ['orders/1042.json'] },
      }),
      step('carrier', {
        type: 'tool',
        parentId: `${threadId}-agent`,
        startTime: at(1000),
        endTime: at(2400),
        input: { tracking: 'X-1042' },
        error: 'TimeoutError: the carrier did not answer in 1400 ms',
      }),
      step('answer', {
        type: 'llm',
        parentId: `${threadId}-agent`,
        startTime: at(2500),
        endTime: at(5100),
        output: { content: answer },
        generation: {
          type: 'CHAT',
          provider: 'example',
          model: 'example-model',
          messages: [
            { role: 'system', content: 'You help customers of a shop.' },
            { role: 'user', content: question },
          ],
          messageCompletion: { role: 'assistant', content: answer },
          inputTokenCount: 31,
          outputTokenCount: 22,
          ttFirstToken: 420,
          duration: 2.6,
          settings: { temperature: 0.2 },
        },
        scores: [{ name: 'quality', type: 'CODE', value: 1, scorer: 'example' }],
      }),
      step('Assistant', {
        type: 'assistant_message',
        startTime: at(5300),
        output: { content: answer },
      }),
    ],
  }
}
