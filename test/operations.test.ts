import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, test } from 'vitest'
import type { StepwellClient } from '../src/index.js'
import { useService } from './support/service.js'

// Every operation of the contract in both spellings against the real service: by its `fetch`, and through a socket.
describe.each(['fetch', 'socket'] as const)('through a %s', (by) => {
  const fixture = useService(by)
  let stepwell: StepwellClient
  let api: StepwellClient['api']
  beforeAll(async () => {
    stepwell = await fixture.newClient()
    api = stepwell.api
  })

  test('the project id is the same in both spellings', async () => {
    expect(await api.getProjectId()).toMatch(/^[0-9a-f-]{36}$/)
    expect(await api.get_my_project_id()).toBe(await api.getProjectId())
  })

  describe('steps', () => {
    test('sendSteps stores steps that getStep and getSteps return', async () => {
      const result = await api.sendSteps([
        {
          id: 'run-1',
          threadId: 'thread-1',
          type: 'run',
          name: 'agent',
          startTime: '2026-01-01T10:00:00.000Z',
          endTime: '2026-01-01T10:00:01.500Z',
          input: { content: 'hi' },
          output: { content: 'hello' },
          metadata: { b: 1, a: { nested: [true, null] } },
          tags: ['prod'],
          scores: [{ name: 'quality', type: 'AI', value: 0.9234 }],
          generation: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] },
          attachments: [{ id: 'att-1', name: 'a.txt', url: 'https://example.org/a.txt' }],
        },
        { id: 'tool-1', threadId: 'thread-1', parentId: 'run-1', type: 'tool', tags: ['prod'] },
      ])
      expect(result.data.ingestSteps).toEqual({
        ok: true,
        message: null,
        accepted: 2,
        refused: [],
        refusedScores: [],
      })
      const step = await api.getStep('run-1')
      expect(step).toMatchObject({
        id: 'run-1',
        threadId: 'thread-1',
        type: 'run',
        startTime: '2026-01-01T10:00:00.000Z',
        input: { content: 'hi' },
        metadata: { b: 1, a: { nested: [true, null] } },
        environment: 'prod',
        scores: [{ name: 'quality', value: 0.9234 }],
        generation: { id: 'run-1', type: 'CHAT', model: 'gpt-4o' },
        attachments: [{ id: 'att-1', url: 'https://example.org/a.txt', threadId: 'thread-1' }],
      })
      expect(Object.keys(step?.metadata as object)).toEqual(['b', 'a'])
      const page = await api.getSteps({
        first: 1,
        filters: [{ field: 'tags', operator: 'in', value: ['prod'] }],
      })
      expect(page.data.map(({ id }) => id)).toEqual(['tool-1'])
      expect(page.totalCount).toBe(2)
      expect(page.pageInfo.hasNextPage).toBe(true)
    })

    test('the steps of a batch are ordered by their place in it, whatever their ids', async () => {
      await api.sendSteps(['z', 'a', 'm'].map((id) => ({ id: `order-${id}`, tags: ['ordered'] })))
      const { data } = await api.getSteps({
        filters: [{ field: 'tags', operator: 'in', value: ['ordered'] }],
        orderBy: { column: 'createdAt', direction: 'ASC' },
      })
      expect(data.map(({ id }) => id)).toEqual(['order-z', 'order-a', 'order-m'])
    })

    test('a step that was read can be sent again and stays the same', async () => {
      await api.sendSteps([
        {
          id: 'again',
          scores: [{ id: 's1', name: 'a', type: 'CODE', value: 1, tags: ['x'] }],
          output: { b: 1 },
        },
      ])
      const before = await api.getStep('again')
      expect(before).not.toBeNull()
      if (before !== null) await api.sendSteps([before])
      const after = await api.getStep('again')
      expect(after).toEqual({
        ...before,
        scores: [{ ...before?.scores[0], updatedAt: after?.scores[0]?.updatedAt }],
      })
    })

    test('a refused step is reported with its place and leaves the others alone', async () => {
      const { data } = await api.sendSteps([
        { id: 'good-1' },
        { id: 'bad', startTime: 'yesterday' },
        { id: 'good-2' },
      ])
      expect(data.ingestSteps).toMatchObject({
        ok: false,
        accepted: 2,
        refused: [{ index: 1, id: 'bad' }],
      })
      expect(data.ingestSteps.refused[0]?.message).toContain('startTime')
      expect(await api.getStep('good-2')).not.toBeNull()
    })

    test('send_steps takes a step, a list, or an object, in snake_case', async () => {
      await api.send_steps({
        id: 's-1',
        thread_id: 'snake',
        root_run_id: 'r',
        metadata: { camelCase: 1, snake_case: 2 },
      })
      await api.send_steps([
        {
          id: 's-2',
          generation: {
            token_count: 5,
            tt_first_token: 1.5,
            message_completion: { role: 'assistant', tool_calls: [] },
          },
        },
      ])
      await api.send_steps({
        steps: [
          {
            id: 's-3',
            scores: [{ name: 'n', type: 'HUMAN', value: 1, dataset_experiment_item_id: '' }],
          },
        ],
      })
      const first = await api.get_step('s-1')
      expect(first).toMatchObject({
        thread_id: 'snake',
        root_run_id: 'r',
        metadata: { camelCase: 1, snake_case: 2 },
      })
      expect((await api.get_step({ id: 's-2' }))?.generation).toMatchObject({
        token_count: 5,
        tt_first_token: 1.5,
        message_completion: { role: 'assistant', tool_calls: [] },
      })
      const page = await api.get_steps({
        first: 1,
        order_by: { column: 'createdAt', direction: 'DESC' },
      })
      expect(page.data[0]?.id).toBe('s-3')
      expect(page.page_info.has_next_page).toBe(true)
      expect(page.total_count).toBeGreaterThan(1)
    })

    test('createStep and updateStep return raw answers, and null changes nothing', async () => {
      const created = await api.createStep({ name: 'made', type: 'tool', input: { a: 1 } })
      const id = created.data.createStep?.id as string
      const updated = await api.updateStep({ id, output: 'a text', name: null })
      expect(updated.data.updateStep).toMatchObject({
        name: 'made',
        type: 'tool',
        input: { a: 1 },
        output: { content: 'a text' },
      })
      const snake = await api.create_step({ thread_id: 'snake-thread', root_run_id: 'root' })
      expect(snake.data.createStep).toMatchObject({
        type: 'undefined',
        threadId: 'snake-thread',
        rootRunId: 'root',
      })
      const changed = await api.update_step({ id, parent_id: 'p', metadata: { x: 1 } })
      expect(changed.data.updateStep).toMatchObject({ parentId: 'p', metadata: { x: 1 } })
      await expect(api.updateStep({ id: 'nobody', name: 'x' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
    })

    test('deleteStep returns the id once, then null', async () => {
      await api.sendSteps([{ id: 'gone-1' }, { id: 'gone-2' }])
      expect(await api.deleteStep('gone-1')).toBe('gone-1')
      expect(await api.deleteStep('gone-1')).toBeNull()
      expect(await api.delete_step({ id: 'gone-2' })).toBe('gone-2')
      expect(await api.getStep('gone-2')).toBeNull()
      expect(await api.get_step('gone-2')).toBeNull()
    })
  })

  describe('generations', () => {
    test('createGeneration returns the generation that is then listed first', async () => {
      const generation = await api.createGeneration({
        provider: 'openai',
        model: 'gpt-4o',
        messages: [{ role: 'user', content: 'x' }],
        messageCompletion: { role: 'assistant', content: 'y' },
        inputTokenCount: 3,
        outputTokenCount: 4,
        tags: ['g'],
      })
      expect(generation).toMatchObject({ type: 'CHAT', tokenCount: 7, model: 'gpt-4o' })
      const page = await api.getGenerations({
        first: 1,
        filters: [{ field: 'tags', operator: 'in', value: ['g'] }],
      })
      expect(page.data).toEqual([generation])
      expect((await api.getStep(generation.id))?.type).toBe('llm')
    })

    test('create_generation returns the raw answer', async () => {
      const raw = await api.create_generation({ prompt: 'p', completion: 'c', token_count: 1 })
      expect(raw.data.createGeneration).toMatchObject({
        type: 'COMPLETION',
        prompt: 'p',
        tokenCount: 1,
      })
      const wrapped = await api.create_generation({
        generation: { messages: [], tt_first_token: 3 },
      })
      expect(wrapped.data.createGeneration).toMatchObject({ ttFirstToken: 3 })
      const page = await api.get_generations({ first: 2 })
      expect(page.data.map(({ tt_first_token }) => tt_first_token)).toEqual([3, null])
    })
  })

  describe('threads', () => {
    test('upsertThread creates, then keeps absent fields', async () => {
      const created = await api.upsertThread({
        threadId: 't',
        name: 'one',
        metadata: { a: 1 },
        participantId: 'ada',
        tags: ['x'],
      })
      expect(created).toMatchObject({ id: 't', name: 'one', participant: { identifier: 'ada' } })
      const changed = await api.upsertThread({ threadId: 't', metadata: { b: 2 }, tags: ['y'] })
      expect(changed).toMatchObject({
        name: 'one',
        metadata: { a: 1, b: 2 },
        tags: ['y'],
        participant: { identifier: 'ada' },
      })
      expect(await api.upsertThread('positional', 'name', { m: 1 }, 'bob', ['t'])).toMatchObject({
        id: 'positional',
        name: 'name',
        tags: ['t'],
      })
      expect(await api.upsertThread({ threadId: 'staged', environment: 'staging' })).toMatchObject({
        environment: 'staging',
      })
      expect(await api.upsert_thread({ id: 't', participant_id: null })).toMatchObject({
        participant: null,
      })
      expect(await api.upsert_thread({ thread_id: 't', name: 'two' })).toMatchObject({
        name: 'two',
        token_count: null,
      })
    })

    test('getThreads returns steps of the kept types, listThreads none', async () => {
      await api.sendSteps([
        { id: 'u', threadId: 'talk', type: 'user_message', startTime: '2026-01-01T00:00:01Z' },
        {
          id: 'l',
          threadId: 'talk',
          type: 'llm',
          startTime: '2026-01-01T00:00:02Z',
          endTime: '2026-01-01T00:00:04Z',
          generation: { tokenCount: 10 },
        },
      ])
      const { data } = await api.getThreads({ first: 1, stepTypesToKeep: ['user_message'] })
      expect(data[0]).toMatchObject({ id: 'talk', tokenCount: 10, duration: 3 })
      expect(data[0]?.steps.map(({ id }) => id)).toEqual(['u'])
      const snake = await api.get_threads({ first: 1, step_types_to_keep: ['llm'] })
      expect(snake.data[0]?.steps.map(({ id }) => id)).toEqual(['l'])
      expect((await api.getThread('talk'))?.steps.map(({ id }) => id)).toEqual(['u', 'l'])
      expect((await api.get_thread({ id: 'talk' }))?.steps[1]?.thread_id).toBe('talk')
      expect(await api.getThread('nobody')).toBeNull()
      expect(await api.get_thread('nobody')).toBeNull()
      expect((await api.listThreads({ first: 1 })).data[0]).not.toHaveProperty('steps')
      expect((await api.list_threads({ first: 1 })).data[0]).toMatchObject({
        id: 'talk',
        token_count: 10,
      })
    })

    test('createThread, updateThread and deleteThread in both spellings', async () => {
      const one = await api.createThread({ name: 'c', participantId: 'eve' })
      const two = await api.create_thread({ name: 'c', participant_id: 'eve' })
      expect(one.participant?.id).toBe(two.participant?.id)
      expect(await api.updateThread({ id: one.id, name: 'd' })).toMatchObject({
        name: 'd',
        participant: { identifier: 'eve' },
      })
      expect(await api.update_thread({ id: two.id, tags: ['z'] })).toMatchObject({
        name: 'c',
        tags: ['z'],
      })
      expect(await api.updateThread({ id: one.id, environment: 'dev' })).toMatchObject({
        name: 'd',
        environment: 'dev',
      })
      expect(await api.create_thread({ environment: 'staging' })).toMatchObject({
        environment: 'staging',
      })
      await expect(api.updateThread({ id: 'nobody' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(await api.deleteThread(one.id)).toBe(one.id)
      expect(await api.deleteThread(one.id)).toBeNull()
      expect(await api.delete_thread({ id: two.id })).toBe(two.id)
      expect(await api.delete_thread(two.id)).toBeNull()
    })
  })

  describe('users', () => {
    test('create, get, update, list and delete in both spellings', async () => {
      const created = await api.createUser('grace', { plan: 'pro' })
      expect(created).toMatchObject({
        identifier: 'grace',
        metadata: { plan: 'pro' },
        threadCount: 0,
      })
      await expect(api.createUser('grace')).rejects.toMatchObject({ code: 'CONFLICT' })
      const snake = await api.create_user({ identifier: 'linus' })
      expect(snake).toMatchObject({ metadata: {}, thread_count: 0 })
      expect(await api.getUser('grace')).toEqual(created)
      expect(await api.getUser('nobody')).toBeUndefined()
      expect(await api.get_user({ id: snake.id })).toEqual(snake)
      expect(await api.get_user({ identifier: 'linus' })).toEqual(snake)
      expect(await api.get_user({ identifier: 'nobody' })).toBeUndefined()
      // @ts-expect-error exactly one of the two
      await expect(api.get_user({})).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
      expect(await api.updateUser(created.id, undefined, { plan: 'free' })).toMatchObject({
        identifier: 'grace',
        metadata: { plan: 'free' },
      })
      expect(await api.update_user({ id: created.id, identifier: 'hopper' })).toMatchObject({
        identifier: 'hopper',
        metadata: { plan: 'free' },
      })
      expect((await api.getUsers({ first: 1 })).data[0]?.identifier).toBe('linus')
      const filters = [{ field: 'identifier', operator: 'in', value: ['hopper'] }] as const
      expect(
        (await api.get_users({ filters: [...filters] as never })).data.map(({ id }) => id),
      ).toEqual([created.id])
      expect(await api.deleteUser(created.id)).toBe(created.id)
      expect(await api.delete_user({ id: snake.id })).toBe(snake.id)
      expect(await api.deleteUser(created.id)).toBeNull()
    })

    test('getOrCreateUser returns the id, get_or_create_user the user; the metadata is for a new user only', async () => {
      const id = await api.getOrCreateUser('kay', { first: true })
      expect(await api.getOrCreateUser('kay', { first: false })).toBe(id)
      expect(
        await api.get_or_create_user({ identifier: 'kay', metadata: { first: false } }),
      ).toMatchObject({ id, metadata: { first: true } })
      const both = await Promise.all([api.getOrCreateUser('race'), api.getOrCreateUser('race')])
      expect(both[0]).toBe(both[1])
    })
  })

  describe('scores', () => {
    test('create, list, update and delete in both spellings', async () => {
      await api.sendSteps([{ id: 'scored' }])
      const score = await api.createScore({
        name: 'q',
        type: 'HUMAN',
        value: 0.5,
        stepId: 'scored',
        comment: 'so so',
        tags: ['t'],
        scorer: 'mira',
      })
      expect(score).toMatchObject({
        stepId: 'scored',
        value: 0.5,
        comment: 'so so',
        tags: ['t'],
        scorer: 'mira',
      })
      const snake = await api.create_score({
        name: 'q',
        type: 'AI',
        value: 1,
        generation_id: 'scored',
      })
      expect(snake).toMatchObject({ step_id: 'scored', generation_id: 'scored' })
      const many = await api.createScores([
        { name: 'a', type: 'CODE', value: 1, stepId: 'scored' },
        { name: 'b', type: 'CODE', value: 2, stepId: 'scored' },
      ])
      expect(many.map(({ name }) => name)).toEqual(['a', 'b'])
      expect(await api.createScores([])).toEqual([])
      expect(
        await api.create_scores([{ name: 'c', type: 'CODE', value: 1, step_id: 'scored' }]),
      ).toMatchObject([{ step_id: 'scored' }])
      expect(await api.create_scores({ scores: [] })).toEqual([])
      await expect(
        api.createScore({ name: 'x', type: 'ROBOT' as never, value: 1, stepId: 's' }),
      ).rejects.toThrow(/^(?!.*scores\[).*type/)
      await expect(api.createScore({ name: 'x', type: 'AI', value: 1 })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(/^stepId, threadId, /),
      })
      expect(await api.updateScore(score.id, { value: 0.75, label: 'fine' })).toMatchObject({
        value: 0.75,
        label: 'fine',
        comment: 'so so',
      })
      expect(await api.update_score({ id: score.id, value: 1, comment: null })).toMatchObject({
        value: 1,
        label: 'fine',
        comment: null,
      })
      const cleared = { value: 0, label: null }
      expect(await api.update_score({ id: score.id, update_params: cleared })).toMatchObject(
        cleared,
      )
      expect((await api.getScores({ first: 1 })).data[0]?.name).toBe('c')
      const filtered = await api.get_scores({
        filters: [
          { field: 'stepId', operator: 'eq', value: 'scored' },
          { field: 'value', operator: 'gte', value: 1 },
        ],
        order_by: { column: 'value', direction: 'DESC' },
      })
      expect(filtered.data.map(({ value }) => value)).toEqual([2, 1, 1, 1])
      expect(await api.deleteScore(score.id)).toBe(score.id)
      expect(await api.deleteScore(score.id)).toBeNull()
      expect(await api.delete_score({ id: snake.id })).toBe(snake.id)
    })
  })

  describe('files', () => {
    test('every kind of content is uploaded, and can be read', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'stepwell-test-'))
      const path = join(folder, 'from path.txt')
      await writeFile(path, 'by path')
      const contents = {
        string: 'a string',
        buffer: Buffer.from('a buffer'),
        arrayBuffer: new TextEncoder().encode('an array buffer').buffer,
        blob: new Blob(['a blob']),
        file: new File(['a file'], 'name.txt'),
        webStream: new Blob(['a web stream']).stream(),
        nodeStream: Readable.from([Buffer.from('a node'), Buffer.from(' stream')]),
      }
      for (const [kind, content] of Object.entries(contents)) {
        const { objectKey, url } = await api.uploadFile({
          content,
          threadId: 't',
          mime: 'text/plain',
        })
        expect(objectKey, kind).toMatch(/^threads\/t\//)
        const response = await (by === 'fetch'
          ? fixture.service.fetch(url as string)
          : fetch(url as string))
        expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
        expect((await response.text()).length, kind).toBeGreaterThan(5)
      }
      const attachment = await api.createAttachment({ path, threadId: 't', metadata: { a: 1 } })
      expect(attachment).toMatchObject({
        name: 'from path.txt',
        mime: 'application/octet-stream',
        metadata: { a: 1 },
        stepId: null,
      })
      await rm(folder, { recursive: true })
      expect(await api.upload_file({ content: 'x', thread_id: 't' })).toMatchObject({
        object_key: expect.any(String),
        url: expect.any(String),
      })
    })

    test('attachments are created, read, changed and deleted in both spellings', async () => {
      await api.sendSteps([{ id: 'with-file', threadId: 'files' }])
      const attachment = await api.createAttachment({
        content: 'c',
        name: 'n',
        stepId: 'with-file',
        threadId: 'files',
        mime: 'text/plain',
      })
      const read = await api.getAttachment(attachment.id)
      expect(read).toMatchObject({
        id: attachment.id,
        threadId: 'files',
        stepId: 'with-file',
        objectKey: attachment.objectKey,
        name: 'n',
      })
      const snake = await api.create_attachment({
        step_id: 'with-file',
        thread_id: 'files',
        content: 'd',
        name: 'm',
        metadata: { k: 1 },
      })
      expect(snake).toMatchObject({
        step_id: 'with-file',
        thread_id: 'files',
        name: 'm',
        metadata: { k: 1 },
      })
      expect(
        await api.create_attachment({
          step_id: 'with-file',
          thread_id: 'files',
          url: 'https://example.org/x.png',
        }),
      ).toMatchObject({ url: 'https://example.org/x.png', name: 'x.png' })
      expect(
        await api.create_attachment({ id: snake.id, step_id: 'with-file', name: 'renamed' }),
      ).toMatchObject({ id: snake.id, name: 'renamed', object_key: snake.object_key })
      expect(
        (await api.updateAttachment({ id: snake.id, name: 'again' })).data.updateAttachment,
      ).toMatchObject({ name: 'again', metadata: { k: 1 } })
      expect(
        (await api.update_attachment({ id: snake.id, update_params: { mime: 'text/html' } })).data
          .updateAttachment,
      ).toMatchObject({ mime: 'text/html' })
      expect(await api.get_attachment(snake.id)).toMatchObject({ object_key: snake.object_key })
      expect((await api.getStep('with-file'))?.attachments).toHaveLength(3)
      expect((await api.deleteAttachment(snake.id)).data.deleteAttachment).toEqual({ id: snake.id })
      expect((await api.delete_attachment({ id: attachment.id })).data.deleteAttachment).toEqual({
        id: attachment.id,
      })
      expect(await api.getAttachment(snake.id)).toBeNull()
      expect((await api.deleteAttachment(snake.id)).data.deleteAttachment).toBeNull()
    })

    test('an upload without content and path is an error', async () => {
      await expect(api.uploadFile({ threadId: 't' })).rejects.toThrow(
        'content, path: expected one of them',
      )
      await expect(api.createAttachment({ threadId: 't' })).rejects.toThrow(
        'content, path: expected one of them',
      )
      await expect(api.create_attachment({ step_id: 's' })).rejects.toThrow(
        'content, path: expected one of them',
      )
      await expect(api.upload_file({})).rejects.toThrow('content, path: expected one of them')
      await expect(api.createAttachment({ path: '/no/such/file' })).rejects.toThrow(
        'no file can be read at',
      )
      await expect(api.createAttachment({ path: import.meta.dirname })).rejects.toThrow(
        'it is a folder',
      )
      const path = new URL('file:///etc/hosts') as never
      await expect(api.createAttachment({ path })).rejects.toThrow('path: expected the path')
    })

    test('bytes that were handed to a thread are an error', async () => {
      const content = new Uint8Array([1, 2, 3]).buffer
      const view = new Uint8Array(content)
      structuredClone(content, { transfer: [content] })
      for (const lost of [content, view])
        await expect(api.uploadFile({ threadId: 't', content: lost })).rejects.toMatchObject({
          code: 'INVALID_ARGUMENT',
          message: expect.stringContaining('content: expected bytes that can be read'),
        })
    })
  })

  describe('datasets and experiments', () => {
    test('a dataset with items by hand, from steps and from generations', async () => {
      const dataset = await api.createDataset({ name: 'd', description: 'x', metadata: { m: 1 } })
      expect(dataset).toMatchObject({ name: 'd', type: 'key_value', metadata: { m: 1 } })
      await expect(api.createDataset({ name: 'd' })).rejects.toMatchObject({ code: 'CONFLICT' })
      const snake = await api.create_dataset({ name: 'e', type: 'generation' })
      expect(snake.type).toBe('generation')
      expect(await api.getDatasets()).toEqual([
        { id: snake.id, name: 'e' },
        { id: dataset.id, name: 'd' },
      ])
      expect(await api.get_datasets()).toHaveLength(2)
      expect(await api.updateDataset(dataset.id, { name: 'renamed' })).toMatchObject({
        name: 'renamed',
        description: 'x',
      })
      expect(await api.update_dataset({ id: dataset.id, metadata: null })).toMatchObject({
        metadata: {},
      })

      const item = await api.createDatasetItem(dataset.id, {
        input: { q: 1 },
        expectedOutput: { a: 2 },
        metadata: { z: 1 },
      })
      expect(item).toMatchObject({
        input: { q: 1 },
        expectedOutput: { a: 2 },
        intermediarySteps: [],
      })
      const snakeItem = await api.create_dataset_item({ dataset_id: dataset.id, input: { q: 2 } })
      expect(snakeItem).toMatchObject({ dataset_id: dataset.id, expected_output: null })
      expect(await api.getDatasetItem(item.id)).toEqual(item)
      expect(await api.get_dataset_item({ id: snakeItem.id })).toEqual(snakeItem)
      expect(await api.getDatasetItem('nobody')).toBeNull()

      await api.sendSteps([
        { id: 'root', input: { i: 1 }, output: { o: 1 }, type: 'run' },
        {
          id: 'child',
          parentId: 'root',
          name: 'c',
          type: 'tool',
          startTime: '2026-01-01T00:00:01Z',
        },
        { id: 'grandchild', parentId: 'child', name: 'g', startTime: '2026-01-01T00:00:02Z' },
        {
          id: 'gen',
          generation: {
            messages: [{ role: 'user', content: 'x' }],
            messageCompletion: { role: 'assistant', content: 'y' },
            variables: { v: 1 },
          },
        },
      ])
      const fromStep = await api.addStepToDataset(dataset.id, 'root', { from: 'step' })
      expect(fromStep).toMatchObject({
        input: { i: 1 },
        expectedOutput: { o: 1 },
        stepId: 'root',
        metadata: { from: 'step' },
      })
      expect(fromStep.intermediarySteps).toMatchObject([
        { id: 'child', type: 'tool' },
        { id: 'grandchild', parentId: 'child' },
      ])
      expect(
        await api.add_step_to_dataset({ dataset_id: dataset.id, step_id: 'child' }),
      ).toMatchObject({ step_id: 'child' })
      await expect(api.addStepToDataset(snake.id, 'root')).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
      const fromGeneration = await api.addGenerationToDataset(snake.id, 'gen', { mine: 1 })
      expect(fromGeneration).toMatchObject({
        input: { messages: [{ role: 'user', content: 'x' }] },
        expectedOutput: { role: 'assistant', content: 'y' },
        metadata: { promptType: 'CHAT', variables: { v: 1 }, mine: 1 },
      })
      expect(
        await api.add_generation_to_dataset({ dataset_id: snake.id, generation_id: 'gen' }),
      ).toMatchObject({ step_id: 'gen' })
      expect(await api.addGenerationsToDataset(snake.id, ['gen', 'gen'])).toHaveLength(2)
      expect(await api.addGenerationsToDataset(snake.id, [])).toEqual([])
      expect(
        await api.add_generations_to_dataset({ dataset_id: snake.id, generation_ids: ['gen'] }),
      ).toHaveLength(1)
      await expect(api.addGenerationsToDataset(snake.id, ['gen', 'nobody'])).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })

      expect(
        (await api.getDataset({ id: dataset.id }))?.items.map(({ id }) => id).slice(0, 2),
      ).toEqual([item.id, snakeItem.id])
      expect((await api.get_dataset({ name: 'e' }))?.items).toHaveLength(5)
      expect(await api.getDataset({ name: 'nobody' })).toBeNull()
      expect(await api.get_dataset({ id: 'nobody' })).toBeNull()
      await expect(api.getDataset({})).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
      expect(await api.deleteDatasetItem(item.id)).toEqual(item)
      expect(await api.delete_dataset_item(snakeItem.id)).toEqual(snakeItem)

      const experiment = await api.createExperiment({
        name: 'x',
        datasetId: dataset.id,
        params: [{ model: 'gpt-4o' }],
      })
      expect(experiment).toMatchObject({
        name: 'x',
        datasetId: dataset.id,
        params: [{ model: 'gpt-4o' }],
      })
      const bare = await api.create_experiment({ name: 'y', prompt_variant_id: 'v' })
      expect(bare).toMatchObject({ dataset_id: null, prompt_experiment_id: 'v', params: null })
      const result = await api.createExperimentItem({
        datasetExperimentId: experiment.id,
        datasetItemId: fromStep.id,
        experimentRunId: 'later',
        input: { a: 1 },
        output: { b: 2 },
        scores: [{ name: 'reward', type: 'CODE', value: 1 }],
      })
      expect(result).toMatchObject({
        output: { b: 2 },
        experimentRunId: 'later',
        scores: [{ name: 'reward', datasetExperimentItemId: result.id }],
      })
      const snakeResult = await api.create_experiment_item({
        dataset_experiment_id: experiment.id,
        input: { camelKept: 1 },
      })
      expect(snakeResult).toMatchObject({ input: { camelKept: 1 }, scores: [] })
      await expect(
        api.createExperimentItem({ datasetExperimentId: 'nobody' }),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' })

      expect(await api.deleteDataset(dataset.id)).toMatchObject({ id: dataset.id, name: 'renamed' })
      expect(await api.getDataset({ id: dataset.id })).toBeNull()
      expect(await api.delete_dataset({ id: snake.id })).toMatchObject({ name: 'e' })
    })
  })

  describe('prompts', () => {
    test('lineages, versions, variants, and the split of calls', async () => {
      const lineage = await api.createPromptLineage('support', 'first')
      expect(lineage).toMatchObject({ name: 'support', description: 'first', deletedAt: null })
      expect(
        await api.get_or_create_prompt_lineage({ name: 'support', description: 'second' }),
      ).toMatchObject({ id: lineage?.id, description: 'first' })
      expect(await api.create_prompt_lineage({ name: 'support' })).toMatchObject({
        id: lineage?.id,
      })
      const messages = [
        { role: 'system', content: 'You work for {{shop}}.{{#items}} {{name}}{{/items}}' },
      ]
      const first = await api.getOrCreatePrompt('support', messages, {
        provider: 'openai',
        temperature: 0,
      })
      expect(first).toMatchObject({
        name: 'support',
        version: 0,
        provider: 'openai',
        settings: { temperature: 0 },
      })
      expect(first.variables).toEqual([
        { name: 'shop', language: 'plaintext' },
        { name: 'items', language: 'json' },
        { name: 'name', language: 'plaintext' },
      ])
      expect((await api.getOrCreatePrompt('support', messages, { temperature: 0 })).id).toBe(
        first.id,
      )
      expect(
        (await api.createPrompt('support', first.templateMessages, { temperature: 0 })).id,
      ).toBe(first.id)
      const second = await api.get_or_create_prompt({
        name: 'support',
        template_messages: [{ role: 'user', content: 'b' }],
      })
      expect(second).toMatchObject({
        version: 1,
        template_messages: [{ content: 'b' }],
        variables_default_values: {},
      })
      expect(
        (
          await api.create_prompt({
            name: 'support',
            template_messages: [{ role: 'user', content: 'b' }],
          })
        ).id,
      ).toBe(second.id)

      expect(await api.getPrompt('support')).toEqual(first)
      expect(await api.getPrompt('support', 1)).toMatchObject({ id: second.id })
      expect(await api.getPrompt('support', 9)).toBeNull()
      expect(await api.getPrompt('nobody')).toBeNull()
      expect(await api.get_prompt({ name: 'support', version: 0 })).toMatchObject({
        id: first.id,
        lineage_id: lineage?.id,
      })
      expect(await api.get_prompt({ id: second.id, name: 'nobody' })).toMatchObject({ version: 1 })
      await expect(api.get_prompt({})).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
      expect(await api.getPromptById(first.id)).toEqual(first)
      expect(await api.get_prompt_by_id('nobody')).toBeNull()
      const query =
        'query Q($id: String) { promptVersion(id: $id) { id version settings lineage { name } } }'
      expect(await api.getPromptWithQuery(query, { id: first.id })).toMatchObject({
        id: first.id,
        name: 'support',
      })
      expect(await api.get_prompt_with_query({ query, variables: { id: 'nobody' } })).toBeNull()

      expect(await api.getPromptAbTesting('support')).toEqual([{ version: 0, rollout: 100 }])
      expect(await api.getPromptAbTesting('nobody')).toBeNull()
      const split = [
        { version: 0, rollout: 60 },
        { version: 1, rollout: 40 },
      ]
      expect(
        (await api.updatePromptAbTesting('support', split)).data.updatePromptLineageRollout,
      ).toMatchObject({ ok: true })
      expect(await api.get_prompt_ab_testing({ name: 'support' })).toEqual(split)
      expect(
        (
          await api.update_prompt_ab_testing({
            name: 'support',
            rollouts: [{ version: 7, rollout: 1 }],
          })
        ).data.updatePromptLineageRollout,
      ).toMatchObject({ ok: false, errorCode: 'UNKNOWN_VERSION' })
      await api.update_prompt_ab_testing({
        name: 'support',
        rollouts: [{ version: 1, rollout: 1 }],
      })
      expect(await api.getPrompt('support')).toMatchObject({ version: 1 })

      expect(await api.createPromptVariant('support', messages)).toEqual(expect.any(String))
      expect(await api.create_prompt_variant({ name: 'nobody', template_messages: [] })).toEqual(
        expect.any(String),
      )
      expect(first.url).toMatch(
        new RegExp(`/projects/${await api.getProjectId()}/playground\\?name=support&version=0$`),
      )
    })
  })
})
