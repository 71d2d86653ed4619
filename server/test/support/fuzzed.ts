// Sends generated requests to a service, and reports results that must never happen.
import { buildSchema } from 'graphql'
import { typeDefs } from '../../generated/type-defs.js'
import { createService, type Service } from '../../src/index.js'
import { Fuzz, type FuzzRequest } from './fuzz.js'

/** Data of another project, which no answer may contain. */
const FOREIGN = 'foreign-8c1f2a'
const LANES = 8
/** Far beyond the time that any of them takes, even on a busy machine. */
const HANGS_MS = 60_000
const PORTION = 500

const fillOther = async (service: Service) => {
  const { apiKey } = await service.createProject('other')
  const steps = ['id-1', 'thread-1', 'a'].map((id) => ({
    id,
    threadId: 'thread-1',
    name: FOREIGN,
    output: { content: FOREIGN },
    scores: [{ name: FOREIGN, type: 'AI', value: 1 }],
    generation: { model: FOREIGN },
  }))
  await service.fetch('http://fuzz.test/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({
      query: 'mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }',
      variables: { steps },
    }),
  })
}

export interface Fuzzed {
  requests: number
  /** Answers by kind and status. */
  answers: Map<string, number>
  /** Results that must never happen, with their requests. */
  faults: string[]
  /** Bytes of the heap after each portion. */
  heap: number[]
}

export const fuzz = async (
  seed: number,
  count: number,
  progress: (done: number) => void = () => undefined,
): Promise<Fuzzed> => {
  const reported: unknown[] = []
  const service = await createService({
    apiKey: 'fuzz',
    limits: { requestsPerSecond: 1_000_000, searchMs: 500 },
    onError: (error) => reported.push(error),
  })
  await fillOther(service)
  const source = new Fuzz(seed, buildSchema(typeDefs))
  const result: Fuzzed = { requests: 0, answers: new Map(), faults: [], heap: [] }

  const send = async ({ kind, path, method, headers, body }: FuzzRequest) => {
    const show = () => `${method} ${path} ${JSON.stringify(headers)} ${String(body)}`.slice(0, 3000)
    const fault = (what: string) => result.faults.push(`${what}: ${show()}`)
    let request: Request
    try {
      request = new Request(`http://fuzz.test${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: body as string }),
      })
    } catch {
      // Not a valid request: it cannot be sent.
      return
    }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), HANGS_MS)
    })
    const answer = await Promise.race([service.fetch(request), late])
    clearTimeout(timer)
    if (answer === undefined) return fault('hangs')
    const text = await answer.text()
    const key = `${kind} ${answer.status}`
    result.answers.set(key, (result.answers.get(key) ?? 0) + 1)
    if (answer.status >= 500) fault(`answers ${answer.status} ${text.slice(0, 300)}`)
    if (/(?<!=)"INTERNAL"/.test(text)) fault(`fails: ${text.slice(0, 300)}`)
    if (text.includes(FOREIGN) && !String(body).includes(FOREIGN)) fault('gives foreign data')
    if (reported.length > 0) {
      const [error] = reported.splice(0)
      fault(`reports ${error instanceof Error ? error.stack : error}`)
    }
    remember(text)
  }
  const remember = (text: string) => {
    for (const [, found = ''] of text.matchAll(
      /"(?:endCursor|cursor|id|objectKey)":"([^"\\]{1,200})"/g,
    )) {
      if (source.seen.length > 2000) source.seen.splice(0, 1000)
      source.seen.push(found)
    }
    for (const [, found = ''] of text.matchAll(
      /"(?:url|signedUrl)":"http:\/\/fuzz.test([^"\\]+)"/g,
    )) {
      if (source.uploads.length > 200) source.uploads.splice(0, 100)
      source.uploads.push(found)
    }
  }

  while (result.requests < count) {
    const portion = Math.min(PORTION, count - result.requests)
    const requests = Array.from({ length: portion }, () => source.next())
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        for (let next = requests.pop(); next !== undefined; next = requests.pop()) await send(next)
      }),
    )
    result.requests += portion
    globalThis.gc?.()
    result.heap.push(process.memoryUsage().heapUsed)
    progress(result.requests)
  }
  await service.close()
  return result
}
