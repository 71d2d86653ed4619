import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'

let service: Service
let theirs: { projectId: string; apiKey: string }
beforeAll(async () => {
  service = await createService()
  theirs = await service.createProject('theirs')
})
afterAll(() => service?.close())

const ask = async (query: string, variables: object = {}, apiKey = service.apiKey ?? '') => {
  const response = await service.fetch('http://stepwell.test/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = await response.json()
  expect(errors).toBeUndefined()
  return data
}

const record = async (apiKey?: string) => {
  const { createDataset } = await ask('mutation { createDataset(name: "d") { id } }', {}, apiKey)
  const { createDatasetItem } = await ask(
    'mutation ($id: String!) { createDatasetItem(datasetId: $id, input: "q") { id } }',
    { id: createDataset.id },
    apiKey,
  )
  const { createDatasetExperiment } = await ask(
    'mutation ($id: String!) { createDatasetExperiment(name: "trial", datasetId: $id) { id } }',
    { id: createDataset.id },
    apiKey,
  )
  const { createDatasetExperimentItem } = await ask(
    `mutation ($experiment: String!, $item: String!) {
      createDatasetExperimentItem(datasetExperimentId: $experiment, datasetItemId: $item, experimentRunId: "run", output: "a") { id }
    }`,
    { experiment: createDatasetExperiment.id, item: createDatasetItem.id },
    apiKey,
  )
  const { createScore } = await ask(
    'mutation ($id: String!) { createScore(name: "reward", type: CODE, value: 1, datasetExperimentItemId: $id) { id } }',
    { id: createDatasetExperimentItem.id },
    apiKey,
  )
  return {
    score: createScore.id,
    item: createDatasetExperimentItem.id,
    datasetItem: createDatasetItem.id,
    dataset: createDataset.id,
    experiment: createDatasetExperiment.id,
  }
}

const PLACES = `{ scores(first: 10) { edges { node { id experimentItem {
  id datasetItemId experimentRunId experiment { id name datasetId }
} } } } }`
const placesFor = async (apiKey?: string) =>
  (await ask(PLACES, {}, apiKey)).scores.edges.map(
    ({ node }: { node: { id: string; experimentItem: unknown } }) => node,
  )

test('a score of an experiment item tells its run, its dataset item and its experiment, each in its own project', async () => {
  const mine = await record()
  const other = await record(theirs.apiKey)
  for (const [own, apiKey] of [
    [mine, undefined],
    [other, theirs.apiKey],
  ] as const)
    expect(await placesFor(apiKey)).toEqual([
      {
        id: own.score,
        experimentItem: {
          id: own.item,
          datasetItemId: own.datasetItem,
          experimentRunId: 'run',
          experiment: { id: own.experiment, name: 'trial', datasetId: own.dataset },
        },
      },
    ])
})

test('a score of a step has no experiment item', async () => {
  await ask('mutation { ingestStep(id: "s", threadId: "t", type: run) { ok } }')
  const { createScore } = await ask(
    'mutation { createScore(name: "x", type: CODE, value: 1, stepId: "s") { id experimentItem { id } } }',
  )
  expect(createScore.experimentItem).toBeNull()
})
