import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Ask, asker } from './support/ask.js'

// Requests that only clients of the old platform send. compat/ runs those clients themselves.
let service: Service
let ask: Ask
beforeAll(async () => {
  service = await createService({ apiKey: 'k' })
  ask = asker(service, 'k')
})
afterAll(() => service?.close())

describe('the environment of a thread', () => {
  const upsert = (variables: object, headers = {}) =>
    ask(
      `mutation UpsertThread($id: String!, $name: String, $environment: String) {
        upsertThread(id: $id, name: $name, environment: $environment) { name environment }
      }`,
      variables,
      headers,
    ).then(({ upsertThread }) => upsertThread)

  test('is the one of upsertThread, rather than that of the request', async () => {
    expect(await upsert({ id: 'a', environment: 'staging' }, { 'x-env': 'dev' })).toEqual({
      name: null,
      environment: 'staging',
    })
    expect(await upsert({ id: 'b' }, { 'x-env': 'dev' })).toMatchObject({ environment: 'dev' })
  })

  test('stays when the argument is null, empty or absent, and changes when it is named', async () => {
    await upsert({ id: 'c', environment: 'staging' })
    for (const variables of [{ environment: null }, { environment: '' }, {}])
      expect(await upsert({ id: 'c', name: 'n', ...variables })).toEqual({
        name: 'n',
        environment: 'staging',
      })
    expect(await upsert({ id: 'c', environment: 'dev' })).toMatchObject({ environment: 'dev' })
  })

  test('is also accepted by createThread and updateThread, and filters find it', async () => {
    const { createThread } = await ask(
      'mutation($environment: String) { createThread(environment: $environment) { id environment } }',
      { environment: 'experiment' },
    )
    expect(createThread.environment).toBe('experiment')
    const { updateThread } = await ask(
      'mutation($id: String!, $environment: String) { updateThread(id: $id, environment: $environment) { environment } }',
      { id: createThread.id, environment: 'staging' },
    )
    expect(updateThread.environment).toBe('staging')
    const { threads } = await ask(
      'query($filters: [ThreadsInputType!]) { threads(filters: $filters) { edges { node { id } } } }',
      { filters: [{ field: 'environment', operator: 'eq', value: 'staging' }] },
    )
    const ids = threads.edges.map(({ node }: { node: { id: string } }) => node.id)
    expect(ids).toContain(createThread.id)
  })

  test('is rejected when it is unknown, and nothing is stored then', async () => {
    await expect(upsert({ id: 'd', environment: 'production' })).rejects.toThrow(
      /environment: expected one of dev, staging, prod, experiment/,
    )
    expect(await ask('{ threadDetail(id: "d") { id } }')).toEqual({ threadDetail: null })
  })
})

test('a step returns the identifier of the user in its thread', async () => {
  await ask(`mutation {
    a: ingestStep(id: "with", threadId: "talk") { ok }
    b: ingestStep(id: "without", threadId: "monologue") { ok }
    c: ingestStep(id: "alone") { ok }
    d: upsertThread(id: "talk", participantId: "ada") { id }
  }`)
  const { steps } = await ask(
    '{ steps(orderBy: { column: "createdAt", direction: ASC }) { edges { node { id participantIdentifier } } } }',
  )
  expect(steps.edges.map(({ node }: { node: object }) => node)).toEqual([
    { id: 'with', participantIdentifier: 'ada' },
    { id: 'without', participantIdentifier: null },
    { id: 'alone', participantIdentifier: null },
  ])
})

test('tags that are no texts are left out of a step, which keeps the others', async () => {
  const ingest = (id: string, tags: unknown) =>
    ask(
      'mutation($id_0: String!, $tags_0: [String!]) { step0: ingestStep(id: $id_0, tags: $tags_0) { ok } }',
      { id_0: id, tags_0: tags },
    )
  for (const [id, tags] of Object.entries({
    some: ['a', null, 5, 'b'],
    none: [null],
    text: 'a, b',
  }))
    expect(await ingest(id, tags)).toEqual({ step0: { ok: true } })
  expect(await ask('{ a: step(id: "some") { tags } b: step(id: "none") { tags } }')).toEqual({
    a: { tags: ['a', 'b'] },
    b: { tags: [] },
  })
  expect(await ask('{ step(id: "text") { id } }')).toEqual({ step: { id: 'text' } })
})

describe('a user that several callers get or create at once', () => {
  const find = async (identifier: string) =>
    (await ask('query($i: String) { participant(identifier: $i) { id } }', { i: identifier }))
      .participant
  const create = async (identifier: string, metadata = {}) =>
    (
      await ask(
        'mutation($i: String!, $m: Json) { createParticipant(identifier: $i, metadata: $m) { id metadata } }',
        { i: identifier, m: metadata },
      )
    ).createParticipant

  test('is the same one for all that were told that there is none', async () => {
    const callers = [1, 2, 3, 4, 5]
    expect(await Promise.all(callers.map(() => find('both')))).toEqual(callers.map(() => null))
    const created = await Promise.all(callers.map((caller) => create('both', { caller })))
    expect(new Set(created.map(({ id }) => id)).size).toBe(1)
    expect(await find('both')).toEqual({ id: created[0].id })
    await expect(create('both')).rejects.toThrow(/CONFLICT/)
  })

  test('is taken for those who did not look, or who saw it', async () => {
    await create('seen')
    await expect(create('seen')).rejects.toThrow(/CONFLICT/)
    await find('seen')
    await expect(create('seen')).rejects.toThrow(/CONFLICT/)
  })

  test('may be created again after it was deleted in between', async () => {
    await find('gone')
    const { id } = await create('gone')
    await find('gone')
    await ask('mutation($id: String!) { deleteParticipant(id: $id) { id } }', { id })
    expect((await create('gone')).id).not.toBe(id)
  })
})

describe('promotePromptVersion', () => {
  const promote = (lineageId: string, version: number) =>
    ask(
      `mutation promotePromptVersion($lineageId: String!, $version: Int!) {
        promotePromptVersion(lineageId: $lineageId, version: $version) { id championId }
      }`,
      { lineageId, version },
    ).then(({ promotePromptVersion }) => promotePromptVersion)
  const versionOf = async (lineageId: string, content: string): Promise<string> => {
    const { createPromptVersion } = await ask(
      `mutation($lineageId: String!, $templateMessages: Json) {
        createPromptVersion(lineageId: $lineageId, templateMessages: $templateMessages) { id }
      }`,
      { lineageId, templateMessages: [{ role: 'user', content }] },
    )
    return createPromptVersion.id
  }

  test('sends all calls to one version, which is the champion from then on', async () => {
    const { createPromptLineage: lineage } = await ask(
      'mutation { createPromptLineage(name: "p") { id championId } }',
    )
    expect(lineage.championId).toBeNull()
    const first = await versionOf(lineage.id, 'one')
    const second = await versionOf(lineage.id, 'two')
    expect(await ask('{ promptLineage(name: "p") { championId } }')).toEqual({
      promptLineage: { championId: first },
    })
    expect(await promote(lineage.id, 1)).toEqual({ id: lineage.id, championId: second })
    for (let draw = 0; draw < 20; draw++)
      expect(await ask('{ promptVersion(name: "p") { id } }')).toEqual({
        promptVersion: { id: second },
      })
    expect(
      await ask(
        '{ promptLineageRollout(lineageName: "p") { edges { node { version rollout } } } }',
      ),
    ).toEqual({ promptLineageRollout: { edges: [{ node: { version: 1, rollout: 100 } }] } })
  })

  test('names an unknown argument, and changes nothing', async () => {
    await expect(promote('nobody', 0)).rejects.toThrow(/prompt lineage/)
    const { promptLineage } = await ask('{ promptLineage(name: "p") { id championId } }')
    await expect(promote(promptLineage.id, 7)).rejects.toThrow(/version: .*no version 7/)
    expect(await ask('{ promptLineage(name: "p") { id championId } }')).toEqual({ promptLineage })
  })
})
