import { expect, test } from 'vitest'
import { readSettings } from '../src/settings.js'

test('a flag comes before its variable, that before the default', () => {
  const environment = { STEPWELL_PORT: '4000', STEPWELL_DATA: '/data', STEPWELL_API_KEY: 'k' }
  expect(readSettings([], {})).toEqual({
    drainMs: 5000,
    host: '127.0.0.1',
    port: 3000,
    dataFolder: './.stepwell',
    databaseUrl: undefined,
    bucket: undefined,
    signIn: 'link',
    publicUrl: undefined,
    corsOrigins: [],
    modelHosts: [],
    limits: {},
    apiKey: undefined,
  })
  expect(readSettings(['--port', '0'], environment)).toMatchObject({
    port: 0,
    dataFolder: '/data',
    apiKey: 'k',
  })
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
  [['--public-url', 'nowhere'], {}, '--public-url'],
  [[], { DATABASE_URL: 'mysql://x' }, '--database'],
  [['--cors-origins', 'https://a.example/x'], {}, '--cors-origins'],
  [['--model-hosts', 'http://a.example'], {}, '--model-hosts'],
  [['--model-hosts', 'a.example/x'], {}, '--model-hosts'],
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
      STEPWELL_CORS_ORIGINS: 'https://a.example, http://localhost:8000',
    }),
  ).toMatchObject({
    limits: { fileBytes: 10, requestsPerSecond: 7 },
    corsOrigins: ['https://a.example', 'http://localhost:8000'],
    modelHosts: ['localhost:11434', '10.0.0.5'],
  })
})
