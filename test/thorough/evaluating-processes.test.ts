import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, type Listening, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { Random } from '../simulation/random.js'

/** Times that a process is killed. */
const KILLS = Number(process.env.STEPWELL_KILLS ?? 25)
const recordedRuns = process.env.STEPWELL_TAU_BENCH
const TRIALS = recordedRuns === undefined ? 160 : 200

let service: Service
let listening: Listening
let folder: string
let apiKey: string
let client: StepwellClient
beforeAll(async () => {
  service = await createService()
  listening = await listen(service, '127.0.0.1', 0)
  folder = mkdtempSync(join(tmpdir(), 'stepwell-evaluating-'))
  apiKey = (await service.createProject('evaluated')).apiKey
  client = new StepwellClient({ apiKey, apiUrl: listening.url })
})
afterAll(async () => {
  await listening?.stop()
  await service?.close()
  rmSync(folder, { recursive: true, force: true })
})

const start = (name: string, log: string, resume = 'share'): ChildProcess =>
  spawn(process.execPath, ['test/support/evaluating-program.js', name, join(folder, log), resume], {
    env: { ...process.env, STEPWELL_API_KEY: apiKey, STEPWELL_API_URL: listening.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })

const ended = async (child: ChildProcess): Promise<string> => {
  let text = ''
  child.stdout?.on('data', (part) => {
    text += part
  })
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  return text
}

/** The lines of a table that do not name the run. */
/** Returns a table without its head, its link, and the time that its tasks took. */
const bodyOf = (table: string) =>
  table
    .split('\n')
    .slice(1)
    .filter((line) => !/^(http|duration)/.test(line))

const begun = (log: string): string[] =>
  existsSync(join(folder, log)) ? readFileSync(join(folder, log), 'utf8').trimEnd().split('\n') : []

const stored = async (name: string) => {
  const { data } = await client.api.getExperiments({ first: 100 })
  const found = data.filter((one) => one.name === name)
  expect(found.length).toBeLessThanOrEqual(1)
  const [experiment] = found
  if (experiment === undefined) return []
  const results = []
  for await (const item of client.api.getExperimentItems.all({
    experimentId: experiment.id,
    first: 1000,
  }))
    results.push(`${item.key} ${item.repetition}`)
  return results
}

let whole: string[]
test('a run to its end runs each item once', async () => {
  whole = bodyOf(await ended(start('whole', 'whole')))
  expect(begun('whole').toSorted()).toEqual([...new Set(begun('whole'))].toSorted())
  expect(begun('whole')).toHaveLength(TRIALS)
})

test.runIf(recordedRuns)('recorded runs of a benchmark have its published rates', () => {
  const rates = whole.find((line) => line.startsWith('pass^k'))
  const values = [...(rates ?? '').matchAll(/(\d\.\d{3}) \(/g)].map(([, value]) => value)
  expect(values).toEqual(['0.420', '0.273', '0.220', '0.200'])
})

test('a run that is killed and resumed gives the same table, and never runs an item again that has a result', async () => {
  const random = new Random(1)
  const finish = async (name: string) => {
    expect(bodyOf(await ended(start(name, name, 'take over')))).toEqual(whole)
    const results = await stored(name)
    expect(results).toHaveLength(TRIALS)
    expect(new Set(results).size).toBe(TRIALS)
  }
  let name = 'killed 0'
  for (let kill = 0; kill < KILLS; ) {
    const before = begun(name).length
    const done = new Set(await stored(name))
    const child = start(name, name, 'take over')
    const exit = once(child, 'exit')
    // Between its first item and the time at which about half of the rest have run; now and then before all of that.
    while (random.int(10) > 0 && begun(name).length === before && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 5))
    await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, random.int(300)))])
    const isInterrupted = child.exitCode === null
    child.kill('SIGKILL')
    await exit
    const ran = begun(name).slice(before)
    expect(ran.filter((trial) => done.has(trial))).toEqual([])
    if (isInterrupted) kill++
    if (!isInterrupted || (await stored(name)).length === TRIALS) {
      await finish(name)
      name = `killed ${kill}`
    }
  }
  await finish(name)
})

test('two processes at once share a run, run each item once, and end with the same table', async () => {
  const tables = await Promise.all([
    ended(start('shared', 'shared 1')),
    ended(start('shared', 'shared 2')),
  ])
  const [one, other] = [begun('shared 1'), begun('shared 2')]
  expect([...one, ...other].toSorted()).toEqual([...new Set([...one, ...other])].toSorted())
  expect(one.length + other.length).toBe(TRIALS)
  expect(tables[0]).toBe(tables[1])
  expect(bodyOf(tables[0])).toEqual(whole)
})

test('the items of a killed process come free when its leases end', async () => {
  const child = start('left', 'left 1')
  const exit = once(child, 'exit')
  while (begun('left 1').length < 20) await new Promise((resolve) => setTimeout(resolve, 10))
  child.kill('SIGKILL')
  await exit
  expect(bodyOf(await ended(start('left', 'left 2')))).toEqual(whole)
})
