import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../test/support/eventually.js'
import { type Ask, asker, post } from './support/ask.js'

// Uploads that end after what they belong to was deleted: no note would lead to their bytes any more.
let service: Service
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-test-'))
  await mkdir(join(folder, 'files'))
  service = await createService({ apiKey: 'k', dataFolder: folder })
})
afterAll(async () => {
  await service?.close()
  await rm(folder, { recursive: true, force: true })
})

const onDisk = async () =>
  (await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

/** Announces an upload, and begins it. Returns its key, and a function that ends it and returns the status. */
const begin = async (apiKey: string) => {
  const announced = await post(service, '/api/upload/file', {}, { 'x-api-key': apiKey })
  const { url, fields } = announced.body.post
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const before = (await onDisk()).length
  const answer = service.fetch(url, {
    method: 'PUT',
    body: readable,
    duplex: 'half',
  } as RequestInit)
  await writer.write(new TextEncoder().encode('a secret'))
  await eventually(async () => expect((await onDisk()).length).toBe(before + 1))
  const end = async () => {
    await writer.close()
    return (await answer).status
  }
  return { objectKey: fields.key as string, end }
}

test('an upload that ends after its attachment was deleted is rejected, and leaves nothing behind', async () => {
  const ask: Ask = asker(service, 'k')
  const { objectKey, end } = await begin('k')
  await ask(
    'mutation ($key: String!) { createAttachment(stepId: "s", name: "a", objectKey: $key) { id } }',
    {
      key: objectKey,
    },
  )
  await ask('mutation { deleteStep(id: "s") { id } }')
  expect(await service.collectFiles()).toBe(1)
  expect(await end()).toBe(404)
  expect(await onDisk()).toEqual([])
})

test('an upload that ends after its project was deleted leaves nothing behind', async () => {
  const { projectId, apiKey } = await service.createProject('gone')
  const { end } = await begin(apiKey)
  await service.operate({ noun: 'project', verb: 'delete', subject: projectId, options: {} })
  expect(await end()).toBe(404)
  expect(await onDisk()).toEqual([])
})
