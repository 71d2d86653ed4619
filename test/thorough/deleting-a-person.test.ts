import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, listen } from '@stepwell/server'
import { sql } from 'kysely'
import ts from 'typescript'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../server/src/database/database.js'
import { StepwellClient } from '../../src/index.js'

// The program of the guide, unchanged, on a service that has data of a person in every place that has a reference to one.
const root = join(import.meta.dirname, '../..')
const PERSON = 'ada-lovelace-7f3e@example.org'
const OTHER = 'bob-4c1d@example.org'

let folder: string
let programs: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-test-'))
  // Inside of the repository, so that `stepwell` is found.
  programs = join(root, 'test/.deleting')
  mkdirSync(programs, { recursive: true })
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
  await rm(programs, { recursive: true, force: true })
})

const writeProgram = (): string => {
  const page = readFileSync(join(root, 'docs/guides/deleting-a-person.md'), 'utf8')
  const [, program = ''] = /^```ts\n(import [\s\S]*?)^```/m.exec(page) ?? []
  const { outputText } = ts.transpileModule(program, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  })
  const file = join(programs, 'delete-person.mjs')
  writeFileSync(file, outputText)
  return file
}

/** Stores a person's name in each place that can have it. */
const recordPerson = async (stepwell: StepwellClient, person: string): Promise<void> => {
  const { api } = stepwell
  await api.createUser(person, { name: person })
  const thread = { id: `chat-${person}`, name: `Chat of ${person}`, participantId: person }
  const agentId = `agent-${person}`
  await stepwell.thread({ ...thread, tags: [person], metadata: { person } }).wrap(() =>
    stepwell.trace({ id: agentId, name: 'agent', metadata: { person } }, async (step) => {
      step.input = { question: `I am ${person}` }
      step.scores = [{ name: 'polite', type: 'CODE', value: 1, comment: person }]
      await stepwell.trace({ id: `model-${person}`, name: 'model', type: 'llm' }, (model) => {
        const messages = [{ role: 'user' as const, content: `I am ${person}` }]
        const messageCompletion = { role: 'assistant' as const, content: `Hello ${person}` }
        model.generation = { model: 'gpt-4o', messages, messageCompletion }
      })
      return { content: `Hello ${person}` }
    }),
  )
  await stepwell.flush()
  await api.createAttachment({
    name: `${person}.txt`,
    mime: 'text/plain',
    content: Buffer.from(`letter of ${person}`),
    stepId: agentId,
    threadId: thread.id,
  })
  await api.createScore({
    stepId: agentId,
    name: 'helpful',
    type: 'HUMAN',
    value: 1,
    scorer: person,
  })
  const dataset = await api.createDataset({ name: `examples ${crypto.randomUUID()}` })
  const item = await api.addStepToDataset(dataset.id, agentId)
  const generations = await api.createDataset({ name: crypto.randomUUID(), type: 'generation' })
  await api.addGenerationToDataset(generations.id, `model-${person}`)
  const experiment = await api.createExperiment({ name: 'try', datasetId: dataset.id })
  await stepwell.experimentItemRun().wrap(async () => {
    await stepwell.trace('tool', () => `Hello again, ${person}`)
    await api.createExperimentItem({
      datasetExperimentId: experiment.id,
      datasetItemId: item.id,
      input: item.input as Record<string, unknown>,
      output: { content: `Hello again, ${person}` },
      scores: [{ name: 'same', type: 'CODE', value: 1, comment: person }],
    })
  })
  await stepwell.flush()
}

/**
 * Returns the places in the database and among the files that have a text. The index of contents keeps ids of deleted
 * steps, which are names of persons only here; the guide lists it.
 */
const placesOf = async (text: string): Promise<string[]> => {
  const found: string[] = []
  const db = await openDatabase({ folder: join(folder, 'database') })
  const { rows: tables } = await sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`.execute(db)
  for (const { name } of tables) {
    if (name.startsWith('content_')) continue
    const { rows } = await sql<{ row: string }>`
      SELECT t::text AS row FROM ${sql.table(name)} t WHERE t::text LIKE ${`%${text}%`}`.execute(db)
    if (rows.length > 0) found.push(`${rows.length} of ${name}`)
  }
  await db.destroy()
  const files = await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true })
  for (const entry of files)
    if (
      entry.isFile() &&
      (await readFile(join(entry.parentPath, entry.name), 'utf8')).includes(text)
    )
      found.push('a file')
  return found
}

const inService = async (work: (url: string, collect: () => Promise<number>) => Promise<void>) => {
  const service = await createService({ dataFolder: folder, apiKey: 'key' })
  const { url, stop } = await listen(service, '127.0.0.1', 0)
  try {
    await work(url, () => service.collectFiles())
  } finally {
    await stop()
    await service.close()
  }
}

/** Returns the numbers that the program prints, without zeros. */
const runProgram = async (url: string, ...options: string[]): Promise<Record<string, string>> => {
  const child = spawn(process.execPath, [writeProgram(), PERSON, ...options], {
    env: { ...process.env, STEPWELL_API_KEY: 'key', STEPWELL_API_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.on('data', (text) => {
    stdout += text
  })
  const [status] = await once(child, 'close')
  expect(status).toBe(0)
  const lines = stdout.trim().split('\n')
  const counts = lines.map((line) => line.split(': ') as [string, string])
  return Object.fromEntries(counts.filter(([, count]) => count !== '0'))
}

test('after the program of the guide, nothing of the person is left, and everything of others', async () => {
  await inService(async (url) => {
    const stepwell = new StepwellClient({ apiKey: 'key', apiUrl: url })
    await recordPerson(stepwell, PERSON)
    await recordPerson(stepwell, OTHER)
    // A score by the person of a step that is nobody's.
    stepwell.trace({ id: 'alone', name: 'alone' }, () => 1)
    await stepwell.flush()
    await stepwell.api.createScore({
      stepId: 'alone',
      name: 'helpful',
      type: 'HUMAN',
      value: 0,
      scorer: PERSON,
    })
  })
  const before = await placesOf(PERSON)
  const names = before.map((place) => place.replace(/^\d+ of /, ''))
  expect(names.sort()).toEqual([
    'a file',
    'attachments',
    'dataset_items',
    'experiment_items',
    'participants',
    'scores',
    'steps',
    'threads',
  ])
  const ofOther = await placesOf(OTHER)
  await inService(async (url, collect) => {
    expect(await runProgram(url, '--dry-run')).toEqual(WHOLE)
    expect(await runProgram(url)).toEqual(WHOLE)
    await collect()
    expect(await runProgram(url)).toEqual({ isComplete: 'true' })
  })
  expect(await placesOf(PERSON)).toEqual([])
  expect(await placesOf(OTHER)).toEqual(ofOther)
})

/** Of the thread and of the run of the experiment two steps each; a score of each, two of the thread's, and one of nobody's step. */
const WHOLE = {
  isComplete: 'true',
  users: '1',
  threads: '1',
  steps: '4',
  generations: '1',
  scores: '4',
  attachments: '1',
  datasetItems: '2',
  experimentItems: '1',
}

test('the program finds what is left of a person whose thread, copies and datasets were deleted or given away before', async () => {
  await inService(async (url, collect) => {
    const stepwell = new StepwellClient({ apiKey: 'key', apiUrl: url })
    const { api } = stepwell
    await recordPerson(stepwell, PERSON)
    await recordPerson(stepwell, OTHER)
    const { data: threads } = await api.getThreads({
      filters: [{ field: 'participantIdentifiers', operator: 'in', value: [PERSON] }],
    })
    // A copy of a run on a copy.
    const [experiment] = (await api.getExperiments()).data.slice(-1)
    const [result] = (await api.getExperimentItems({ experimentId: String(experiment?.id) })).data
    const dataset = await api.createDataset({ name: 'copies of copies' })
    await api.addStepToDataset(dataset.id, String(result?.experimentRunId))
    // A thread that is handed over, with another copy.
    await api.upsertThread({ threadId: 'given', participantId: PERSON })
    await api.sendSteps([{ id: 'given step', threadId: 'given', output: { content: PERSON } }])
    await api.addStepToDataset(dataset.id, 'given step')
    await api.upsertThread({ threadId: 'given', participantId: OTHER })
    await api.deleteThread(String(threads[0]?.id))
    for (const { id, name } of await api.getDatasets())
      if (name !== 'copies of copies') await api.deleteDataset(id)
    expect(await runProgram(url)).toMatchObject({
      users: '1',
      threadsKept: '1',
      steps: '3',
      datasetItems: '2',
      experimentItems: '1',
    })
    await collect()
  })
  expect(await placesOf(PERSON)).toEqual([])
  const ofOther = await placesOf(OTHER)
  expect(ofOther).toContain('1 of threads')
  expect(ofOther).toContain('3 of steps')
})
