import { expect, test } from 'vitest'
import { StepwellClient } from '../src/index.js'

const MEGABYTE = new Uint8Array(1_000_000).fill(0x20)

/** Returns an answer that never ends, and the megabytes of it that were read. */
const endless = (status: number) => {
  const read = { megabytes: 0, isCancelled: false }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise(setImmediate)
      read.megabytes++
      controller.enqueue(MEGABYTE)
    },
    cancel() {
      read.isCancelled = true
    },
  })
  const headers = { 'content-type': 'application/json' }
  return { read, response: new Response(body, { status, headers }) }
}

test.each([200, 500])('an answer without an end, with status %d, fails a call', async (status) => {
  const { read, response } = endless(status)
  const stepwell = new StepwellClient({
    apiKey: 'k',
    timeoutMs: 300_000,
    fetch: async () => response,
  })
  await expect(stepwell.query('{ projectId }')).rejects.toMatchObject({
    name: 'StepwellError',
    code: 'TOO_LARGE',
    message: 'the answer is longer than 256000000 bytes',
  })
  expect(read.megabytes).toBeLessThan(260)
  expect(read.isCancelled).toBe(true)
})

test('an error page without an end fails an export', async () => {
  const { read, response } = endless(500)
  const stepwell = new StepwellClient({
    apiKey: 'k',
    timeoutMs: 300_000,
    fetch: async () => response,
  })
  const first = stepwell.exportList('threads').next()
  await expect(first).rejects.toMatchObject({ name: 'StepwellError', code: 'TOO_LARGE' })
  expect(read.megabytes).toBeLessThan(260)
})

test('an answer without an end leaves recorded steps to be sent again, by a custom fetch too', async () => {
  const { read, response } = endless(200)
  const sent: string[] = []
  const reports: string[] = []
  const stepwell = new StepwellClient({
    apiKey: 'k',
    onReport: (message) => reports.push(message),
    fetch: async (_, init) => {
      sent.push(new TextDecoder().decode(init?.body as Uint8Array<ArrayBuffer>))
      return sent.length === 1 ? response : Response.json({ data: { ingestSteps: { ok: true } } })
    },
  })
  stepwell.step({ name: 'answer' }).end()
  await stepwell.flush()
  await stepwell.close()
  expect(sent[0]).toContain('"answer"')
  expect(sent.slice(1).join()).toContain('"answer"')
  expect(reports).toEqual([expect.stringContaining('the answer is longer than 4000000 bytes')])
  expect(read.megabytes).toBeLessThan(10)
})

test('an answer that a test makes by hand, of its JSON alone, is read', async () => {
  const data = { step: { id: 'a' }, ingestSteps: { ok: true } }
  const reports: string[] = []
  const stepwell = new StepwellClient({
    apiKey: 'k',
    onReport: (message) => reports.push(message),
    fetch: async () => ({ ok: true, json: async () => ({ data }) }) as never,
  })
  expect(await stepwell.api.getStep('a')).toEqual({ id: 'a' })
  stepwell.step({ name: 'a' }).end()
  await stepwell.flush()
  await stepwell.close()
  expect(reports).toEqual([])
})

test('an answer of a custom fetch that has its text alone is read', async () => {
  const answer = {
    status: 200,
    headers: new Headers(),
    text: async () => '{"data":{"ingestSteps":{"ok":true}}}',
  }
  const reports: string[] = []
  const stepwell = new StepwellClient({
    apiKey: 'k',
    onReport: (message) => reports.push(message),
    fetch: async () => answer as never,
  })
  stepwell.step({ name: 'a' }).end()
  await stepwell.flush()
  await stepwell.close()
  expect(reports).toEqual([])
})
