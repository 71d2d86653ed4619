import { expect, test } from 'vitest'
import { HELP } from '../server/src/settings.js'
import { clockAgrees } from '../src/cli/doctor/application/key.js'
import { nodeVersion } from '../src/cli/doctor/application/node-version.js'
import { variables } from '../src/cli/doctor/application/variables.js'
import { type Check, ok } from '../src/cli/doctor/check.js'
import { lineOf, secretsOf, summaryOf, withoutSecrets } from '../src/cli/doctor/report.js'
import { type Found, runChecks } from '../src/cli/doctor/run-checks.js'
import { compareVersions } from '../src/cli/doctor/versions.js'

// The rules by which checks run, and the words of findings. Those of processes are in thorough/doctor.test.ts.
const foundBy = async (checks: readonly Check[], totalMs?: number) => {
  const found: Found[] = []
  let late = 0
  for await (const one of runChecks(checks, () => late++, totalMs)) found.push(one)
  return { found, late, states: found.map(({ check, state }) => `${check} ${state}`) }
}
const never = () => new Promise<never>(() => undefined)

test('a check that does not end is broken, and the next one runs', async () => {
  const { states, late } = await foundBy([
    { name: 'hangs', limitMs: 5, run: never },
    { name: 'needs it', needs: ['hangs'], run: async () => ok('') },
    { name: 'needs that', needs: ['needs it'], run: async () => ok('') },
    { name: 'works', run: async () => ok('') },
  ])
  expect(states).toEqual(['hangs broken', 'needs it skipped', 'needs that skipped', 'works ok'])
  expect(late).toBe(1)
})

test('once the time is over only the last checks run', async () => {
  const { states } = await foundBy(
    [
      { name: 'hangs', limitMs: 5, run: never },
      { name: 'other', run: async () => ok('') },
      { name: 'deletes', isLast: true, run: async () => ok('') },
    ],
    1,
  )
  expect(states).toEqual(['hangs broken', 'other skipped', 'deletes ok'])
})

test('a check that throws is broken, and its message is not shown', async () => {
  const { found } = await foundBy([
    { name: 'throws', run: () => Promise.reject(new TypeError('a payload')) },
  ])
  expect(found).toEqual([
    expect.objectContaining({ state: 'broken', text: 'the check failed itself (TypeError)' }),
  ])
})

test('a finding is one line, without control characters', () => {
  const line = lineOf({ check: 'key', state: 'broken', text: 'a\n\u001b[31mb', remedy: 'c\r\nd' })
  expect(line).toBe('broken   key            a [31mb. Remedy: c d')
})

test('findings lose the secrets of the environment and of options', () => {
  const secrets = secretsOf(
    { STEPWELL_API_KEY: 'lsk_of-tests', DATABASE_URL: 'postgres://u:p%40ssword@h/d' },
    ['--database', 'postgres://u:another-one@h/d'],
  )
  const text = 'lsk_of-tests p@ssword p%40ssword another-one'
  expect(withoutSecrets({ check: '', state: 'ok', text, remedy: text }, secrets)).toMatchObject({
    text: '… … … …',
    remedy: '… … … …',
  })
})

test('the last line counts', () => {
  const found = (...states: Found['state'][]) =>
    summaryOf(states.map((state) => ({ check: '', state, text: '' })))
  expect(found('ok', 'ok')).toBe('Nothing is broken.')
  expect(found('ok', 'warning')).toBe('Nothing is broken, 1 warning.')
  expect(found('broken', 'warning', 'warning', 'skipped')).toBe('1 broken, 2 warnings, 1 skipped.')
})

test('every variable of the service is known, and one that nothing reads is not', () => {
  const names = [...HELP.matchAll(/\bSTEPWELL_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)
  expect(names.length).toBeGreaterThan(14)
  const set = (...all: string[]) => variables(Object.fromEntries(all.map((name) => [name, 'x'])))
  expect(set(...names)).toEqual([ok('STEPWELL_API_KEY set, none misspelt')])
  expect(set('STEPWELL_LIMIT_FILE_BYTES', 'STEPWELL_PORT_3000_TCP')).toEqual([ok('none is set')])
  expect(set('STEPWELL_SOMETHING_ELSE')).toMatchObject([
    { state: 'warning', remedy: expect.stringContaining('unset STEPWELL_SOMETHING_ELSE') },
  ])
})

test('clocks may differ by seconds; more is a warning, and a minute is broken', () => {
  const at = Date.parse('2026-11-25T12:00:00Z')
  const state = (laterMs: number) =>
    clockAgrees({
      status: 200,
      body: null,
      askedAtMs: at,
      headers: new Headers({ date: new Date(at + laterMs).toUTCString() }),
    }).state
  expect([0, 4000, -4000].map(state)).toEqual(['ok', 'ok', 'ok'])
  expect([7000, -30_000].map(state)).toEqual(['warning', 'warning'])
  expect([120_000, -120_000].map(state)).toEqual(['broken', 'broken'])
})

test('versions have an order', () => {
  expect(compareVersions('0.9.0', '0.10.0')).toBeLessThan(0)
  expect(compareVersions('1.0.0', '1.0.0-next.1')).toBe(0)
  expect(compareVersions('2.0.0', '1.9.9')).toBeGreaterThan(0)
  expect(['20.18.9', '20.19.0', '26.1.0'].map((version) => nodeVersion(version).state)).toEqual([
    'broken',
    'ok',
    'ok',
  ])
})
