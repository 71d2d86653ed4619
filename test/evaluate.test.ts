import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import {
  type EvaluateOptions,
  evaluate,
  formatTable,
  judge,
  rescore,
  scorer,
} from '../src/evaluate/index.js'
import type { StepwellClient } from '../src/index.js'
import { useService } from './support/service.js'

const world = useService()
const quiet = { progress: false, release: 'r1' } as const
const numbers = (count: number) => Array.from({ length: count }, (_, index) => ({ input: index }))
const echo: EvaluateOptions['task'] = ({ input }) => input
const resultsOf = async ({ api }: StepwellClient, experimentId: string) => {
  const found = []
  for await (const item of api.getExperimentItems.all({ experimentId, first: 1000 }))
    found.push(item)
  return found
}

test('a task that changes its input changes neither that of its other attempts nor what is scored and stored', async () => {
  const client = await world.newClient()
  const seen: number[] = []
  const { experimentId } = await evaluate({
    ...quiet,
    name: 'agents',
    client,
    repetitions: 2,
    retry: { waitMs: 1, when: () => true },
    data: [{ input: { messages: ['hello'], at: new Date(0) }, expected: { turns: [1] } }],
    task: ({ input, expected }, { attempt }) => {
      seen.push(input.messages.push('answer'), (expected?.turns.push(2) ?? 0) + 10)
      expect(input.at).toBeInstanceOf(Date)
      if (attempt === 1) throw new Error('once')
      return 'done'
    },
    scorers: [
      function untouched({ input, expected }) {
        return input.messages.length === 1 && expected?.turns.length === 1
      },
    ],
  })
  expect(seen).toEqual([2, 12, 2, 12, 2, 12, 2, 12])
  for (const { input, scores } of await resultsOf(client, experimentId)) {
    expect(input).toMatchObject({ messages: ['hello'] })
    expect(scores).toMatchObject([{ name: 'untouched', value: 1 }])
  }
})

test('every item of a list is run once, scored, and stored as a result of one experiment', async () => {
  const client = await world.newClient()
  const evaluation = await evaluate({
    ...quiet,
    name: 'squares',
    client,
    data: [
      { input: 2, expected: 4 },
      { input: 3, expected: 9 },
      { input: 4, expected: 15 },
    ],
    task: ({ input }) => input * input,
    scorers: [
      function correct({ output, expected }) {
        return output === expected
      },
      function distance({ output, expected = 0 }) {
        return { value: Math.abs(output - expected), reason: 'by numbers' }
      },
    ],
  })
  expect(evaluation).toMatchObject({ status: 'complete', exitCode: 0, items: 3, errors: 0 })
  expect(evaluation.scores.map(({ name, mean }) => [name, mean])).toEqual([
    ['correct', 2 / 3],
    ['distance', 1 / 3],
  ])
  const project = `${client.apiUrl}/projects/${await client.api.getProjectId()}`
  expect(evaluation.url).toBe(`${project}/experiments/${evaluation.experimentId}`)
  const stored = await resultsOf(client, evaluation.experimentId)
  expect(stored).toHaveLength(3)
  expect(stored.find(({ output }) => (output as { content: number }).content === 9)).toMatchObject({
    input: { content: 3 },
    repetition: 1,
    error: null,
    scores: [
      { name: 'correct', type: 'CODE', value: 1, label: 'true' },
      {
        name: 'distance',
        value: 0,
        comment: 'by numbers',
        scorer: expect.stringMatching(/^distance@\w{12}$/),
      },
    ],
  })
})

test('everything that a task records is a thread of the environment experiment, under the run of its result', async () => {
  const client = await world.newClient()
  const { experimentId } = await evaluate({
    ...quiet,
    name: 'recorded',
    client,
    data: [{ key: 'one', input: 'hello' }],
    task: ({ input }, { stepwell }) =>
      stepwell.trace({ name: 'search', type: 'retrieval' }, () => `found ${input}`),
    scorers: [judge({ name: 'good', criteria: 'Is it good?', call: () => '{"choice": "yes"}' })],
  })
  const [result] = await resultsOf(client, experimentId)
  const run = await client.api.getStep(result?.experimentRunId ?? '')
  expect(run).toMatchObject({
    type: 'run',
    environment: 'experiment',
    output: { output: 'found hello' },
  })
  const thread = await client.api.getThread(run?.threadId ?? '')
  expect(thread).toMatchObject({
    environment: 'experiment',
    metadata: { experimentId, itemKey: 'one' },
  })
  const { data: steps } = await client.api.getSteps({ filters: [] })
  expect(steps.map(({ name, environment }) => [name, environment]).sort()).toEqual([
    ['Experiment Run', 'experiment'],
    ['judge good', 'experiment'],
    ['search', 'experiment'],
  ])
})

test('a dataset by its name is run as it was when the run began, and results refer to its items', async () => {
  const client = await world.newClient()
  const dataset = await client.api.createDataset({ name: 'questions' })
  const item = await client.api.createDatasetItem(dataset.id, {
    input: { question: 'Where?' },
    expectedOutput: { answer: 'here' },
  })
  const evaluation = await evaluate({
    ...quiet,
    name: 'asked',
    client,
    data: 'questions',
    task: async ({ input, expected }) => {
      await client.api.updateDatasetItem(item.id, { input: { question: 'When?' } })
      return { ...(input as object), ...(expected as object) }
    },
    scorers: [],
  })
  const stored = await resultsOf(client, evaluation.experimentId)
  expect(stored).toMatchObject([
    { datasetItemId: item.id, key: item.id, output: { question: 'Where?', answer: 'here' } },
  ])
  expect(evaluation.datasetId).toBe(dataset.id)
  await expect(
    evaluate({ ...quiet, name: 'n', client, data: 'missing', task: echo, scorers: [] }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('an async iterable is read to its end, and equal items are told apart', async () => {
  const client = await world.newClient()
  const data = async function* () {
    yield { input: 'same' }
    yield { input: 'same' }
  }
  const evaluation = await evaluate({
    ...quiet,
    name: 'stream',
    client,
    data: data(),
    task: echo,
    scorers: [],
  })
  expect(new Set(evaluation.results.map(({ key }) => key)).size).toBe(2)
})

test('a failed task is a result with an error and without scores, and breaks the run unless it is allowed', async () => {
  const client = await world.newClient()
  const run = (allowed?: number) =>
    evaluate({
      ...quiet,
      name: `failing ${allowed}`,
      client,
      data: numbers(4),
      task: ({ input }) => {
        if (input === 2) throw new Error('no answer')
        return input
      },
      scorers: [scorer({ name: 'even', score: ({ output }) => Number(output) % 2 === 0 })],
      errors: { allowed },
    })
  const broken = await run()
  expect(broken).toMatchObject({ status: 'broken', exitCode: 3, errors: 1 })
  expect(broken.problem).toBe('1 of 4 results have errors, 0 are allowed: no answer')
  expect(broken.results.find(({ error }) => error !== null)?.scores).toEqual([])
  expect(broken.scores).toMatchObject([{ name: 'even', count: 3 }])
  expect(await run(0.25)).toMatchObject({ status: 'complete', exitCode: 0, errors: 1 })
})

test.each<[string, () => unknown]>([
  ['an empty judgement', () => ''],
  ['a judgement without JSON', () => 'I like it'],
  ['a judgement of another choice', () => '{"choice": "maybe"}'],
  ['no judgement at all', () => undefined],
])('%s is an error, and no score', async (_, answer) => {
  const client = await world.newClient()
  const evaluation = await evaluate({
    ...quiet,
    name: 'judged',
    client,
    data: numbers(1),
    task: echo,
    scorers: [judge({ name: 'good', criteria: 'Is it good?', call: () => answer() as string })],
  })
  expect(evaluation).toMatchObject({ status: 'broken', errors: 1, scores: [] })
  expect(evaluation.results[0]?.error).toMatch(/^good: the judge/)
  expect(evaluation.results[0]?.error).not.toContain('maybe')
})

test('a judge reads the last JSON of an answer, and its reason is kept', async () => {
  const client = await world.newClient()
  let asked: unknown
  const evaluation = await evaluate({
    ...quiet,
    name: 'judge',
    client,
    data: [{ input: 'Where is it?', expected: 'here' }],
    task: () => 'It is here.',
    scorers: [
      judge({
        name: 'tone',
        criteria: 'Is it polite?',
        choices: { rude: 0, fine: 0.5, polite: 1 },
        call: (messages) => {
          asked = messages
          return 'I think {so}.\n```json\n{"reason": "short", "choice": "Fine"}\n```'
        },
      }),
    ],
  })
  expect(evaluation.results[0]?.scores).toMatchObject([
    { name: 'tone', value: 0.5, label: 'fine', reason: 'short' },
  ])
  expect(JSON.stringify(asked)).toContain('It is here.')
  expect(JSON.stringify(asked)).toContain('Is it polite?')
})

test('a scorer returns several scores, categories, or null where it does not apply; anything else is an error', async () => {
  const client = await world.newClient()
  const returned: unknown[] = [
    { precision: 0.5, recall: { value: 1, reason: 'all' }, other: null },
    'polite',
    null,
    undefined,
    Number.NaN,
    'unknown',
    {},
  ]
  const evaluation = await evaluate({
    ...quiet,
    name: 'values',
    client,
    data: numbers(returned.length),
    task: echo,
    scorers: [
      scorer({
        name: 's',
        categories: { rude: 0, polite: 1 },
        score: ({ output }) => returned[output as number] as number,
      }),
    ],
    errors: { allowed: 10 },
  })
  expect(
    evaluation.results.map(
      ({ scores, error }) => error ?? scores.map(({ name, value }) => [name, value]),
    ),
  ).toEqual([
    [
      ['precision', 0.5],
      ['recall', 1],
    ],
    [['s', 1]],
    [],
    expect.stringContaining('got undefined'),
    's: expected a finite number, got NaN',
    's: expected one of the categories rude, polite, got another one',
    expect.stringContaining('got an empty object'),
  ])
})

test('refusals for too many requests lower the concurrency, wait as told, and lose no item', async () => {
  const client = await world.newClient()
  let active = 0
  let highest = 0
  let refused = 0
  const most = 3
  const evaluation = await evaluate({
    ...quiet,
    name: 'limited',
    client,
    concurrency: 12,
    data: numbers(40),
    task: async ({ input }) => {
      active++
      try {
        if (active > most) {
          refused++
          throw Object.assign(new Error('too many'), {
            status: 429,
            headers: new Headers({ 'retry-after-ms': '5' }),
          })
        }
        highest = Math.max(highest, active)
        await new Promise((resolve) => setTimeout(resolve, 5))
        return input
      } finally {
        active--
      }
    },
    scorers: [],
  })
  expect(evaluation).toMatchObject({ status: 'complete', errors: 0 })
  expect(highest).toBeLessThanOrEqual(most)
  expect(refused).toBeGreaterThan(0)
  expect(refused).toBeLessThan(200)
})

test('errors that may pass are tried again, others are not', async () => {
  const client = await world.newClient()
  const attempts = { transient: 0, bug: 0 }
  const evaluation = await evaluate({
    ...quiet,
    name: 'retried',
    client,
    data: [{ input: 'transient' as const }, { input: 'bug' as const }],
    retry: { waitMs: 1, attempts: 4 },
    errors: { allowed: 1 },
    task: ({ input }, { attempt }) => {
      attempts[input] = attempt
      if (input === 'bug') throw new TypeError('a bug')
      if (attempt < 4) throw Object.assign(new Error('overloaded'), { status: 529 })
      return 'at last'
    },
    scorers: [],
  })
  expect(attempts).toEqual({ transient: 4, bug: 1 })
  expect(evaluation.errors).toBe(1)
})

test('an item that exceeds a limit fails with that reason, and its signal is aborted', async () => {
  const client = await world.newClient()
  const signals: AbortSignal[] = []
  const call = { provider: 'p', model: 'gpt', inputTokenCount: 600, outputTokenCount: 50 }
  const evaluation = await evaluate({
    ...quiet,
    name: 'limits',
    client,
    data: [{ input: 'time' }, { input: 'tokens' }, { input: 'dollars' }, { input: 'fine' }],
    limits: { seconds: 0.2, tokens: 1000, dollars: 0.005 },
    prices: { gpt: { input: 1, output: 2 }, dear: { input: 100, output: 200 } },
    errors: { allowed: 3 },
    task: async ({ input }, { signal, stepwell }) => {
      signals.push(signal)
      const model = input === 'dollars' ? 'dear' : 'gpt'
      const generation = { type: 'CHAT' as const, ...call, model }
      const calls = input === 'tokens' ? 2 : input === 'time' ? 0 : 1
      for (let made = 0; made < calls; made++) stepwell.step({ type: 'llm', generation }).end()
      if (input !== 'fine') await new Promise(() => {})
      return input
    },
    scorers: [],
  })
  expect(evaluation.results.map(({ error }) => error)).toEqual([
    'the item took more than 0.2 seconds',
    'the item took more than 1000 tokens (1300)',
    'the item took more than 0.005 dollars (0.07)',
    null,
  ])
  expect(signals.filter(({ aborted }) => aborted)).toHaveLength(3)
  expect(evaluation.usage).toMatchObject({ tokens: 4 * 650, steps: 4 })
})

test('a budget ends the run before all items, which is no pass', async () => {
  const client = await world.newClient()
  const options = { ...quiet, name: 'budget', client, data: numbers(20), task: echo, scorers: [] }
  const part = await evaluate({ ...options, concurrency: 1, budget: { items: 5 } })
  expect(part).toMatchObject({ status: 'over budget', exitCode: 2 })
  expect(part.results).toHaveLength(5)
  const rest = await evaluate(options)
  expect(rest).toMatchObject({ status: 'complete', exitCode: 0, experimentId: part.experimentId })
})

test('the seed of an item is the same in each run, and differs between items, repetitions and seeds', async () => {
  const client = await world.newClient()
  const seedsOf = async (name: string, seed?: number) => {
    const seeds: Record<string, number> = {}
    const task: EvaluateOptions['task'] = ({ key }, { seed: own, repetition }) => {
      seeds[`${key} ${repetition}`] = own
    }
    await evaluate({
      ...quiet,
      name,
      client,
      data: numbers(10),
      task,
      scorers: [],
      repetitions: 3,
      seed,
    })
    return seeds
  }
  const first = await seedsOf('one')
  expect(new Set(Object.values(first)).size).toBe(30)
  expect(await seedsOf('two')).toEqual(first)
  expect(await seedsOf('three', 1)).not.toEqual(first)
})

test('a stopped run gives its items back at once, for another process to go on with', async () => {
  const client = await world.newClient()
  const stop = new AbortController()
  const data = numbers(10).map(({ input }) => ({ input, key: `item ${input}` }))
  const signals: AbortSignal[] = []
  const stopped = await evaluate({
    ...quiet,
    name: 'stopped',
    client,
    data,
    scorers: [],
    concurrency: 2,
    signal: stop.signal,
    task: async ({ input }, { signal }) => {
      signals.push(signal)
      if (input < 4) return input
      // Two of them are under way at once.
      if (signals.length === 6) setTimeout(() => stop.abort())
      return new Promise<number>(() => {})
    },
  })
  expect(stopped).toMatchObject({ status: 'stopped', exitCode: 3 })
  expect(signals.filter(({ aborted }) => aborted)).toHaveLength(2)
  const done = stopped.results.map(({ key }) => key)
  expect(done).toEqual(['item 0', 'item 1', 'item 2', 'item 3'])
  const leases = await client.api.leaseExperimentItems({
    datasetExperimentId: stopped.experimentId,
    holder: 'another',
    items: data.map(({ key }) => ({ key, repetition: 1 })),
    seconds: 60,
  })
  expect(leases.map(({ state }) => state)).toEqual(
    data.map(({ key }) => (done.includes(key) ? 'DONE' : 'LEASED')),
  )
})

test('an identical run of the same release is not run again; without a release it is', async () => {
  const client = await world.newClient()
  let runs = 0
  const options = {
    name: 'again',
    client,
    progress: false,
    data: numbers(5),
    scorers: [],
    task: () => {
      runs++
    },
  }
  const first = await evaluate({ ...options, release: 'a' })
  const second = await evaluate({ ...options, release: 'a' })
  expect(runs).toBe(5)
  expect(second.experimentId).toBe(first.experimentId)
  expect(formatTable(second)).toBe(formatTable(first))
  await evaluate({ ...options, release: 'b' })
  await evaluate({ ...options, release: 'b', resume: false })
  expect(runs).toBe(15)
})

test('retryErrors of a run whose signal has ended already keeps the errors that are stored', async () => {
  const client = await world.newClient()
  const options: EvaluateOptions = {
    ...quiet,
    name: 'ended',
    client,
    data: numbers(3),
    task: () => {
      throw new Error('down')
    },
    scorers: [],
  }
  const { experimentId } = await evaluate(options)
  await evaluate({ ...options, retryErrors: true, signal: AbortSignal.abort() }).catch(() => null)
  const errors = (await resultsOf(client, experimentId)).map(({ error }) => error)
  expect(errors).toEqual(Array.from({ length: 3 }, () => expect.stringContaining('down')))
})

test.each(['r1', undefined])(
  'retryErrors runs the failed items of a complete run again, and no others, with the release %s',
  async (release) => {
    const client = await world.newClient()
    const run = async (isDown: boolean, retryErrors: boolean) => {
      const inputs: unknown[] = []
      const evaluation = await evaluate({
        name: 'errors',
        progress: false,
        client,
        release,
        retryErrors,
        data: numbers(10),
        task: ({ input }) => {
          inputs.push(input)
          if (isDown && input % 5 === 0) throw new Error('down')
          return input
        },
        scorers: [],
      })
      return { evaluation, inputs }
    }
    const { evaluation: first } = await run(true, false)
    expect(first).toMatchObject({ status: 'broken', errors: 2 })
    const down = await run(true, true)
    expect(down.evaluation).toMatchObject({ experimentId: first.experimentId, errors: 2 })
    expect(down.inputs.toSorted()).toEqual([0, 5])
    const up = await run(false, true)
    expect(up.inputs.toSorted()).toEqual([0, 5])
    expect(up.evaluation).toMatchObject({
      experimentId: first.experimentId,
      status: 'complete',
      items: 10,
      errors: 0,
    })
  },
)

test('a result that the service refuses keeps its place, with the reason', async () => {
  const client = await world.newClient()
  const evaluation = await evaluate({
    ...quiet,
    name: 'large',
    client,
    data: numbers(4),
    task: ({ input }) => (input === 1 ? 'x'.repeat(3_100_000) : input === 2 ? 10n : 'fine'),
    scorers: [scorer({ name: 'done', version: '1', score: () => 1 })],
    errors: { allowed: 2 },
  })
  expect(evaluation.results).toHaveLength(4)
  const stored = await resultsOf(client, evaluation.experimentId)
  expect(stored.filter(({ error }) => error?.includes('3000000 bytes'))).toHaveLength(1)
  const [unwritten] = stored.filter(({ error }) =>
    /^the result can't be stored: .*BigInt/.test(error ?? ''),
  )
  expect(unwritten?.output).toBeNull()
  // Only the output is lost: the score may have cost the call of a judge.
  for (const { scores, durationMs } of stored) {
    expect(scores).toMatchObject([{ name: 'done', value: 1 }])
    expect(durationMs).toBeGreaterThanOrEqual(0)
  }
})

test('the gate passes, fails or can’t tell, with exit codes 0, 1 and 2', async () => {
  const client = await world.newClient()
  const run = (release: string, share: number, options: Partial<EvaluateOptions> = {}) =>
    evaluate({
      progress: false,
      name: 'gate',
      client,
      release,
      data: numbers(60),
      task: ({ input }) => (Number(input) * 7) % 60 < share * 60,
      scorers: [scorer({ name: 'correct', version: '1', score: ({ output }) => output === true })],
      decide: { metric: 'correct', margin: 0.05 },
      ...options,
    })
  const first = await run('1', 0.5)
  expect(first).toMatchObject({ exitCode: 0, decision: { verdict: 'nothing to compare with' } })
  expect(await run('2', 0.9)).toMatchObject({ exitCode: 0, decision: { verdict: 'better' } })
  expect(await run('3', 0.3)).toMatchObject({ exitCode: 1, decision: { verdict: 'worse' } })
  const unclear = await run('4', 0.28, { name: 'gate', compareTo: 'previous' })
  expect(unclear).toMatchObject({ exitCode: 2, decision: { verdict: 'cannot tell' } })
  expect(unclear.decision?.moreItems).toBeGreaterThan(0)
  expect(formatTable(unclear)).toContain('more items would tell')
  const early = await run('5', 1, {
    compareTo: { experiment: first.experimentId },
    concurrency: 1,
    decide: { metric: 'correct', stopEarly: true },
  })
  expect(early).toMatchObject({ exitCode: 0, status: 'decided', decision: { verdict: 'better' } })
  expect(early.results.length).toBeLessThan(60)
})

test('equal grades pass a gate with a margin once the range of the score is stated', async () => {
  const client = await world.newClient()
  const run = (release: string, range?: { low: number; high: number }) =>
    evaluate({
      ...quiet,
      name: 'equal grades',
      client,
      release,
      data: numbers(40),
      task: echo,
      scorers: [scorer({ name: 'grade', version: '1', score: () => 0.8 })],
      decide: { metric: 'grade', margin: 0.2, range },
    })
  await run('1')
  expect(await run('2')).toMatchObject({ exitCode: 2, decision: { verdict: 'cannot tell' } })
  expect(await run('3', { low: 0, high: 1 })).toMatchObject({
    exitCode: 0,
    decision: { verdict: 'not worse' },
  })
})

test('a gate on a score that no result has is broken, on the first run too', async () => {
  const client = await world.newClient()
  const evaluation = await evaluate({
    ...quiet,
    name: 'typo',
    client,
    data: numbers(2),
    task: echo,
    scorers: [scorer({ name: 'correct', score: () => 1 })],
    decide: { metric: 'corect' },
  })
  expect(evaluation).toMatchObject({ status: 'broken', exitCode: 3 })
  expect(evaluation.problem).toContain('no result has a score of this name')
})

test('scores of another version of a scorer are refused, and compared once the outputs are scored anew', async () => {
  const client = await world.newClient()
  let runs = 0
  const run = (release: string, version: string, compareTo?: EvaluateOptions['compareTo']) =>
    evaluate({
      progress: false,
      name: 'versions',
      client,
      release,
      data: numbers(30),
      task: ({ input }) => {
        runs++
        return input
      },
      scorers: [
        scorer({
          name: 'even',
          version,
          score: ({ output }) => Number(output) % Number(version) === 0,
        }),
      ],
      decide: { metric: 'even', margin: 0.2 },
      compareTo,
    })
  const first = await run('1', '2')
  const refused = await run('2', '3')
  expect(refused).toMatchObject({ status: 'broken', exitCode: 3 })
  expect(refused.problem).toContain('even@2 before, even@3 now')
  const rescored = await run('3', '3', { experiment: first.experimentId, rescore: true })
  expect(rescored).toMatchObject({ exitCode: 0, decision: { verdict: 'not worse' } })
  expect(runs).toBe(90)
  const again = await rescore({
    experiment: first.experimentId,
    scorers: [
      scorer({ name: 'even', version: '5', score: ({ output }) => Number(output) % 5 === 0 }),
    ],
    client,
    progress: false,
  })
  expect(again.scores).toMatchObject([{ name: 'even', mean: 0.2, count: 30 }])
  expect(runs).toBe(90)
})

test('the files hold the table, the verdict and each result', async () => {
  const client = await world.newClient()
  const folder = mkdtempSync(join(tmpdir(), 'stepwell-evaluate-'))
  try {
    const files = {
      junit: join(folder, 'deep/junit.xml'),
      json: join(folder, 'result.json'),
      markdown: join(folder, 'comment.md'),
    }
    const evaluation = await evaluate({
      ...quiet,
      name: 'files <&>',
      client,
      data: [
        { key: 'a"b', input: 1 },
        { key: 'bad', input: 2 },
      ],
      task: ({ input }) => {
        if (input === 2) throw new Error('no <answer> \u0000')
        return input
      },
      scorers: [scorer({ name: 'one', score: () => 1 })],
      files,
    })
    const junit = readFileSync(files.junit, 'utf8')
    expect(junit).toContain('name="files &lt;&amp;&gt;" tests="3" errors="1" failures="1"')
    expect(junit).toContain('<error message="no &lt;answer&gt; \ufffd">')
    expect(JSON.parse(readFileSync(files.json, 'utf8'))).toMatchObject({
      exitCode: 3,
      name: evaluation.name,
    })
    expect(readFileSync(files.markdown, 'utf8')).toContain('| one | 1 | 1 |')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.each([
  ['a folder', 'folder', 'it is a folder'],
  ['below a file', 'file/result.json', 'EEXIST'],
  // A folder that is there and takes none.
  ['in /proc', '/proc/none/result.json', 'ENOENT'],
])(
  'a file that can never be written ends a run before its first task: %s',
  async (_, path, reason) => {
    const client = await world.newClient()
    const folder = mkdtempSync(join(tmpdir(), 'stepwell-evaluate-'))
    mkdirSync(join(folder, 'folder'))
    writeFileSync(join(folder, 'file'), '')
    let tasks = 0
    try {
      const running = evaluate({
        ...quiet,
        name: 'no file',
        client,
        data: numbers(1),
        task: () => ++tasks,
        scorers: [],
        files: { junit: join(folder, 'junit.xml'), json: resolve(folder, path) },
      })
      await expect(running).rejects.toThrow(
        /^files\.json: expected a file that can be written, got /,
      )
      await expect(running).rejects.toThrow(reason)
      expect(tasks).toBe(0)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)

test('a file that fails at the end keeps none of the others from being written', async () => {
  const client = await world.newClient()
  const folder = mkdtempSync(join(tmpdir(), 'stepwell-evaluate-'))
  const files = { junit: join(folder, 'junit.xml'), json: join(folder, 'result.json') }
  try {
    const running = evaluate({
      ...quiet,
      name: 'a file that fails',
      client,
      data: numbers(1),
      task: () => mkdirSync(files.junit, { recursive: true }) ?? 1,
      scorers: [],
      files,
    })
    await expect(running).rejects.toThrow(/^files\.junit: .*EISDIR/)
    expect(JSON.parse(readFileSync(files.json, 'utf8'))).toMatchObject({
      name: 'a file that fails',
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.each<[object, string]>([
  [{ data: [] }, 'data: expected at least one item'],
  [
    {
      data: [
        { key: 'a', input: 1 },
        { key: 'a', input: 2 },
      ],
    },
    'expected each key once',
  ],
  [{ data: new Set([{ inputs: 1 }]) }, 'data[0]: expected an object with an input'],
  [{ data: new Map() }, 'data: expected at least one item'],
  [{ data: 5 }, 'data: expected the name or id of a dataset, a list, an iterable or a function'],
  [{ data: {} }, 'data: expected the name or id of a dataset, a list, an iterable or a function'],
  [{ data: { nmae: 'x' } }, 'data: expected the name or id of a dataset, a list'],
  [
    { data: [{ input: 1, expexted: 2 }] },
    'data[0].expexted: no such field, expected some of input, expected, metadata, key',
  ],
  [{ repetition: 3 }, 'repetition: no such option, expected some of name, data, task'],
  [{ limits: { token: 5 } }, 'limits.token: no such option, expected some of seconds, tokens'],
  [{ budget: { dolars: 5 } }, 'budget.dolars: no such option, expected some of seconds, tokens'],
  [{ retry: { attempt: 5 } }, 'retry.attempt: no such option, expected some of attempts'],
  [{ errors: { alowed: 5 } }, 'errors.alowed: no such option, expected some of allowed, stop'],
  [{ files: { xml: 'x' } }, 'files.xml: no such option, expected some of junit, json, markdown'],
  [{ files: 'x.json' }, 'files: expected an object'],
  [{ files: { json: 5 } }, 'files.json: expected the path of a file'],
  [{ onResult: 5 }, 'onResult: expected a function, got number'],
  [{ progress: 'no' }, 'progress: expected a function, got string'],
  [{ signal: 5 }, 'signal: expected an AbortSignal'],
  [
    { decide: { metric: 'x', magrin: 0.1 } },
    'decide.magrin: no such option, expected some of metric, margin, stopEarly, range',
  ],
  [
    { decide: { metric: 'x', range: { min: 0, max: 1 } } },
    'decide.range.min: no such option, expected some of low, high',
  ],
  [
    { compareTo: { experiment: 'x', rescor: true } },
    'compareTo.rescor: no such option, expected some of experiment, rescore',
  ],
  [{ name: '' }, 'name: expected a text'],
  [{ repetitions: 0 }, 'repetitions: expected a whole number from 1'],
  [
    { scorers: [() => 1].map((one) => Object.defineProperty(one, 'name', { value: '' })) },
    'scorers[0]: expected a function with a name',
  ],
  [{ limits: { tokens: -1 } }, 'limits.tokens: expected a number above 0'],
  [{ decide: { metric: 'x', margin: -1 } }, 'decide.margin: expected a number from 0 on'],
  [{ decide: { metric: 'x', margin: '0.1' } }, 'decide.margin: expected a number from 0 on'],
  [{ decide: { metric: 'x', margin: null } }, 'decide.margin: expected a number from 0 on'],
  [{ decide: { metric: 'x', margin: Infinity } }, 'decide.margin: expected a number from 0 on'],
  [{ errors: { allowed: '0.5' } }, 'errors.allowed: expected a number from 0 on'],
  [{ compareTo: null }, 'compareTo: expected previous, or the name or id of an experiment'],
  [{ compareTo: '' }, 'compareTo: expected previous, or the name or id of an experiment'],
  [{ compareTo: 5 }, 'compareTo: expected previous, or the name or id of an experiment'],
  [{ compareTo: { rescore: true } }, 'compareTo: expected previous, or the name or id'],
  [
    { cluster: 'conversaton' },
    'cluster: expected an entry of the metadata of items, got "conversaton"',
  ],
  [{ cluster: 5 }, 'cluster: expected an entry of the metadata of items, got 5'],
  [{ seed: 'x' }, 'seed: expected a number'],
  [{ seed: Number.NaN }, 'seed: expected a number'],
  [{ resume: 'no' }, "resume: expected true, false or 'take over'"],
  [{ retryErrors: 'no' }, 'retryErrors: expected true or false'],
  [{ errors: { stop: 'no' } }, 'errors.stop: expected true or false'],
  [{ decide: { metric: 'x', stopEarly: 'no' } }, 'decide.stopEarly: expected true or false'],
  [{ compareTo: { experiment: 'x', rescore: 'no' } }, 'compareTo.rescore: expected true or false'],
  [{ confidence: '0.9' }, 'confidence: expected a number between 0 and 1'],
  [{ retry: { waitMs: '1s' } }, 'retry.waitMs: expected a number from 0 on'],
  [{ retry: { when: true } }, 'retry.when: expected a function, got boolean'],
  [{ release: 5 }, 'release: expected a text'],
  [{ client: {} }, 'client: expected a StepwellClient'],
  [{ prices: 5 }, 'prices: expected an object with a price for each model'],
  [{ prices: { m: { input: 1 } } }, 'prices["m"].output: expected a number from 0 on'],
  [
    { scorers: [{ name: 'fair', score: () => 1 }] },
    'scorers[0].version: expected a text; scorer() gives the object fair one',
  ],
])('invalid options %j are refused by name', async (options, message) => {
  const client = await world.newClient()
  // As JavaScript may give them.
  const given = {
    ...quiet,
    name: 'n',
    client,
    data: numbers(1),
    task: echo,
    scorers: [],
    ...options,
  } as EvaluateOptions
  await expect(evaluate(given)).rejects.toThrow(message)
})
