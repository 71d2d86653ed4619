import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SettingsError } from '../src/configuration.js'
import { limitsOfHeap } from '../src/kernel/heap-limits.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { HELP, readLocation, readSettings } from '../src/settings.js'

test('a flag comes before its variable, that before the default', () => {
  const environment = { STEPWELL_PORT: '4000', STEPWELL_DATA: '/data', STEPWELL_API_KEY: 'k' }
  expect(readSettings([], {})).toEqual({
    drainMs: 5000,
    workers: 1,
    host: '127.0.0.1',
    port: 3000,
    dataFolder: './.stepwell',
    databaseUrl: undefined,
    bucket: undefined,
    signIn: 'link',
    publicUrl: undefined,
    corsOrigins: [],
    modelHosts: [],
    webhookHosts: [],
    contentIndex: true,
    oidc: undefined,
    limits: {},
    log: { format: 'pretty', level: 'info', access: 'off' },
    apiKey: undefined,
    warnings: [],
  })
  expect(readSettings(['--port', '0'], environment)).toMatchObject({
    port: 0,
    dataFolder: '/data',
    apiKey: 'k',
  })
})

test('a folder without a name is rejected, and an empty variable counts as none', () => {
  const place = '--data: expected a folder, got an empty text'
  expect(() => readLocation({ data: '' }, {})).toThrow(place)
  expect(() => readSettings(['--data', ''], {})).toThrow(place)
  expect(readLocation({}, { STEPWELL_DATA: '' }).dataFolder).toBe('./.stepwell')
})

test('by default a link is printed only on the embedded database of a loopback address', () => {
  const signIn = (args: string[], environment = {}) => readSettings(args, environment)?.signIn
  expect(signIn([])).toBe('link')
  expect(signIn(['--host', '::1'])).toBe('link')
  expect(signIn(['--host', '0.0.0.0'])).toBe('key')
  expect(signIn(['--database', 'postgres://x/y'])).toBe('key')
  expect(signIn(['--public-url', 'https://stepwell.example.org'])).toBe('key')
  expect(signIn(['--sign-in', 'key'])).toBe('key')
  expect(signIn([], { STEPWELL_SIGN_IN: 'key' })).toBe('key')
  expect(signIn(['--sign-in', 'link', '--host', '0.0.0.0'])).toBe('link')
})

test.each([
  [['--port', 'x'], {}, '--port'],
  [['--port', '70000'], {}, '--port'],
  [['--colour'], {}, '--colour'],
  [['--sign-in', 'maybe'], {}, '--sign-in: expected link or key'],
  [['--sign-in', 'none'], {}, '--sign-in: none was removed'],
  [
    [],
    { STEPWELL_SIGN_IN: 'none' },
    'expected link, which prints a link that signs in once, or key',
  ],
  [['--log-format', 'xml'], {}, '--log-format: expected pretty or json, got "xml"'],
  [[], { STEPWELL_LOG_LEVEL: 'loud' }, '--log-level: expected debug, info, warn or error'],
  [[], { STEPWELL_ACCESS_LOG: 'some' }, '--access-log: expected off, failures or all'],
  [['--public-url', 'nowhere'], {}, '--public-url'],
  [[], { DATABASE_URL: 'mysql://x' }, '--database'],
  [['--cors-origins', 'https://a.example/x'], {}, '--cors-origins'],
  [['--model-hosts', 'http://a.example'], {}, '--model-hosts'],
  [['--model-hosts', 'a.example/x'], {}, '--model-hosts'],
  [['--webhook-hosts', 'a.example/x'], {}, '--webhook-hosts'],
  [[], { STEPWELL_LIMIT_NOTHING: '1' }, 'STEPWELL_LIMIT_NOTHING: unknown limit'],
  [[], { STEPWELL_LIMIT_FILE_BYTES: 'many' }, 'STEPWELL_LIMIT_FILE_BYTES: expected a whole number'],
  [[], { STEPWELL_FILES: 's3://x' }, '--files: expected s3://bucket'],
] as [string[], NodeJS.ProcessEnv, string][])(
  '%j with %j is rejected with its name',
  (args, environment, message) => {
    expect(() => readSettings(args, environment)).toThrow(message)
  },
)

test('limits and origins come from the environment', () => {
  expect(
    readSettings([], {
      STEPWELL_LIMIT_FILE_BYTES: '10',
      STEPWELL_LIMIT_REQUESTS_PER_SECOND: '7',
      STEPWELL_MODEL_HOSTS: 'LocalHost:11434, 10.0.0.5',
      STEPWELL_WEBHOOK_HOSTS: 'localhost:8080',
      STEPWELL_CORS_ORIGINS: 'https://a.example, http://localhost:8000',
    }),
  ).toMatchObject({
    limits: { fileBytes: 10, requestsPerSecond: 7 },
    corsOrigins: ['https://a.example', 'http://localhost:8000'],
    modelHosts: ['localhost:11434', '10.0.0.5'],
    webhookHosts: ['localhost:8080'],
  })
})

const reject = (args: string[], environment: NodeJS.ProcessEnv): string => {
  try {
    readSettings(args, environment)
  } catch (error) {
    if (error instanceof SettingsError) return error.message
    throw error
  }
  return ''
}

test('all invalid settings are named at once', () => {
  const message = reject(['--port', 'x', '--log-format', 'xml'], {
    DATABASE_URL: 'mysql://root:secret@x',
    STEPWELL_PUBLIC_URL: 'nowhere',
    STEPWELL_DRAIN_MS: 'soon',
    STEPWELL_LIMIT_FILE_BYTES: 'many',
    STEPWELL_LIMIT_NOTHING: '1',
  })
  for (const name of [
    '--port',
    '--log-format',
    '--database',
    '--public-url',
    'STEPWELL_DRAIN_MS',
    'STEPWELL_LIMIT_FILE_BYTES',
    'STEPWELL_LIMIT_NOTHING',
  ])
    expect(message).toContain(`${name}: `)
  expect(message).not.toContain('secret')
  expect(reject(['--colour'], { STEPWELL_PORT: 'x' })).toMatch(/--colour.*--port/)
})

test('a variable that nothing reads is named, with the one that was probably meant', () => {
  const warningsOf = (environment: NodeJS.ProcessEnv) => readSettings([], environment)?.warnings
  expect(warningsOf({ STEPWELL_PROT: '1', STEPWELL_XYZZY: '1', OTHER: '1' })).toEqual([
    'STEPWELL_PROT: nothing reads this variable (did you mean STEPWELL_PORT?)',
    'STEPWELL_XYZZY: nothing reads this variable',
  ])
  const documented = [...HELP.matchAll(/STEPWELL_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)
  expect(documented.length).toBeGreaterThan(10)
  for (const name of [...documented, 'STEPWELL_API_URL', 'STEPWELL_SERVICE_HOST'])
    expect(reject([], { [name]: '' }) + (warningsOf({ [name]: '' }) ?? []), name).toBe('')
  expect(reject([], { STEPWELL_PORT: 'tcp://10.0.0.1:3000' })).toContain('enableServiceLinks')
})

const withFile = (text: string, use: (path: string) => void): void => {
  const folder = mkdtempSync(join(tmpdir(), 'stepwell-settings-'))
  try {
    const path = join(folder, 'stepwell.env')
    writeFileSync(path, text)
    use(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('a file comes after flags and variables, and before defaults', () => {
  const text =
    '# ours\nSTEPWELL_PORT=4000\nSTEPWELL_HOST="::1"\nSTEPWELL_DATA=/file\nDATABASE_URL=postgres://a:b@c/d\nSTEPWELL_LIMIT_FILE_BYTES=10\n'
  withFile(text, (path) => {
    expect(
      readSettings(['--config', path, '--port', '5000'], { STEPWELL_HOST: 'h' }),
    ).toMatchObject({
      port: 5000,
      host: 'h',
      dataFolder: '/file',
      databaseUrl: 'postgres://a:b@c/d',
      limits: { fileBytes: 10 },
      warnings: [],
    })
    expect(readSettings([], { STEPWELL_CONFIG: path, STEPWELL_PORT: '' })?.port).toBe(4000)
    expect(readLocation({ config: path, data: '/flag' }, {}).dataFolder).toBe('/flag')
    expect(readLocation({}, { STEPWELL_CONFIG: path }).dataFolder).toBe('/file')
  })
})

test('a file with a mistake is rejected with its place, and without its values', () => {
  withFile('STEPWELL_PROT=secret\nsecret\nSTEPWELL_PORT=1\n', (path) => {
    const message = reject(['--config', path], {})
    expect(message).toContain('line 2: expected VARIABLE=value')
    expect(message).not.toContain('secret')
  })
  withFile('STEPWELL_PROT=secret\nPATH=secret\n', (path) => {
    const message = reject(['--config', path], {})
    expect(message).toContain('nothing reads STEPWELL_PROT (did you mean STEPWELL_PORT?)')
    expect(message).toContain('nothing reads PATH')
    expect(message).not.toContain('secret')
  })
  expect(reject(['--config', '/nowhere/at.all'], {})).toContain(
    '--config: expected a file that this user may read, got "/nowhere/at.all" (ENOENT)',
  )
})

test('a password in a flag is warned of, and then no longer among the arguments that others can list', () => {
  const title = process.title
  const warnings = (url: string) => readSettings(['--database', url], {})?.warnings ?? []
  expect(warnings('postgres://user@host/db')).toEqual([])
  expect(process.title).toBe(title)
  expect(warnings('postgres://user:secret@host/db').join()).toMatch(/--database: .*DATABASE_URL/)
  expect(warnings('postgres://host/db?password=secret')).toHaveLength(1)
  expect(warnings('postgres://user:secret@host/db').join()).not.toContain('secret')
  expect(process.title).toBe('stepwell')
  process.title = title
})

test.each([
  'postgres://user:secret@host:99999/db',
  'postgres://user@[host/db',
  'postgres://host/db%ff',
])(
  'an address that no server can have is rejected before a connection, and not repeated: %s',
  (url) => {
    const read = () => readLocation({ database: url }, {})
    expect(read).toThrow('--database: expected a URL such as postgres://user@host:5432/database')
    expect(read).not.toThrow(url)
  },
)

test('limits of memory follow a small heap, and are the defaults with a usual one', () => {
  expect(limitsOfHeap(2_000_000_000)).toEqual({
    bytesInFlight: DEFAULT_LIMITS.bytesInFlight,
    requestBytes: DEFAULT_LIMITS.requestBytes,
    answerBytes: DEFAULT_LIMITS.answerBytes,
  })
  const { bytesInFlight, requestBytes } = limitsOfHeap(96_000_000)
  expect(bytesInFlight).toBe(24_000_000)
  expect(requestBytes).toBe(7_680_000)
})

test('several processes need a database that they can share', () => {
  const DATABASE_URL = 'postgres://stepwell@127.0.0.1/stepwell'
  expect(readSettings(['--workers', '4'], { DATABASE_URL })?.workers).toBe(4)
  expect(readSettings([], { DATABASE_URL, STEPWELL_WORKERS: '2' })?.workers).toBe(2)
  expect(() => readSettings(['--workers', '2'], {})).toThrow(
    '--workers: expected 1 with the embedded database, which one process alone can use, got 2',
  )
  for (const text of ['0', '-1', '1.5', '100', 'many'])
    expect(() => readSettings([`--workers=${text}`], { DATABASE_URL })).toThrow(
      `--workers: expected a number of processes from 1 to 99, got "${text}"`,
    )
})

test('a public URL may have a path, unless the service could not tell it from its own', () => {
  const read = (url: string) => readSettings(['--public-url', url], {})?.publicUrl
  for (const url of ['https://a.example', 'https://a.example/stepwell/', 'http://a:8080/x/y-z.1'])
    expect(read(url)).toBe(url)
  for (const [url, reason] of [
    ['https://a.example/api', 'does not begin with /api'],
    ['https://a.example/docs/x', 'does not begin with /docs'],
    ['https://a.example/a%20b', 'a path of letters'],
    ['https://a.example/a//b', 'a path of letters'],
    ['https://a.example/?q', 'without a user, a query'],
    ['https://u:secret@a.example/', 'without a user, a query'],
    ['https://', 'an http or https URL'],
    ['ftp://a.example', 'an http or https URL'],
  ] as const) {
    expect(() => read(url), url).toThrow(`--public-url: expected`)
    expect(() => read(url), url).toThrow(reason)
  }
})
