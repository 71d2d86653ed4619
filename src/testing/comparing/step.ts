import { isPlain } from '../../values/fit.js'
import type { FixtureScore } from '../fixtures/fixture.js'
import type { RecordedCall, RecordedNode } from '../fixtures/read-fixture.js'
import { show } from '../show.js'
import { type StepLike, tokensOf } from '../step-like.js'
import { type Sayings, sayingOf } from './messages.js'
import type { Normal } from './normal.js'
import type { SameRun } from './options.js'
import { exactDifferences, shapeDifferences } from './values.js'

type Fields = Record<string, unknown>

/** Lists the differences of a step to the recorded one, a line for each. */
export const stepDifferences = (
  { step, call }: RecordedNode,
  actual: StepLike,
  same: SameRun,
  normal: Normal,
  sayings: Sayings,
): string[] => {
  const generation: Fields = isPlain(actual.generation) ? actual.generation : {}
  return [
    ...valueDifferences('input', same.arguments, step.input, actual.input, normal),
    ...valueDifferences('output', same.outputs, step.output, actual.output, normal),
    ...errorDifferences(step.error, actual.error, same.outputs, normal),
    ...(call === undefined ? [] : callDifferences(call, generation, same, normal, sayings)),
    ...(same.cost === false ? [] : costDifferences(call, generation, actual, same.cost)),
    ...scoreDifferences('', step.scores ?? [], actual.scores, same),
  ]
}

const valueDifferences = (
  path: string,
  by: SameRun['arguments'],
  expected: unknown,
  actual: unknown,
  normal: Normal,
): string[] => {
  if (by === false) return []
  const compare = by === 'exact' ? exactDifferences : shapeDifferences
  return compare(path, normal(expected), normal(actual))
}

const errorDifferences = (
  expected: string | undefined,
  actual: unknown,
  by: SameRun['outputs'],
  normal: Normal,
): string[] => {
  if (by === 'exact') return exactDifferences('error', normal(expected), normal(actual))
  if (by === false || (expected == null) === (actual == null)) return []
  const shown = (error: unknown) => (error == null ? 'none' : show(error))
  return [`error: expected ${shown(expected)}, got ${shown(actual)}`]
}

const callDifferences = (
  call: RecordedCall,
  actual: Fields,
  same: SameRun,
  normal: Normal,
  sayings: Sayings,
): string[] => {
  const sent = Array.isArray(actual.messages) ? actual.messages : undefined
  const { messageCompletion: said } = actual
  return [
    ...valueDifferences(
      'messages',
      same.arguments,
      sayings.read(call.messages),
      sayings.read(sent),
      (value) => value,
    ),
    ...valueDifferences('prompt', same.arguments, call.prompt, actual.prompt, normal),
    ...valueDifferences('answer', same.outputs, sayingOf(call.answer), sayingOf(said), normal),
    ...valueDifferences('completion', same.outputs, call.completion, actual.completion, normal),
  ]
}

/** Parts of the tokens that have prices of their own. */
const PRICED = ['cached', 'cacheWrite', 'cacheWrite5m', 'cacheWrite1h', 'reasoning'] as const

/** Prices are the service's: without it, a call costs the same if its model and its tokens are the same. */
const costDifferences = (
  call: RecordedCall | undefined,
  actual: Fields,
  step: StepLike,
  share: number,
): string[] => {
  const counts: [name: string, expected: unknown, got: unknown][] = []
  const expected = tokensOf({ id: '', generation: call ?? {} })
  const got = tokensOf(step)
  for (const name of ['input', 'output', 'total'] as const)
    counts.push([`tokens.${name}`, expected[name], got[name]])
  if (isPlain(call?.usage) && isPlain(actual.usage))
    for (const name of PRICED) counts.push([`tokens.${name}`, call.usage[name], actual.usage[name]])
  if (call?.isCostTold === true) counts.push(['cost', call.cost, actual.cost])
  const lines = counts
    .filter(([, one, other]) => !isWithin(one, other, share))
    .map(([name, one, other]) => `${name}: expected ${one ?? 'none'}, got ${other ?? 'none'}`)
  const model = call?.model ?? undefined
  if (model !== (actual.model ?? undefined))
    lines.unshift(`model: expected ${model ?? 'none'}, got ${actual.model ?? 'none'}`)
  return lines
}

const isWithin = (expected: unknown, actual: unknown, share: number): boolean => {
  if (expected == null || actual == null) return expected == null && actual == null
  return Math.abs(Number(actual) - Number(expected)) <= Number(expected) * share + 1e-12
}

/** Lists the scores that one side alone has. */
export const scoreDifferences = (
  path: string,
  expected: readonly FixtureScore[],
  actual: readonly object[] | null | undefined,
  { scores: which }: SameRun,
): string[] => {
  if (which === false) return []
  const counts = ({ type }: FixtureScore) =>
    which === true || (which as readonly string[]).includes(type)
  const left = ((actual ?? []) as readonly FixtureScore[]).filter(counts)
  const prefix = path === '' ? '' : `${path}: `
  const shown = ({ name, type, value }: FixtureScore) => `${name} ${value} (${type})`
  const missing = expected.filter(counts).filter(({ name, type, value }) => {
    const place = left.findIndex(
      (one) => one.name === name && one.type === type && Number(one.value) === value,
    )
    if (place >= 0) left.splice(place, 1)
    return place < 0
  })
  return [
    ...missing.map((score) => `${prefix}scores: expected ${shown(score)}, got none like it`),
    ...left.map((score) => `${prefix}scores: ${shown(score)} was not recorded before`),
  ]
}
