import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, type Listening, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { Random } from '../simulation/random.js'
import { eventually } from '../support/eventually.js'

/** Times that a worker is killed. */
const KILLS = Number(process.env.STEPWELL_KILLS ?? 15)
const STEPS = 200
const ENDED = '2026-01-01T00:00:00Z'

let service: Service
let listening: Listening
let folder: string
beforeAll(async () => {
  service = await createService()
  listening = await listen(service, '127.0.0.1', 0)
  folder = mkdtempSync(join(tmpdir(), 'stepwell-judging-'))
})
afterAll(async () => {
  await listening?.stop()
  await service?.close()
  rmSync(folder, { recursive: true, force: true })
})

let projects = 0
const newProject = async () => {
  const { apiKey } = await service.createProject(`judging ${projects++}`)
  const client = new StepwellClient({ apiKey, apiUrl: listening.url })
  const judge = {
    name: 'live',
    version: '1',
    subject: 'STEPS',
    sample: 1,
    quietSeconds: 0,
  } as const
  await client.api.leaseJudgements({ judge, holder: 'first', first: 0, seconds: 1 })
  const log = join(folder, `log ${projects}`)
  const env = { ...process.env, STEPWELL_API_KEY: apiKey, STEPWELL_API_URL: listening.url }
  return {
    api: client.api,
    env,
    send: (from: number, to: number) =>
      client.api.sendSteps(
        Array.from({ length: to - from }, (_, index) => ({
          id: `s${from + index}`,
          endTime: ENDED,
        })),
      ),
    start: (...options: string[]): ChildProcess =>
      spawn(process.execPath, ['test/support/judging-program.js', log, ...options], {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    begun: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []),
    judged: async () => {
      const ids: (string | null)[] = []
      for await (const { stepId } of client.api.getScores.all({ first: 1000 })) ids.push(stepId)
      return ids
    },
  }
}
const stop = async (child: ChildProcess) => {
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
}

test('workers that are killed at any moment lose what is under way alone: all is judged in the end, and once', async () => {
  const { send, start, begun, judged } = await newProject()
  const random = new Random(1)
  await send(0, STEPS / 2)
  const other = start()
  for (let kill = 0; kill < KILLS; kill++) {
    const done = new Set(await judged())
    const before = begun().length
    const child = start()
    const exit = once(child, 'exit')
    const from = STEPS / 2 + Math.floor((kill * STEPS) / 2 / KILLS)
    await send(from, STEPS / 2 + Math.floor(((kill + 1) * STEPS) / 2 / KILLS))
    await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, random.int(900)))])
    child.kill('SIGKILL')
    await exit
    expect(
      begun()
        .slice(before)
        .filter((id) => done.has(id)),
    ).toEqual([])
  }
  // The leases of killed workers have to end first.
  await eventually(async () => expect(new Set(await judged()).size).toBe(STEPS))
  await stop(other)
  expect((await judged()).toSorted()).toEqual(
    Array.from({ length: STEPS }, (_, n) => `s${n}`).toSorted(),
  )
})

test('two workers keep the budget of a day, also after one of them was killed', async () => {
  const { api, send, start, judged } = await newProject()
  await send(0, 100)
  const killed = start('200')
  await eventually(async () => expect((await judged()).length).toBeGreaterThan(3))
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const workers = [start('200'), start('200')]
  const state = async () => (await api.getJudges())[0]
  await eventually(async () =>
    expect((await state())?.usedToday.tokens).toBeGreaterThanOrEqual(150),
  )
  await Promise.all(workers.map(stop))
  expect((await state())?.usedToday.tokens).toBeLessThanOrEqual(200)
  expect((await judged()).length).toBeLessThanOrEqual(20)
})

test('the command judges by a file, says how it ended, and ends by a signal', async () => {
  const { env, send, judged, api } = await newProject()
  const file = join(folder, 'judge.mjs')
  const evaluate = join(import.meta.dirname, '../../dist/esm/src/evaluate/index.js')
  writeFileSync(
    file,
    `import { liveJudge } from ${JSON.stringify(evaluate)}
     function polite({ output }) { return String(output).includes('please') }
     export default liveJudge({ name: 'live', version: '1', on: 'steps', sample: 1, quietSeconds: 0, scorers: [polite],
       minimumAgreement: Number(process.env.MINIMUM ?? 0) })`,
  )
  const run = (args: string[], more = {}) => {
    const child = spawn(process.execPath, ['bin/stepwell.js', 'judge', ...args], {
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (part) => {
        text += part
      })
    return { child, end: once(child, 'exit').then(([code]) => ({ code, text })) }
  }
  await send(0, 30)
  const first = run(['worker', file, '--once'])
  expect(await first.end).toMatchObject({
    code: 0,
    text: expect.stringContaining('live@1: 30 judged'),
  })
  await api.createScores(
    Array.from({ length: 30 }, (_, n) => ({
      stepId: `s${n}`,
      name: 'polite',
      type: 'HUMAN' as const,
      value: n % 2,
      label: 'x',
    })),
  )
  expect(await run(['agreement', file]).end).toMatchObject({
    code: 0,
    text: expect.stringMatching(/polite +0 /),
  })
  const low = await run(['worker', file], { MINIMUM: '0.8' }).end
  expect(low).toMatchObject({ code: 1, text: expect.stringContaining('below the minimum') })
  const waiting = run(['worker', file])
  await send(30, 31)
  await eventually(async () => expect(await judged()).toHaveLength(61))
  waiting.child.kill('SIGTERM')
  expect(await waiting.end).toMatchObject({ code: 0, text: expect.stringContaining('1 judged') })
  expect(await run(['worker', join(folder, 'none.js')]).end).toMatchObject({ code: 3 })
  expect(await run(['other']).end).toMatchObject({
    code: 3,
    text: expect.stringContaining('worker or agreement'),
  })
})
