import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'

let service: Service
let stepwell: StepwellClient
beforeAll(async () => {
  service = await createService()
  const { apiKey } = await service.createProject('files')
  stepwell = new StepwellClient({ apiKey, fetch: service.fetch })
})
afterAll(() => service?.close())

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
const isThere = async (url: string | null): Promise<boolean> =>
  (await service.fetch(url ?? '')).status === 200
const attach = (stepId: string) =>
  stepwell.api.createAttachment({ content: 'bytes', name: 'a.txt', stepId })

test('an unattached upload is deleted after a day, and not before', async () => {
  const { url } = await stepwell.api.uploadFile({ content: 'bytes' })
  expect(await service.collectFiles(inDays(0.9))).toBe(0)
  expect(await isThere(url)).toBe(true)
  expect(await service.collectFiles(inDays(1.1))).toBe(1)
  expect(await isThere(url)).toBe(false)
})

test('an attached file stays however long, and is checked once', async () => {
  await stepwell.api.sendSteps([{ id: 'keeps', threadId: 'stays' }])
  const { url } = await attach('keeps')
  expect(await service.collectFiles(inDays(2))).toBe(0)
  expect(await service.collectFiles(inDays(400))).toBe(0)
  expect(await isThere(url)).toBe(true)
})

test('deleting a thread, a step or an attachment deletes their files', async () => {
  await stepwell.api.sendSteps([
    { id: 'in-thread', threadId: 'goes' },
    { id: 'alone' },
    { id: 'keeps-step' },
  ])
  const inThread = await attach('in-thread')
  const ofStep = await attach('alone')
  const itself = await attach('keeps-step')
  const kept = await attach('keeps-step')
  await service.collectFiles(inDays(2))
  await stepwell.api.deleteThread('goes')
  await stepwell.api.deleteStep('alone')
  await stepwell.api.deleteAttachment(itself.id)
  expect(await service.collectFiles()).toBe(3)
  for (const { url } of [inThread, ofStep, itself]) expect(await isThere(url)).toBe(false)
  expect(await isThere(kept.url)).toBe(true)
})

test('a file that two attachments share is deleted with the last of them', async () => {
  await stepwell.api.sendSteps([{ id: 'one' }, { id: 'two' }])
  const { objectKey, url } = await attach('one')
  await stepwell.api.sendSteps([{ id: 'two', attachments: [{ id: 'shared', objectKey }] }])
  await stepwell.api.deleteStep('one')
  expect(await service.collectFiles()).toBe(0)
  expect(await isThere(url)).toBe(true)
  await stepwell.api.deleteStep('two')
  expect(await service.collectFiles()).toBe(1)
  expect(await isThere(url)).toBe(false)
})

test('a file is deleted when its attachment gets another one', async () => {
  await stepwell.api.sendSteps([{ id: 'anew' }])
  const upload = () =>
    stepwell.api.createAttachment({ id: 'anew', content: 'bytes', name: 'a.txt', stepId: 'anew' })
  const first = await upload()
  await service.collectFiles(inDays(2))
  const second = await upload()
  expect(await service.collectFiles()).toBe(1)
  expect(await isThere(first.url)).toBe(false)
  await service.collectFiles(inDays(2))
  const { objectKey, url } = await stepwell.api.uploadFile({ content: 'bytes' })
  await stepwell.api.updateAttachment({ id: 'anew', objectKey })
  expect(await service.collectFiles()).toBe(1)
  expect(await isThere(second.url)).toBe(false)
  expect(await isThere(url)).toBe(true)
})

test('files of a deleted project are deleted with it', async () => {
  const { projectId, apiKey } = await service.createProject('gone')
  const other = new StepwellClient({ apiKey, fetch: service.fetch })
  const { url } = await other.api.uploadFile({ content: 'bytes' })
  expect(await isThere(url)).toBe(true)
  await service.operate({ noun: 'project', verb: 'delete', subject: projectId, options: {} })
  expect(await isThere(url)).toBe(false)
})

test('collecting at the same time deletes each file once', async () => {
  for (let index = 0; index < 20; index++) await stepwell.api.uploadFile({ content: `${index}` })
  const counts = await Promise.all([1, 2, 3].map(() => service.collectFiles(inDays(2))))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20)
})
