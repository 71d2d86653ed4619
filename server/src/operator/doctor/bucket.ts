import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { Bucket } from '../../files/bucket.js'
import type { BucketLocation } from '../../files/bucket-location.js'
import { broken, type Finding, messageOf, ok, warning } from './check.js'

const CONTENT = 'a canary of stepwell doctor'
const PROJECT = 'stepwell-doctor'
const ASK_MS = 8000
const MAX_BYTES = 1_000_000
const ANY_ORIGIN = 'https://stepwell.example'

/** Stores an object as the service does and as clients do, reads it by a presigned URL as pages do, and deletes it. */
export const bucketWorks = async (
  location: BucketLocation,
  { publicUrl, isReadOnly }: { publicUrl: string | undefined; isReadOnly: boolean },
): Promise<Finding[]> => {
  const bucket = new Bucket(location, MAX_BYTES)
  const origin = publicUrl === undefined ? ANY_ORIGIN : new URL(publicUrl).origin
  if (isReadOnly) return [await steps('the bucket answers', () => bucket.check(), location)]
  const key = bucket.keyFor(PROJECT, randomUUID())
  const file = { mime: 'text/plain', origin }
  try {
    const stored = await steps(
      'an object was stored',
      () => bucket.put(PROJECT, key, Readable.from([CONTENT]), Buffer.byteLength(CONTENT)),
      location,
    )
    if (stored.state === 'broken') return [stored]
    return [
      stored,
      await steps('a client can upload by a presigned URL', () => upload(bucket, key), location),
      await steps(
        'a client can read by a presigned URL',
        async () => demandContent(await read(bucket.readUrl(PROJECT, key, file))),
        location,
      ),
      await pages(bucket.readUrl(PROJECT, key, file), origin),
    ]
  } finally {
    await bucket.remove(PROJECT, key).catch(() => undefined)
  }
}

/** Checks that the object can be deleted: another right than that to store it. */
export const bucketDeletes = async (location: BucketLocation): Promise<Finding> => {
  const bucket = new Bucket(location, MAX_BYTES)
  return steps(
    'an object can be deleted',
    () => bucket.remove(PROJECT, bucket.keyFor(PROJECT, 'none')),
    location,
  )
}

const upload = async (bucket: Bucket, key: string): Promise<void> => {
  const target = bucket.upload(PROJECT, key, { mime: 'text/plain', origin: ANY_ORIGIN })
  const signal = AbortSignal.timeout(ASK_MS)
  let response: Response
  if ('put' in target)
    response = await fetch(target.put.url, { method: 'PUT', body: CONTENT, signal })
  else {
    const form = new FormData()
    for (const [name, value] of Object.entries(target.post.fields)) form.append(name, value)
    form.append('file', new Blob([CONTENT], { type: 'text/plain' }), 'canary')
    response = await fetch(target.post.url, { method: 'POST', body: form, signal })
  }
  await response.body?.cancel()
  if (!response.ok) throw new Error(`the bucket answered ${response.status} to an upload`)
}

const read = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(ASK_MS) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const demandContent = ({ status, text }: { status: number; text: string }): void => {
  if (status !== 200) throw new Error(`the bucket answered ${status} when a file was to be read`)
  if (text !== CONTENT) throw new Error('the bucket answered with another content')
}

/** Checks the rule without which the web UI shows no texts and PDFs. */
const pages = async (url: string, origin: string): Promise<Finding> => {
  const reply = await read(url, { origin }).catch(() => undefined)
  const allowed = reply?.headers.get('access-control-allow-origin')
  return allowed === '*' || allowed === origin
    ? ok('pages may read the bucket')
    : warning(
        `pages of ${origin === ANY_ORIGIN ? 'other origins' : origin} may not read the bucket, so that the web UI shows no texts and PDFs`,
        'give the bucket a CORS rule that allows GET and HEAD with the header Range, as docs/operate/storage.md has it',
      )
}

const steps = async (
  what: string,
  work: () => Promise<unknown>,
  location: BucketLocation,
): Promise<Finding> => {
  const place = `the bucket ${location.bucket} at ${new URL(location.baseUrl).host}`
  try {
    await work()
    return ok(`${what} in ${place}`)
  } catch (error) {
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined
    const text = `it failed that ${what} in ${place}: ${cause?.code ?? messageOf(error)}`
    return broken(text, remedyOf(text))
  }
}

const remedyOf = (text: string): string => {
  if (/answered 40[13]/.test(text))
    return 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key that may put, get and delete objects there; a region that is not the bucket’s, and a wrong clock, get the same answer'
  if (/answered 404/.test(text))
    return 'make the bucket, or correct its name and endpoint in --files'
  if (/answered 405|answered 501/.test(text))
    return 'add &upload=put to the URL of --files: this store takes no form uploads'
  return 'correct the endpoint in --files, and let requests of this machine through to it'
}
