import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { deliverAll } from '../src/outbox/exit/deliver-all.js'
import { createProcessEnd, type EndingProcess } from '../src/outbox/exit/process-end.js'
import { runtime } from '../src/outbox/host.js'
import { withExporters } from '../src/tracing/recording/exporters.js'

/** Ends a process with clients whose services take some time each to answer; returns what each of them may take. */
const exitWith = (answersMs: readonly number[], deadlineMs = 5000) => {
  let now = 0
  const process = Object.assign(new EventEmitter(), { pid: 1, kill: () => true })
  const registry = { endings: new Set<never>(), stop: undefined, ranOutAt: undefined }
  const atEnd = createProcessEnd(process as unknown as EndingProcess, registry, () => now)
  const delivered: boolean[] = answersMs.map((ms) => ms === 0)
  for (const [index, ms] of answersMs.entries())
    atEnd({
      deadlineMs,
      isFinished: () => delivered[index] === true,
      recordOpen: () => {},
      finish: async () => {},
      deliverNow: (timeoutMs) => {
        now += Math.min(ms, timeoutMs)
        delivered[index] ||= ms <= timeoutMs
      },
      flush: async () => {},
      end: () => {},
    })
  process.emit('exit', 0)
  return { delivered, tookMs: now }
}

test('at an exit, clients whose services never answer leave time to the others', () => {
  const never = Number.POSITIVE_INFINITY
  expect(exitWith([never, 300])).toEqual({ delivered: [false, true], tookMs: 2800 })
  expect(exitWith([never, never, never, 300]).delivered).toEqual([false, false, false, true])
  expect(exitWith([300, never]).delivered).toEqual([true, false])
})

test('one that no other waits for has all of the time', () => {
  expect(exitWith([0, 4900, 0])).toEqual({ delivered: [true, true, true], tookMs: 4900 })
  expect(exitWith([300, 300, 300, 4000]).delivered).toEqual([true, true, true, true])
})

test('a clock that is put back while exporters deliver gives them no more time', () => {
  const given: number[] = []
  const delivery = {
    outbox: { stats: () => ({ pending: 0 }) },
    deliverNow: (timeoutMs: number) => given.push(timeoutMs),
  }
  const exporter = { name: 'one', createDelivery: () => delivery }
  const all = withExporters(undefined, [exporter, exporter] as never, {} as never)
  let clock = Date.now()
  const now = vi.spyOn(Date, 'now').mockImplementation(() => {
    clock -= 3_600_000
    return clock
  })
  all?.deliverNow(5000, 'exit')
  now.mockRestore()
  expect(given).toHaveLength(2)
  for (const timeoutMs of given) expect(timeoutMs).toBeLessThanOrEqual(5000)
})

test('what has no answer in a part of the time is told in whole milliseconds', () => {
  const problems = new Set<unknown>()
  const outbox = {
    isEmpty: false,
    leaseBodies: () => [{ body: new Uint8Array(1), batch: {} }],
    nack: (_: unknown, problem: unknown) => problems.add(problem),
  }
  deliverAll(outbox as never, 'flush', () => [], runtime, 4999.887936)
  expect([...problems]).toEqual(['no answer within 5000 ms'])
})
