import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { StepwellClient } from '../src/index.js'
import { recordInMemory } from '../src/testing/index.js'

/** Evaluates code in another realm: Jest runs that of applications in one, where each error of Node is foreign. */
const foreign = (code: string): Error => runInNewContext(code)

test('an error of another realm is recorded with its message and its cause', async () => {
  const { stepwell, steps } = recordInMemory()
  const failing = async () => {
    throw foreign("new TypeError('fetch failed', { cause: new Error('other side closed') })")
  }
  await expect(stepwell.trace('fails', failing)).rejects.toThrow('fetch failed')
  stepwell.trace('shows', (step) => {
    step.input = { error: foreign("new RangeError('too far')") }
  })
  await stepwell.flush()
  expect(steps.map(({ error }) => error)).toEqual([
    'TypeError: fetch failed (caused by Error: other side closed)',
    undefined,
  ])
  expect(steps[1]?.input).toEqual({ error: { name: 'RangeError', message: 'too far' } })
})

test('a service that is not reached is described by an error of another realm too', async () => {
  const reports: string[] = []
  const stepwell = new StepwellClient({
    apiKey: 'k',
    apiUrl: 'http://127.0.0.1:1',
    fetch: () =>
      Promise.reject(
        foreign(
          "new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) })",
        ),
      ),
    onReport: (message) => reports.push(message),
  })
  await expect(stepwell.api.getProjectId()).rejects.toThrow(
    /^no answer from http:\/\/127.0.0.1:1: refused; nothing listens there/,
  )
  stepwell.trace('kept', () => 1)
  await stepwell.flush({ timeoutMs: 50 })
  expect(stepwell.stats().lastProblem).toBe('refused')
  await stepwell.close({ timeoutMs: 1 })
})
