import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, test } from 'vitest'
import { compileErrors } from '../test/support/compile.js'
import { json, useModelServer } from '../test/support/model-server.js'
import { useSink } from '../test/support/sink.js'
import { CHAT } from './support/answers.js'
import { programsOf, writeProgram, writeSource } from './support/docs-program.js'

// The handlers of the pages about platforms, unchanged. The platform is played by a process that is killed as soon as the platform
// may freeze it: with the answer, or once the promises that it was asked to wait for have settled.
const INSTALLED = { openai: 'openai-6' }
const folder = join(import.meta.dirname, '.handlers')
const model = useModelServer()
const sink = useSink()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const settings = (): Record<string, string> => ({
  STEPWELL_API_KEY: 'key',
  STEPWELL_API_URL: sink.url,
  OPENAI_API_KEY: 'key',
  OPENAI_BASE_URL: `${model.url}/v1`,
})
const start = (file: string, more: Record<string, string> = {}) =>
  spawn(process.execPath, [file], {
    env: { ...process.env, ...settings(), ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** Calls a handler as its platform does, in a process that is killed when the platform may freeze it. */
const inPlatform = async (name: string, handler: string, platform: string): Promise<string> => {
  writeProgram(folder, name, handler, INSTALLED)
  const file = join(folder, `${name}-platform.mjs`)
  writeFileSync(file, `${platform}\nprocess.kill(process.pid, 'SIGKILL')\n`)
  const child = start(file)
  let stdout = ''
  child.stdout.on('data', (text) => {
    stdout += text
  })
  const [, signal] = await once(child, 'close')
  expect(signal).toBe('SIGKILL')
  return stdout
}

const lambda = `
import { writeSync } from 'node:fs'
import { handler } from './lambda.mjs'
writeSync(1, JSON.stringify(await handler({ body: JSON.stringify({ question: 'Where is my order?' }) })))
`
const vercel = `
import { writeSync } from 'node:fs'
const promises = []
globalThis[Symbol.for('@vercel/request-context')] = { get: () => ({ waitUntil: (promise) => promises.push(promise) }) }
const { POST } = await import('./vercel.mjs')
const body = JSON.stringify({ question: 'Where is my order?' })
const answer = await POST(new Request('http://localhost/ask', { method: 'POST', body }))
writeSync(1, await answer.text())
for (const promise of promises) await promise
`
const [ofLambda = ''] = programsOf('integrations/aws-lambda')
const [ofVercel = ''] = programsOf('integrations/vercel')

test.each([
  ['lambda', ofLambda, lambda],
  ['vercel', ofVercel, vercel],
])(
  'the handler for %s has delivered its steps when it is frozen',
  async (name, handler, platform) => {
    model.plays(json(CHAT))
    expect(await inPlatform(name, handler, platform)).toContain('On its way.')
    const [call, ask] = sink.taken
    expect(sink.taken.map(({ type }) => type)).toEqual(['llm', 'run'])
    expect(call).toMatchObject({ parentId: ask?.id, generation: { tokenCount: 25 } })
  },
)

test.each([
  ['lambda', ofLambda.replace(/await stepwell\.flush\(.*\)/, ''), lambda],
  ['vercel', ofVercel.replace('Client({ waitUntil })', 'Client()'), vercel],
])(
  'as the page says, the handler for %s loses them without it',
  async (name, handler, platform) => {
    model.plays(json(CHAT))
    expect(await inPlatform(name, handler, platform)).toContain('On its way.')
    expect(sink.taken).toEqual([])
  },
)

test('the server of Express delivers the steps of an open request at SIGTERM', async () => {
  model.plays((response, asked) => {
    child.kill('SIGTERM')
    return json(CHAT)(response, asked)
  })
  const [source = ''] = programsOf('integrations/express')
  const file = writeProgram(
    folder,
    'express',
    source.replace("'listening'", 'server.address().port'),
    INSTALLED,
  )
  const child = start(file, { PORT: '0' })
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const answer = await fetch(`http://127.0.0.1:${port}/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ chatId: 'chat-1', question: 'Where is my order?' }),
  })
  expect(await answer.json()).toEqual({ answer: 'On its way.' })
  const [status] = await once(child, 'close')
  expect(status).toBe(0)
  expect(sink.taken).toMatchObject([
    { type: 'llm', threadId: 'chat-1', generation: { tokenCount: 25 } },
    { name: 'ask', threadId: 'chat-1' },
  ])
})

test('they pass the compiler, with the types that users get', () => {
  const pages = ['aws-lambda', 'vercel', 'cloudflare-workers', 'express']
  const files = pages.map((page) =>
    writeSource(folder, page, programsOf(`integrations/${page}`)[0] ?? '', INSTALLED),
  )
  expect(compileErrors(files)).toEqual([])
})
