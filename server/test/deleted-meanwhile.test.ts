import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ask, asker } from './support/ask.js'
import { newDatabase } from './support/new-database.js'

let service: Service
let ask: Ask
let drop: () => Promise<void>
beforeAll(async () => {
  const { location, drop: end } = await newDatabase()
  drop = end
  service = await createService({ databaseUrl: 'url' in location ? location.url : undefined })
  ask = asker(service, (await service.createProject('deleting')).apiKey)
})
afterAll(async () => {
  await service?.close()
  await drop?.()
})

const ROUNDS = 12
const ingest = async (steps: object[]) =>
  expect(
    (await ask('mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', { steps }))
      .ingestSteps.ok,
  ).toBe(true)

/** Returns what some mutations gave, without those that were rejected because what they name is gone. */
const outcomes = async (mutations: readonly Promise<unknown>[]): Promise<unknown[]> => {
  const settled = await Promise.allSettled(mutations)
  for (const one of settled)
    if (one.status === 'rejected') expect(String(one.reason)).toMatch(/no (dataset|experiment)/)
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

test('an item that is added while its dataset is deleted goes with it, or is rejected', async () => {
  await ingest([
    { id: 'x', threadId: 't', type: 'run', input: { content: 'a' }, output: { content: 'b' } },
    { id: 'g', threadId: 't', generation: { prompt: 'p', completion: 'c' } },
  ])
  const ids: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const dataset = (
      await ask('mutation ($name: String!) { createDataset(name: $name) { id } }', {
        name: `d${round}`,
      })
    ).createDataset.id
    const add = async (fields: string) =>
      (await ask(`mutation ($d: String!) { made: ${fields} }`, { d: dataset })).made
    const adding = Array.from({ length: 3 }, () => [
      add('createDatasetItem(datasetId: $d, input: {a: 1}) { id }'),
      add('addStepToDataset(datasetId: $d, stepId: "x") { id }'),
      add('addThreadToDataset(datasetId: $d, threadId: "t") { id }'),
      add('addGenerationToDataset(datasetId: $d, generationId: "g") { id }'),
    ]).flat()
    const many = add(
      'addGenerationsToDataset(datasetId: $d, generationIds: ["g", "g"]) { items { id } }',
    )
    const deletion = ask('mutation ($id: String!) { deleteDataset(id: $id) { id } }', {
      id: dataset,
    })
    const [items, lists] = await Promise.all([outcomes(adding), outcomes([many])])
    ids.push(...(items as { id: string }[]).map(({ id }) => id))
    ids.push(
      ...(lists as { items: { id: string }[] }[]).flatMap((one) => one.items.map(({ id }) => id)),
    )
    await deletion
  }
  const left = await Promise.all(
    ids.map(
      async (id) =>
        (await ask('query ($id: String!) { datasetItem(id: $id) { id } }', { id })).datasetItem,
    ),
  )
  expect(left.filter((item) => item !== null)).toEqual([])
})

test('a result, a lease or a score that comes while its experiment is deleted goes with it, or is rejected', async () => {
  const dataset = (await ask('mutation { createDataset(name: "results") { id } }')).createDataset.id
  const item = (
    await ask('mutation ($d: String!) { createDatasetItem(datasetId: $d, input: {}) { id } }', {
      d: dataset,
    })
  ).createDatasetItem.id
  for (let round = 0; round < ROUNDS; round++) {
    const experiment = (
      await ask(
        'mutation ($d: String!) { createDatasetExperiment(name: "e", datasetId: $d) { id } }',
        {
          d: dataset,
        },
      )
    ).createDatasetExperiment.id
    const given = { e: experiment, i: item }
    const lease = `mutation ($e: String!) { leaseDatasetExperimentItems(datasetExperimentId: $e, holder: "h",
      items: [{key: "a", repetition: 1}], seconds: 60) { leases { state } } }`
    await ask(lease, given)
    const first = (
      await ask(
        'mutation ($e: String!, $i: String!) { createDatasetExperimentItem(datasetExperimentId: $e, datasetItemId: $i, output: {}) { id } }',
        given,
      )
    ).createDatasetExperimentItem.id
    const score = 'scores: [{name: "q", type: AI, value: 1}]'
    const working = [
      ...Array.from({ length: 4 }, () =>
        ask(
          `mutation ($e: String!, $i: String!) { createDatasetExperimentItem(datasetExperimentId: $e, datasetItemId: $i, output: {}, ${score}) { id } }`,
          given,
        ),
      ),
      ask(
        `mutation ($e: String!, $i: String!) { createDatasetExperimentItems(datasetExperimentId: $e, holder: "h",
          items: [{key: "a", repetition: 1, datasetItemId: $i, output: {}, ${score}}]) { ids } }`,
        given,
      ),
      ask(lease, given),
      ...Array.from({ length: 4 }, () =>
        ask(
          'mutation ($x: String!) { createScore(name: "q", type: AI, value: 1, datasetExperimentItemId: $x) { id } }',
          { x: first },
        ),
      ),
    ]
    const deletion = ask('mutation ($e: String!) { deleteDatasetExperiment(id: $e) { id } }', given)
    await outcomes(working)
    await deletion
  }
  const left = await ask(
    'query ($i: String!) { datasetItem(id: $i) { results(first: 100) { totalCount } } scores(first: 100, query: "name=q") { totalCount } }',
    { i: item },
  )
  expect([left.datasetItem.results.totalCount, left.scores.totalCount]).toEqual([0, 0])
})

test('scores whose step is deleted before the last of them is stored are answered as they were stored', async () => {
  await ingest(Array.from({ length: 10 }, (_, index) => ({ id: `scored-${index}`, name: 'x' })))
  const scores = Array.from({ length: 3000 }, (_, index) => ({
    name: 'many',
    type: 'CODE',
    value: 1,
    stepId: `scored-${index % 10}`,
  }))
  const storing = ask(
    'mutation ($scores: [ScoreInput!]!) { createScores(scores: $scores) { scores { id stepId } } }',
    { scores },
  )
  const count = async () =>
    (await ask('{ scores(first: 1, query: "step=scored-0") { totalCount } }')).scores.totalCount
  while ((await count()) === 0);
  await ask('mutation { deleteStep(id: "scored-0") { id } }')
  const stored = (await storing).createScores.scores
  expect(stored.map(({ stepId }: { stepId: string }) => stepId)).toEqual(
    scores.map(({ stepId }) => stepId),
  )
})

test('an outline sees that a value moved to a field that had none', async () => {
  const time = '2026-01-01T00:00:00.000Z'
  const revision = async () =>
    (await ask('{ outline(threadId: "moved") { revision } }')).outline.revision
  await ingest([{ id: 'moved', threadId: 'moved', endTime: time }])
  const before = await revision()
  await ingest([{ id: 'moved', threadId: 'moved', startTime: time, endTime: null }])
  expect(await revision()).not.toBe(before)
})

test('many generations are added to a dataset in portions, or none when one is not there', async () => {
  const ids = Array.from({ length: 120 }, (_, index) => `call-${index}`)
  await ingest(ids.map((id) => ({ id, generation: { model: 'm', prompt: id, completion: 'c' } })))
  const dataset = (await ask('mutation { createDataset(name: "calls") { id } }')).createDataset.id
  const add = (generationIds: string[]) =>
    ask(
      `mutation ($d: String!, $ids: [String!]!) { addGenerationsToDataset(datasetId: $d, generationIds: $ids) {
        items { input } } }`,
      { d: dataset, ids: generationIds },
    )
  const count = async () =>
    (
      await ask('query ($id: String!) { dataset(id: $id) { items { totalCount } } }', {
        id: dataset,
      })
    ).dataset.items.totalCount
  await expect(add([...ids, 'none'])).rejects.toThrow('generationIds[120]: no step has the id')
  expect(await count()).toBe(0)
  const { items } = (await add(ids)).addGenerationsToDataset
  expect(items.map(({ input }: { input: { prompt: string } }) => input.prompt)).toEqual(ids)
  expect(await count()).toBe(120)
})

test('an experiment of an identity that is created while the one that has it is deleted is there afterwards', async () => {
  const create = async () =>
    (await ask('mutation { createDatasetExperiment(name: "e", identity: "same") { id } }'))
      .createDatasetExperiment.id
  for (let round = 0; round < ROUNDS; round++) {
    const before = await create()
    const [made] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, create)),
      ask('mutation ($e: String!) { deleteDatasetExperiment(id: $e) { id } }', { e: before }),
    ])
    for (const id of made.filter((id) => id !== before)) {
      const query = 'query ($id: String!) { datasetExperiment(id: $id) { id } }'
      expect((await ask(query, { id })).datasetExperiment).toEqual({ id })
    }
  }
})

test('a thread that is upserted while it is deleted is never said to be missing', async () => {
  const upsert = () => ask('mutation { upsertThread(id: "again", name: "a") { id } }')
  for (let round = 0; round < ROUNDS; round++) {
    await ingest([{ id: `of ${round}`, threadId: 'again', type: 'run' }])
    await Promise.all([
      ...Array.from({ length: 4 }, upsert),
      ask('mutation { deleteThread(id: "again") { id } }'),
      ...Array.from({ length: 4 }, upsert),
    ])
  }
})

test.each(['Step', 'Thread'])(
  'an attachment that comes while its step goes by delete%s goes with it, or belongs to a step to come',
  async (noun) => {
    const attachments: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const at = { Step: `${noun}-s${round}`, Thread: `${noun}-t${round}` }
      await ingest([{ id: at.Step, threadId: at.Thread, type: 'run' }])
      const attach = async () =>
        (
          await ask(
            'mutation ($s: String!) { createAttachment(name: "a", stepId: $s, url: "https://x") { id } }',
            { s: at.Step },
          )
        ).createAttachment.id
      const remove = (kind: 'Step' | 'Thread') =>
        ask(`mutation ($id: String!) { delete${kind}(id: $id) { id } }`, { id: at[kind] })
      const [some] = await Promise.all([
        Promise.all(Array.from({ length: 6 }, attach)),
        remove(noun as 'Step' | 'Thread'),
      ])
      attachments.push(...some)
      await remove('Step')
    }
    const left = await Promise.all(
      attachments.map(
        async (id) =>
          (await ask('query ($id: String!) { attachment(id: $id) { id } }', { id })).attachment,
      ),
    )
    expect(left.filter((one) => one !== null)).toEqual([])
  },
)
