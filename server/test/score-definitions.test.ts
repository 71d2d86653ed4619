import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { type Ask, asker } from './support/ask.js'

let service: Service
let ask: Ask
let api: StepwellClient['api']
let count = 0
beforeEach(async () => {
  service ??= await createService()
  const { apiKey } = await service.createProject(`definitions ${count++}`)
  ask = asker(service, apiKey)
  api = new StepwellClient({ apiKey, fetch: service.fetch }).api
})
afterAll(() => service?.close())

const CATEGORIES = [
  { value: 0, label: 'rude' },
  { value: 0.5, label: 'dry' },
  { value: 1, label: 'polite' },
]
const given = async (score: object) => {
  const stored = await api.createScore({ stepId: 's', type: 'AI', ...score } as never)
  return [stored.value, stored.label]
}

test('a definition without a kind means what it meant: a range, labels, or both, that bind nobody', async () => {
  expect(await api.setScoreDefinition({ name: 'range', min: 0, max: 1 })).toMatchObject({
    kind: 'NUMBER',
    isEnforced: false,
  })
  expect(
    await api.setScoreDefinition({ name: 'both', min: 0, max: 9, labels: CATEGORIES }),
  ).toMatchObject({ kind: 'CATEGORY', min: 0, max: 9, isEnforced: false })
  expect(await given({ name: 'range', value: 7 })).toEqual([7, null])
  expect(await given({ name: 'both', value: 7, label: 'other' })).toEqual([7, 'other'])
  expect(await given({ name: 'both', value: 1 })).toEqual([1, null])
  // Two values of one label were allowed, and stay so while nothing is enforced.
  const twice = [
    { value: 0, label: 'same' },
    { value: 1, label: 'same' },
  ]
  await api.setScoreDefinition({ name: 'twice', labels: twice })
  await expect(given({ name: 'twice', value: 'same' })).rejects.toThrow(/several values/)
})

test.each([
  [{ kind: 'NUMBER', labels: CATEGORIES }, /labels: expected none for the kind NUMBER/],
  [{ kind: 'CATEGORY' }, /labels: expected one or more/],
  [{ kind: 'CATEGORY', labels: CATEGORIES, min: 0 }, /min: expected none for the kind CATEGORY/],
  [{ kind: 'BOOLEAN', max: 1 }, /max: expected none for the kind BOOLEAN/],
  [{ kind: 'BOOLEAN', labels: [{ value: 1, label: 'true' }] }, /labels: expected none/],
  [
    {
      isEnforced: true,
      labels: [
        { value: 0, label: 'a' },
        { value: 1, label: 'a' },
      ],
    },
    /labels: expected each label once/,
  ],
] as const)('a definition has the parts of its kind only: %j', async (parts, message) => {
  await expect(api.setScoreDefinition({ name: 'q', ...parts } as never)).rejects.toThrow(message)
  expect(await api.getScoreDefinitions()).toEqual([])
})

test('true and false are 1 and 0 with a label, and a label of the definition is its value', async () => {
  expect(await given({ name: 'any', value: true })).toEqual([1, 'true'])
  expect(await given({ name: 'any', value: false, label: 'no' })).toEqual([0, 'no'])
  await api.setScoreDefinition({ name: 'tone', kind: 'CATEGORY', labels: CATEGORIES })
  expect(await given({ name: 'tone', value: 'dry' })).toEqual([0.5, 'dry'])
  expect(await given({ name: 'tone', value: null, label: 'polite' })).toEqual([1, 'polite'])
  await expect(given({ name: 'tone', value: 'loud' })).rejects.toThrow(
    /^label: expected one of "rude" \(0\), "dry" \(0\.5\), "polite" \(1\), or a value/,
  )
  await expect(given({ name: 'unknown', value: 'dry' })).rejects.toThrow(
    /^value: expected a number, as no definition of "unknown" has labels/,
  )
  const snake = await api.create_score({ step_id: 's', name: 'tone', type: 'AI', value: 'rude' })
  expect(snake).toMatchObject({ value: 0, label: 'rude' })
})

test('an enforced boolean or category has one of its values, with the label of it', async () => {
  expect(
    await api.setScoreDefinition({ name: 'ok', kind: 'BOOLEAN', isEnforced: true }),
  ).toMatchObject({
    labels: [
      { value: 0, label: 'false' },
      { value: 1, label: 'true' },
    ],
  })
  expect(await given({ name: 'ok', value: 1 })).toEqual([1, 'true'])
  expect(await given({ name: 'ok', value: false })).toEqual([0, 'false'])
  await expect(given({ name: 'ok', value: 0.5 })).rejects.toThrow(
    /^value: expected one of "false" \(0\), "true" \(1\), got 0\.5/,
  )
  await expect(given({ name: 'ok', value: 1, label: 'yes' })).rejects.toThrow(
    /^label: expected "true"/,
  )
  await api.setScoreDefinition({ name: 'ok', kind: 'BOOLEAN' })
  expect(await given({ name: 'ok', value: 0.5, label: 'hm' })).toEqual([0.5, 'hm'])
})

test('an enforced number is in its range, whatever label it has', async () => {
  await api.setScoreDefinition({ name: 'n', kind: 'NUMBER', min: 0, isEnforced: true })
  expect(await given({ name: 'n', value: 1e9, label: 'huge' })).toEqual([1e9, 'huge'])
  await expect(given({ name: 'n', value: -0.001 })).rejects.toThrow(
    /^value: expected a number at least 0, got -0\.001/,
  )
  await api.setScoreDefinition({ name: 'n', min: -1, max: 1, isEnforced: true })
  await expect(given({ name: 'n', value: 2 })).rejects.toThrow(/from -1 to 1/)
})

test('a score is stored if and only if an enforced definition has its value and label', async () => {
  await api.setScoreDefinition({
    name: 'tone',
    kind: 'CATEGORY',
    labels: CATEGORIES,
    isEnforced: true,
  })
  const value = fc.option(
    fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ noNaN: true, noDefaultInfinity: true })),
  )
  const label = fc.option(fc.constantFrom('rude', 'dry', 'polite', 'loud', ''))
  await fc.assert(
    fc.asyncProperty(value, label, async (value, label) => {
      const choices = CATEGORIES.filter(
        (one) => (value === null || one.value === value) && (label === null || one.label === label),
      )
      const isStored = (value !== null || label !== null) && choices.length === 1
      const outcome = await given({ name: 'tone', value, label }).catch(() => undefined)
      expect(outcome).toEqual(isStored ? [choices[0]?.value, choices[0]?.label] : undefined)
    }),
    { numRuns: 60 },
  )
})

test('a changed score still fits: value and label change together', async () => {
  await api.setScoreDefinition({
    name: 'tone',
    kind: 'CATEGORY',
    labels: CATEGORIES,
    isEnforced: true,
  })
  const { id } = await api.createScore({ stepId: 's', name: 'tone', type: 'AI', value: 'dry' })
  expect(await api.updateScore(id, { value: 1 })).toMatchObject({ value: 1, label: 'polite' })
  expect(await api.updateScore(id, { label: 'rude' })).toMatchObject({ value: 0, label: 'rude' })
  expect(await api.updateScore(id, { value: 'dry', comment: 'short' })).toMatchObject({
    value: 0.5,
    label: 'dry',
    comment: 'short',
  })
  expect(await api.updateScore(id, { comment: 'shorter' })).toMatchObject({ value: 0.5 })
  expect(await api.updateScore(id, { label: null })).toMatchObject({ value: 0.5, label: 'dry' })
  await expect(api.updateScore(id, { value: 3 })).rejects.toThrow(/^value: expected one of/)
  await expect(api.updateScore(id, { value: 1, label: 'rude' })).rejects.toThrow(/^label: expected/)
  await api.deleteScoreDefinition('tone')
  expect(await api.updateScore(id, { value: 3 })).toMatchObject({ value: 3, label: 'dry' })
})

test('a step keeps everything but the score that does not fit, whatever came before it', async () => {
  await api.setScoreDefinition({ name: 'ok', kind: 'BOOLEAN', isEnforced: true })
  const { data } = await api.sendSteps([
    { id: 'plain', name: 'plain' },
    {
      id: 'judged',
      name: 'judged',
      scores: [
        { name: 'ok', type: 'AI', value: 7 },
        { name: 'ok', type: 'HUMAN', value: true },
        { name: 'free', type: 'AI', value: 7 },
      ],
    },
  ])
  expect(data.ingestSteps).toMatchObject({
    ok: true,
    accepted: 2,
    refused: [],
    refusedScores: [{ stepIndex: 1, threadIndex: null, index: 0, name: 'ok' }],
  })
  expect(data.ingestSteps.message).toMatch(
    /^1 scores were rejected; steps\[1\]: scores\[0\]\.value/,
  )
  expect((await api.getStep('judged'))?.scores).toMatchObject([
    { name: 'ok', type: 'HUMAN', value: 1, label: 'true' },
    { name: 'free', value: 7 },
  ])
  const { one } = await ask(
    'mutation { one: ingestStep(id: "single", name: "kept", scores: [{ name: "ok", type: AI, value: 9 }]) { ok message } }',
  )
  expect(one).toEqual({ ok: true, message: expect.stringContaining('scores[0].value: expected') })
  expect((await api.getStep('single'))?.name).toBe('kept')
})

test('all scores of one call are stored, or none', async () => {
  await api.setScoreDefinition({ name: 'ok', kind: 'BOOLEAN', isEnforced: true })
  await expect(
    api.createScores([
      { stepId: 's', name: 'free', type: 'AI', value: 1 },
      { stepId: 's', name: 'ok', type: 'AI', value: 2 },
    ]),
  ).rejects.toThrow(/scores\[1\]\.value/)
  expect((await api.getScores()).data).toEqual([])
})

test('a result of an experiment is stored without a score that does not fit, which its error names', async () => {
  await api.setScoreDefinition({ name: 'ok', kind: 'BOOLEAN', isEnforced: true })
  const { id } = await api.createExperiment({ name: 'run' })
  const run = { datasetExperimentId: id, holder: 'one' }
  await api.leaseExperimentItems({ ...run, items: [{ key: 'a', repetition: 1 }], seconds: 60 })
  const scores = [
    { name: 'ok', type: 'CODE' as const, value: 5 },
    { name: 'ok too', type: 'CODE' as const, value: true },
  ]
  const { ids, refusedScores } = await api.createExperimentItems({
    ...run,
    items: [{ key: 'a', repetition: 1, error: 'slow', scores }],
  })
  expect(ids).toEqual([expect.any(String)])
  expect(refusedScores).toMatchObject([
    { resultIndex: 0, index: 0, name: 'ok', code: 'INVALID_ARGUMENT' },
  ])
  const { data } = await api.getExperimentItems({ experimentId: id })
  expect(data).toMatchObject([
    { error: expect.stringMatching(/^slow\nok: value: expected one of/) },
  ])
  expect(data[0]?.scores).toMatchObject([{ name: 'ok too', value: 1, label: 'true' }])
})

test('definitions of other projects bind nobody here, and names may have any character', async () => {
  await api.setScoreDefinition({ name: 'ok', kind: 'BOOLEAN', isEnforced: true })
  const { apiKey } = await service.createProject('others')
  const theirs = new StepwellClient({ apiKey, fetch: service.fetch }).api
  expect(await theirs.createScore({ stepId: 's', name: 'ok', type: 'AI', value: 7 })).toMatchObject(
    { value: 7 },
  )
  const odd = 'a\u0000b\ud800'
  await api.sendSteps([{ id: 'odd', scores: [{ name: odd, type: 'AI', value: 1 }] }])
  expect((await api.getStep('odd'))?.scores).toHaveLength(1)
})
