import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { recordInMemory } from '../src/testing/index.js'

test('a promise that has its child process still has it when it is traced', async () => {
  const { stepwell, steps } = recordInMemory()
  const running = stepwell.traced(promisify(exec), { name: 'exec' })('echo done')
  expect(running.child.pid).toBeGreaterThan(0)
  expect(await running).toEqual({ stdout: 'done\n', stderr: '' })
  expect(steps[0]).toMatchObject({ isOpen: false, output: { stdout: 'done\n' } })
})

/** The ways in which an application asks a promise for its value. */
const asks: Record<string, (promise: Promise<unknown>) => Promise<unknown>> = {
  await: async (promise) => await promise,
  chained: (promise) => promise.then((value) => value),
  catch: (promise) => promise.catch((error) => Promise.reject(error)),
  finally: (promise) => promise.finally(() => {}),
  returned: async (promise) => promise,
  all: async (promise) => (await Promise.all([promise]))[0],
  race: (promise) => Promise.race([promise]),
}

test('a promise with members is the same object, is heard however it is asked, and ends as it would have', async () => {
  const failure = new Error('failed')
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(asks)),
      fc.boolean(),
      fc.boolean(),
      async (ask, fails, isLate) => {
        const { stepwell, steps } = recordInMemory()
        const settled = async () => {
          if (isLate) await null
          if (fails) throw failure
          return 'value'
        }
        const promise = Object.assign(settled(), { cancel: vi.fn(() => 'cancelled'), count: 1 })
        const keys = Object.keys(promise)
        const traced = stepwell.trace('work', () => promise)
        expect(traced).toBe(promise)
        expect([Object.keys(traced), traced.count]).toEqual([keys, 1])
        expect(traced.cancel()).toBe('cancelled')
        expect(traced.cancel).toHaveBeenCalledTimes(1)
        expect(steps[0]?.isOpen).toBe(true)
        const [outcome] = await Promise.allSettled([asks[ask]?.(traced)])
        expect(outcome).toEqual(
          fails ? { status: 'rejected', reason: failure } : { status: 'fulfilled', value: 'value' },
        )
        expect(steps[0]).toMatchObject({
          isOpen: false,
          error: fails ? 'Error: failed' : undefined,
          output: fails ? undefined : { output: 'value' },
        })
      },
    ),
  )
})

test('a step ends with the part of a promise that is asked for by a method of its own', async () => {
  const { stepwell, steps } = recordInMemory()
  const request = stepwell.trace('request', () =>
    Object.assign(Promise.resolve('answer'), { json: async () => ({ parsed: true }) }),
  )
  expect(await request.json()).toEqual({ parsed: true })
  expect(steps[0]).toMatchObject({ isOpen: false, output: { parsed: true } })
})

test('a frozen promise with members, and one whose members cannot be replaced, keep them', async () => {
  const { stepwell, steps } = recordInMemory()
  const cancel = () => {}
  const frozen = Object.freeze(Object.assign(Promise.resolve(1), { cancel }))
  const fixed = Object.defineProperty(Promise.resolve(2), 'cancel', { value: cancel })
  for (const promise of [frozen, fixed]) {
    const traced = stepwell.trace('work', () => promise)
    expect(traced).toBe(promise)
    expect(traced).toHaveProperty('cancel', cancel)
    await traced
  }
  expect(steps.map(({ output }) => output)).toEqual([{ output: 1 }, { output: 2 }])
})
