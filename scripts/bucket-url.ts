// Prints a URL that creates a bucket when a PUT is sent to it, for ten minutes: `node scripts/run.js scripts/bucket-url.ts BUCKET`,
// with the credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. curl signs too, but takes no key with a colon, as Swift's are.
import { presignedUrl } from '../server/src/files/sigv4.js'

const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } =
  process.env
const bucket = new URL(process.argv[2] ?? '')
const signer = {
  credentials: { accessKeyId, secretAccessKey },
  region: 'us-east-1',
  now: new Date(),
}
console.log(presignedUrl(signer, 'PUT', bucket, 600))
