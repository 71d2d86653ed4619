// Replaces an S3-compatible store if there is none: keeps objects in memory, and checks the signatures of URLs and
// forms, their expiry, and a form's policy, with an implementation of its own.
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

const ACCESS_KEY = 'stand-in'
const SECRET = 'stand-in-secret'

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const signature = (scope: string, text: string) => {
  const [day = '', region = '', service = '', last = ''] = scope.split('/')
  const key = hmac(hmac(hmac(hmac(`AWS4${SECRET}`, day), region), service), last)
  return hmac(key, text).toString('hex')
}
const scopeIn = (credential: string | null | undefined) => {
  const [accessKey, ...scope] = (credential ?? '').split('/')
  return accessKey === ACCESS_KEY ? scope.join('/') : undefined
}

const isSigned = (method: string, url: URL, host: string): boolean => {
  const scope = scopeIn(url.searchParams.get('X-Amz-Credential'))
  const date = url.searchParams.get('X-Amz-Date') ?? ''
  const begin = Date.parse(
    date.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z'),
  )
  const age = Date.now() - begin
  if (scope === undefined || !(age < Number(url.searchParams.get('X-Amz-Expires')) * 1000))
    return false
  const query = url.search
    .slice(1)
    .split('&')
    .filter((part) => !part.startsWith('X-Amz-Signature='))
    .sort()
    .join('&')
  const request = `${method}\n${url.pathname}\n${query}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`
  const hash = createHash('sha256').update(request).digest('hex')
  const expected = signature(scope, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash}`)
  return url.searchParams.get('X-Amz-Signature') === expected
}

type Policy = {
  expiration: string
  conditions: (Record<string, string> | [string, number, number])[]
}

/** Returns the reason for refusing a form; undefined for a valid one. */
const refusalOf = (
  bucket: string,
  fields: Map<string, string>,
  bytes: number,
): string | undefined => {
  const policy = fields.get('policy') ?? ''
  const scope = scopeIn(fields.get('x-amz-credential'))
  if (scope === undefined || fields.get('x-amz-signature') !== signature(scope, policy))
    return 'SignatureDoesNotMatch'
  const { expiration, conditions } = JSON.parse(Buffer.from(policy, 'base64').toString()) as Policy
  if (Date.parse(expiration) < Date.now()) return 'Expired'
  const said = new Map<string, string>()
  for (const condition of conditions) {
    if (Array.isArray(condition)) {
      if (bytes < condition[1] || bytes > condition[2]) return 'EntityTooLarge'
      continue
    }
    for (const [name, value] of Object.entries(condition)) said.set(name.toLowerCase(), value)
  }
  if (said.get('bucket') !== bucket) return 'the bucket is not that of the policy'
  for (const [name, value] of fields)
    if (!['policy', 'x-amz-signature'].includes(name) && said.get(name) !== value)
      return `the policy does not have ${name}`
  return undefined
}

const contentOf = async (request: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

export const startStandIn = async () => {
  const objects = new Map<string, Buffer>()
  let isDown = false
  const server = createServer((request, response) => {
    const end = (status: number, body: Buffer | string = '', headers = {}) =>
      response.writeHead(status, headers).end(body)
    const answer = async () => {
      const host = request.headers.host ?? ''
      const url = new URL(request.url ?? '', `http://${host}`)
      const content = await contentOf(request)
      if (isDown) return end(503)
      const [, bucket = '', ...path] = url.pathname.split('/')
      const key = path.join('/')
      if (request.method === 'POST') {
        const form = await new Response(new Uint8Array(content), {
          headers: { 'content-type': request.headers['content-type'] ?? '' },
        }).formData()
        const file = form.get('file') as File
        const fields = new Map<string, string>()
        for (const [name, value] of form)
          if (typeof value === 'string') fields.set(name.toLowerCase(), value)
        const refusal = refusalOf(bucket, fields, file.size)
        if (refusal !== undefined) return end(403, refusal)
        objects.set(fields.get('key') ?? '', Buffer.from(await file.arrayBuffer()))
        return end(201)
      }
      if (!isSigned(request.method ?? '', url, host)) return end(403, 'SignatureDoesNotMatch')
      if (request.method === 'PUT') {
        objects.set(key, content)
        return end(200)
      }
      if (request.method === 'DELETE') {
        objects.delete(key)
        return end(204)
      }
      const object = objects.get(key)
      if (object === undefined) return end(404)
      return end(200, object, {
        'content-type': url.searchParams.get('response-content-type') ?? 'binary/octet-stream',
        'content-disposition': url.searchParams.get('response-content-disposition') ?? '',
      })
    }
    answer().catch((error) => end(500, String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    location: `s3://stand-in/some/prefix?endpoint=http://127.0.0.1:${port}`,
    environment: { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET },
    setDown: (down: boolean) => {
      isDown = down
    },
    /** Returns the number of objects. */
    count: () => objects.size,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}
