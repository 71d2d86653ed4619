// A support agent answers one question. The program records what it does, judges it, turns it into a dataset and an
// experiment, versions its prompt, and reads all of it back: `npm run demo`.
import { randomUUID } from 'node:crypto'
import { createService, listen } from '@stepwell/server'
import { type Step, StepwellClient, StepwellError } from 'stepwell'
import { bold, dim, heading, printTable, printTree } from './support/print.js'

const dataFolder = process.env.STEPWELL_DATA || './.stepwell'
console.log(
  dim(
    `Starting the service, with its data in ${dataFolder} (the first start takes some seconds) …`,
  ),
)
const service = await createService({
  dataFolder,
  apiKey: process.env.STEPWELL_API_KEY || undefined,
})
const { url, stop } = await listen(service, '127.0.0.1', 0)
try {
  if (service.apiKey === null)
    throw new Error(`no API key in ${dataFolder}; name one as STEPWELL_API_KEY`)
  await demonstrate(new StepwellClient({ apiKey: service.apiKey, apiUrl: url }))
  const place = process.env.STEPWELL_DATA ? ` -- --data ${dataFolder}` : ''
  console.log(
    `\n${bold(`npm start${place}`)} shows the same data in the browser, by the link that it prints.`,
  )
} finally {
  await stop()
  await service.close()
}

async function demonstrate({ api }: StepwellClient): Promise<void> {
  heading('A conversation, recorded')
  const threadId = randomUUID()
  const conversation = recordedConversation(threadId)
  const user = await api.getOrCreateUser('ada@example.org', { plan: 'pro' })
  await api.upsertThread({
    threadId,
    name: 'Where is order 1042?',
    participantId: user,
    tags: ['demo'],
  })
  const sent = await api.sendSteps(conversation.steps)
  const { answer } = conversation
  const receipt = await api.createAttachment({
    content: 'Order 1042: 1 teapot, shipped on 20 November',
    name: 'receipt.txt',
    mime: 'text/plain',
    threadId,
    stepId: answer.id,
  })
  console.log(
    `${sent.data.ingestSteps.accepted} steps, an attachment (${receipt.name}) and a user are stored.`,
  )

  heading('Read back, page by page')
  const steps: Step[] = []
  for await (const page of api.getSteps.pages({
    first: 3,
    filters: [{ field: 'threadId', operator: 'eq', value: threadId }],
  })) {
    console.log(dim(`  a page of ${page.data.length}`))
    steps.push(...page.data)
  }
  printTree(steps)
  const thread = await api.getThread(threadId)
  console.log(
    `\n${bold(thread?.name ?? '')}  ${thread?.participant?.identifier}  ${thread?.duration} s  ${thread?.tokenCount} tokens`,
  )
  const file = (await api.getStep(answer.id))?.attachments[0]
  console.log(
    dim(`receipt.txt says: ${file?.url ? await (await fetch(file.url)).text() : 'nothing'}`),
  )

  heading('Judged')
  await api.createScores([
    {
      name: 'user-feedback',
      type: 'HUMAN',
      value: 1,
      stepId: answer.id,
      comment: 'quick and right',
      scorer: 'ada',
    },
    { name: 'groundedness', type: 'AI', value: 0.92, stepId: answer.id, scorer: 'gpt-4o' },
    { name: 'has-order-number', type: 'CODE', value: 1, stepId: answer.id },
  ])
  const scores = []
  for await (const score of api.getScores.all({
    filters: [{ field: 'stepId', operator: 'eq', value: answer.id }],
  }))
    scores.push(score)
  printTable(
    ['score', 'by', 'value', 'comment'],
    scores.map(({ name, type, value, comment }) => [name, type, value.toFixed(2), comment ?? '']),
  )

  heading('A dataset, and an experiment on it')
  const dataset =
    (await api.getDataset({ name: 'support-cases' })) ??
    (await api.createDataset({ name: 'support-cases' }))
  const item = await api.addStepToDataset(dataset.id, conversation.run.id, { from: 'demo' })
  const experiment = await api.createExperiment({
    name: 'shorter answers',
    datasetId: dataset.id,
    params: { temperature: 0.2 },
  })
  const result = await api.createExperimentItem({
    datasetExperimentId: experiment.id,
    datasetItemId: item.id,
    input: { question: 'Where is order 1042?' },
    output: { content: 'Shipped yesterday.' },
    scores: [{ name: 'brevity', type: 'CODE', value: 0.98 }],
  })
  const { length } = item.intermediarySteps as unknown[]
  console.log(`The run is an item of ${bold('support-cases')}, with the ${length} steps inside it.`)
  console.log(
    `The experiment ${bold(experiment.name)} scored ${result.scores[0]?.value} for ${result.scores[0]?.name}.`,
  )

  heading('A prompt, and its calls split 60 to 40')
  const first = await api.getOrCreatePrompt('support-agent', [
    { role: 'system', content: 'You answer for {{shop}}. Be friendly.' },
  ])
  const second = await api.getOrCreatePrompt('support-agent', [
    { role: 'system', content: 'You answer for {{shop}}. Be friendly and brief.' },
  ])
  await api.updatePromptAbTesting('support-agent', [
    { version: first.version, rollout: 60 },
    { version: second.version, rollout: 40 },
  ])
  const drawn = await Promise.all(Array.from({ length: 200 }, () => api.getPrompt('support-agent')))
  const share = (version: number) =>
    drawn.filter((prompt) => prompt?.version === version).length / drawn.length
  printTable(
    ['version', 'split', 'of 200 calls', 'template'],
    [first, second].map(({ version, templateMessages }) => [
      String(version),
      version === first.version ? '60 %' : '40 %',
      `${Math.round(share(version) * 100)} %`,
      String(templateMessages[0]?.content),
    ]),
  )

  heading('What goes wrong says so')
  try {
    await api.getSteps({ filters: [{ field: 'colour' as 'name', operator: 'eq', value: 'red' }] })
  } catch (error) {
    if (!StepwellError.is(error)) throw error
    console.log(`${bold(error.code)}  ${error.message.slice(0, 100)} …`)
  }
}

/** Returns a recorded conversation: a question, and the run that answers it, with its steps inside. */
function recordedConversation(threadId: string) {
  const begin = Date.now() - 10_000
  const at = (milliseconds: number) => new Date(begin + milliseconds).toISOString()
  const step = (start: number, end: number) => ({
    id: randomUUID(),
    threadId,
    startTime: at(start),
    endTime: at(end),
    tags: ['demo'],
  })
  const question = {
    ...step(0, 0),
    type: 'user_message' as const,
    name: 'ada',
    output: { content: 'Where is order 1042?' },
  }
  const run = {
    ...step(20, 2_460),
    type: 'run' as const,
    name: 'support agent',
    input: question.output,
    output: { content: 'Your order 1042 was shipped yesterday.' },
  }
  const inside = { parentId: run.id, rootRunId: run.id }
  const messages = [{ role: 'user', content: 'Where is order 1042?' }]
  const call = {
    role: 'assistant',
    tool_calls: [{ id: 'c1', function: { name: 'look_up_order', arguments: '{"id":1042}' } }],
  }
  const model = { provider: 'openai', model: 'gpt-4o', settings: { temperature: 0.7 } }
  const plan = {
    ...step(310, 1_220),
    ...inside,
    type: 'llm' as const,
    name: 'plan',
    generation: {
      ...model,
      messages,
      messageCompletion: call,
      inputTokenCount: 412,
      outputTokenCount: 28,
      ttFirstToken: 180,
      duration: 0.91,
    },
  }
  const answer = {
    ...step(1_640, 2_450),
    ...inside,
    type: 'llm' as const,
    name: 'answer',
    output: { content: 'Your order 1042 was shipped yesterday.' },
    generation: {
      ...model,
      messages: [
        ...messages,
        call,
        { role: 'tool', tool_call_id: 'c1', content: '{"shipped":"2026-11-20"}' },
      ],
      messageCompletion: { role: 'assistant', content: 'Your order 1042 was shipped yesterday.' },
      inputTokenCount: 498,
      outputTokenCount: 17,
      ttFirstToken: 150,
      duration: 0.81,
    },
  }
  const steps = [
    question,
    run,
    {
      ...step(30, 300),
      ...inside,
      type: 'retrieval' as const,
      name: 'search handbook',
      input: { query: 'order status' },
      output: { documents: 3 },
    },
    plan,
    {
      ...step(1_230, 1_620),
      ...inside,
      parentId: plan.id,
      type: 'tool' as const,
      name: 'look_up_order',
      input: { id: 1042 },
      output: { shipped: '2026-11-20' },
    },
    answer,
    {
      ...step(2_460, 2_460),
      type: 'assistant_message' as const,
      name: 'support agent',
      output: run.output,
    },
  ]
  return { steps, run, answer }
}
