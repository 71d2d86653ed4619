import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { Docstrings } from '../support/docstrings.js'
import { declarationsOf, installed } from '../support/editor.js'
import type { ExampleWorld } from '../support/example-world.js'
import {
  BlockingClient,
  compile,
  type Example,
  examplesOf,
  run,
  StepwellClient,
} from '../support/examples.js'
import { useServiceProcess } from '../support/service-process.js'

// Every `@example` that an editor shows of the package as it is installed, on its types, its code and a service.
const folder = installed()
const before = process.cwd()
const examples = examplesOf(new Docstrings(folder), Docstrings.OBJECTS)
/** The same docstring is shown of several objects: one run is enough. */
const programs = [
  ...new Map(examples.toReversed().map((example) => [example.program, example])).values(),
]

const service = useServiceProcess(programs.length + 3)

beforeAll(() => {
  writeFileSync(join(folder, 'invoice.pdf'), 'Paid.')
  mkdirSync(join(folder, 'spool'))
  process.chdir(folder)
})
afterAll(() => {
  process.chdir(before)
  rmSync(folder, { recursive: true, force: true })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

test('there are examples of every operation in both spellings, and of what records', () => {
  expect(programs.length).toBeGreaterThan(180)
})

test('they pass the compiler, with the types that users get', () => {
  expect(compile(folder, programs)).toEqual([])
})

const TEMPLATES = ['You work for {{shop}}.', 'You answer for {{shop}}, in a word.']

/** Puts into a project what examples speak of, with its own key, and names it. */
const prepare = async (
  apiKey: string,
): Promise<Omit<ExampleWorld, 'stepwell' | 'blocking' | 'step' | 'thread'>> => {
  const stepwell = new StepwellClient({ apiKey, apiUrl: service.url })
  const { api } = stepwell
  const now = Date.now()
  const [from, to] = [
    new Date(now - 3_600_000).toISOString(),
    new Date(now + 3_600_000).toISOString(),
  ]
  const user = await api.createUser('ada@example.org')
  const thread = stepwell.thread({ name: 'Order 1815', participantId: user.identifier })
  const run = thread.run({
    name: 'agent',
    input: { question: 'refund?' },
    output: { answer: 'yes' },
    tags: ['prod'],
  })
  const call = run.step({
    type: 'llm',
    generation: {
      type: 'CHAT',
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'refund?' }],
      messageCompletion: { role: 'assistant', content: 'yes' },
    },
  })
  await thread.upsert()
  await call.send()
  await run.send()
  const [stepId, generationId, threadId] = [run.id, call.id, thread.id]
  const [attachment, score, dataset] = await Promise.all([
    api.createAttachment({ content: 'Paid.', name: 'invoice.txt', stepId }),
    api.createScore({ stepId, name: 'quality', type: 'HUMAN', value: 1 }),
    api.createDataset({ name: 'refunds' }),
    api.setScoreDefinition({ name: 'quality', min: 0, max: 1 }),
  ])
  const [item, experiment, key, { alert }] = await Promise.all([
    api.createDatasetItem(dataset.id, { input: { question: 'refund?' } }),
    api.createExperiment({ name: 'first', datasetId: dataset.id }),
    api.createApiKey({ name: 'to be revoked', scopes: ['read'] }),
    api.createAlert({
      name: 'Late',
      subject: 'THREADS',
      metric: 'COUNT',
      comparison: 'BELOW',
      threshold: 1,
      windowMinutes: 60,
      webhookUrl: 'https://alerts.example.org/late',
    }),
  ])
  const prompts = []
  for (const content of TEMPLATES)
    prompts.push(await api.getOrCreatePrompt('support', [{ role: 'system', content }]))
  const prompt = await api.getPrompt('support', 0)
  const snake_prompt = await api.get_prompt({ name: 'support', version: 0 })
  const { sessionId } = await stepwell.close()
  if (prompt === null || snake_prompt === null) throw new Error('no prompt')
  return {
    threadId,
    stepId,
    generationId,
    attachmentId: attachment.id,
    scoreId: score.id,
    datasetId: dataset.id,
    datasetItemId: item.id,
    experimentId: experiment.id,
    userId: user.id,
    promptId: prompt.id,
    sessionId,
    apiKeyId: key.apiKey.id,
    alertId: alert.id,
    from,
    to,
    prompt,
    snake_prompt,
    question: 'Where is my order?',
    agent: async (question) => `You asked: ${question}`,
    search: async (query) => [query],
    model: async (messages) => `${messages.length} messages`,
    stream: async function* () {
      yield 'On '
      yield 'its way.'
    },
    request: { headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } },
    ChatPromptTemplate: { fromMessages: (messages) => ({ messages }) },
  }
}

/** A key that may do no more than the docstring says is needed. */
const keyFor = async ({ scopes }: Example, apiKey: string): Promise<string> => {
  if (scopes.length === 0) return apiKey
  const admin = new StepwellClient({ apiKey, apiUrl: service.url })
  const { key } = await admin.api.createApiKey({
    name: 'example',
    scopes: scopes.map(([first]) => first as 'read'),
  })
  return key
}

/** A world may be shared by examples that read, record or add: others change or delete what these speak of. */
let shared: { apiKey: string; known: ReturnType<typeof prepare> } | undefined
// A dataset and a user are created by two examples, of one name.
const KEEPING = /^(get|add|send|upload|upsert|preview|create(?!_?(dataset|user)$))/i
const isKeeping = ({ name }: Example) => {
  const [object, method = ''] = name.split('.')
  return object !== 'api' || KEEPING.test(method)
}

const runIn = async (example: Example, project: string): Promise<void> => {
  shared ??= { apiKey: project, known: prepare(project) }
  const { apiKey, known } = isKeeping(example)
    ? shared
    : { apiKey: project, known: shared.apiKey === project ? shared.known : prepare(project) }
  const facts = await known
  const key = await keyFor(example, apiKey)
  vi.stubEnv('STEPWELL_API_KEY', key)
  vi.stubEnv('STEPWELL_API_URL', service.url)
  for (const method of ['log', 'warn'] as const) vi.spyOn(console, method).mockReturnValue()
  const stepwell = new StepwellClient({ flushAtExit: false })
  const blocking = new BlockingClient({ flushAtExit: false })
  try {
    await run(example, {
      ...facts,
      stepwell,
      blocking,
      step: stepwell.step({ name: 'step' }),
      thread: stepwell.thread(),
    })
    expect((await stepwell.flush()).droppedByReason).toEqual({})
  } finally {
    await stepwell.close()
  }
}

test.each(programs.map((example, index) => [example.name, index] as const))(
  'the example of %s runs, with a key of the scope that it names',
  async (_, index) => {
    await runIn(programs[index] as Example, service.apiKeys[index] as string)
  },
)

test('an example that is wrong is found, by the compiler or as it runs', async () => {
  const replaced = new Map(
    [...declarationsOf(folder)]
      .filter(([file]) => file.endsWith('/api/steps.d.ts'))
      .map(([file, text]) => [
        file,
        text
          .replace('stepwell.api.getStep(stepId)', 'stepwell.api.getStep(42)')
          .replace('stepwell.api.deleteStep(stepId)', "stepwell.api.deleteStep('')"),
      ]),
  )
  const wrong = examplesOf(new Docstrings(folder, replaced), ['api']).filter(({ name }) =>
    /\.(get|delete)Step$/.test(name),
  )
  expect(wrong.map(({ name }) => name)).toEqual(['api.getStep', 'api.deleteStep'])
  expect(compile(folder, wrong)).toEqual([
    expect.stringMatching(/^api\.getStep: Argument of type 'number'/),
  ])
  const apiKey = service.apiKeys[programs.length] as string
  await expect(runIn(wrong[1] as Example, apiKey)).rejects.toThrow('id: expected')
})
