import { createService, type Service } from '@stepwell/server'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { openDatabase } from '../src/database/database.js'
import { createDomain } from '../src/domain/domain.js'
import { createClock } from '../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { type Ask, asker, post } from './support/ask.js'
import { newDatabase } from './support/new-database.js'

// Changes that must happen together or not at all, and data that must stay when other data goes.
let service: Service
let ask: Ask
let stepwell: StepwellClient
beforeAll(async () => {
  service = await createService({ apiKey: 'k' })
  ask = asker(service, 'k')
  stepwell = new StepwellClient({ apiKey: 'k', fetch: service.fetch })
})
afterAll(() => service?.close())

const errorsOf = async (query: string, variables: object = {}) =>
  (await post(service, '/api/graphql', { query, variables }, { 'x-api-key': 'k' })).body.errors

describe('attachments of a step that moved to another thread', () => {
  const attachment = (id: string) => ask(`{ attachment(id: "${id}") { id threadId stepId } }`)

  test('are in the thread of the step, and stay when the old thread is deleted', async () => {
    await stepwell.api.sendSteps([
      { id: 'moves', threadId: 'old', attachments: [{ id: 'a', name: 'a', objectKey: 'files/a' }] },
      { id: 'stays', threadId: 'old', attachments: [{ id: 'b', name: 'b' }] },
    ])
    await stepwell.api.sendSteps([{ id: 'moves', threadId: 'new' }])
    expect((await attachment('a')).attachment.threadId).toBe('new')
    expect((await stepwell.api.getStep('moves'))?.attachments[0]?.threadId).toBe('new')
    await stepwell.api.deleteThread('old')
    expect((await attachment('a')).attachment).toEqual({
      id: 'a',
      threadId: 'new',
      stepId: 'moves',
    })
    expect((await attachment('b')).attachment).toBeNull()
    await stepwell.api.deleteThread('new')
    expect((await attachment('a')).attachment).toBeNull()
  })

  test('stay with a step that was taken out of its thread', async () => {
    await stepwell.api.sendSteps([
      { id: 'free', threadId: 'left', attachments: [{ id: 'c', name: 'c' }] },
    ])
    await ask('mutation { ingestStep(id: "free", threadId: null) { ok } }')
    expect((await attachment('c')).attachment.threadId).toBeNull()
    await stepwell.api.deleteThread('left')
    expect((await attachment('c')).attachment).toEqual({ id: 'c', threadId: null, stepId: 'free' })
  })

  test('are deleted with the thread in which their step stayed', async () => {
    await stepwell.api.sendSteps([
      { id: 'gone', threadId: 'both', attachments: [{ id: 'd', name: 'd' }] },
    ])
    await stepwell.api.deleteThread('both')
    expect((await attachment('d')).attachment).toBeNull()
  })
})

describe('a result of an experiment', () => {
  const items = async (id: string) =>
    (await stepwell.api.getExperimentItems({ experimentId: id })).data

  test('is stored with all its scores', async () => {
    const { id } = await stepwell.api.createExperiment({ name: 'whole' })
    const item = await stepwell.api.createExperimentItem({
      datasetExperimentId: id,
      output: { a: 1 },
      scores: [
        { name: 'one', type: 'CODE', value: 1 },
        { name: 'two', type: 'AI', value: 0.5 },
      ],
    })
    expect(
      item.scores.map(({ name, datasetExperimentItemId }) => [name, datasetExperimentItemId]),
    ).toEqual([
      ['one', item.id],
      ['two', item.id],
    ])
    expect(await items(id)).toEqual([item])
  })

  test('is not stored when one of its scores is invalid', async () => {
    const { id } = await stepwell.api.createExperiment({ name: 'broken' })
    await expect(
      stepwell.api.createExperimentItem({
        datasetExperimentId: id,
        scores: [
          { name: 'one', type: 'CODE', value: 1 },
          { name: 'x'.repeat(1_100_000), type: 'CODE', value: 1 },
        ],
      }),
    ).rejects.toMatchObject({ code: 'TOO_LARGE' })
    expect(await items(id)).toEqual([])
    expect(
      (await stepwell.api.getScores({ filters: [{ field: 'name', operator: 'eq', value: 'one' }] }))
        .data,
    ).toHaveLength(1)
  })

  test('accepts no score that names another item', async () => {
    const { id } = await stepwell.api.createExperiment({ name: 'other' })
    const [error] = await errorsOf(
      `mutation($id: String!) { createDatasetExperimentItem(datasetExperimentId: $id,
        scores: [{ name: "n", type: AI, value: 1, datasetExperimentItemId: "other" }]) { id } }`,
      { id },
    )
    expect(error.message).toContain('scores[0].datasetExperimentItemId')
    expect(await items(id)).toEqual([])
  })
})

describe('a score', () => {
  test('is marked when its step has not arrived yet', async () => {
    const early = await stepwell.api.createScore({
      name: 'n',
      type: 'AI',
      value: 1,
      stepId: 'late',
    })
    expect(early).toMatchObject({ stepId: 'late', isStepMissing: true })
    // A reference to the step does not make it arrive.
    await stepwell.api.createAttachment({ content: 'x', name: 'x', stepId: 'late-too' })
    await ask('mutation { createAttachment(stepId: "named", name: "x") { id } }')
    const [named] = await stepwell.api.create_scores([
      { name: 'n', type: 'AI', value: 1, step_id: 'named' },
    ])
    expect(named).toMatchObject({ step_id: 'named', is_step_missing: true })
    await stepwell.api.sendSteps([{ id: 'late' }])
    expect(
      await stepwell.api.createScore({ name: 'n', type: 'AI', value: 1, stepId: 'late' }),
    ).toMatchObject({ isStepMissing: false })
    expect(
      (
        await ask(`{ scores(filters: [{ field: "stepId", operator: "eq", value: "late" }]) {
        edges { node { isStepMissing } } } }`)
      ).scores.edges,
    ).toEqual([{ node: { isStepMissing: false } }, { node: { isStepMissing: false } }])
  })

  test('of an experiment’s item is not marked as missing a step', async () => {
    const { id } = await stepwell.api.createExperiment({ name: 'scored' })
    const item = await stepwell.api.createExperimentItem({ datasetExperimentId: id })
    expect(
      await stepwell.api.createScore({
        name: 'n',
        type: 'AI',
        value: 1,
        datasetExperimentItemId: item.id,
      }),
    ).toMatchObject({ isStepMissing: false })
  })
})

test('a key with an expiry in the past is rejected', async () => {
  const create = (expiresAt: string) =>
    errorsOf(
      'mutation($at: DateTime) { createApiKey(name: "n", scopes: [read], expiresAt: $at) { key } }',
      { at: expiresAt },
    )
  for (const at of ['2020-01-01T00:00:00Z', new Date(Date.now() - 1000).toISOString()]) {
    const [error] = await create(at)
    expect(error.extensions.code).toBe('INVALID_ARGUMENT')
    expect(error.message).toContain('expiresAt: expected a future time')
  }
  expect(await create(new Date(Date.now() + 60_000).toISOString())).toBeUndefined()
})

describe('a prompt whose name is taken', () => {
  test('is null, by the contract', async () => {
    for (const name of ['', 'x'.repeat(1_100_000)]) {
      expect(await stepwell.api.createPromptLineage(name)).toBeNull()
      expect(await stepwell.api.get_or_create_prompt_lineage({ name })).toBeNull()
      await expect(
        stepwell.api.getOrCreatePrompt(name, [{ role: 'user', content: 'x' }]),
      ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })

  test('is an error all the same for any other reason', async () => {
    const stranger = new StepwellClient({ apiKey: 'unknown', fetch: service.fetch })
    await expect(stranger.api.createPromptLineage('x')).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    })
  })
})

describe('when the second statement of a change fails', () => {
  const open = async () => {
    const { location, drop } = await newDatabase()
    const db = await openDatabase(location)
    const domain = createDomain(db, createClock(), DEFAULT_LIMITS, {
      writers: 1,
      commitMs: 60_000,
      report: () => undefined,
      wrote: () => undefined,
      places: { database: 'embedded', databasePlace: null, files: 'folder', filesPlace: null },
    })
    /** Refuses every row that is written to a table from now on unless it passes. */
    const refuse = (table: string, unless: string) =>
      sql`ALTER TABLE ${sql.table(table)} ADD CONSTRAINT refused CHECK (${sql.raw(unless)}) NOT VALID`.execute(
        db,
      )
    return { db, domain, refuse, end: () => db.destroy().then(drop) }
  }

  test('a step is neither changed nor deleted while its thread still shows the old sums', async () => {
    const { domain, refuse, end } = await open()
    try {
      const { projectId } = await domain.projects.create('p')
      const caller = {
        projectId,
        keyId: 'k',
        keyName: 'key',
        scopes: ['admin'],
        environment: 'prod',
      } as const
      await domain.steps.ingest(caller, [{ id: 's', threadId: 't', name: 'before' }])
      await domain.threads.sumUp(caller, ['t'])
      await refuse('threads', 'NOT stale')
      await expect(domain.steps.update(caller, { id: 's', name: 'after' })).rejects.toThrow(
        'refused',
      )
      await expect(domain.steps.delete(caller, 's')).rejects.toThrow('refused')
      expect(await domain.steps.find(caller, 's')).toMatchObject({ name: 'before' })
    } finally {
      await end()
    }
  })

  test('no project exists without a key', async () => {
    const { domain, refuse, end } = await open()
    try {
      await refuse('api_keys', 'false')
      await expect(domain.projects.create('keyless')).rejects.toThrow('refused')
      expect(await domain.projects.list()).toEqual([])
    } finally {
      await end()
    }
  })
})
