import { expect, test } from 'vitest'
import { StepwellClient } from '../src/index.js'

const NO_SUCH = JSON.stringify({
  errors: [{ message: 'id: nothing has it', extensions: { code: 'NOT_FOUND' } }],
})

type Call = (api: StepwellClient['api'], stepwell: StepwellClient) => Promise<unknown>

const drained = async (items: AsyncIterable<unknown>) => {
  for await (const _ of items);
}

const CALLS: [name: string, call: Call][] = [
  ['a change', async (api) => await api.updateScore('nope', { value: 1 })],
  [
    'a change in snake_case',
    async (api) => await api.update_score({ id: 'nope', update_params: { value: 1 } }),
  ],
  ['a page', async (api) => await api.getSteps({ first: 1 })],
  ['a page in snake_case', async (api) => await api.get_steps({ first: 1 })],
  ['a walk', async (api) => await drained(api.getSteps.all())],
  ['a walk over pages in snake_case', async (api) => await drained(api.get_steps.pages())],
  ['a prompt', async (api) => await api.getPrompt('support')],
  ['steps by hand', async (api) => await api.sendSteps([{ id: 'a' }])],
  ['a document', async (_, stepwell) => await stepwell.query('{ projectId }', {})],
]

const ENDS: [name: string, fetch: () => Promise<Response>][] = [
  [
    'the service rejects',
    async () => new Response(NO_SUCH, { headers: { 'content-type': 'application/json' } }),
  ],
  ['no service answers', () => Promise.reject(new Error('connect ECONNREFUSED'))],
]

test.each(
  ENDS.flatMap(([end, fetch]) => CALLS.map(([name, call]) => [name, end, call, fetch] as const)),
)('the error of %s, when %s, leads to the line of the caller', async (_, __, call, fetch) => {
  const stepwell = new StepwellClient({
    apiKey: 'k',
    fetch: () => later(fetch),
    onReport: () => {},
  })
  const error = await call(stepwell.api, stepwell).then(
    () => undefined,
    (reason: Error) => reason,
  )
  expect(error?.stack).toContain('stacks.test.ts')
  await stepwell.close({ timeoutMs: 1 })
})

/** An answer never comes in the turn of the call. */
const later = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  await new Promise((resolve) => setImmediate(resolve))
  return work()
}
