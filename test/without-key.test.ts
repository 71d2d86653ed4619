import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createApi } from '../src/api/index.js'
import { StepwellClient, type StepwellClientOptions } from '../src/index.js'
import { Tracer } from '../src/tracing/index.js'
import { Tracer as SpoolTracer } from '../src/tracing/spool.js'

beforeEach(() => {
  for (const name of ['STEPWELL_API_KEY', 'LITERAL_API_KEY', 'STEPWELL_DISABLED'])
    vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const reporting = (options: StepwellClientOptions = {}) => {
  const reports: string[] = []
  const fetch = () => Promise.reject(new Error('nobody is to be asked'))
  return { reports, options: { fetch, onReport: (text: string) => reports.push(text), ...options } }
}

test.each([
  ['a client', StepwellClient],
  ['a tracer', Tracer],
  ['a tracer with a spool', SpoolTracer],
])('%s without a key records nothing, reports it once, and breaks nothing', async (_, Client) => {
  const { reports, options } = reporting()
  const client = new Client(options)
  expect(client.trace('work', () => 5)).toBe(5)
  await client.thread({ name: 't' }).wrap(async () => client.step({ name: 's' }).send())
  expect(await client.flush()).toMatchObject({ recorded: 0, pending: 0 })
  await client.close()
  expect(reports).toEqual([expect.stringContaining('STEPWELL_DISABLED')])
})

test('calls of the api without a key fail with the reason, and send no request', async () => {
  const { options } = reporting()
  const failure = { code: 'UNAUTHENTICATED', message: expect.stringContaining('apiKey: expected') }
  for (const api of [
    new StepwellClient(options).api,
    new StepwellClient({ ...options, disabled: true }).api,
    createApi(options),
  ]) {
    await expect(api.getSteps()).rejects.toMatchObject(failure)
    await expect(api.getProjectId()).rejects.toMatchObject(failure)
    await expect(api.createAttachment({ content: 'x' })).rejects.toMatchObject(failure)
  }
  await expect(new StepwellClient(options).query('{ projectId }')).rejects.toMatchObject(failure)
})

test.each(['1', 'true', 'YES', 'on'])('STEPWELL_DISABLED=%s records nothing, silently', (value) => {
  vi.stubEnv('STEPWELL_DISABLED', value)
  vi.stubEnv('STEPWELL_API_KEY', 'key')
  const { reports, options } = reporting()
  const client = new StepwellClient(options)
  expect(client.trace('work', () => 5)).toBe(5)
  expect(client.stats().recorded).toBe(0)
  expect(reports).toEqual([])
})

test.each(['', '0', 'false', 'no', 'off'])('STEPWELL_DISABLED=%s disables nothing', (value) => {
  vi.stubEnv('STEPWELL_DISABLED', value)
  const client = new StepwellClient({ ...reporting().options, apiKey: 'key', flushAtExit: false })
  client.trace('work', () => 5)
  expect(client.stats().recorded).toBe(1)
})

test('the option takes precedence over STEPWELL_DISABLED', () => {
  vi.stubEnv('STEPWELL_DISABLED', '1')
  const options = { ...reporting().options, apiKey: 'key', flushAtExit: false, disabled: false }
  const client = new StepwellClient(options)
  client.trace('work', () => 5)
  expect(client.stats().recorded).toBe(1)
})

test.each([
  ['dist/esm/src/index.js', 'StepwellClient'],
  ['dist/esm/src/tracing/index.js', 'Tracer'],
  ['dist/esm/src/sync/index.js', 'StepwellClient'],
])(
  'an application that is imported without a key (%s) continues, with one warning',
  (file, name) => {
    const program = `
    const { ${name} } = await import(${JSON.stringify(new URL(`../${file}`, import.meta.url))})
    const stepwell = new ${name}()
    console.log(stepwell.trace('work', () => 5))
    await stepwell.flush()
    if (stepwell.api) try { await stepwell.api.getStep('s') } catch (error) { console.log(error.name, error.code, error.message) }
  `
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', program],
      { encoding: 'utf8' },
    )
    expect([status, stderr.trim().split('\n').length]).toEqual([0, 1])
    expect(stderr).toContain('stepwell: nothing is recorded')
    expect(stdout).toContain('5')
    if (name === 'StepwellClient')
      expect(stdout).toContain('StepwellError UNAUTHENTICATED apiKey: expected')
  },
)

test('stepwell spool send without a key fails instead of finding nothing', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['bin/stepwell.js', 'spool', 'send', '/tmp/no-such-spool'],
    { encoding: 'utf8' },
  )
  expect([status, stderr]).toEqual([2, expect.stringContaining('apiKey: expected')])
})

test('stepwell spool send with the name of no folder fails instead of finding nothing, and makes none', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['bin/stepwell.js', 'spool', 'send', '/tmp/no-such-spool'],
    { encoding: 'utf8', env: { ...process.env, STEPWELL_API_KEY: 'k' } },
  )
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining('"/tmp/no-such-spool": there is none'),
  ])
  expect(existsSync('/tmp/no-such-spool')).toBe(false)
})
