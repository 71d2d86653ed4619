import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withoutSettings } from '../../../test/support/environment.js'
import { SHORT_LIVED } from '../../../test/support/short-lived.js'
import { startService } from '../support/start-service.js'

// The output of the built command line after a mistake: one line, with the remedy or the place to look.
const bin = join(import.meta.dirname, '../../../bin/stepwell.js')
let folder: string
let taken: Server
let silent: Server
let port: string
/** Takes as long as the service waits for a database, beside all other tests. */
let waits: ReturnType<typeof beside>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-command-line-'))
  taken = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(taken, 'listening')
  port = portOf(taken)
  silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  waits = migrating(`127.0.0.1:${portOf(silent)}`)
})
afterAll(async () => {
  taken?.close()
  silent?.close()
  await rm(folder, { recursive: true, force: true })
})

const portOf = (server: Server) => String((server.address() as AddressInfo).port)

const stepwell = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...SHORT_LIVED, bin, ...args], {
    encoding: 'utf8',
    cwd: folder,
    timeout: 60_000,
    env: withoutSettings,
  })
  return { status, stdout, stderr }
}

/** The same, while the servers of this process answer. */
const beside = async (...args: string[]) => {
  const child = spawn(process.execPath, [...SHORT_LIVED, bin, ...args], {
    cwd: folder,
    timeout: 60_000,
    env: withoutSettings,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (part) => {
    stderr += part
  })
  const [status] = await once(child, 'close')
  return { status, stderr }
}

test.each([
  [
    ['serve', '--port', 'x'],
    2,
    'expected a number from 0 to 65535, got "x". Usage: stepwell serve',
  ],
  [['serve', '--colour'], 2, "Unknown option '--colour'. Usage: stepwell serve --help"],
  [['serve', '--prot', '1'], 2, "Unknown option '--prot' (did you mean --port?). Usage: stepwell"],
  [['key', 'create', '--scope', 'read'], 2, "Unknown option '--scope' (did you mean --scopes?)"],
  [['codegen', '--document', 'x'], 2, "Unknown option '--document' (did you mean --documents?)"],
  [['spool', 'send', 'x', '--time-out', '1'], 2, "'--time-out' (did you mean --timeout?)"],
  [['migrate', '--databse', 'x'], 2, "Unknown option '--databse' (did you mean --database?)"],
  [['contarct', 'pull'], 2, 'there is no command "contarct" (did you mean contract?). Usage'],
  [['serve', 'now'], 2, 'Usage: stepwell serve --help'],
  [
    ['project'],
    2,
    'project: expected create, list or delete, got nothing. Usage: stepwell project',
  ],
  [['key', 'make'], 2, 'key: expected create, list or revoke, got "make". Usage: stepwell key'],
  [['audit', 'delete'], 2, 'audit: expected list, got "delete". Usage: stepwell audit --help'],
  [['otel', 'explain'], 2, 'expected explain FILE. Usage: stepwell otel --help'],
  [['project', 'create', 'a', 'b'], 2, 'project create: expected one name at most, got 2'],
  [['project', 'create', 'a', '--scopes', 'read'], 2, 'project create: takes no --scopes. Usage'],
  [['key', 'revoke', 'a', '--expires', '1d', '-y'], 2, 'key revoke: takes no --expires, no --yes'],
  [['key', 'list', 'shop'], 2, 'key list: expected options alone, got "shop". Usage'],
  [['audit', 'list', 'shop'], 2, 'audit list: expected options alone, got "shop". Usage'],
  [['prompts', 'pull', 'a.ts'], 2, 'got "a.ts"; --out names the file to write. Usage'],
  [['prices', 'reprice', 'gpt'], 2, 'prices reprice: expected options alone, got "gpt". Usage'],
  [['codegen', 'a', '--documents', 'b'], 2, 'codegen: expected options alone, got "a". Usage'],
  [['mcp', 'write'], 2, 'mcp: expected options alone, got "write". Usage'],
  [['project', 'delete', 'shop'], 2, 'project delete: expected --yes'],
  [['migrate', '--colour'], 2, "Unknown option '--colour'. Usage: stepwell migrate --help"],
  [['migrate'], 2, '--database: expected a URL that begins with postgres://. Usage: stepwell'],
  [
    ['migrate', '--database', 'postgres://nowhere/x', '--shards', '8'],
    2,
    '--shards: expected only with --distributed',
  ],
  [
    ['migrate', '--database', 'postgres://nowhere/x', '--distributed', '--shards', '0'],
    2,
    '--shards: expected a number from 1 to 1024, got 0',
  ],
  [['sign-in', '--colour'], 2, 'Usage: stepwell sign-in --help'],
  [['codegen'], 2, '--documents: expected a folder, got nothing. Usage: stepwell codegen --help'],
  [['codegen', '--colour'], 2, 'Usage: stepwell codegen --help'],
  [['contract', 'push'], 2, 'expected pull or check, got "push". Usage: stepwell contract --help'],
  [
    ['prompts'],
    2,
    'expected pull or labels or label or unlabel, got nothing. Usage: stepwell prompts --help',
  ],
  [['list', 'colours'], 2, 'expected threads or steps or generations or scores or users, got'],
  [['list', 'steps', 'a', 'b'], 2, 'list steps: expected one query in quotes, got 2'],
  [['list', 'steps', '--first', '0'], 2, '--first: expected a whole number from 1 to 1000'],
  [['spool', 'send'], 2, 'spool send: expected one folder, got 0. Usage: stepwell spool --help'],
  [
    ['spool', 'send', 'x', '--timeout', 'y'],
    2,
    '--timeout: expected seconds, more than 0, got "y"',
  ],
  [['colour'], 2, 'there is no command "colour". Usage: stepwell --help'],
  [['contract', 'pull', '--schema', 'http://127.0.0.1:1'], 2, 'apiKey: expected the API key'],
  [['sign-in'], 1, 'no service runs with the data folder'],
] as [string[], number, string][])(
  'stepwell %j ends with %i and one line',
  (args, status, text) => {
    const said = stepwell(...args)
    expect(said.stderr).toMatch(/^stepwell: [^\n]+\n$/)
    expect(said.stderr).toContain(text)
    expect(said).toMatchObject({ status, stdout: '' })
  },
)

test.each([
  'serve',
  'project',
  'key',
  'sign-in',
  'migrate',
  'codegen',
  'contract',
  'prompts',
  'list',
  'spool',
  'doctor',
])('stepwell %s prints its usage for help, --help and -h', (command) => {
  const { status, stdout } = stepwell(command, '--help')
  expect(status).toBe(0)
  expect(stdout).toContain(`Usage: stepwell ${command}`)
  for (const args of [
    [command, 'help'],
    ['help', command],
    [command, '-h'],
  ])
    expect(stepwell(...args), args.join(' ')).toEqual({ status, stdout, stderr: '' })
})

test('stepwell help lists the commands', () => {
  expect(stepwell('help')).toEqual(stepwell('--help'))
  expect(stepwell('help').stdout).toContain('Usage: stepwell COMMAND')
})

test('a port in use is reported with a remedy', () => {
  const { status, stderr } = stepwell('serve', '--port', port, '--data', join(folder, 'port'))
  expect(stderr).toBe(
    `stepwell: port ${port} of 127.0.0.1 is in use by another process; stop that one, or choose another one with --port, 0 for any that is free (listen EADDRINUSE: address already in use 127.0.0.1:${port})\n`,
  )
  expect(status).toBe(1)
})

test('an address of another machine is reported with a remedy', () => {
  const data = join(folder, 'host')
  const { status, stderr } = stepwell('serve', '--host', '192.0.2.1', '--port', '0', '--data', data)
  expect(stderr).toContain('this machine has no address 192.0.2.1; name one with --host')
  expect(status).toBe(1)
})

test('a data folder that cannot be created ends the start with the reason', async () => {
  await writeFile(join(folder, 'file'), '')
  for (const [data, reason] of [
    ['/proc/x', 'no folder can be made there'],
    ['/proc/x/y/z', 'no folder can be made there'],
    [join(folder, 'file'), 'it, or a part of its path, is a file'],
    [join(folder, 'file/below'), 'it, or a part of its path, is a file'],
    [join(folder, 'n'.repeat(300)), 'its name is too long'],
  ] as const) {
    const { status, stderr } = stepwell('serve', '--port', '0', '--data', data)
    expect(stderr).toMatch(/^stepwell: [^\n]+\n$/)
    expect(stderr).toContain(`the data folder ${data} is invalid: ${reason}; name another one`)
    expect(status).toBe(1)
  }
})

test('a command for a folder without data creates nothing', () => {
  for (const args of [
    ['project', 'list'],
    ['project', 'create', 'a'],
    ['key', 'list'],
  ]) {
    const { status, stderr } = stepwell(...args, '--data', join(folder, 'typo'))
    expect(stderr).toContain('name the folder of stepwell serve with --data')
    expect(stderr).toMatch(/^stepwell: [^\n]+\n$/)
    expect(status).toBe(1)
    expect(existsSync(join(folder, 'typo'))).toBe(false)
  }
})

test('a file that can not be written ends the command with the reason', async () => {
  const data = join(folder, 'out')
  const withKey = { ...withoutSettings, STEPWELL_API_KEY: 'k' }
  const service = spawn(
    process.execPath,
    [...SHORT_LIVED, bin, 'serve', '--port', '0', '--data', data],
    {
      env: withKey,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = once(service, 'exit')
  const [said] = await once(service.stdout, 'data')
  const [url = ''] = /http:\/\/[\w.:]+/.exec(String(said)) ?? []
  await writeFile(join(folder, 'in-the-way'), '')
  for (const [out, reason] of [
    ['/proc/x/y/stepwell.graphql', 'no file can be made there'],
    ['/proc/x', 'no file can be made there'],
    [folder, 'it is a folder'],
    [join(folder, 'in-the-way/stepwell.graphql'), 'a part of its path is a file'],
  ] as const) {
    const { status, stderr } = spawnSync(
      process.execPath,
      [...SHORT_LIVED, bin, 'contract', 'pull', '--schema', url, '--out', out],
      { encoding: 'utf8', timeout: 60_000, env: withKey },
    )
    expect(stderr).toMatch(/^stepwell: [^\n]+\n$/)
    expect(stderr).toContain(
      `--out: expected a file that can be written, got ${JSON.stringify(out)}: ${reason}; name another one`,
    )
    expect(status).toBe(2)
  }
  service.kill('SIGTERM')
  await ended
})

test('a second project of one name is refused, and deleting one takes --yes', async () => {
  const data = join(folder, 'projects')
  const service = spawn(
    process.execPath,
    [...SHORT_LIVED, bin, 'serve', '--port', '0', '--data', data],
    {
      env: withoutSettings,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = once(service, 'exit')
  await once(service.stdout, 'data')
  const project = (...args: string[]) => stepwell('project', ...args, '--data', data)
  expect(project('create', 'shop').status).toBe(0)
  for (const name of ['shop', ' shop ']) {
    const { status, stderr } = project('create', name)
    expect(stderr).toContain('name: a project is called "shop" already; expected another name')
    expect(status).toBe(2)
  }
  expect(project('create', '  ').status).toBe(2)
  expect(project('list').stdout.match(/shop/g)).toHaveLength(1)
  expect(project('delete', 'shop').status).toBe(2)
  expect(project('list').stdout).toContain('shop')
  expect(project('delete', 'shop', '--yes').status).toBe(0)
  expect(project('list').stdout).not.toContain('shop')
  service.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

const migrating = (host: string) =>
  beside('migrate', '--database', `postgres://u:secret@${host}/stepwell`)

test.each([
  ['has no address', 'check the host in the URL', () => migrating('nowhere.invalid')],
  ['ends connections', 'check that the server runs', () => migrating(`127.0.0.1:${port}`)],
  ['never answers', 'check that the server runs', () => waits],
])('a database that %s is reported with a remedy', async (_, remedy, run) => {
  const { status, stderr } = await run()
  expect(stderr).toMatch(/^stepwell: the database stepwell at [^\n]+ is unreachable: [^\n]+\n$/)
  expect(stderr).toContain(remedy)
  expect(stderr).not.toContain('secret')
  expect(status).toBe(1)
})

test('a service goes on without the readers of its output and its log, and a list ends quietly without its own', async () => {
  const data = join(folder, 'unread')
  const { process: service, url } = await startService(['--data', data, '--access-log', 'all'])
  const ended = once(service, 'exit')
  service.stdout?.destroy()
  service.stderr?.destroy()
  for (let request = 0; request < 3; request++)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const list = spawn(process.execPath, [...SHORT_LIVED, bin, 'audit', 'list', '--data', data], {
    env: withoutSettings,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  list.stdout.destroy()
  let said = ''
  list.stderr.setEncoding('utf8').on('data', (part) => {
    said += part
  })
  const [status] = await once(list, 'close')
  expect({ status, said }).toEqual({ status: 141, said: '' })
  service.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})
