import { createHash, createHmac } from 'node:crypto'

/**
 * Signatures of AWS, version 4, as every S3-compatible store checks them. Made here, as signing a URL must not wait.
 */
export interface Credentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}

export interface Signer {
  credentials: Credentials
  region: string
  now: Date
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Percent-encodes as signatures require: everything but letters, digits and four others. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Writes a moment as `20261121T100000Z`. */
const momentOf = (now: Date) => now.toISOString().replace(/[-:]|\.\d+/g, '')

const scopeOf = ({ region, now }: Signer) =>
  `${momentOf(now).slice(0, 8)}/${region}/s3/aws4_request`

const signed = (signer: Signer, text: string): string => {
  const day = hmac(`AWS4${signer.credentials.secretAccessKey}`, momentOf(signer.now).slice(0, 8))
  const key = hmac(hmac(hmac(day, signer.region), 's3'), 'aws4_request')
  return hmac(key, text).toString('hex')
}

/**
 * Returns a URL that allows one request without credentials, for some seconds. The parts that differ between two URLs
 * of a file come after `X-Amz-Date`, where released clients cut when they compare them.
 */
export const presignedUrl = (
  signer: Signer,
  method: 'GET' | 'PUT' | 'DELETE',
  url: URL,
  lifetimeSeconds: number,
  overrides: Record<string, string> = {},
): string => {
  const { credentials, now } = signer
  const query: Record<string, string> = {
    'X-Amz-Date': momentOf(now),
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${credentials.accessKeyId}/${scopeOf(signer)}`,
    'X-Amz-Expires': String(lifetimeSeconds),
    'X-Amz-SignedHeaders': 'host',
    ...(credentials.sessionToken === undefined
      ? {}
      : { 'X-Amz-Security-Token': credentials.sessionToken }),
    ...overrides,
  }
  const parts = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`)
  const path = url.pathname
    .split('/')
    .map((part) => encode(decodeURIComponent(part)))
    .join('/')
  const canonical = [
    method,
    path,
    parts.toSorted().join('&'),
    `host:${url.host}`,
    '',
    'host',
    'UNSIGNED-PAYLOAD',
  ]
  const hash = createHash('sha256').update(canonical.join('\n')).digest('hex')
  const signature = signed(
    signer,
    ['AWS4-HMAC-SHA256', momentOf(now), scopeOf(signer), hash].join('\n'),
  )
  return `${url.origin}${path}?${parts.join('&')}&X-Amz-Signature=${signature}`
}

type Condition = Record<string, string> | ['content-length-range', number, number]

/** Returns the fields of a form that allows one upload, of no more than `mostBytes`, with the given fields. */
export const presignedForm = (
  signer: Signer,
  bucket: string,
  fields: Record<string, string>,
  { lifetimeSeconds, mostBytes }: { lifetimeSeconds: number; mostBytes: number },
): Record<string, string> => {
  const { credentials, now } = signer
  const all: Record<string, string> = {
    ...fields,
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': `${credentials.accessKeyId}/${scopeOf(signer)}`,
    'x-amz-date': momentOf(now),
    ...(credentials.sessionToken === undefined
      ? {}
      : { 'x-amz-security-token': credentials.sessionToken }),
  }
  const conditions: Condition[] = [
    { bucket },
    ['content-length-range', 0, mostBytes],
    ...Object.entries(all).map(([name, value]) => ({ [name]: value })),
  ]
  const expiration = new Date(now.getTime() + lifetimeSeconds * 1000).toISOString()
  const policy = Buffer.from(JSON.stringify({ expiration, conditions })).toString('base64')
  return { ...all, policy, 'x-amz-signature': signed(signer, policy) }
}
