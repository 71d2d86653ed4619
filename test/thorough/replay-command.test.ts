import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createService, type Listening, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { StepwellClient } from '../../src/index.js'

// `stepwell replay` of a program with a process of its own, against the real service and a model that counts its requests. The command
// is that of the build: Node loads a module of it before the program.
const root = join(import.meta.dirname, '../..')
const folder = join(root, 'test/.replayed')
const file = (name: string) => join(folder, name)

/** The application: its model decides on a tool, and then answers. */
const APPLICATION = `import { appendFileSync, writeFileSync } from 'node:fs'
import { StepwellClient } from 'stepwell'

const { MODEL_URL, PROMPT, API_URL_IN_CODE, AGENT_TYPE: type = 'run' } = process.env
const stepwell = new StepwellClient(API_URL_IN_CODE ? { apiUrl: API_URL_IN_CODE } : {})
const [question, id] = process.argv.slice(2)
const book = stepwell.traced(
  async ({ flight }) => {
    appendFileSync(${JSON.stringify(file('booked'))}, flight)
    return { booked: flight }
  },
  { name: 'book', type: 'tool' },
)
const ask = async (messages) => {
  const body = JSON.stringify({ model: 'gpt-4o', messages })
  const answer = await stepwell.fetch(MODEL_URL, { method: 'POST', body })
  return (await answer.json()).choices[0].message
}
await stepwell.thread({ id, name: 'A booking' }).wrap(() =>
  stepwell.trace({ name: 'agent', type, input: { question } }, async () => {
    const prompt = PROMPT ? await stepwell.api.getPrompt(PROMPT) : undefined
    const messages = [...(prompt?.format() ?? []), { role: 'user', content: question }]
    const first = await ask(messages)
    messages.push(first)
    for (const { id, function: called } of first.tool_calls ?? [])
      messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(await book(JSON.parse(called.arguments))) })
    const { content } = await ask(messages)
    writeFileSync(${JSON.stringify(file('answer'))}, content)
    if (process.env.FAILS) process.exitCode = 7
    return { content }
  }),
)
await stepwell.close({ timeoutMs: 3000 }).catch(() => undefined)
`

/** Notes each connection. */
const SOCKETS = `import { appendFileSync } from 'node:fs'
import { Socket } from 'node:net'
const { connect } = Socket.prototype
Socket.prototype.connect = function (...given) {
  appendFileSync(${JSON.stringify(file('sockets'))}, 'a socket was opened')
  return connect.apply(this, given)
}
`

interface Request {
  model: string
  messages: { role: string; content: unknown }[]
}

let service: Service
let listening: Listening
let replay: (args: string[]) => Promise<number>
/** The requests that the model got. */
const asked: Request[] = []
const model = createServer(async (request, response) => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const given = JSON.parse(Buffer.concat(parts).toString()) as Request
  asked.push(given)
  const called = { name: 'book', arguments: '{"flight":"HAT001"}' }
  const message = given.messages.some(({ role }) => role === 'tool')
    ? { role: 'assistant', content: `Booked by ${given.model}.` }
    : {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call-1', type: 'function', function: called }],
      }
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      model: given.model,
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    }),
  )
})
const QUESTION = 'Book HAT001, please.'

/** Runs the application as in production. */
const record = async (id: string): Promise<void> => {
  const child = spawn(process.execPath, [file('app.mjs'), QUESTION, id], {
    cwd: folder,
    stdio: 'inherit',
  })
  expect(await once(child, 'exit')).toEqual([0, null])
}

/** Replays a thread, with the application or another command. */
const command = async (id: string, options: string[], question = QUESTION, other?: string[]) => {
  let stderr = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += String(text)
    return true
  })
  try {
    const program = other ?? [process.execPath, file('app.mjs'), question, id]
    const status = await replay(['replay', id, ...options, '--', ...program])
    const [, threadId = ''] = /^replay: recorded as (\S+):/m.exec(stderr) ?? []
    return { status, stderr, threadId }
  } finally {
    vi.restoreAllMocks()
  }
}

const answer = () => readFileSync(file('answer'), 'utf8')
const reader = () => new StepwellClient({ disabled: true })
const stepsOf = async (id: string) =>
  ((await reader().api.getThread(id))?.steps ?? []).map(({ name }) => name)

beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(file('app.mjs'), APPLICATION)
  writeFileSync(file('sockets.mjs'), SOCKETS)
  service = await createService()
  listening = await listen(service, '127.0.0.1', 0)
  model.listen(0, '127.0.0.1')
  await once(model, 'listening')
  const { apiKey } = await service.createProject('replays')
  vi.stubEnv('STEPWELL_API_URL', listening.url)
  vi.stubEnv('STEPWELL_API_KEY', apiKey)
  vi.stubEnv('NODE_OPTIONS', '')
  const { port } = model.address() as AddressInfo
  vi.stubEnv('MODEL_URL', `http://127.0.0.1:${port}/v1/chat/completions`)
  const built = pathToFileURL(join(root, 'dist/esm/src/cli/main.js')).href
  replay = ((await import(built)) as { run: typeof replay }).run
  await record('booking')
  vi.stubEnv('PROMPT', 'booking')
  const stepwell = reader()
  for (const content of ['Be brief.', 'Be polite.'])
    await stepwell.api.getOrCreatePrompt('booking', [{ role: 'system', content }])
  await record('prompted')
  vi.stubEnv('PROMPT', undefined)
})
beforeEach(() => {
  asked.length = 0
  for (const name of ['booked', 'answer', 'sockets']) rmSync(file(name), { force: true })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
  model.close()
  await listening?.stop()
  await service?.close()
})

test('an unchanged replay asks no model, calls no tool and leaves the record as it is', async () => {
  const recorded = await stepsOf('booking')
  expect(recorded.toSorted()).toEqual(['agent', 'book', 'chat gpt-4o', 'chat gpt-4o'])
  const { status, stderr, threadId } = await command('booking', [])
  expect(stderr).toContain('3 calls answered from the record, 0 sent')
  expect(status).toBe(0)
  expect(asked).toEqual([])
  expect(existsSync(file('booked'))).toBe(false)
  expect(answer()).toBe('Booked by gpt-4o.')
  expect(await stepsOf('booking')).toEqual(recorded)
  expect(threadId).not.toBe('booking')
  expect((await stepsOf(threadId)).toSorted()).toEqual(recorded.toSorted())
  expect((await reader().api.getThread(threadId))?.metadata).toEqual({ replayOf: 'booking' })
  const project = `${listening.url}/projects/${await reader().api.getProjectId()}`
  expect(stderr).toContain(`${project}/threads/booking/beside/${threadId}`)
})

test('offline it opens no socket and records nothing', async () => {
  vi.stubEnv('NODE_OPTIONS', `--import ${pathToFileURL(file('sockets.mjs')).href}`)
  const { status, stderr } = await command('booking', ['--offline'])
  vi.stubEnv('NODE_OPTIONS', '')
  expect(stderr).toBe('replay: 3 calls answered from the record, 0 sent\n')
  expect(status).toBe(0)
  expect(answer()).toBe('Booked by gpt-4o.')
  expect(existsSync(file('sockets'))).toBe(false)
  expect(asked).toEqual([])
})

test('from a step on, another model is asked, and the thread names both', async () => {
  const { status, stderr, threadId } = await command('booking', ['--from', '2', '--model', 'm2'])
  expect(stderr).toContain('2 calls answered from the record, 1 sent')
  expect(status).toBe(0)
  expect(asked.map(({ model, messages }) => [model, messages.length])).toEqual([['m2', 3]])
  expect(existsSync(file('booked'))).toBe(false)
  expect(answer()).toBe('Booked by m2.')
  const thread = await reader().api.getThread('booking')
  const fork = thread?.steps?.filter(({ type }) => type === 'llm').at(-1)
  expect((await reader().api.getThread(threadId))?.metadata).toEqual({
    replayOf: 'booking',
    from: fork?.id,
    replayModel: 'm2',
  })
})

test('from a step on, a prompt has another version', async () => {
  const stepwell = reader()
  const versions = await Promise.all([0, 1].map((at) => stepwell.api.getPrompt('booking', at)))
  const older = versions.find((one) => one?.templateMessages[0]?.content === 'Be brief.')
  const name = `booking@${older?.version}`
  vi.stubEnv('PROMPT', 'booking')
  const { status, stderr, threadId } = await command('prompted', ['--from', '2', '--prompt', name])
  const absent = await command('prompted', ['--from', '2', '--prompt', 'booking@99'])
  vi.stubEnv('PROMPT', undefined)
  expect(stderr).toContain('2 calls answered from the record, 1 sent')
  expect(status).toBe(0)
  expect(asked.map(({ messages }) => messages[0]?.content)).toEqual(['Be brief.'])
  const metadata = (await stepwell.api.getThread(threadId))?.metadata
  expect(metadata).toMatchObject({ replayOf: 'prompted', replayPrompt: name })
  expect(absent.stderr).toContain('--prompt: there is no version 99 of "booking"')
  expect(absent.status).toBe(2)
})

test('a tool around the step works as it is', async () => {
  vi.stubEnv('AGENT_TYPE', 'tool')
  await record('nested')
  asked.length = 0
  rmSync(file('booked'))
  const { status, stderr } = await command('nested', ['--from', '2', '--model', 'm2'])
  vi.stubEnv('AGENT_TYPE', undefined)
  expect(stderr).toContain('2 calls answered from the record, 1 sent')
  expect(status).toBe(0)
  expect(answer()).toBe('Booked by m2.')
  expect(existsSync(file('booked'))).toBe(false)
})

test('a changed input is named with the nearest call, and nothing is sent', async () => {
  for (const options of [[], ['--from', '2']]) {
    const { status, stderr } = await command('booking', options, 'Book HAT002, please.')
    expect(stderr).toContain('The nearest is number 1: chat gpt-4o')
    expect(stderr).toContain(
      'messages[0].content: expected "Book HAT001, please.", got "Book HAT002, please."',
    )
    expect(status).toBe(1)
    expect(asked).toEqual([])
  }
})

test('a client whose address is in the code writes nothing, and is named', async () => {
  const recorded = await stepsOf('booking')
  vi.stubEnv('API_URL_IN_CODE', listening.url)
  const { status, stderr } = await command('booking', [])
  vi.stubEnv('API_URL_IN_CODE', undefined)
  expect(stderr).toContain(
    `the request to ${listening.url}/api/graphql could write to the record: name the service by STEPWELL_API_URL alone`,
  )
  expect(status).toBe(1)
  expect(await stepsOf('booking')).toEqual(recorded)
})

test('the failure of the command is told from one of the replay', async () => {
  vi.stubEnv('FAILS', '1')
  const { status, stderr } = await command('booking', ['--offline'])
  vi.stubEnv('FAILS', undefined)
  expect(stderr).toContain('the command ended with exit code 7')
  expect(status).toBe(3)
  const unknown = await command('booking', ['--offline'], '', ['./no-such-program'])
  expect(unknown.stderr).toContain('no process of Node was started')
  expect(unknown.status).toBe(3)
})

test('a timeout ends everything that the command started', async () => {
  const pid = file('pid')
  const script = `sleep 600 & echo $! > ${JSON.stringify(pid)}; wait`
  const shell = ['/bin/sh', '-c', script]
  const { status, stderr } = await command('booking', ['--offline', '--timeout', '1'], '', shell)
  expect(stderr).toContain('the command ended with a kill after 1 seconds')
  expect(status).toBe(3)
  // A dead process may wait to be collected.
  const state = () =>
    spawnSync('ps', ['-o', 'stat=', '-p', readFileSync(pid, 'utf8').trim()], { encoding: 'utf8' })
  await expect.poll(() => state().stdout.trim()).toMatch(/^(Z.*)?$/)
})

test.each<[string, string[], string]>([
  ['no step has the id', ['booking', '--from', 'nope'], 'number of a model call from 1 to 2, got'],
  ['no call has the number', ['booking', '--from', '3'], '--from: expected the id of a step'],
  ['no thread has the id', ['nothing'], 'there is no thread with this id'],
  ['no thread is named', [], 'expected a thread'],
  ['a model is asked without a fork', ['booking', '--model', 'm2'], '--model: expected --from too'],
  ['a prompt is, too', ['booking', '--prompt', 'booking@1'], '--prompt: expected --from too'],
  ['it is offline and live', ['booking', '--offline', '--from', '2'], '--offline: expected no'],
  ['a prompt has no version', ['booking', '--from', '2', '--prompt', 'x'], 'NAME@VERSION'],
  ['a time is none', ['booking', '--timeout', 'x'], '--timeout: expected seconds above 0'],
  ['a form is invalid', ['booking', '--ignore', '('], '--ignore: expected a regular expression'],
])('is refused by its reason when %s', async (_, [id = '', ...options], message) => {
  const given = id === '' ? [] : [id, ...options]
  let stderr = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += String(text)
    return true
  })
  const status = await replay(['replay', ...given, '--', 'node', '--version'])
  vi.restoreAllMocks()
  expect(stderr).toContain(message)
  expect(stderr).not.toMatch(/^\. Usage/m)
  expect(status).toBe(2)
})
