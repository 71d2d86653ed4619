import { existsSync, readFileSync } from 'node:fs'
import { appendFile, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { StepwellClientOptions } from '../src/index.js'
import { eventually } from './support/eventually.js'
import { useService } from './support/service.js'

const fixture = useService()
/** A service behind the platform's `fetch`, which reads files as it sends them. */
const listening = useService('socket')

/** Creates a client whose uploads wait until they are released. */
const withHeldUploads = async (options: Partial<StepwellClientOptions> = {}) => {
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const fetch: StepwellClientOptions['fetch'] = async (input, init) => {
    if (input.endsWith('/api/upload/file')) await held
    return fixture.service.fetch(input, init)
  }
  const client = await fixture.newClient({ onReport: () => {}, fetch, ...options })
  return { client, letGo }
}

const namesOf = async (client: Awaited<ReturnType<typeof fixture.newClient>>, id: string) => {
  await client.flush()
  return (await client.api.getStep(id))?.attachments.map(({ name }) => name)
}

test('an attachment whose upload ends after its step has ended is stored with the step', async () => {
  const { client, letGo } = await withHeldUploads()
  let upload: Promise<unknown> | undefined
  await client.thread({ id: 't-late' }).wrap(async () =>
    client.trace({ id: 'late', name: 'late' }, async () => {
      upload = client.api.createAttachment({ content: 'x', name: 'late.txt' })
      return 'done'
    }),
  )
  await client.flush()
  letGo()
  expect(await upload).toMatchObject({ stepId: 'late', threadId: 't-late', name: 'late.txt' })
  expect(await namesOf(client, 'late')).toEqual(['late.txt'])
  expect(await client.api.getStep('late')).toMatchObject({
    name: 'late',
    threadId: 't-late',
    output: { output: 'done' },
    attachments: [{ threadId: 't-late' }],
  })
  const { recorded, delivered } = client.stats()
  expect(recorded).toBe(delivered)
})

test('a late attachment keeps the environment of its step, whichever of them arrives first', async () => {
  const { client, letGo } = await withHeldUploads({ environment: 'staging' })
  let upload: Promise<unknown> | undefined
  const step = client.experimentItemRun({ id: 'experiment' })
  await step.wrap(async () => {
    upload = client.api.createAttachment({ content: 'x', name: 'a.txt' })
  })
  letGo()
  await upload
  expect(await namesOf(client, 'experiment')).toEqual(['a.txt'])
  expect((await client.api.getStep('experiment'))?.environment).toBe('experiment')
})

test('a late attachment is kept or dropped with its sampled step', async () => {
  const { client, letGo } = await withHeldUploads({ sample: 0 })
  const uploads: Promise<unknown>[] = []
  const attach = (name: string) => {
    uploads.push(client.api.createAttachment({ content: 'x', name }))
  }
  client.trace({ id: 'let-go' }, () => attach('gone.txt'))
  await expect(
    client.trace({ id: 'root' }, async () => {
      client.trace({ id: 'kept' }, () => attach('kept.txt'))
      letGo()
      await Promise.all(uploads)
      throw new Error('so the trace is kept')
    }),
  ).rejects.toThrow('kept')
  expect(await namesOf(client, 'kept')).toEqual(['kept.txt'])
  expect(await client.api.getStep('let-go')).toBeNull()
})

test('an attachment reaches a frozen step, and breaks nothing', async () => {
  const client = await fixture.newClient()
  await client.trace({ id: 'frozen' }, async (step) => {
    Object.freeze(step)
    await client.api.createAttachment({ content: 'x', name: 'cold.txt' })
  })
  expect(await namesOf(client, 'frozen')).toEqual(['cold.txt'])
})

test('create_attachment links a step that has not arrived to the thread that it names', async () => {
  const client = await fixture.newClient()
  const made = await client.api.create_attachment({
    content: 'x',
    name: 'a.txt',
    step_id: 'to-come',
    thread_id: 't-named',
  })
  expect(made).toMatchObject({ step_id: 'to-come', thread_id: 't-named', name: 'a.txt' })
  expect(await client.api.getStep('to-come')).toMatchObject({ threadId: 't-named' })
  expect(await client.api.get_attachment(made.id)).toMatchObject({ thread_id: 't-named' })
  const [thread] = (await client.api.getThreads()).data
  expect(thread?.id).toBe('t-named')
  // An attachment is in the thread of its step, whatever is sent for it later.
  await client.api.create_attachment({ id: made.id, thread_id: 't-other' })
  expect(await client.api.get_attachment(made.id)).toMatchObject({
    thread_id: 't-named',
    name: 'a.txt',
  })
  expect(await client.api.getStep('to-come')).toMatchObject({ threadId: 't-named' })
})

test('an attachment for a step by its id does not move that step into the thread around the call', async () => {
  const client = await fixture.newClient()
  await client.api.sendSteps([{ id: 'elsewhere', threadId: 't-its-own' }])
  await client.thread({ id: 't-around' }).wrap(async () => {
    await client.api.createAttachment({ content: 'x', stepId: 'elsewhere' })
    await client.api.create_attachment({ content: 'y', step_id: 'elsewhere', id: 'chosen' })
  })
  const step = await client.api.getStep('elsewhere')
  expect(step).toMatchObject({ threadId: 't-its-own' })
  expect(step?.attachments.map(({ threadId }) => threadId)).toEqual(['t-its-own', 't-its-own'])
})

test('create_attachment inside a step knows its thread, with an id of its own too', async () => {
  const client = await fixture.newClient()
  await client.thread({ id: 't-in' }).wrap(async () =>
    client.trace({ id: 'in' }, async () => {
      expect(await client.api.create_attachment({ content: 'x', name: 'a' })).toMatchObject({
        step_id: 'in',
        thread_id: 't-in',
      })
      expect(
        await client.api.create_attachment({ content: 'y', name: 'b', id: 'own' }),
      ).toMatchObject({ id: 'own', step_id: 'in', thread_id: 't-in' })
    }),
  )
  expect((await namesOf(client, 'in'))?.sort()).toEqual(['a', 'b'])
})

test.each([
  ['metadata', { metadata: { long: 'x'.repeat(2_000_000) } }],
  ['name', { name: 'x'.repeat(2_000_000) }],
  ['stepId', { stepId: 'x'.repeat(2_000_000) }],
  ['id', { id: 'x'.repeat(2_000_000) }],
])(
  'an attachment whose %s is too large is rejected before its content is uploaded',
  async (field, of) => {
    const paths: string[] = []
    const client = await fixture.newClient({
      fetch: async (input, init) => {
        paths.push(new URL(input).pathname)
        return fixture.service.fetch(input, init)
      },
    })
    const given = { content: 'x', stepId: 'step', ...of }
    const wanted = { code: 'TOO_LARGE', message: expect.stringContaining(`${field}: expected`) }
    await expect(client.api.createAttachment(given)).rejects.toMatchObject(wanted)
    const { stepId, ...rest } = given
    await expect(client.api.create_attachment({ ...rest, step_id: stepId })).rejects.toMatchObject(
      wanted,
    )
    expect(paths).toContain('/api/upload/file')
    expect(paths.filter((path) => path.startsWith('/files/'))).toEqual([])
  },
)

test('the name and metadata of an attachment that is recorded are sent with its step alone, masked', async () => {
  const sent: string[] = []
  const client = await fixture.newClient({
    mask: (value) => JSON.parse(JSON.stringify(value).replaceAll('wxyz', '[card]')),
    fetch: async (input, init) => {
      if (input.endsWith('/api/upload/file')) sent.push(String(init?.body))
      return fixture.service.fetch(input, init)
    },
  })
  await client.trace({ id: 'with-a-card' }, () =>
    client.api.createAttachment({ content: 'x', name: 'wxyz.txt', metadata: { card: 'wxyz' } }),
  )
  expect(await namesOf(client, 'with-a-card')).toEqual(['[card].txt'])
  expect(sent).toHaveLength(1)
  expect(sent.join()).not.toContain('wxyz')
})

/** Creates a client during whose uploads a file grows, and gets its URL of an upload from what a bucket would tell. */
const whileGrowing = async (path: string, isRaw: boolean) =>
  listening.newClient({
    uploadTimeoutMs: 20_000,
    fetch: async (input, init) => {
      if (input.endsWith('/api/upload/file')) {
        const answer = await fetch(input, init)
        await appendFile(path, 'another line')
        if (!isRaw) return answer
        const told = await answer.json()
        const target = told.put ?? told.post
        return Response.json({ ...told, put: undefined, post: { ...target, uploadType: 'raw' } })
      }
      return fetch(input, init)
    },
  })

test('a file that grows while it is uploaded is stored as it was', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'stepwell-attaching-')), 'log.txt')
  await writeFile(path, 'the first line')
  const client = await whileGrowing(path, false)
  const { objectKey, url } = await client.api.createAttachment({ path, stepId: 'grown' })
  expect(objectKey).not.toBeNull()
  expect(await (await fetch(String(url))).text()).toBe('the first line')
})

test.each([false, true])(
  'a large file that grows while it is uploaded is named at once (as a raw body: %s)',
  async (isRaw) => {
    const path = join(await mkdtemp(join(tmpdir(), 'stepwell-attaching-')), 'log.txt')
    await writeFile(path, Buffer.alloc(9_000_000))
    const client = await whileGrowing(path, isRaw)
    await expect(client.api.createAttachment({ path, stepId: 'grown' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'path: the file changed as it was read',
    })
  },
)

test('a large file is sent as a form with its length, and stored byte by byte', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'stepwell-attaching-')), 'a "large"\r\nfile.bin')
  const bytes = Buffer.from(Array.from({ length: 9_000_001 }, (_, index) => index % 251))
  await writeFile(path, bytes)
  const client = await listening.newClient()
  const { url } = await client.api.createAttachment({ path, stepId: 'large', mime: 'text/plain' })
  const stored = await fetch(String(url))
  expect(Buffer.compare(Buffer.from(await stored.arrayBuffer()), bytes)).toBe(0)
  expect(stored.headers.get('content-type')).toMatch(/^text\/plain/)
})

test.runIf(existsSync('/proc/self/stat'))(
  'a file of the system that tells no size is stored with its content',
  async () => {
    const client = await listening.newClient()
    const { url } = await client.api.createAttachment({ path: '/proc/version', stepId: 'proc' })
    expect(await (await fetch(String(url))).text()).toBe(readFileSync('/proc/version', 'utf8'))
  },
)

test.runIf(existsSync('/dev/null'))('a device is no file to upload', async () => {
  const client = await fixture.newClient()
  await expect(
    client.api.createAttachment({ path: '/dev/null', stepId: 'device' }),
  ).rejects.toThrow(/^path: no file can be read at "\/dev\/null": it is no file/)
})

test('create_attachment without any step names the step that it expects', async () => {
  const client = await fixture.newClient()
  await expect(client.api.create_attachment({ content: 'x' })).rejects.toThrow('step_id: expected')
})

test('a stream without an end is left when its upload is over', async () => {
  const client = await listening.newClient({ uploadTimeoutMs: 500 })
  let pieces = 0
  let isLeft = false
  async function* endless() {
    try {
      // Where nothing stops it, it would hold the event loop for ever.
      for (; pieces < 20_000; pieces++) yield new Uint8Array(1_000_000)
    } finally {
      isLeft = true
    }
  }
  const sent = await client.api.uploadFile({ content: endless() })
  expect(sent).toEqual({ objectKey: null, url: null })
  await eventually(() => expect(isLeft).toBe(true))
  expect(pieces).toBeLessThan(20_000)
})
