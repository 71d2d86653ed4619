import { createService, readBucketLocation, type Service } from '@stepwell/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { startStandIn } from './support/s3-stand-in.js'

// A real store, by STEPWELL_TEST_BUCKET and the AWS_… variables, or a stand-in.
const real = process.env.STEPWELL_TEST_BUCKET
const HOUR_MS = 3_600_000

/** A client in process for the service, on the network for the bucket. */
const clientOf = (service: Service, apiKey = service.apiKey ?? '') =>
  new StepwellClient({
    apiKey,
    apiUrl: 'http://stepwell.test',
    fetch: (input, init) => {
      const { href, hostname } = new URL(input)
      return hostname === 'stepwell.test' ? service.fetch(href, init) : fetch(href, init)
    },
  })

describe.each(real ? ['put'] : ['post', 'put'])('files in a bucket, by %s', (upload) => {
  let standIn: Awaited<ReturnType<typeof startStandIn>> | undefined
  let service: Service
  const errors: unknown[] = []
  beforeAll(async () => {
    standIn = real ? undefined : await startStandIn()
    const location = real ?? `${standIn?.location}&upload=${upload}`
    service = await createService({
      bucket: readBucketLocation(location, { ...process.env, ...standIn?.environment }),
      limits: { fileBytes: 10_000 },
      onError: (error) => errors.push(error),
    })
  })
  afterAll(async () => {
    await service?.close()
    await standIn?.stop()
  })

  test('are read back unchanged, by URLs that lead to the bucket', async () => {
    const { api } = clientOf(service)
    const content = Buffer.from('What the model saw: ä€😀')
    const { objectKey, url } = await api.uploadFile({ content, mime: 'text/plain', threadId: 'tä' })
    expect(objectKey).toContain('/threads/')
    expect(new URL(url ?? '').hostname).not.toBe('stepwell.test')
    const answer = await fetch(url ?? '')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; ?charset=utf-8$/i)
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(content)

    await api.sendSteps([
      {
        id: 's',
        threadId: 'tä',
        attachments: [{ id: 'a', name: 'seen', mime: 'text/html', objectKey }],
      },
    ])
    const attachment = await api.getAttachment({ id: 'a' })
    expect(attachment?.url?.split('X-Amz-Date')[0]).toBe(url?.split('X-Amz-Date')[0])
    // A file that could run in a browser is offered for download.
    const page = await fetch(attachment?.url ?? '')
    expect(page.headers.get('content-disposition')).toBe('attachment')
    expect(Buffer.from(await page.arrayBuffer())).toEqual(content)
  })

  test('cannot be read by a changed URL', async () => {
    const { url } = await clientOf(service).api.uploadFile({ content: 'secret' })
    expect((await fetch(String(url).replace(/Signature=\w{4}/, 'Signature=0000'))).status).toBe(403)
    expect((await fetch(String(url).split('?')[0] ?? '')).ok).toBe(false)
  })

  test('of one project cannot be reached by another one that names their key', async () => {
    const { objectKey } = await clientOf(service).api.uploadFile({ content: 'ours', id: 'shared' })
    const { apiKey } = await service.createProject('other')
    const { api } = clientOf(service, apiKey)
    for (const named of [objectKey, `../${service.projectId}/files/shared`]) {
      await api.sendSteps([
        { id: 's', threadId: 't', attachments: [{ id: 'a', name: 'x', objectKey: named }] },
      ])
      const url = (await api.getAttachment({ id: 'a' }))?.url
      expect((await fetch(url ?? '')).status).toBe(404)
    }
  })

  test('are removed with their thread, or after a day when nothing refers to them', async () => {
    const { api } = clientOf(service)
    const kept = await api.uploadFile({ content: 'kept', threadId: 'gone' })
    const unused = await api.uploadFile({ content: 'unused' })
    await api.sendSteps([
      {
        id: 'g',
        threadId: 'gone',
        attachments: [{ id: 'g', name: 'g', objectKey: kept.objectKey }],
      },
    ])
    await service.collectFiles(new Date(Date.now() + 25 * HOUR_MS))
    expect((await fetch(unused.url ?? '')).status).toBe(404)
    expect((await fetch(kept.url ?? '')).status).toBe(200)
    await api.deleteThread('gone')
    await service.collectFiles(new Date(Date.now() + HOUR_MS))
    expect((await fetch(kept.url ?? '')).status).toBe(404)
  })

  test('that come by their signed upload after their thread was deleted are removed too', async () => {
    const { api } = clientOf(service)
    const signed = await service.fetch('http://stepwell.test/api/upload/file', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': service.apiKey ?? '' },
      body: JSON.stringify({ fileName: 'late', contentType: 'text/plain', threadId: 'late' }),
    })
    const { post, put, signedUrl } = (await signed.json()) as {
      post?: { url: string; fields: Record<string, string> }
      put?: { url: string; fields: { key: string } }
      signedUrl: string
    }
    const objectKey = post?.fields.key ?? put?.fields.key ?? ''
    await api.sendSteps([
      { id: 'late', threadId: 'late', attachments: [{ id: 'late', name: 'late', objectKey }] },
    ])
    await api.deleteThread('late')
    await service.collectFiles()
    const form = new FormData()
    for (const [name, value] of Object.entries(post?.fields ?? {})) form.append(name, value)
    form.append('file', new Blob(['a secret']))
    const sent =
      post === undefined
        ? await fetch(put?.url ?? '', { method: 'PUT', body: 'a secret' })
        : await fetch(post.url, { method: 'POST', body: form })
    expect(sent.ok).toBe(true)
    expect((await fetch(signedUrl)).status).toBe(200)
    await service.collectFiles(new Date(Date.now() + 2.1 * HOUR_MS))
    expect((await fetch(signedUrl)).status).toBe(404)
    // Then it is forgotten.
    expect(await service.collectFiles(new Date(Date.now() + 25 * HOUR_MS))).toBe(0)
  })

  test('do not pass through the service: it takes and returns no bytes', async () => {
    const answer = await service.fetch('http://stepwell.test/files/p/files/x', {
      method: 'PUT',
      body: 'x',
    })
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain('in a bucket')
  })

  test.skipIf(real || upload === 'put')(
    'are limited to the size that the service allows',
    async () => {
      const { api } = clientOf(service)
      expect(await api.uploadFile({ content: 'x'.repeat(10_001) })).toEqual({
        objectKey: null,
        url: null,
      })
      expect(await api.uploadFile({ content: 'x'.repeat(10_000) })).toMatchObject({
        objectKey: expect.any(String),
      })
    },
  )

  test.skipIf(real)(
    'that a bucket cannot remove now hinder nothing else, and are removed once it has recovered',
    async () => {
      const { api } = clientOf(service)
      const before = await api.uploadFile({ content: 'x' })
      standIn?.setDown(true)
      expect(await api.uploadFile({ content: 'x' })).toEqual({ objectKey: null, url: null })
      await api.sendSteps([{ id: 'meanwhile', threadId: 't' }])
      expect(await api.getStep('meanwhile')).not.toBeNull()
      const tomorrow = new Date(Date.now() + 25 * HOUR_MS)
      await expect(service.collectFiles(tomorrow)).rejects.toThrow('the bucket answered 503')
      standIn?.setDown(false)
      await service.collectFiles(tomorrow)
      expect((await fetch(before.url ?? '')).status).toBe(404)
    },
  )
})

describe('the location of a bucket', () => {
  const environment = { AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 'very secret' }

  test('is read from a URL and the variables of AWS', () => {
    expect(readBucketLocation('s3://b.ucket/a/b/?region=eu-1', environment)).toMatchObject({
      bucket: 'b.ucket',
      prefix: 'a/b/',
      region: 'eu-1',
      upload: 'post',
      baseUrl: 'https://b.ucket.s3.eu-1.amazonaws.com/',
    })
    const endpoint = { ...environment, AWS_ENDPOINT_URL: 'https://store.example.org/' }
    expect(readBucketLocation('s3://bucket?upload=put', endpoint)).toMatchObject({
      prefix: '',
      upload: 'put',
      region: 'us-east-1',
      baseUrl: 'https://store.example.org/bucket/',
    })
  })

  test.each([
    ['https://bucket', 'expected s3://bucket/prefix'],
    ['s3://B', 'expected s3://bucket/prefix'],
    ['s3://bucket?acl=public', 'got ?acl='],
    ['s3://bucket?upload=form', 'got upload=form'],
    ['s3://bucket?endpoint=store', 'got endpoint=store'],
    ['s3://bucket/pré', 'the prefix may have'],
  ])('is rejected when it is %s', (text, message) => {
    expect(() => readBucketLocation(text, environment)).toThrow(message)
  })

  test('needs credentials, and repeats none of them', () => {
    expect(() => readBucketLocation('s3://bucket', {})).toThrow(
      'a bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    )
    expect(() => readBucketLocation('s3://bucket?x=1', environment)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('secret') }),
    )
  })
})
