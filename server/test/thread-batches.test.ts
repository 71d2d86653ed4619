import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MergedMetadata, mergeMetadata } from '../src/domain/ingestion/merging.js'
import { type Ask, asker } from './support/ask.js'

let service: Service
let ask: Ask
beforeAll(async () => {
  service = await createService({ limits: { metadataBytes: 200 } })
  ask = asker(service, (await service.createProject('threads')).apiKey)
})
afterAll(() => service?.close())

const INGEST = `mutation($threads: [ThreadInput!]!) {
  ingestSteps(steps: [], threads: $threads) { ok refusedThreads { index code message } } }`
const READ = `query($id: String!) {
  thread: threadDetail(id: $id) { name tags metadata environment participant { identifier } } }`

const keys = fc.constantFrom('a', 'b', 'ä"')
const json = fc.oneof(
  fc.constant(null),
  fc.nat(9),
  fc.constant('text "ö"'),
  fc.constant({ n: [1] }),
)
const change = fc.record(
  {
    id: fc.constantFrom('x', 'y'),
    name: fc.constantFrom(null, 'one', 'two'),
    tags: fc.constantFrom(null, [], ['t'], ['u', 'v']),
    metadata: fc.oneof(fc.constant(null), fc.dictionary(keys, json)),
    participantId: fc.constantFrom(null, '', 'ada', 'bob'),
    environment: fc.constantFrom('dev', 'staging'),
  },
  { requiredKeys: ['id'] },
)

test('threads of one request end as if each had come in a separate request', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      run++
      const own = (changed: typeof changes, kind: string) =>
        changed.map((one) => ({ ...one, id: `${run}-${kind}-${one.id}` }))
      await ask(INGEST, { threads: own(changes, 'together') })
      for (const one of own(changes, 'apart')) await ask(INGEST, { threads: [one] })
      for (const { id } of changes) {
        const read = (kind: string) => ask(READ, { id: `${run}-${kind}-${id}` })
        const together = await read('together')
        expect(together.thread).not.toBeNull()
        expect(together).toEqual(await read('apart'))
      }
    }),
    { numRuns: 30 },
  )
})

test('threads of a variable are stored, also beside steps in the document itself', async () => {
  const { ingestSteps } = await ask(INGEST, { threads: [{ id: 'beside', name: 'stored' }] })
  expect(ingestSteps.ok).toBe(true)
  expect((await ask(READ, { id: 'beside' })).thread).toMatchObject({ name: 'stored' })
})

test('a change that makes metadata too large is refused alone', async () => {
  const threads = [
    { id: 'large', metadata: { a: 'x'.repeat(100) } },
    { id: 'large', name: 'kept out', metadata: { b: 'x'.repeat(100) } },
    { id: 'large', metadata: { c: 1 } },
    { id: 'small', name: 'kept' },
  ]
  const { ingestSteps } = await ask(INGEST, { threads })
  expect(ingestSteps).toEqual({
    ok: false,
    refusedThreads: [
      {
        index: 1,
        code: 'TOO_LARGE',
        message: 'metadata: expected at most 200 bytes, got 215',
      },
    ],
  })
  expect((await ask(READ, { id: 'large' })).thread).toMatchObject({
    name: null,
    metadata: { a: 'x'.repeat(100), c: 1 },
  })
  expect((await ask(READ, { id: 'small' })).thread.name).toBe('kept')
})

test('metadata merged one change after another equals a single merge of all, with its size', () => {
  const changes = fc.array(fc.oneof(fc.constant(null), fc.dictionary(keys, json)))
  fc.assert(
    fc.property(fc.oneof(fc.constant(null), fc.dictionary(keys, json)), changes, (stored, all) => {
      const merged = new MergedMetadata(stored)
      let whole: Record<string, unknown> | null = stored
      for (const one of all) {
        const expected = mergeMetadata(whole, one)
        const bytes = Buffer.byteLength(JSON.stringify(expected))
        if (one !== null) expect(merged.merge(one, bytes - 1)).toBe(bytes)
        expect(merged.merge(one, bytes)).toBeUndefined()
        expect(JSON.stringify(merged.value())).toBe(JSON.stringify(expected))
        whole = expected
      }
    }),
  )
})
