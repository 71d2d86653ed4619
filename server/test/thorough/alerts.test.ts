import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.js'
import { newDatabase } from '../support/new-database.js'
import { isSigned, Receiver } from '../support/receiver.js'
import { type ServiceProcess, startService } from '../support/start-service.js'

let receiver: Receiver
let options: string[]
let isShared: boolean
const ends: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  receiver = await Receiver.open()
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-alerts-'))
  const { location, drop } = await newDatabase()
  isShared = 'url' in location
  options = ['--data', folder, '--webhook-hosts', '127.0.0.1']
  if ('url' in location) options.push('--database', location.url)
  ends.push(
    () => rm(folder, { recursive: true, force: true }),
    () => drop(),
    () => receiver.close(),
  )
})
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

const start = async (): Promise<ServiceProcess> => {
  const service = await startService(options)
  ends.push(() => kill(service))
  return service
}
const kill = async ({ process: child }: ServiceProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
const ask = async ({ url }: ServiceProcess, query: string) => {
  const response = await fetch(`${url}/api/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
    body: JSON.stringify({ query }),
  })
  const { data, errors } = (await response.json()) as {
    data: Record<string, { alert: { id: string }; secret: string }>
    errors?: unknown
  }
  expect(errors).toBeUndefined()
  return data
}

test('a webhook hears of an event whose process was killed during the call, with the same id; other events come once', async () => {
  const first = await start()
  // Processes may share a server's database.
  let second = isShared ? await start() : undefined
  // The first call gets no answer.
  receiver.statuses.push(-1)
  const { createAlert } = await ask(
    first,
    `mutation { createAlert(name: "silence", subject: STEPS, metric: COUNT, comparison: BELOW, threshold: 1,
      windowMinutes: 5, webhookUrl: ${JSON.stringify(receiver.url)}) { alert { id } secret } }`,
  )
  await eventually(() => expect(receiver.types).toEqual(['alert.firing']))
  // One of the two makes the call: both are killed, before they know its outcome.
  await Promise.all([first, second].map((one) => one && kill(one)))
  const third = await start()
  second = isShared ? await start() : undefined
  await eventually(() => expect(receiver.types).toEqual(['alert.firing', 'alert.firing']))
  // An alert is evaluated each minute, and at once when it is changed.
  const evaluateAgain = () =>
    ask(
      third,
      `mutation { updateAlert(id: "${createAlert?.alert.id}", repeatMinutes: null) { id } }`,
    )
  await ask(third, 'mutation { ingestSteps(steps: [{ id: "s", name: "came" }]) { ok } }')
  await evaluateAgain()
  await eventually(() =>
    expect(receiver.types).toEqual(['alert.firing', 'alert.firing', 'alert.resolved']),
  )
  const ids = receiver.calls.map(({ headers }) => headers['webhook-id'])
  expect(ids[1]).toBe(ids[0])
  expect(ids[2]).not.toBe(ids[0])
  expect(receiver.calls[1]?.text).toBe(receiver.calls[0]?.text)
  const secret = createAlert?.secret ?? ''
  expect(receiver.calls.every((call) => isSigned(call, secret))).toBe(true)
  // The next evaluations find nothing new.
  const before = await ask(third, '{ alerts { evaluatedAt } }')
  await evaluateAgain()
  await eventually(async () =>
    expect(await ask(third, '{ alerts { evaluatedAt } }')).not.toEqual(before),
  )
  expect(receiver.calls).toHaveLength(3)
})
