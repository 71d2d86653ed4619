// A server that accepts any SDK's requests and counts the steps in them. Each step has a marker in its name,
// `st3p-NUMBER-`, which survives every format (JSON, protobuf, forms), so that all SDKs are counted alike. It runs in a
// separate process and takes messages: { mode: 'ok' | 'late' | 'unavailable' | 'silent' | 'down' }.
import { createServer } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

const seen = new Map()
let mode = 'ok'
let requests = 0
let largest = 0
let port = 0
let server

const unpack = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync }

/** Returns the answers that the SDKs need before and while they send. */
const answerTo = (path, body) => {
  if (path.includes('/api/graphql')) {
    if (body.includes('ingestSteps'))
      return {
        data: {
          ingestSteps: { ok: true, message: null, accepted: 0, refused: [], refusedThreads: [] },
        },
      }
    const aliases = [...body.matchAll(/(step\d+): ?ingestStep/g)].map(([, alias]) => alias)
    return {
      data: Object.fromEntries(aliases.map((alias) => [alias, { ok: true, message: null }])),
    }
  }
  if (path.includes('/api/apikey/login'))
    return {
      org_info: [
        {
          id: 'o',
          name: 'o',
          api_url: `http://127.0.0.1:${port}`,
          proxy_url: `http://127.0.0.1:${port}`,
          git_metadata: { collect: 'none' },
        },
      ],
    }
  if (path.includes('/api/project/register')) return { project: { id: 'p', name: 'bench' } }
  if (path.endsWith('/version')) return { commit: 'x', logs3_payload_max_bytes: null }
  if (path.endsWith('/info'))
    return {
      version: '1',
      batch_ingest_config: {
        use_multipart_endpoint: true,
        size_limit: 100,
        size_limit_bytes: 20971520,
      },
    }
  if (path.includes('/graphql'))
    return {
      data: {
        viewer: { username: 'u', defaultEntity: { name: 'e' } },
        upsertModel: { model: { name: 'bench', project: { name: 'bench' } }, project: { id: 'p' } },
      },
    }
  return {}
}

const handle = (request, response) => {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', async () => {
    requests++
    if (mode === 'silent') return
    if (mode === 'unavailable') {
      response.writeHead(503, { 'content-type': 'application/json' })
      return response.end('{}')
    }
    const raw = Buffer.concat(parts)
    largest = Math.max(largest, raw.length)
    if (mode === 'late') await new Promise((resolve) => setTimeout(resolve, 20))
    const encoding = request.headers['content-encoding']
    const text = (unpack[encoding] === undefined ? raw : unpack[encoding](raw)).toString('latin1')
    for (const [, number] of text.matchAll(/st3p-(\d+)-/g))
      seen.set(number, (seen.get(number) ?? 0) + 1)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answerTo(request.url, text)))
  })
}

const start = (wanted) =>
  new Promise((resolve) => {
    server = createServer(handle)
    server.keepAliveTimeout = 60_000
    server.listen(wanted, '127.0.0.1', () => {
      port = server.address().port
      resolve()
    })
  })

process.on('message', async ({ id, ...told }) => {
  if (told.mode !== undefined) {
    if (told.mode === 'down') {
      server?.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    } else if (mode === 'down') await start(port)
    mode = told.mode
  }
  if (told.reset) {
    seen.clear()
    requests = 0
    largest = 0
  }
  process.send({ id, port, count: seen.size, requests, largest })
})
process.on('disconnect', () => process.exit(0))

await start(0)
process.send({ port })
