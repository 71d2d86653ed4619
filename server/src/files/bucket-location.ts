import type { Credentials } from './sigv4.js'

export interface BucketLocation {
  bucket: string
  /** Prefix of every name in the bucket: empty, or with a slash at the end. */
  prefix: string
  /** URL of the bucket, with a slash at the end. */
  baseUrl: string
  region: string
  /** Stores without POST forms take a plain PUT, for which no maximum size can be signed. */
  upload: 'post' | 'put'
  credentials: Credentials
}

const EXPECTED =
  'expected s3://bucket/prefix, with ?endpoint=https://… for a store that is not Amazon’s, &region=… and &upload=put where wanted'

/**
 * Reads the location of files: `s3://bucket/prefix?endpoint=…&region=…&upload=put`. Credentials, and parts that the URL
 * leaves open, come from the environment variables that the tools of AWS read.
 * @throws Error with the expected form; it repeats no secret.
 */
export const readBucketLocation = (
  text: string,
  environment: NodeJS.ProcessEnv,
): BucketLocation => {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?]*))?(?:\?(.*))?$/.exec(text)
  if (match === null) throw new Error(EXPECTED)
  const [, bucket = '', path = '', search = ''] = match
  const query = new URLSearchParams(search)
  for (const name of query.keys())
    if (!['endpoint', 'region', 'upload'].includes(name))
      throw new Error(`${EXPECTED}; got ?${name}=`)
  const region =
    query.get('region') || environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1'
  const upload = query.get('upload') || 'post'
  if (upload !== 'post' && upload !== 'put') throw new Error(`${EXPECTED}; got upload=${upload}`)
  const endpoint =
    query.get('endpoint') || environment.AWS_ENDPOINT_URL_S3 || environment.AWS_ENDPOINT_URL
  if (endpoint && !(URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol)))
    throw new Error(`${EXPECTED}; got endpoint=${endpoint}`)
  const prefix = path.replace(/^\/+|\/+$/g, '')
  if (!/^[A-Za-z0-9._\-/]*$/.test(prefix))
    throw new Error('the prefix may have letters, digits, dots, dashes and slashes')
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
    throw new Error('a bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  return {
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    baseUrl: endpoint
      ? `${endpoint.replace(/\/+$/, '')}/${bucket}/`
      : `https://${bucket}.s3.${region}.amazonaws.com/`,
    region,
    upload,
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      sessionToken: AWS_SESSION_TOKEN || undefined,
    },
  }
}
