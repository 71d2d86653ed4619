import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The service serves the web UI, which was built before the tests.
let service: Service
beforeAll(async () => {
  service = await createService()
})
afterAll(() => service?.close())
const get = (path: string, headers: Record<string, string> = { accept: 'text/html' }) =>
  service.fetch(`http://127.0.0.1:3000${path}`, { headers })

test('every path returns the one page, under a policy that runs nothing else', async () => {
  for (const path of ['/', '/projects/p/threads', '/projects/p/threads/a.b', '/sign-in']) {
    const response = await get(path)
    expect(response.status, path).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toContain('unsafe')
    const page = await response.text()
    expect(page).toMatch(/<script type="module"[^>]* src="\/assets\//)
    expect(page).not.toMatch(/<script[^>]*>[^<]|<style|\sstyle=|\son\w+=/)
  }
})

test('its files are found, compressed if the client accepts that, and cached without limit', async () => {
  const page = await (await get('/')).text()
  const [script = ''] = page.match(/\/assets\/index-[\w-]+\.js/) ?? []
  const plain = await get(script, {})
  const packed = await get(script, { 'accept-encoding': 'gzip, br' })
  expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(packed.headers.get('content-encoding')).toBe('br')
  expect(packed.headers.get('cache-control')).toContain('immutable')
  const [all, less] = [await plain.arrayBuffer(), await packed.arrayBuffer()]
  expect(less.byteLength).toBeLessThan(all.byteLength / 2)
  const zipped = await get(script, { 'accept-encoding': 'gzip' })
  expect(zipped.headers.get('content-encoding')).toBe('gzip')
  const original = Buffer.from(all)
  expect(gunzipSync(new Uint8Array(await zipped.arrayBuffer()))).toEqual(original)
  expect(brotliDecompressSync(new Uint8Array(less))).toEqual(original)
  // A script that becomes a worker may start the engine that draws PDFs, and reach nothing.
  const policy = plain.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'")
  expect(policy).not.toContain('connect-src')
})

test('no other file can be reached by it', async () => {
  for (const path of [
    '/assets/../package.json',
    '/assets/%2e%2e/package.json',
    '/assets/none.js',
    '/assets/',
    '/api/nothing',
  ]) {
    const response = await get(path)
    // A path that leads out of the folder is a normal path in a URL; it gets the page, and never a file.
    expect(await response.text(), path).not.toContain('"name"')
    if (path.startsWith('/api/') || path.endsWith('none.js'))
      expect(response.headers.get('content-type'), path).toContain('json')
  }
})

test('programs that do not ask for a page get NOT_FOUND', async () => {
  const response = await get('/nothing', { accept: 'application/json' })
  expect(response.status).toBe(404)
  expect((await response.json()).errors[0].extensions.code).toBe('NOT_FOUND')
})

test.each([[{ accept: '*/*' }], [{}], [{ accept: 'text/*;q=0.5' }]] as Record<string, string>[][])(
  'the root returns the page to a program that takes anything: %j',
  async (headers) => {
    const response = await get('/', headers)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect((await get('/nothing', headers)).status).toBe(404)
    expect((await get('/', { accept: 'application/json' })).status).toBe(404)
  },
)

test('a command-line program gets a list of addresses at the root', async () => {
  const response = await get('/', { accept: '*/*', 'user-agent': 'curl/8.14.1' })
  expect(response.headers.get('content-type')).toContain('text/plain')
  const text = await response.text()
  for (const path of ['/api/graphql', '/v1/traces', '/healthz', 'npx stepwell sign-in'])
    expect(text).toContain(path)
  expect(await (await get('/', { accept: 'text/plain' })).text()).toBe(text)
})

test('an unknown address answers with those that exist', async () => {
  const response = await get('/graphql', { accept: 'application/json' })
  const { errors } = await response.json()
  expect(errors[0].message).toBe(
    'path: nothing answers at "/graphql"; GraphQL is at /api/graphql, OpenTelemetry at /v1/traces and /v1/logs, agents at /mcp, the web UI at /',
  )
})

test('a chosen theme is part of the page itself', async () => {
  const themed = async (cookie: string) => (await get('/', { accept: 'text/html', cookie })).text()
  expect(await themed('theme=dark')).toContain('<html data-theme="dark"')
  expect(await themed('other=1; theme=light')).toContain('<html data-theme="light"')
  expect(await themed('theme=x"onload="')).not.toContain('data-theme')
})
