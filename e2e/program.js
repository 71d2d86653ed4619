// The program that every runtime runs: records three steps, delivers them, and reads them back. Imported, required or
// bundled.
export const recordAndRead = async (StepwellClient, options) => {
  const stepwell = new StepwellClient(options)
  const threadId = crypto.randomUUID()
  const answer = await stepwell.thread({ id: threadId }).wrap(() =>
    stepwell.trace('agent', async (step) => {
      step.input = { question: 'Where is my order?' }
      // Where context does not survive an await, as in browsers, this has to come before it.
      const search = stepwell.trace({ name: 'search', type: 'retrieval' }, () => ['orders'])
      const model = stepwell.trace({ name: 'model', type: 'llm' }, async () => `In ${search[0]}.`)
      return { answer: await model }
    }),
  )
  const { delivered, pending, dropped } = await stepwell.flush()
  const thread = await stepwell.api.getThread(threadId)
  const names = thread.steps.map(({ name }) => name).sort()
  const roots = thread.steps.filter(({ parentId }) => parentId === null).length
  return {
    isRight:
      answer.answer === 'In orders.' &&
      names.join() === 'agent,model,search' &&
      roots === 1 &&
      delivered === 3 &&
      pending + dropped === 0,
    names,
    roots,
    delivered,
  }
}
