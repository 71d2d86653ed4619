import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../test/support/eventually.js'
import { fromPath, objectKeyFor, toPath } from '../src/files/object-keys.js'
import { Signatures } from '../src/files/signatures.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { post } from './support/ask.js'

let service: Service
let folder: string
const faults: unknown[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-test-'))
  service = await createService({
    apiKey: 'k',
    dataFolder: folder,
    limits: { fileBytes: 1000 },
    onError: (error) => faults.push(error),
  })
})
afterAll(async () => {
  await service?.close()
  await rm(folder, { recursive: true, force: true })
})

const sign = async (body: object = {}) =>
  (await post(service, '/api/upload/file', body, { 'x-api-key': 'k' })).body
const upload = async (
  signed: { post: { url: string } },
  content: string | Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([content]), 'name')
  return service.fetch(signed.post.url, { method: 'POST', body: form })
}
const uploaded = async (content: string, contentType?: string): Promise<string> => {
  const signed = await sign({ fileName: crypto.randomUUID(), contentType })
  expect((await upload(signed, content, signed.post.fields)).status).toBe(200)
  return signed.signedUrl
}
const filesOnDisk = async () =>
  (await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

/** Resolves to the files once nothing is being written any more. */
const settledFiles = () =>
  eventually(async () => {
    const names = await filesOnDisk()
    // Finished files are named by a hash, unfinished ones are not.
    expect(names.filter((name) => name.length !== 64)).toEqual([])
    return names
  })

test.each(['POST', 'PUT'])(
  'an upload by %s that says it is too large is rejected before its content comes',
  async (method) => {
    const listening = await listen(service, '127.0.0.1', 0)
    const signed = await sign({ fileName: 'huge' })
    const { pathname, search } = new URL(signed.post.url)
    const socket = connect(Number(new URL(listening.url).port), '127.0.0.1')
    let received = ''
    socket.on('data', (data) => {
      received += data
    })
    socket.write(
      `${method} ${pathname}${search} HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 5000000000\r\n\r\n`,
    )
    await eventually(() => expect(received).toContain('file: expected at most 1000 bytes'))
    expect(received).toContain(' 413 ')
    socket.destroy()
    await listening.stop(100)
  },
)

test('the answer to a signing request has the members that released clients need', async () => {
  const signed = await sign({ fileName: 'f', contentType: null, threadId: 't' })
  expect(signed).toEqual({
    post: {
      url: expect.stringMatching(/^http:\/\/stepwell\.test\/files\//),
      fields: { key: expect.stringMatching(/^threads\/t\/[\w-]{16}-f$/) },
      uploadType: 'multipart',
    },
    signedUrl: expect.stringContaining('X-Amz-Date='),
  })
})

test('a URL read later equals the first one up to its date', async () => {
  const signed = await sign({ fileName: 'stable' })
  await post(
    service,
    '/api/graphql',
    {
      query:
        'mutation($k: String) { ingestStep(id: "s", attachments: [{ id: "a", objectKey: $k, url: "https://passing.test/" }]) { ok } }',
      variables: { k: signed.post.fields.key },
    },
    { 'x-api-key': 'k' },
  )
  const { body } = await post(
    service,
    '/api/graphql',
    { query: '{ attachment(id: "a") { url } }' },
    { 'x-api-key': 'k' },
  )
  expect(body.data.attachment.url.split('X-Amz-Date')[0]).toBe(
    signed.signedUrl.split('X-Amz-Date')[0],
  )
})

describe('reading', () => {
  test('returns the type of the signing request, and lets nothing run', async () => {
    for (const [type, disposition, charset = ''] of [
      ['image/png', 'inline'],
      ['text/html', 'attachment', '; charset=utf-8'],
      ['image/svg+xml', 'attachment'],
      ['application/xhtml+xml', 'attachment'],
      ['application/json', 'inline'],
      ['text/plain', 'inline', '; charset=utf-8'],
      ['Text/Markdown; variant=GFM', 'attachment', '; charset=utf-8'],
      ['text/plain; Charset=iso-8859-1', 'inline'],
    ] as const) {
      const response = await service.fetch(await uploaded('<script>alert(1)</script>', type))
      expect(response.headers.get('content-type')).toBe(`${type}${charset}`)
      expect(response.headers.get('content-disposition')).toBe(disposition)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('content-security-policy')).toContain('sandbox')
    }
  })

  test('is allowed to pages of every origin with the URL, in parts too', async () => {
    const url = await uploaded('0123456789', 'application/pdf')
    const origin = 'https://chat.example.org'
    const asked = await service.fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'range',
      },
    })
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-headers')).toBe('range')
    expect(asked.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
    const part = await service.fetch(url, { headers: { origin, range: 'bytes=0-3' } })
    expect(part.status).toBe(206)
    for (const answer of [asked, part])
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(part.headers.get('access-control-expose-headers')).toContain('content-range')
    expect(part.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('returns the type of the attachment when the upload has none', async () => {
    const signed = await sign({ fileName: 'untyped', contentType: null })
    await upload(signed, 'Grüße', signed.post.fields)
    const typeOf = async () =>
      (await service.fetch(signed.signedUrl)).headers.get('content-type') ?? ''
    expect(await typeOf()).toBe('application/octet-stream')
    await post(
      service,
      '/api/graphql',
      {
        query:
          'mutation($k: String) { ingestStep(id: "typed", attachments: [{ id: "typed", mime: "text/plain", objectKey: $k }]) { ok } }',
        variables: { k: signed.post.fields.key },
      },
      { 'x-api-key': 'k' },
    )
    expect(await typeOf()).toBe('text/plain; charset=utf-8')
  })

  test('returns bytes for a type that no header can contain', async () => {
    const response = await service.fetch(await uploaded('x', 'text/html\r\nset-cookie: a=b'))
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  test.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=5-100', 206, '56789', 'bytes 5-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=3-1', 200, '0123456789', null],
    ['bytes=0-1,3-4', 200, '0123456789', null],
    ['lines=0-1', 200, '0123456789', null],
    ['bytes=', 200, '0123456789', null],
  ])('of the range %s returns %i', async (range, status, content, contentRange) => {
    const response = await service.fetch(await uploaded('0123456789'), { headers: { range } })
    expect(response.status).toBe(status)
    expect(await response.text()).toBe(content)
    expect(response.headers.get('content-range')).toBe(contentRange)
  })

  test('by HEAD returns the size, and an empty file is empty', async () => {
    const head = await service.fetch(await uploaded('12345'), { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe('5')
    expect(await (await service.fetch(await uploaded(''))).text()).toBe('')
  })
})

describe('these uploads are rejected', () => {
  test('a file over the limit, which leaves nothing behind', async () => {
    const before = await settledFiles()
    const response = await upload(await sign(), 'x'.repeat(1001))
    expect(response.status).toBe(413)
    expect(await settledFiles()).toEqual(before)
  })

  test('forged, swapped and expired signatures', async () => {
    const signed = await sign({ fileName: 'sig' })
    const change = (url: string, edit: (url: URL) => void) => {
      const changed = new URL(url)
      edit(changed)
      return changed.href
    }
    for (const url of [
      change(signed.signedUrl, ({ searchParams }) => searchParams.set('signature', 'x')),
      change(signed.signedUrl, ({ searchParams }) => searchParams.set('expires', '99999999999')),
      change(signed.signedUrl, ({ searchParams }) => searchParams.delete('signature')),
      change(signed.signedUrl, (changed) => {
        changed.pathname = changed.pathname.replace('sig', 'gis')
      }),
      change(signed.post.url, () => {}),
    ])
      expect((await service.fetch(url)).status).toBe(403)
    expect((await service.fetch(signed.signedUrl, { method: 'PUT', body: 'x' })).status).toBe(403)
    let now = 0
    const signatures = new Signatures('secret', () => now)
    const query = new URLSearchParams(signatures.sign('read', 'p', 'k', 60))
    signatures.check('read', 'p', 'k', query)
    now = 61_000
    expect(() => signatures.check('read', 'p', 'k', query)).toThrow('expires')
  })

  test('a form without the file, with another key, or that breaks off', async () => {
    const signed = await sign()
    const form = new FormData()
    form.append('key', signed.post.fields.key)
    expect((await service.fetch(signed.post.url, { method: 'POST', body: form })).status).toBe(400)
    expect((await upload(signed, 'x', { key: 'threads/other/key' })).status).toBe(403)
    const broken = {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nhalf',
    }
    expect((await service.fetch(signed.post.url, broken)).status).toBe(400)
    expect(
      (
        await service.fetch(signed.post.url, {
          method: 'POST',
          headers: { 'content-type': 'text/plain' },
          body: 'x',
        })
      ).status,
    ).toBe(400)
    expect((await service.fetch(signed.signedUrl)).status).toBe(404)
  })

  test('a form of endless parts, before its file or behind it', async () => {
    const signed = await sign()
    const file = '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nabc\r\n'
    const fields = '--b\r\ncontent-disposition: form-data; name="x"\r\n\r\na\r\n'.repeat(101)
    for (const body of [`${file}${fields}--b--\r\n`, `${fields}${file}--b--\r\n`]) {
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      const answer = await service.fetch(signed.post.url, { method: 'POST', headers, body })
      expect(answer.status).toBe(400)
      expect(await answer.text()).toContain('body: expected a form of at most 100 parts')
    }
    expect((await service.fetch(signed.signedUrl)).status).toBe(404)
  })

  test('a file that was never uploaded is not found', async () => {
    expect((await service.fetch((await sign()).signedUrl)).status).toBe(404)
  })
})

test('uploads that break off neither end the process nor leave anything behind, signed or not', async () => {
  const { url, stop } = await listen(service, '127.0.0.1', 0)
  const before = await settledFiles()
  const signed = new URL((await sign()).post.url)
  const part = (name: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"; filename="a"\r\n\r\nabc`
  for (const path of ['/files/x/y', signed.pathname + signed.search])
    for (const name of ['file', 'other'])
      for (const missing of [0, 1000]) {
        const body = part(name)
        const socket = connect(Number(new URL(url).port), '127.0.0.1')
        socket.on('error', () => undefined)
        socket.write(
          `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${body.length + missing}\r\n\r\n${body}`,
        )
        if (missing === 0) {
          const [answer] = await once(socket, 'data')
          expect(String(answer)).toMatch(/^HTTP\/1.1 4\d\d/)
        } else socket.end()
        socket.destroy()
      }
  expect(await settledFiles()).toEqual(before)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect(faults).toEqual([])
  await stop(0)
})

test.each(['PUT', 'POST'])(
  'a client that leaves before its %s is read ends no process',
  async (method) => {
    const before = await settledFiles()
    const { url } = (await sign()).post
    const form = new FormData()
    form.append('file', new Blob(['bytes']), 'name')
    const body = method === 'PUT' ? 'bytes' : form
    const left = new Request(url, { method, body, signal: AbortSignal.abort() })
    // An error that nobody catches fails the run of the tests, as it would end the process.
    expect((await service.fetch(left)).status).toBe(400)
    expect(await settledFiles()).toEqual(before)
    expect(faults).toEqual([])
  },
)

test('PUT takes the bare content, with any content type', async () => {
  const signed = await sign({ contentType: 'image/png' })
  const response = await service.fetch(signed.post.url, {
    method: 'PUT',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: 'bytes',
  })
  expect(response.status).toBe(200)
  const read = await service.fetch(signed.signedUrl)
  expect(await read.text()).toBe('bytes')
  expect(read.headers.get('content-type')).toBe('image/png')
})

test.each([
  '../../etc/passwd',
  '..',
  '.',
  '/',
  'a/b',
  'a\\b',
  '\u0000',
  'x'.repeat(5000),
  'ü',
  '%2e%2e',
  '.hidden',
  '~x',
])('the name %j becomes a key that leads to no other folder', async (name) => {
  const key = objectKeyFor(name, name)
  expect(key).toMatch(/^threads\/[\w-][\w.-]*\/[\w-][\w.-]*$/)
  expect(toPath(key)).toBe(key)
  expect(fromPath(toPath(name))).toBe(name)
  const signed = await sign({ fileName: name, threadId: name })
  expect((await upload(signed, 'content')).status).toBe(200)
  expect(await (await service.fetch(signed.signedUrl)).text()).toBe('content')
})

test('a key that a client made up is signed for itself only', async () => {
  for (const objectKey of ['../../api-key', '..', 'threads/../../x', '~', 'a b?c#d']) {
    await post(
      service,
      '/api/graphql',
      {
        query:
          'mutation($k: String) { ingestStep(id: "odd", attachments: [{ id: "odd", objectKey: $k }]) { ok } }',
        variables: { k: objectKey },
      },
      { 'x-api-key': 'k' },
    )
    const { body } = await post(
      service,
      '/api/graphql',
      { query: '{ attachment(id: "odd") { url objectKey } }' },
      { 'x-api-key': 'k' },
    )
    expect(body.data.attachment.objectKey).toBe(objectKey)
    expect((await service.fetch(body.data.attachment.url)).status).toBe(404)
  }
})

test('limits have the sizes in the documentation', () => {
  expect(DEFAULT_LIMITS).toMatchObject({ payloadBytes: 3_000_000, metadataBytes: 1_000_000 })
})
