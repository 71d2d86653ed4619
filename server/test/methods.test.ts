import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createService, type Listening, listen, type Service } from '../src/index.js'

let service: Service
let listening: Listening
beforeAll(async () => {
  service = await createService({ apiKey: 'k' })
  listening = await listen(service, '127.0.0.1', 0)
})
afterAll(async () => {
  await listening?.stop(100)
  await service?.close()
})

test.each([
  ['/api/graphql', 'POST'],
  ['/api/export/dataset', 'POST'],
  ['/api/export/steps.csv', 'GET, HEAD, POST'],
  ['/api/sign-in', 'POST'],
  ['/files/project/files/key', 'GET, HEAD, POST, PUT'],
  ['/healthz', 'GET, HEAD'],
  ['/readyz', 'GET, HEAD'],
  ['/metrics', 'GET, HEAD'],
  ['/mcp', 'POST'],
])('%s says which methods it has', async (path, allow) => {
  const response = await service.fetch(`http://x${path}`, { method: 'DELETE' })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe(allow)
  expect(await response.text()).toContain('method: expected ')
})

test.each(['/healthz', '/readyz'])('%s answers HTTP/1.0, which names no host', async (path) => {
  const socket = connect(Number(new URL(listening.url).port), '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.0\r\n\r\n`)
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
})
