import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { broken, type Finding, ok } from '../check.js'

const LIMIT_MS = 15_000
const STEP_NAME = 'stepwell doctor'
const PROGRAM = `
const { StepwellClient } = await import(process.env.STEPWELL_DOCTOR_SDK)
const client = new StepwellClient({ apiUrl: process.env.STEPWELL_DOCTOR_URL, apiKey: 'doctor', disabled: false, onReport: () => undefined })
await client.trace('${STEP_NAME}', () => 1)
process.exit(0)
`

/**
 * Lets a process end right after it recorded a step, and sees if the step is delivered: to a server here, as a client that
 * ends leaves a session in the project, which nothing deletes.
 */
export const atExit = async (): Promise<Finding> => {
  const mend =
    'await client.close() before the process ends, or give clients the option spool; workers must be allowed (--allow-worker with --permission)'
  let isDelivered: (() => void) | undefined
  const delivered = new Promise<true>((resolve) => {
    isDelivered = () => resolve(true)
  })
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts)
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
      if (text.includes(STEP_NAME)) isDelivered?.()
      const ingestSteps = { ok: true, accepted: 1, refused: [], refusedScores: [] }
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ data: { ingestSteps } }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    stdio: 'ignore',
    env: {
      ...process.env,
      STEPWELL_DOCTOR_SDK: import.meta.resolve('stepwell'),
      STEPWELL_DOCTOR_URL: `http://127.0.0.1:${port}`,
    },
  })
  const timer = new Promise<false>((resolve) => setTimeout(resolve, LIMIT_MS, false).unref())
  const failed = once(child, 'error').then(() => false as const)
  try {
    return (await Promise.race([delivered, timer, failed]))
      ? ok('a process that ended at once delivered its step')
      : broken('a process that ended at once did not deliver its step', mend)
  } finally {
    child.kill()
    server.closeAllConnections()
    server.close()
  }
}
