import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createService, type Listening, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

// Conversations that an agent has with a model are recorded, and each is replayed by the command of the build, in a process of its own. With
// STEPWELL_TAU_BENCH, those of tau-bench's file; otherwise made ones.
const root = join(import.meta.dirname, '../..')
const file = process.env.STEPWELL_TAU_BENCH
/** Replays at once. */
const LANES = 2

interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | null
  name?: string
  tool_call_id?: string
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[]
}

const made = (index: number): Message[] => {
  const turns = Array.from({ length: 1 + (index % 4) }, (_, turn): Message[] => {
    const id = `call-${index}-${turn}`
    const called = {
      name: 'find',
      arguments: JSON.stringify({ text: 'é"\n'.repeat(turn), n: index }),
    }
    return [
      { role: 'user', content: `Question ${turn} — « ${index} » 🙂\n` },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: called }],
      },
      {
        role: 'tool',
        tool_call_id: id,
        name: 'find',
        content: `{"found": ${index}.0, "password": "${index}"}`,
      },
      {
        role: 'assistant',
        content: `Basic economy.\u2028${turn}\tsk-proj-${'x'.repeat(turn * 5000)}`,
      },
    ]
  })
  return [{ role: 'system', content: 'Be brief.' }, ...turns.flat()]
}

const conversations: Message[][] =
  file === undefined
    ? Array.from({ length: 8 }, (_, index) => made(index))
    : (JSON.parse(readFileSync(file, 'utf8')) as { traj: Message[] }[]).map(({ traj }) => traj)

let service: Service
let listening: Listening
let folder: string
let replay: (args: string[]) => Promise<number>
let asked = 0
const path = (...names: string[]) => join(folder, ...names)

const model = createServer(async (request, response) => {
  asked++
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const { messages, stream } = JSON.parse(Buffer.concat(parts).toString()) as {
    messages: unknown[]
    stream?: boolean
  }
  const said = conversations[Number(request.headers['x-conversation'])]?.[messages.length]
  const { role, content, tool_calls } = said as Message
  const frame = {
    id: `chatcmpl-${asked}`,
    model: 'gpt-4o-2024-08-06',
    created: 1_750_000_000 + asked,
  }
  const usage = {
    prompt_tokens: 10 * messages.length,
    completion_tokens: 7,
    total_tokens: 10 * messages.length + 7,
  }
  const finish_reason = tool_calls === undefined ? 'stop' : 'tool_calls'
  const message = { role, content, ...(tool_calls === undefined ? {} : { tool_calls }) }
  if (stream !== true) {
    const choices = [{ index: 0, message, finish_reason }]
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...frame, object: 'chat.completion', choices, usage }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (value: unknown) => response.write(`data: ${JSON.stringify(value)}\n\n`)
  const chunk = (delta: unknown, reason: string | null = null) =>
    send({
      ...frame,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
    })
  chunk({ role, content: content === null ? null : '' })
  for (const piece of content?.match(/[\s\S]{1,40}/gu) ?? []) chunk({ content: piece })
  for (const [index, call] of (tool_calls ?? []).entries())
    chunk({ tool_calls: [{ index, ...call }] })
  chunk({}, finish_reason)
  send({ ...frame, object: 'chat.completion.chunk', choices: [], usage })
  response.end('data: [DONE]\n\n')
})

beforeAll(async () => {
  if (file === undefined)
    console.log('8 made conversations: STEPWELL_TAU_BENCH names no file of 200 recorded ones')
  folder = mkdtempSync(join(tmpdir(), 'stepwell-replays-'))
  for (const name of ['first', 'again']) mkdirSync(path(name))
  // Everything but the model's messages.
  const scripts = conversations.map((messages) => ({
    length: messages.length,
    given: messages.map((one) => (one.role === 'assistant' ? null : one)),
  }))
  writeFileSync(path('conversations.json'), JSON.stringify(scripts))
  writeFileSync(
    path('sockets.mjs'),
    `import { appendFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { Socket as Datagrams } from 'node:dgram'
for (const [{ prototype }, method] of [[Socket, 'connect'], [Datagrams, 'send']]) {
  const plain = prototype[method]
  prototype[method] = function (...given) {
    appendFileSync(${JSON.stringify(path('sockets'))}, 'a socket was opened\\n')
    return plain.apply(this, given)
  }
}
`,
  )
  service = await createService()
  listening = await listen(service, '127.0.0.1', 0)
  model.listen(0, '127.0.0.1')
  await once(model, 'listening')
  const { apiKey } = await service.createProject('replays')
  const { port } = model.address() as AddressInfo
  for (const [name, value] of Object.entries({
    STEPWELL_API_URL: listening.url,
    STEPWELL_API_KEY: apiKey,
    MODEL_URL: `http://127.0.0.1:${port}/v1/chat/completions`,
    CONVERSATIONS: path('conversations.json'),
    TOOLS_CALLED: path('called'),
    NODE_OPTIONS: '',
  }))
    vi.stubEnv(name, value)
  const built = pathToFileURL(join(root, 'dist/esm/src/cli/main.js')).href
  replay = ((await import(built)) as { run: typeof replay }).run
})
afterAll(async () => {
  vi.unstubAllEnvs()
  model.close()
  await listening?.stop()
  await service?.close()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

const program = join(root, 'test/support/conversing-program.js')
const recordAll = async (): Promise<void> => {
  vi.stubEnv('NODE_OPTIONS', '')
  vi.stubEnv('OUT', path('first'))
  const indexes = conversations.map((_, index) => String(index))
  const child = spawn(process.execPath, [program, ...indexes], { cwd: root, stdio: 'inherit' })
  expect(await once(child, 'exit')).toEqual([0, null])
}

/** Returns the first place where two texts differ, with some of it. */
const differenceOf = (one: string, other: string): string => {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  const around = (text: string) => text.slice(Math.max(0, at - 80), at + 80)
  return `expected ${around(one)}, got ${around(other)}`
}

/** Replays a conversation as a user does. Returns the exit code. */
const replayed = (index: number, ...options: string[]): Promise<number> =>
  replay([
    ...['replay', `${process.env.PREFIX}-${index}`, ...options, '--'],
    ...[process.execPath, program, String(index)],
  ])

test.each(['in one piece', 'as streams'])(
  'each replay gets every byte of the first run, and opens no socket: answers %s',
  async (way) => {
    vi.stubEnv('STREAM', way === 'as streams' ? '1' : undefined)
    vi.stubEnv('PREFIX', way === 'as streams' ? 'streamed' : 'whole')
    asked = 0
    rmSync(path('sockets'), { force: true })
    await recordAll()
    const calls = asked
    expect(calls).toBe(conversations.flat().filter(({ role }) => role === 'assistant').length)
    expect(existsSync(path('called'))).toBe(true)
    rmSync(path('called'))
    vi.stubEnv('OUT', path('again'))
    vi.stubEnv('NODE_OPTIONS', `--import ${pathToFileURL(path('sockets.mjs')).href}`)
    const told = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
    const codes: number[] = []
    let next = 0
    const lane = async () => {
      while (next < conversations.length) {
        const index = next++
        codes[index] = await replayed(index, '--offline')
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    const lines = told.mock.calls.map(([line]) => String(line))
    told.mockRestore()
    const isOpened = existsSync(path('sockets'))
    const bytes = { first: 0, equal: 0 }
    const different = conversations.flatMap((_, index) => {
      const [first, again] = ['first', 'again'].map((name) =>
        readFileSync(path(name, String(index))),
      )
      bytes.first += first?.length ?? 0
      if (first === undefined || again === undefined || !first.equals(again))
        return [`${index}: ${differenceOf(String(first), String(again))}`]
      bytes.equal += again.length
      return []
    })
    console.log(
      `${conversations.length - different.length} of ${conversations.length} replays are equal byte by byte (${bytes.equal} of ${bytes.first} bytes, ${calls} calls of models); sockets: ${isOpened ? 'some' : 'none'}`,
    )
    expect(different).toEqual([])
    expect(codes).toEqual(conversations.map(() => 0))
    expect(
      lines.filter((line) => !/^replay: \d+ calls answered from the record, 0 sent$/m.test(line)),
    ).toEqual([])
    expect(isOpened).toBe(false)
    expect(existsSync(path('called'))).toBe(false)
    expect(asked).toBe(calls)
    // The watch sees a socket: that to the relay.
    const quiet = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
    expect(await replayed(0)).toBe(0)
    quiet.mockRestore()
    expect(existsSync(path('sockets'))).toBe(true)
  },
  1_800_000,
)
