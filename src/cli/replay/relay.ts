import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { parsed } from '../../model-calls/json.js'
import { isPlain } from '../../values/fit.js'

/** A prompt whose versions are all one. */
export interface PinnedPrompt {
  name: string
  version: number
  /** Its fields, as the service returns them. */
  fields: Record<string, unknown>
}

interface RelayOptions {
  apiUrl: string
  /** Ids of the recorded run, which a replay must not write to. */
  recorded: readonly string[]
  pinned: PinnedPrompt | undefined
}

/** A server between the application and the service. */
interface Relay {
  url: string
  /** The threads that were written to. */
  readonly threads: ReadonlySet<string>
  /** The first path by which ids of the record came in a form that can't be changed; it was rejected. */
  readonly rejected: string | undefined
  /** True once the pinned prompt was asked for. */
  readonly isPromptAsked: boolean
  stop(): Promise<void>
}

/**
 * Starts a server between the application and its service: what is written with ids of the recorded run gets new ids, so that a
 * replay never changes its record, and one prompt has one version.
 */
export const startRelay = async ({ apiUrl, recorded, pinned }: RelayOptions): Promise<Relay> => {
  const ids = new Map(recorded.map((id) => [JSON.stringify(id), JSON.stringify(randomUUID())]))
  const hasSome = finderOf(recorded)
  const threads = new Set<string>()
  let isPromptAsked = false
  let rejected: string | undefined

  const written = (text: string): string => {
    const body = parsed(text)
    if (!isPlain(body) || !/^\s*mutation\b/.test(String(body.query))) return text
    const mapped = text.replace(/"(?:[^"\\]|\\.)*"/g, (one) => ids.get(one) ?? one)
    const { variables } = JSON.parse(mapped) as { variables?: Record<string, unknown> }
    const steps = Array.isArray(variables?.steps) ? variables.steps : []
    for (const one of steps)
      if (isPlain(one) && typeof one.threadId === 'string') threads.add(one.threadId)
    return mapped
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const sent = Buffer.concat(parts)
    const isGraphql = request.url?.startsWith('/api/graphql') === true
    const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    if (OTHER_WRITES.test(request.url ?? '') && hasSome(plain)) {
      rejected ??= request.url?.split('?')[0]
      response.writeHead(403).end('a replay never changes its record')
      return
    }
    const body = isGraphql ? Buffer.from(written(plain.toString())) : plain
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers))
      if (!OF_HOP.includes(name) && value !== undefined) headers.set(name, String(value))
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
    const got = await fetch(`${apiUrl}${request.url ?? ''}`, {
      method: request.method ?? 'GET',
      headers,
      redirect: 'manual',
      ...(hasBody ? { body: new Uint8Array(body) } : {}),
    })
    let content = Buffer.from(await got.arrayBuffer())
    if (isGraphql && pinned !== undefined) {
      const changed = withPinned(parsed(content.toString()), pinned)
      if (changed !== undefined) {
        isPromptAsked = true
        content = Buffer.from(JSON.stringify(changed))
      }
    }
    const shown = Object.fromEntries([...got.headers].filter(([name]) => !OF_HOP.includes(name)))
    response.writeHead(got.status, shown).end(content)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    threads,
    get rejected() {
      return rejected
    },
    get isPromptAsked() {
      return isPromptAsked
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Writes that are no GraphQL: spans, whose bytes have lengths, files, and those of agents. */
const OTHER_WRITES = /^\/(?:v1\/|api\/upload|mcp\b.*\bwrite=)/

/**
 * Returns a function that looks for some texts in bytes, with work that follows from the bytes and the different lengths of the
 * texts, and not from their number: threads have tens of thousands of steps.
 */
const finderOf = (texts: readonly string[]): ((bytes: Buffer) => boolean) => {
  const byLength = new Map<number, Set<string>>()
  for (const text of texts) {
    const bytes = Buffer.from(text).toString('latin1')
    const some = byLength.get(bytes.length) ?? new Set()
    byLength.set(bytes.length, some.add(bytes))
  }
  return (bytes) => {
    const content = bytes.toString('latin1')
    for (const [length, some] of byLength)
      for (let at = 0; at + length <= content.length; at++)
        if (some.has(content.slice(at, at + length))) return true
    return false
  }
}

/** Headers of one connection, or of an encoding that was undone. */
const OF_HOP = [
  ...['host', 'connection', 'content-length', 'content-encoding', 'transfer-encoding'],
  ...['keep-alive', 'accept-encoding', 'expect'],
]

/** Returns an answer in which a prompt has one version; undefined for one without it. */
const withPinned = (answer: unknown, { name, version, fields }: PinnedPrompt): unknown => {
  if (!isPlain(answer) || !isPlain(answer.data)) return undefined
  const isIt = (one: unknown): boolean =>
    isPlain(one) && isPlain(one.lineage) && one.lineage.name === name
  const { promptVersion, promptRollout } = answer.data
  if (isIt(promptVersion)) return { ...answer, data: { ...answer.data, promptVersion: fields } }
  if (!isPlain(promptRollout) || !Array.isArray(promptRollout.versions)) return undefined
  if (!promptRollout.versions.some(isIt)) return undefined
  const rollout = {
    ...promptRollout,
    segments: [{ version, from: 0, to: 1_000_000 }],
    versions: [fields],
  }
  return { ...answer, data: { ...answer.data, promptRollout: rollout } }
}
