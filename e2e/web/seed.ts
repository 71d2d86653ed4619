import type { StepwellClient } from 'stepwell'
import type { StepInput } from '../../generated/schema.js'

/** An image of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Two pages, a red one and a blue one with a word, and a script that would run when it is opened. */
const PDF = (() => {
  const drawings = ['1 0 0 rg 0 0 300 200 re f', '0 0 1 rg 0 0 300 200 re f']
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >>',
    '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>',
    ...[5, 6].map(
      (drawing) =>
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents ${drawing} 0 R /Resources << >> >>`,
    ),
    ...drawings.map((drawing) => `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`),
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, index) => {
    const place = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return String(place).padStart(10, '0')
  })
  const table = places.map((place) => `${place} 00000 n \n`).join('')
  const count = objects.length + 1
  return Buffer.from(
    `${text}xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
  )
})()

const HOUR = 3_600_000
const USERS = ['ada@example.org', 'bob@example.org', 'chen@example.org']
const QUESTIONS = [
  'I want a refund for order 1042',
  'Where is my parcel?',
  'Can I change the flight to Thursday?',
  'Summarise the PDF that I sent',
  'My card was charged twice',
]

export const HOSTILE = {
  script: '<script>document.title = "owned"</script><img src=x onerror="document.title=\'owned\'">',
  markdown:
    '[click](javascript:document.title="owned") ![beacon](https://tracker.example.org/pixel.png)',
  bidi: 'invoice \u202Efdp.exe',
  control: 'bell \u0007 nul \u0000 escape \u001B[31mred\u001B[0m',
  long: 'x'.repeat(200_000),
}

/** Fills a project as in real use: conversations with failures, scores, files, datasets, experiments, prompts. */
export const seed = async (stepwell: StepwellClient, conversations = 40): Promise<void> => {
  const { api } = stepwell
  const now = Date.now()
  const promptIds = await seedPrompts(stepwell)
  const steps: StepInput[] = []
  for (let index = 0; index < conversations; index++)
    steps.push(...conversation(index, now - index * 1.7 * HOUR, promptIds))
  for (let from = 0; from < steps.length; from += 500)
    await api.sendSteps(steps.slice(from, from + 500) as Parameters<typeof api.sendSteps>[0])
  for (let index = 0; index < conversations; index++)
    await api.upsertThread({
      threadId: `conversation-${index}`,
      ...(index % 4 === 3 ? {} : { name: QUESTIONS[index % QUESTIONS.length] }),
      participantId: USERS[index % USERS.length],
      tags: index % 3 === 0 ? ['beta', 'shop'] : ['shop'],
      metadata: { release: index < conversations / 2 ? '1.4.0' : '1.3.2' },
    })
  await seedHostile(stepwell, now)
  await seedExperiments(stepwell)
  await api.createAttachment({
    content: PNG,
    stepId: 'conversation-0-question',
    threadId: 'conversation-0',
    name: 'receipt.png',
    mime: 'image/png',
  })
  for (const [name, content] of [
    ['invoice.pdf', PDF],
    ['damaged.pdf', Buffer.from('%PDF-1.4 and nothing more')],
  ] as const)
    await api.createAttachment({
      content,
      stepId: 'conversation-3-question',
      threadId: 'conversation-3',
      name,
      mime: 'application/pdf',
    })
}

const conversation = (index: number, at: number, promptIds: readonly string[]): StepInput[] => {
  const threadId = `conversation-${index}`
  const moment = (ms: number) => new Date(at + ms).toISOString()
  const question = QUESTIONS[index % QUESTIONS.length]
  const hasFailed = index % 5 === 1
  const step = (id: string, more: Omit<StepInput, 'id'>): StepInput => ({
    id: `${threadId}-${id}`,
    threadId,
    environment: index % 6 === 5 ? 'staging' : 'prod',
    ...more,
  })
  const answer = hasFailed
    ? "I'm sorry, the order could not be found."
    : `Done. Here is what I did:\n\n1. looked the order up\n2. **checked** the policy\n\n| item | amount |\n|---|---|\n| order | 42.00 |`
  const slow = 1 + (index % 7) * 0.8
  return [
    step('question', {
      type: 'user_message',
      name: USERS[index % USERS.length]?.split('@')[0] ?? 'user',
      startTime: moment(0),
      output: { content: question },
    }),
    step('agent', {
      type: 'run',
      name: 'agent',
      startTime: moment(300),
      endTime: moment(300 + 5200 * slow),
      input: { question },
      output: { answer },
      metadata: { release: index < 20 ? '1.4.0' : '1.3.2' },
    }),
    step('plan', {
      type: 'llm',
      name: 'plan',
      parentId: `${threadId}-agent`,
      startTime: moment(400),
      endTime: moment(400 + 1200 * slow),
      output: { role: 'assistant', content: 'look up the order' },
      generation: {
        type: 'CHAT',
        provider: 'openai',
        model: index % 2 === 0 ? 'gpt-4o' : 'gpt-4o-mini',
        promptId: promptIds[index % promptIds.length] ?? null,
        messages: [
          { role: 'system', content: 'You are a patient agent of a shop.' },
          { role: 'user', content: question },
        ],
        messageCompletion: {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: {
                name: 'lookup_order',
                arguments: '{"order_id": 1042, "note": "two\\nlines"}',
              },
            },
          ],
        },
        inputTokenCount: 800 + index * 10,
        outputTokenCount: 120 + index,
        ttFirstToken: 310,
        duration: 1.2 * slow,
        settings: { temperature: 0.2 },
      },
      scores: [{ name: 'quality', type: 'AI', value: ((index * 37) % 10) / 10, scorer: 'judge' }],
    }),
    step('lookup', {
      type: 'tool',
      name: 'lookup_order',
      parentId: `${threadId}-agent`,
      startTime: moment(400 + 1250 * slow),
      endTime: moment(400 + 1250 * slow + 842),
      input: { order_id: 1042, note: 'two\nlines, as lines' },
      ...(hasFailed
        ? { error: 'TimeoutError: upstream did not answer\n  at lookup (orders:42)' }
        : { output: { status: 'sent', carrier: 'X' } }),
    }),
    ...Array.from({ length: index % 3 === 0 ? 8 : 1 }, (_, place) =>
      step(`search-${place}`, {
        type: 'retrieval',
        name: 'search',
        parentId: `${threadId}-agent`,
        startTime: moment(400 + 2200 * slow + place * 90),
        endTime: moment(400 + 2200 * slow + place * 90 + 70),
        input: { query: `policy ${place}` },
        output: { documents: [`policy-${place}.md`] },
      }),
    ),
    step('answer', {
      type: 'assistant_message',
      name: 'Assistant',
      startTime: moment(5600 * slow),
      output: { content: answer },
      scores:
        index % 2 === 0
          ? [{ name: 'feedback', type: 'HUMAN', value: hasFailed ? 0 : 1, scorer: 'Mira' }]
          : [],
    }),
    ...(index % 4 === 0
      ? [
          step('thanks', {
            type: 'user_message',
            name: 'ada',
            startTime: moment(5600 * slow + 48_000),
            output: { content: 'Thanks!' },
          }),
          step('bye', {
            type: 'assistant_message',
            name: 'Assistant',
            startTime: moment(5600 * slow + 49_500),
            output: { content: 'You are welcome.' },
          }),
        ]
      : []),
  ]
}

const seedPrompts = async ({ api }: StepwellClient): Promise<string[]> => {
  const ids: string[] = []
  for (const [place, adjective] of ['helpful', 'patient', 'patient and brief'].entries()) {
    const prompt = await api.getOrCreatePrompt(
      'support',
      [
        { role: 'system', content: `You are a ${adjective} agent of {{shop}}.` },
        { role: 'user', content: '{{question}}' },
      ],
      { provider: 'openai', model: 'gpt-4o', temperature: place / 10 } as Parameters<
        typeof api.getOrCreatePrompt
      >[2],
    )
    ids.push(prompt.id)
  }
  await api.updatePromptAbTesting('support', [
    { version: 0, rollout: 60 },
    { version: 2, rollout: 40 },
  ])
  return ids
}

const seedHostile = async ({ api }: StepwellClient, now: number): Promise<void> => {
  const at = new Date(now - 60_000).toISOString()
  await api.sendSteps([
    {
      id: 'hostile-message',
      threadId: 'hostile',
      type: 'user_message',
      name: HOSTILE.bidi,
      startTime: at,
      output: { content: `${HOSTILE.script}\n\n${HOSTILE.markdown}\n\n${HOSTILE.control}` },
    },
    {
      id: 'hostile-step',
      threadId: 'hostile',
      type: 'tool',
      name: HOSTILE.script,
      startTime: at,
      endTime: new Date(now - 59_000).toISOString(),
      input: { html: HOSTILE.script, text: HOSTILE.control, [HOSTILE.bidi]: HOSTILE.long },
      output: { content: '{"broken": [1, 2' },
      error: HOSTILE.script,
      tags: [HOSTILE.script],
    },
    {
      id: 'hostile-large',
      threadId: 'hostile',
      type: 'tool',
      name: 'large',
      startTime: at,
      output: { content: `${'a line of output\n'.repeat(150_000)}the end` },
      input: { content: 'y'.repeat(2_500_000) },
    },
    {
      id: 'hostile-orphan',
      threadId: 'hostile',
      parentId: 'never-came',
      type: 'tool',
      name: 'orphan',
    },
    { id: 'hostile-circle-a', threadId: 'hostile', parentId: 'hostile-circle-b', name: 'circle a' },
    { id: 'hostile-circle-b', threadId: 'hostile', parentId: 'hostile-circle-a', name: 'circle b' },
  ] as Parameters<typeof api.sendSteps>[0])
  await api.upsertThread({ threadId: 'hostile', name: `${HOSTILE.script} ${HOSTILE.bidi}` })
}

const seedExperiments = async ({ api }: StepwellClient): Promise<void> => {
  const dataset = await api.createDataset({
    name: 'support-cases',
    description: 'Questions that went wrong once',
  })
  const items = []
  for (let index = 0; index < 24; index++)
    items.push(
      await api.createDatasetItem(dataset.id, {
        input: { question: `${QUESTIONS[index % QUESTIONS.length]} (${index})` },
        expectedOutput: { action: index % 2 === 0 ? 'refund' : 'explain' },
        metadata: { split: index % 4 === 0 ? 'test' : 'train' },
      }),
    )
  for (const [trial, quality] of [0.4, 0.75].entries()) {
    const experiment = await api.createExperiment({
      name: `trial ${trial}`,
      datasetId: dataset.id,
      params: { model: trial === 0 ? 'gpt-4o-mini' : 'gpt-4o', trial },
    })
    for (const [index, item] of items.entries()) {
      if (trial === 1 && index === 23) continue
      const value = (index * 13 + trial * 5) % 20 < quality * 20 ? 1 : 0
      await api.createExperimentItem({
        datasetExperimentId: experiment.id,
        datasetItemId: item.id,
        input: { question: item.input },
        output: {
          content:
            value === 1
              ? 'I have refunded the order to your card.'
              : 'I cannot refund the order to your card.',
        },
        scores: [{ name: 'reward', type: 'CODE', value }],
      } as Parameters<typeof api.createExperimentItem>[0])
    }
  }
  await api.addStepToDataset(dataset.id, 'conversation-0-agent')
}

/** Records a thread of `count` steps, in turns of an agent with its calls. */
export const seedLarge = async (
  { api }: StepwellClient,
  threadId: string,
  count: number,
): Promise<void> => {
  const begin = Date.now() - count * 120
  const steps: StepInput[] = []
  for (let index = 0; steps.length < count; index++) {
    const at = (ms: number) => new Date(begin + index * 5000 + ms).toISOString()
    const run = `${threadId}-run-${index}`
    steps.push(
      {
        id: `${threadId}-q-${index}`,
        threadId,
        type: 'user_message',
        name: 'ada',
        startTime: at(0),
        output: { content: `Question ${index}: and what about order ${index * 7}?` },
      },
      { id: run, threadId, type: 'run', name: 'agent', startTime: at(100), endTime: at(4000) },
    )
    for (let call = 0; call < 36; call++)
      steps.push({
        id: `${run}-${call}`,
        threadId,
        parentId: call % 6 === 0 ? run : `${run}-${call - (call % 6)}`,
        type: call % 6 === 0 ? 'llm' : 'tool',
        name: call % 6 === 0 ? 'gpt-4o' : `tool_${call % 6}`,
        startTime: at(100 + call * 100),
        endTime: at(180 + call * 100),
        input: { call },
        output: { content: `result ${index}.${call}` },
        ...(index % 50 === 7 && call === 20 ? { error: 'ToolError: no such order' } : {}),
      })
  }
  steps.length = count
  for (let from = 0; from < steps.length; from += 500)
    await api.sendSteps(steps.slice(from, from + 500) as Parameters<typeof api.sendSteps>[0])
  await api.upsertThread({ threadId, name: `A thread of ${count.toLocaleString('en')} steps` })
}
