import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createService, type Listening, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { run } from '../../src/cli/main.js'
import { StepwellClient } from '../../src/index.js'
import { compileErrors } from '../support/compile.js'

// `stepwell test from` against the real service, and its tests in a vitest of their own, on the build.
const root = join(import.meta.dirname, '../..')
const folder = join(root, 'test/.recorded')
const VITEST = join(root, 'node_modules/vitest/vitest.mjs')

/** The application: its model decides on a tool, and then answers. */
const AGENT = `import { stepwell } from './stepwell.js'

export const book = stepwell.traced(
  async (_flight: { flight: string }): Promise<unknown> => {
    throw new Error('a test books nothing')
  },
  { name: 'book', type: 'tool' },
)

export const run = (given: { question: string }) =>
  stepwell.trace({ name: 'agent', input: given }, async (step) => {
    const messages: object[] = [{ role: 'user', content: given.question }]
    const ask = async () => {
      const body = JSON.stringify({ model: 'gpt-4o', messages })
      const answer = await stepwell.fetch('https://api.openai.com/v1/chat/completions', { method: 'POST', body })
      const { choices } = await answer.json() as { choices: { message: { content: string; tool_calls?: { id: string; function: { arguments: string } }[] } }[] }
      return choices[0]!.message
    }
    const first = await ask()
    messages.push(first)
    for (const { id, function: called } of first.tool_calls ?? [])
      messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(await book(JSON.parse(called.arguments))) })
    const { content } = await ask()
    step.scores = [{ name: 'brief', type: 'CODE', value: content.length < 50 }]
    return content
  })
`

/** Fails at each connection. */
const NO_SOCKETS = `import { Socket } from 'node:net'
Socket.prototype.connect = () => { throw new Error('a socket was opened') }
`

let service: Service
let listening: Listening
beforeAll(async () => {
  mkdirSync(join(folder, 'src'), { recursive: true })
  writeFileSync(join(folder, 'src/agent.ts'), AGENT)
  writeFileSync(
    join(folder, 'src/stepwell.ts'),
    "import { StepwellClient } from 'stepwell'\nexport const stepwell = new StepwellClient()\n",
  )
  writeFileSync(join(folder, 'no-sockets.mjs'), NO_SOCKETS)
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    "export default { test: { setupFiles: ['./no-sockets.mjs'] } }\n",
  )
  service = await createService()
  listening = await listen(service, '127.0.0.1', 0)
  const { apiKey } = await service.createProject('tests')
  vi.stubEnv('STEPWELL_API_URL', listening.url)
  vi.stubEnv('STEPWELL_API_KEY', apiKey)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
  await listening?.stop()
  await service?.close()
})

/** Records the application in production, with a model that books what it is asked to. */
const record = async (flight: string, name: string): Promise<string> => {
  const answers = [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call-1',
          type: 'function',
          function: { name: 'book', arguments: `{"flight":"${flight}"}` },
        },
      ],
    },
    { role: 'assistant', content: `Booked ${flight}.` },
  ]
  const stepwell = new StepwellClient()
  const model = stepwell.fetchThrough(async () =>
    Response.json({
      model: 'gpt-4o-2024-08-06',
      choices: [{ index: 0, message: answers.shift(), finish_reason: 'stop' }],
      usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
    }),
  )
  const source = AGENT.replace(/^import.*/, '')
    .replace(
      "throw new Error('a test books nothing')",
      "return { booked: _flight.flight, token: 'Bearer sk-0123456789abcdefghij' }",
    )
    .replace('stepwell.fetch(', 'model(')
    .replaceAll(/export const/g, 'const')
  const { default: typescript } = await import('typescript')
  const program = typescript.transpile(`${source}\nreturn run`, {
    target: typescript.ScriptTarget.ES2022,
  })
  const application = new Function('stepwell', 'model', program)(stepwell, model)
  const thread = stepwell.thread({ name, participantId: 'ada' })
  await thread.wrap(() => application({ question: `Book ${flight}, please.` }))
  thread.score({ name: 'helpful', type: 'HUMAN', value: 1 })
  await stepwell.close()
  return thread.id
}

const command = async (...args: string[]) => {
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      said[stream] += String(text)
      return true
    })
  try {
    return { status: await run(['test', ...args]), ...said }
  } finally {
    vi.restoreAllMocks()
  }
}

const runTests = (out: string) => {
  const environment: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1', STEPWELL_API_KEY: '' }
  for (const name of Object.keys(environment)) if (/^VITEST/.test(name)) delete environment[name]
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [VITEST, 'run', '--root', folder, relative(folder, out)],
    { encoding: 'utf8', timeout: 120_000, env: environment },
  )
  return { stdout, stderr, status }
}

const fixturesIn = (out: string) => readdirSync(join(out, 'fixtures')).sort()

test('a thread becomes a test that is green, offline, and without its secrets', async () => {
  const threadId = await record('HAT001', 'A booking')
  const out = join(folder, 'one')
  const { status, stdout, stderr } = await command('from', threadId, '--out', out)
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain('1 fixture written')
  expect(stdout).toContain('run it with: npx vitest run')
  expect(fixturesIn(out)).toEqual([`${threadId}.json`])
  const fixture = readFileSync(join(out, 'fixtures', `${threadId}.json`), 'utf8')
  expect(fixture).toContain('Bearer [secret]')
  expect(fixture).not.toContain('sk-0123456789')
  expect(JSON.parse(fixture)).toMatchObject({
    name: 'A booking',
    threadId,
    scores: [{ name: 'helpful', type: 'HUMAN', value: 1 }],
    steps: [
      { name: 'agent', depth: 0, scores: [{ name: 'brief', value: 1 }] },
      { name: 'chat gpt-4o', depth: 1, generation: { cost: 0.0035, inputTokenCount: 1000 } },
      { name: 'book', depth: 1, input: { flight: 'HAT001' } },
      { name: 'chat gpt-4o', depth: 1 },
    ],
  })
  expect(JSON.parse(fixture).steps[1].generation).not.toHaveProperty('isCostTold')
  const green = runTests(out)
  expect(green.stdout + green.stderr).toContain('1 passed')
  expect(green.status).toBe(0)
})

test('an application in its place is tested, and a change of it is found', async () => {
  const out = join(folder, 'application')
  const threadId = await record('HAT002', 'Another booking')
  const given = [
    '--app',
    join(folder, 'src/agent.ts#run'),
    '--client',
    join(folder, 'src/stepwell.ts#stepwell'),
  ]
  expect(await command('from', threadId, '--out', out, ...given)).toMatchObject({ status: 0 })
  const source = readFileSync(join(out, 'recorded.test.ts'), 'utf8')
  expect(source).toContain("import { run } from '../src/agent.js'")
  expect(source).toContain("vi.mock('../src/stepwell.js', () => ({ stepwell }))")
  const green = runTests(out)
  expect(green.stdout + green.stderr).toContain('1 passed')

  const agent = join(folder, 'src/agent.ts')
  writeFileSync(
    agent,
    AGENT.replace('content: given.question', 'content: given.question.trim() + "!"'),
  )
  const red = runTests(out)
  expect(red.stderr).toContain(
    'request 1 (POST https://api.openai.com/v1/chat/completions, gpt-4o, 1 messages) has no recorded answer',
  )
  expect(red.stderr).toContain(
    'messages[0].content: expected "Book HAT002, please.", got "Book HAT002, please.!"',
  )
  expect(red.status).toBe(1)
  writeFileSync(agent, AGENT.replace('content.length < 50', 'content.length > 50'))
  expect(runTests(out).stderr).toContain('scores: expected brief 1 (CODE), got none like it')
  writeFileSync(agent, AGENT)
})

test('all threads that pass a query become tests, and one step one', async () => {
  const threadIds = [await record('HAT003', 'Query one'), await record('HAT004', 'Query two')]
  const out = join(folder, 'query')
  const { stdout } = await command('from', '--where', 'name~Query', '--out', out)
  expect(stdout).toContain('2 fixtures written')
  expect(fixturesIn(out)).toEqual(threadIds.map((id) => `${id}.json`).sort())
  const limited = join(folder, 'limited')
  await command('from', '--where', 'name~Query', '--limit', '1', '--out', limited)
  expect(fixturesIn(limited)).toHaveLength(1)
  const file = join(limited, 'recorded.test.ts')
  writeFileSync(file, '// mine')
  const [first] =
    (await new StepwellClient({ disabled: true }).api.getThread(threadIds[0] ?? ''))?.steps ?? []
  const again = await command('from', '--step', first?.id ?? '', '--out', limited)
  expect(again.stdout).toContain('stays as it is')
  expect(readFileSync(file, 'utf8')).toBe('// mine')
  expect(fixturesIn(limited)).toContain(`${first?.id}.json`)
  await command('from', '--step', first?.id ?? '', '--out', limited, '--force')
  const green = runTests(limited)
  expect(green.stdout + green.stderr).toContain('2 passed')
})

test('the written tests pass the compiler, with the types that users get', async () => {
  const threadId = await record('HAT006', 'Compiled')
  const outs = ['alone', 'passed', 'mocked'].map((name) => join(folder, 'compiled', name))
  writeFileSync(
    join(folder, 'src/given.ts'),
    "import type { StepwellClient } from 'stepwell'\nexport default (_question: string, stepwell: StepwellClient) => stepwell.trace('agent', () => 1)\n",
  )
  const app = ['--app', join(folder, 'src/agent.ts#run')]
  const given = ['--app', join(folder, 'src/given.ts')]
  const client = ['--client', join(folder, 'src/stepwell.ts#stepwell')]
  for (const [place, options] of [[], given, [...app, ...client]].entries())
    await command('from', threadId, '--out', outs[place] ?? '', ...options)
  const files = outs.map((out) => join(out, 'recorded.test.ts'))
  const faults = compileErrors(files).filter(({ file }) => file.includes('recorded.test.ts'))
  expect(faults.map(({ file, message }) => `${file}: ${message}`)).toEqual([])
})

test('a mask of the user changes the fixtures', async () => {
  const threadId = await record('HAT005', 'Masked')
  const mask = join(folder, 'mask.mjs')
  writeFileSync(
    mask,
    "export default (value) => JSON.parse(JSON.stringify(value).replaceAll('HAT005', 'FLIGHT'))\n",
  )
  const out = join(folder, 'masked')
  await command('from', threadId, '--out', out, '--mask', mask)
  const fixture = readFileSync(join(out, 'fixtures', `${threadId}.json`), 'utf8')
  expect(fixture).not.toContain('HAT005')
  expect(fixture).toContain('FLIGHT')
})

test.each<[string, string[], number, string]>([
  ['no thread has the id', ['from', 'unknown'], 1, 'there is no thread with this id'],
  ['no step has the id', ['from', '--step', 'unknown'], 1, 'there is no step with this id'],
  ['nothing passes', ['from', '--where', 'name=Nobody'], 1, 'no thread with steps passes'],
  ['no subject is named', ['from'], 2, 'expected a thread, or --step and a step, or --where'],
  ['two subjects are', ['from', 'a', '--step', 'b'], 2, 'expected a thread, or --step'],
  ['the verb is another one', ['to'], 2, 'expected from, got "to"'],
  [
    'the limit is no number',
    ['from', '--where', 'name=x', '--limit', 'x'],
    2,
    '--limit: expected a whole number',
  ],
  [
    'the application is not there',
    ['from', 'a', '--app', './src/nothing.ts#run'],
    2,
    '--app: expected a file that is there, got "./src/nothing.ts"',
  ],
  ['its export is not there', ['from', 'a', '--app', 'src/index.ts#nothing'], 2, ''],
  ['it is no export', ['from', 'a', '--app', 'src/index.ts#a#b'], 2, '--app: expected FILE#EXPORT'],
  ['the query is invalid', ['from', '--where', 'nothing~x'], 2, 'nothing'],
])('is refused by its reason when %s', async (_, args, status, message) => {
  const nowhere = join(folder, 'nowhere')
  const said = await command(...args, '--out', nowhere)
  expect(said.stderr).toContain(message)
  expect(said.status).toBe(status === 2 && message === '' ? 1 : status)
  expect(existsSync(nowhere)).toBe(false)
})

test('an export that is not there is named', async () => {
  const app = join(folder, 'src/agent.ts#start')
  const { status, stderr } = await command('from', 'a', '--app', app)
  expect(stderr).toContain('--app: expected an export start in')
  expect(status).toBe(2)
})

test('a path with a quote is imported as it is', async () => {
  const application = join(folder, "it's")
  mkdirSync(application, { recursive: true })
  writeFileSync(join(application, 'agent.ts'), 'export const run = () => 1\n')
  const out = join(folder, 'quoted')
  const threadId = await record('HAT009', 'A quote')
  const app = `${join(application, 'agent.ts')}#run`
  expect((await command('from', threadId, '--out', out, '--app', app)).status).toBe(0)
  const written = readFileSync(join(out, 'recorded.test.ts'), 'utf8')
  expect(written).toContain("import { run } from '../it\\'s/agent.js'")
})
