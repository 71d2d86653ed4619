import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StepwellError } from 'stepwell'
import {
  assertStep,
  assertStepBefore,
  assertSteps,
  recordInMemory,
  type StepExpectation,
  stepwellMatchers,
} from 'stepwell/testing'
import 'stepwell/testing/vitest'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'test/.testing')
beforeAll(() => mkdirSync(folder, { recursive: true }))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pieces = async function* (...texts: string[]) {
  for (const text of texts) yield text
}

describe('steps in memory', () => {
  test('are there as soon as they end, with their parent, children and values', async () => {
    const { stepwell, steps } = recordInMemory()
    const answer = await stepwell.trace('agent', async (step) => {
      step.input = { question: 'orders' }
      step.tags = ['eu']
      step.metadata = { plan: 'team' }
      const found = stepwell.trace({ name: 'search', type: 'retrieval' }, () => ['a', 'b'])
      expect(steps[1]).toMatchObject({ name: 'search', isOpen: false, output: { output: found } })
      return `found ${found.length}`
    })
    expect(answer).toBe('found 2')
    expect(steps.map(({ name, type }) => [name, type])).toEqual([
      ['agent', 'run'],
      ['search', 'retrieval'],
    ])
    const [agent, search] = steps
    expect(agent).toMatchObject({
      input: { question: 'orders' },
      output: { output: 'found 2' },
      tags: ['eu'],
      metadata: { plan: 'team' },
      error: undefined,
      isOpen: false,
    })
    expect(search?.parent).toBe(agent)
    expect(agent?.children).toEqual([search])
    expect(search?.rootRunId).toBe(agent?.id)
    expect(Date.parse(search?.endTime ?? '')).toBeGreaterThanOrEqual(
      Date.parse(search?.startTime ?? ''),
    )
  })

  test('are open until they end, and show what they hold by then', () => {
    const { stepwell, steps } = recordInMemory({ mask: () => ({ masked: true }) })
    const step = stepwell.step({ name: 'job', input: { secret: 1 } })
    const [view] = steps
    expect(view).toMatchObject({ name: 'job', input: { masked: true }, isOpen: true })
    step.output = { rows: 3 }
    expect(view).toMatchObject({ output: { masked: true }, endTime: undefined })
    step.end()
    expect(steps[0]).toBe(view)
    expect(view).toMatchObject({ isOpen: false, endTime: expect.any(String) })
  })

  test('are in order of start, also when they run at once or name their start', async () => {
    const { stepwell, steps } = recordInMemory()
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    await stepwell.trace('all', async () => {
      const first = stepwell.trace('slow', () => gate)
      await stepwell.trace('quick', async () => {})
      open()
      await first
    })
    stepwell.step({ name: 'earlier', startTime: '2020-01-01T00:00:00Z' }).end()
    expect(steps.map(({ name }) => name)).toEqual(['earlier', 'all', 'slow', 'quick'])
    expect(steps[2]?.parent?.name).toBe('all')
    expect(steps[3]?.parent?.name).toBe('all')
  })

  test('have the error of what failed, which reaches the caller unchanged', async () => {
    const { stepwell, steps } = recordInMemory()
    const error = new Error('no stock')
    await expect(stepwell.trace('ship', () => Promise.reject(error))).rejects.toBe(error)
    expect(steps[0]?.error).toBe('Error: no stock')
  })

  test('of a stream end with the stream, with what it yielded', async () => {
    const { stepwell, steps } = recordInMemory()
    const stream = stepwell.trace({ name: 'answer', type: 'llm' }, () => pieces('a', 'b'))
    expect(steps[0]?.isOpen).toBe(true)
    for await (const _ of stream);
    expect(steps[0]).toMatchObject({ isOpen: false, output: { output: 'ab' } })
  })

  test('have what a mask leaves of their values', () => {
    const { stepwell, steps } = recordInMemory({
      mask: (value, field) => (field === 'input' ? { name: '***' } : value),
    })
    stepwell.step({ name: 'signup', input: { name: 'Ada' }, output: { id: 1 } }).end()
    expect(steps[0]).toMatchObject({ input: { name: '***' }, output: { id: 1 } })
  })

  test('that sampling drops are gone once they end, unless something fails', () => {
    const { stepwell, steps } = recordInMemory({ sample: 0 })
    stepwell.trace('dropped', () => expect(steps).toHaveLength(1))
    expect(steps).toEqual([])
    expect(stepwell.stats()).toMatchObject({ recorded: 0, sampledOut: 1 })
    expect(() =>
      stepwell.trace('kept', () => {
        stepwell.trace('before', () => 1)
        throw new Error('late')
      }),
    ).toThrow('late')
    expect(steps.map(({ name }) => name)).toEqual(['kept', 'before'])
  })

  test('merge what is recorded again of them', () => {
    const { stepwell, steps } = recordInMemory()
    const step = stepwell.step({ name: 'draft', tags: ['a'], input: { one: 1 } })
    step.scores = [{ name: 'good', type: 'HUMAN', value: 0 }]
    step.end()
    step.tags = []
    step.scores = [{ name: 'good', type: 'HUMAN', value: 1 }]
    step.end({ output: { two: 2 } })
    expect(steps).toHaveLength(1)
    expect(steps[0]).toMatchObject({ tags: ['a'], input: { one: 1 }, output: { two: 2 } })
    expect(steps[0]?.scores).toEqual([{ name: 'good', type: 'HUMAN', value: 1 }])
  })

  test('belong to threads, whose changes are merged', async () => {
    const { stepwell, threads, thread, steps } = recordInMemory()
    const order = stepwell.thread({ id: 't1', name: 'Order', metadata: { a: 1, b: 2 } })
    await order.wrap(() => {
      stepwell.step({ name: 'question', type: 'user_message' }).end()
      order.assign({ metadata: { a: null }, tags: ['urgent'] })
    })
    expect(threads).toHaveLength(1)
    expect(thread('t1')).toMatchObject({ name: 'Order', metadata: { b: 2 }, tags: ['urgent'] })
    expect(thread('t1')?.steps).toEqual(steps)
    expect(steps[0]?.thread).toBe(thread('t1'))
    expect(thread('t2')).toBeUndefined()
  })

  test('of several clients are apart, also inside one another', () => {
    const [one, other] = [recordInMemory(), recordInMemory()]
    one.stepwell.trace('outer', () =>
      other.stepwell.trace('other', () => one.stepwell.trace('inner', () => 1)),
    )
    expect(one.steps.map(({ name }) => name)).toEqual(['outer', 'inner'])
    expect(one.steps[1]?.parent?.name).toBe('outer')
    expect(other.steps.map(({ name, parentId }) => [name, parentId])).toEqual([
      ['other', undefined],
    ])
  })

  test('are forgotten by clear, except for those that are still to end', () => {
    const { stepwell, steps, threads, clear } = recordInMemory()
    const open = stepwell.step({ name: 'open', threadId: 't' })
    stepwell.step({ name: 'done', threadId: 't' }).end()
    clear()
    expect([steps, threads]).toEqual([[], []])
    open.end()
    expect(steps.map(({ name, threadId }) => [name, threadId])).toEqual([['open', 't']])
  })

  test('are counted as delivered, without flush; after close they are dropped', async () => {
    const report = vi.fn()
    const { stepwell, steps } = recordInMemory({ onReport: report })
    await stepwell.step({ name: 'one' }).send()
    expect(await stepwell.flush()).toMatchObject({ recorded: 1, delivered: 1, pending: 0 })
    await stepwell.close()
    stepwell.step({ name: 'late' }).end()
    expect(stepwell.stats()).toMatchObject({ recorded: 2, droppedByReason: { closed: 1 } })
    expect(steps).toHaveLength(1)
    expect(report).toHaveBeenCalledOnce()
  })

  test("do not depend on the environment's key or STEPWELL_DISABLED", () => {
    vi.stubEnv('STEPWELL_DISABLED', '1')
    vi.stubEnv('STEPWELL_API_KEY', 'a key with spaces')
    const { stepwell, steps } = recordInMemory()
    stepwell.trace('agent', () => 1)
    expect(steps).toHaveLength(1)
    vi.unstubAllEnvs()
    const disabled = recordInMemory({ disabled: true })
    disabled.stepwell.trace('agent', () => 1)
    expect(disabled.steps).toEqual([])
  })

  test('are written as a tree', () => {
    const { stepwell, tree } = recordInMemory()
    expect(tree()).toBe('(no steps)')
    const open = stepwell.run({ name: 'agent', input: { question: 'orders' } })
    open.step({ name: 'search', type: 'retrieval' }).end({ error: new Error('no index') })
    open
      .step({
        name: 'answer',
        type: 'llm',
        generation: { inputTokenCount: 3, outputTokenCount: 4 },
      })
      .end()
    expect(tree().split('\n')).toEqual([
      'agent (run) input { question: "orders" } [open]',
      '  search (retrieval) error "Error: no index"',
      '  answer (llm) 7 tokens',
    ])
  })
})

test.each(['getStep', 'get_step', 'createScore', 'create_attachment'] as const)(
  'without a service, api.%s rejects with advice',
  async (name) => {
    const { stepwell } = recordInMemory()
    const call = stepwell.api[name] as (parameters: unknown) => Promise<unknown>
    const parameters = {
      getStep: 's1',
      get_step: { id: 's1' },
      createScore: { stepId: 's1', name: 'good', type: 'HUMAN', value: 1 },
      create_attachment: { id: 'a', step_id: 's1', content: 'text' },
    }
    const error = await call(parameters[name]).catch((reason: unknown) => reason)
    expect(StepwellError.is(error) && error.code).toBe('NETWORK')
    expect(String(error)).toContain('recordInMemory')
    expect(String(error)).toContain('createService()')
  },
)

test('a fetch answers the calls of api, and records nothing', async () => {
  const asked: string[] = []
  const { stepwell, steps } = recordInMemory({
    fetch: async (input, init) => {
      asked.push(`${input} ${String((init as { body?: unknown })?.body).includes('step(')}`)
      return Response.json({ data: { step: null } })
    },
  })
  stepwell.trace('agent', () => 1)
  await stepwell.flush()
  expect(await stepwell.api.getStep('s1')).toBeNull()
  expect(asked).toEqual(['http://in-memory.invalid/api/graphql true'])
  expect(steps).toHaveLength(1)
})

describe('the matchers', () => {
  const { stepwell, steps } = recordInMemory()
  const run = () =>
    stepwell.thread({ id: 't1', name: 'Order 1815' }).wrap(() =>
      stepwell.trace('agent', async (step) => {
        step.input = { question: 'orders', user: { name: 'Ada', age: 36 } }
        step.tags = ['eu', 'vip']
        step.metadata = { plan: 'team', seats: 3 }
        step.scores = [
          { name: 'helpful', type: 'AI', value: 0.9, comment: 'yes' },
          { name: 'short', type: 'CODE', value: 1 },
        ]
        stepwell.trace({ name: 'search', type: 'retrieval' }, () => ['a', 'b'])
        try {
          stepwell.trace({ name: 'search', type: 'retrieval' }, () => {
            throw new Error('no index')
          })
        } catch {}
        stepwell
          .step({
            name: 'answer',
            type: 'llm',
            generation: { model: 'm1', inputTokenCount: 10, outputTokenCount: 5 },
          })
          .end()
        return 'done'
      }),
    )
  beforeAll(async () => {
    await run()
  })

  const like: [string, string | StepExpectation][] = [
    ['a name', 'agent'],
    ['a name by a RegExp', { name: /^AG/i }],
    ['a name by a RegExp with a place', { name: /agent/g }],
    ['a type', { name: 'search', type: 'retrieval' }],
    ['a part of the input', { input: { user: { name: 'Ada' } } }],
    ['an asymmetric matcher inside', { input: { question: expect.stringContaining('ord') } }],
    ['an asymmetric matcher', { metadata: expect.objectContaining({ seats: 3 }) }],
    ['a predicate', { metadata: (value: { seats: number }) => value.seats > 2 }],
    ['a predicate inside', { metadata: { seats: (seats: number) => seats > 2 } }],
    ['an output that is no object', { name: 'agent', output: 'done' }],
    ['an output in its stored form', { name: 'agent', output: { output: 'done' } }],
    ['a list as output', { name: 'search', output: ['a', 'b'] }],
    [
      'a predicate of an output that is no object',
      { output: (value: unknown) => value === 'done' },
    ],
    ['a part of an error', { error: 'no index' }],
    ['an error', { error: new Error('no index') }],
    ['any error', { name: 'search', error: true }],
    ['no error', { name: 'search', error: undefined }],
    ['a parent by name', { name: 'search', parent: 'agent' }],
    ['a parent by its fields', { name: 'answer', parent: { type: 'run', tags: ['vip'] } }],
    ['no parent', { name: 'agent', parent: null }],
    ['a thread by name', { thread: 'Order 1815' }],
    ['a thread by id', { thread: 't1' }],
    ['a score', { scores: [{ name: 'helpful', value: (value: number) => value > 0.8 }] }],
    ['scores in another order', { scores: [{ name: 'short' }, { name: 'helpful' }] }],
    ['a tag', { tags: ['vip'] }],
    ['tokens', { tokens: 15 }],
    ['tokens in and out', { tokens: { input: 10, output: (count: number) => count < 6 } }],
    ['a model', { generation: { model: 'm1' } }],
  ]
  test.each(like)('find a step by %s', (_, expected) => {
    expect(steps).toHaveStep(expected)
    assertStep(steps, expected)
  })

  const unlike: [string, string | StepExpectation, string][] = [
    ['another name', 'agents', 'name: expected "agents", got "agent"'],
    ['another type', { name: 'answer', type: 'tool' }, 'type: expected "tool", got "llm"'],
    [
      'an input with more',
      { name: 'agent', input: { user: { name: 'Ada', id: 1 } } },
      'input.user.id: expected 1, got none',
    ],
    ['a longer list', { name: 'search', error: null, output: ['a'] }, 'output: expected ["a"]'],
    ['another parent', { name: 'search', parent: 'run' }, 'parent.name: expected "run"'],
    ['a parent of the root', { name: 'agent', parent: 'run' }, 'parent: expected "run", got none'],
    ['no parent', { name: 'answer', parent: null }, 'parent: expected none, got "agent"'],
    ['one score twice', { scores: [{ name: 'short' }, { name: 'short' }] }, 'scores: expected'],
    ['a tag that is not there', { name: 'agent', tags: ['us'] }, 'tags: expected "us" among them'],
    [
      'other tokens',
      { name: 'answer', tokens: { input: 11 } },
      'tokens.input: expected 11, got 10',
    ],
    ['tokens of no call', { name: 'agent', tokens: 1 }, 'tokens: expected 1, got none'],
    ['another error', { name: 'search', error: 'no disk' }, 'error: expected "no disk" in it'],
    ['an error of none', { name: 'agent', error: true }, 'error: expected any, got none'],
    [
      'a predicate that throws',
      { name: 'answer', input: (value: { a: string }) => value.a === '' },
      'input: expected [function input], got none',
    ],
  ]
  test.each(unlike)('find no step by %s, and show the nearest', (_, expected, difference) => {
    expect(steps).not.toHaveStep(expected)
    expect(() => expect(steps).toHaveStep(expected)).toThrow(difference)
    expect(() => assertStep(steps, expected)).toThrow(/nearest: .*\n[\s\S]*recorded \(4 steps\):/)
  })

  test('count steps', () => {
    expect(steps).toHaveStep('search', { times: 2 })
    expect(steps).not.toHaveStep('search', { times: 1 })
    assertStep(steps, 'refund', { times: 0 })
    expect(() => assertStep(steps, 'search', { times: 3 })).toThrow(
      'expected 3 steps like "search", got 2',
    )
    expect(() => expect(steps).not.toHaveStep('search')).toThrow('expected no step like "search"')
  })

  test('find steps in their order, with others between them', () => {
    expect(steps).toHaveSteps(['agent', { name: 'search', error: true }, 'answer'])
    expect(steps).not.toHaveSteps(['answer', 'search'])
    expect(steps).not.toHaveSteps(['search', 'search', 'search'])
    expect(() => assertSteps(steps, ['answer', 'search'])).toThrow(
      'number 2, "search": it came earlier',
    )
  })

  test('find exactly some steps', () => {
    assertSteps(steps, ['agent', 'search', 'search', 'answer'], { only: true })
    expect(steps).not.toHaveSteps(['agent', 'search', 'answer'], { only: true })
    expect(() => assertSteps(steps, ['agent', 'search', 'search'], { only: true })).toThrow(
      'number 4 was not expected: answer',
    )
    expect(() => assertSteps(steps, Array(5).fill({}), { only: true })).toThrow(
      'number 5, {}: there is none',
    )
  })

  test('compare the order of two steps', () => {
    expect(steps).toHaveStepBefore('search', 'answer')
    expect(steps).not.toHaveStepBefore('answer', 'search')
    expect(() => assertStepBefore(steps, 'refund', 'answer')).toThrow('no step is like "refund"')
    expect(() => assertStepBefore(steps, 'search', 'search')).toThrow('it did not')
  })

  test('refuse fields that no step has, which would expect nothing', () => {
    const typo = { nmae: 'agent' } as StepExpectation
    expect(() => expect(steps).toHaveStep(typo)).toThrow('got nmae')
    expect(() => expect(steps).not.toHaveStep(typo)).toThrow('got nmae')
    expect(() => assertStep(steps, { parent: typo })).toThrow('got nmae')
    expect(() => assertStep(steps, { tags: 'vip' as never })).toThrow('tags: expected a list')
    expect(() => assertStep(steps, { input: { user: { age: new Date(Number.NaN) } } })).toThrow(
      'input.user.age: expected a valid Date, got Invalid Date',
    )
    expect(() => assertStep(steps, 'a', { times: -1 })).toThrow('times: expected a whole number')
    expect(() => assertStep({} as never, 'a')).toThrow('steps: expected the steps')
  })

  test.each([/zzz/, () => false, 5, new Map()])('a step or a parent can not be %s', (wrong) => {
    const expected = /step: expected a name or an object of fields/
    expect(() => assertStep(steps, wrong as never)).toThrow(expected)
    expect(() => assertStep(steps, { parent: wrong as never })).toThrow(expected)
    expect(() => assertSteps(steps, [wrong as never])).toThrow(expected)
  })

  test('reject options that do not exist, and take none', () => {
    const options = /^options: expected/
    expect(() => assertStep(steps, 'agent', { time: 0 } as never)).toThrow(options)
    expect(() => assertSteps(steps, ['agent'], { onl: true } as never)).toThrow(options)
    expect(() => assertStep(steps, 'agent', 5 as never)).toThrow(options)
    assertStep(steps, 'agent', null as never)
  })

  test('compare values of any class with the form in which they are recorded', () => {
    const { stepwell: recorder, steps: own } = recordInMemory()
    recorder.trace(
      { name: 'map', metadata: { all: new Map([['q', 1]]), some: new Set([1]) } },
      () => 1,
    )
    assertStep(own, { metadata: { all: new Map([['q', 1]]), some: new Set([1]) } })
    for (const wrong of [new Map([['q', 999]]), new Error('other'), new Set([2])])
      expect(() => assertStep(own, { metadata: { all: wrong } })).toThrow('metadata.all')
  })

  test('reject promises, which say nothing yet', () => {
    expect(() => assertStep(steps, { output: Promise.resolve(1) })).toThrow('await it')
    expect(() => assertStep(steps, { output: (async () => false) as never })).toThrow(
      'one that returns a promise',
    )
  })

  test('take a recording or a thread in place of steps, and steps that a service returned', () => {
    expect({ steps }).toHaveStep('agent')
    expect(steps[0]?.thread).toHaveStep('search', { times: 2 })
    const read = [
      { id: '2', name: 'inner', parentId: '1', startTime: '2026-01-01T00:00:02Z' },
      { id: '1', name: 'outer', parentId: null, startTime: '2026-01-01T00:00:01Z', error: null },
    ]
    assertSteps(read, ['outer', { name: 'inner', parent: 'outer' }], { only: true })
    expect(read).toHaveStep({ name: 'outer', error: null, parent: null })
  })

  test('are plain functions', () => {
    const { pass, message } = stepwellMatchers.toHaveStep(steps, 'refund')
    expect(pass).toBe(false)
    expect(message()).toContain('agent (run) input { question: "orders"')
  })

  test('fail as an AssertionError whose stack begins at the caller', () => {
    let error: Error | undefined
    try {
      assertStep(steps, 'refund')
    } catch (thrown) {
      error = thrown as Error
    }
    expect(error).toMatchObject({ name: 'AssertionError', code: 'ERR_ASSERTION' })
    expect(error?.stack?.split('\n    at ')[1]).toContain('testing.test.ts')
  })
})

/** Runs a program of a user, on the built package, in a process of its own. */
const run = (name: string, program: string, ...parameters: string[]) => {
  const file = join(folder, name)
  writeFileSync(file, program)
  const environment = { ...process.env }
  // Runners note there that they run.
  for (const variable of Object.keys(environment))
    if (/^(NODE_TEST|VITEST|STEPWELL)/.test(variable)) delete environment[variable]
  return spawnSync(process.execPath, [...parameters, file], {
    encoding: 'utf8',
    timeout: 120_000,
    env: environment,
  })
}

describe('in a process of their own', () => {
  test.each(['mjs', 'cjs'])(
    'clients in memory let it end, with steps still open (%s)',
    (format) => {
      const load =
        format === 'mjs'
          ? "import { recordInMemory } from 'stepwell/testing'"
          : "const { recordInMemory } = require('stepwell/testing')"
      const { status, stdout, stderr } = run(
        `ends.${format}`,
        `${load}
const clients = Array.from({ length: 3 }, () => recordInMemory())
for (const { stepwell } of clients) {
  stepwell.trace('agent', () => stepwell.trace('search', () => 1))
  stepwell.step({ name: 'open' })
  void stepwell.trace('pending', () => new Promise(() => {}))
}
console.log(clients.map(({ steps }) => steps.length).join(), process.listenerCount('beforeExit'), process.listenerCount('SIGTERM'))
console.log(process.getActiveResourcesInfo().filter((name) => /Timeout|Immediate|TCP|Message/.test(name)).join())
`,
      )
      expect(stderr).toBe('')
      expect(stdout).toBe('4,4,4 0 0\n\n')
      expect(status).toBe(0)
    },
  )

  test('node:test passes with the assertions, and fails by them', () => {
    const { status, stdout } = run(
      'node-shop.mjs',
      `import { beforeEach, test } from 'node:test'
import { assertStep, assertSteps, recordInMemory } from 'stepwell/testing'
const { stepwell, steps, clear } = recordInMemory()
const agent = (question) => stepwell.trace('agent', () => stepwell.trace('search', () => [question]))
beforeEach(clear)
test('searches once', async () => {
  await agent('orders')
  assertSteps(steps, ['agent', { name: 'search', parent: 'agent', output: ['orders'] }], { only: true })
})
test('starts empty', () => assertStep(steps, {}, { times: 0 }))
test('fails', () => {
  agent('orders')
  assertStep(steps, { name: 'search', output: ['refunds'] })
})
`,
      '--test',
      '--test-reporter=tap',
    )
    expect(stdout).toContain('ok 1 - searches once')
    expect(stdout).toContain('ok 2 - starts empty')
    expect(stdout).toContain('not ok 3 - fails')
    expect(stdout).toContain("code: 'ERR_ASSERTION'")
    expect(stdout).toContain('output[0]: expected "refunds", got "orders"')
    expect(status).toBe(1)
  })

  test('vitest has the matchers by the set-up file', () => {
    writeFileSync(
      join(folder, 'vitest.config.mjs'),
      "export default { test: { setupFiles: ['stepwell/testing/vitest'] } }\n",
    )
    writeFileSync(
      join(folder, 'shop.spec.mjs'),
      `import { expect, test } from 'vitest'
import { recordInMemory } from 'stepwell/testing'
const { stepwell, steps } = recordInMemory()
test('searches', async () => {
  await stepwell.trace('agent', async () => stepwell.trace('search', () => 1))
  expect(steps).toHaveStep({ name: 'search', parent: 'agent', output: expect.any(Number) })
  expect(steps).toHaveSteps(['agent', 'search'], { only: true })
})
test('fails', () => expect(steps).toHaveStep('refund'))
`,
    )
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder],
      { encoding: 'utf8', timeout: 120_000, env: { ...process.env, NO_COLOR: '1' } },
    )
    expect(stdout).toContain('1 failed | 1 passed')
    expect(stderr).toContain('expected a step like "refund", got none')
    expect(stderr).toContain('search output 1')
    expect(status).toBe(1)
  })
})

describe('without vitest', () => {
  beforeEach(() => vi.resetModules())
  test('the entry point of recordings needs no test runner', () => {
    const { status, stdout, stderr } = run(
      'bare.mjs',
      "import 'stepwell/testing'\nconsole.log(process.moduleLoadList.filter((name) => /vitest|test_runner/.test(name)).length)\n",
    )
    expect([status, stdout, stderr]).toEqual([0, '0\n', ''])
  })
})
