import { invalidArgument } from '../errors.js'
import { differencesOf } from './differences.js'
import { readExpectation, readOptions, type StepExpectation } from './expectation.js'
import { show } from './show.js'
import { inOrder, listIn, type StepLike, type Steps } from './step-like.js'
import { lineOf, treeOf } from './tree.js'

/** The result of a comparison, as `expect.extend` of vitest and jest takes it. */
export interface MatchResult {
  /** True when the steps are as expected. */
  pass: boolean
  /** Returns the reason why the steps are not as expected, or, when they are, what was found in them. */
  message: () => string
}

/** The number of steps to expect. */
export interface CountOptions {
  /** Exactly how many steps are expected. Default: one or more. */
  times?: number | undefined
}

/** The steps to expect in a list. */
export interface OrderOptions {
  /** True when no other steps may be there. */
  only?: boolean | undefined
}

/** A step with its differences to an expectation. */
interface Compared {
  step: StepLike
  differences: string[]
}

/** Compares steps with an expectation: one of them, or `times` of them, is like it. */
export const matchStep = (
  steps: Steps,
  expected: string | StepExpectation,
  options?: CountOptions | null,
): MatchResult => {
  const { times } = readOptions(options, ['times'])
  if (times !== undefined && !(Number.isInteger(times) && times >= 0))
    throw invalidArgument(`times: expected a whole number from 0 on, got ${times}`)
  const all = listOf(steps)
  const compared = comparedWith(all, expected)
  const matching = compared.filter(({ differences }) => differences.length === 0)
  const pass = times === undefined ? matching.length > 0 : matching.length === times
  const wanted = `${times === undefined ? 'a step' : stepCount(times)} like ${show(expected)}`
  return {
    pass,
    message: () =>
      pass
        ? `expected ${times === undefined ? 'no step' : `not ${stepCount(times)}`} like ${show(expected)}, got ${matching.length}:\n${indented(matching.map(({ step }) => lineOf(step)).join('\n'))}${recorded(all)}`
        : `expected ${wanted}, got ${matching.length === 0 ? 'none' : matching.length}${nearest(compared)}${recorded(all)}`,
  }
}

/** Compares steps with a list of expectations: for each there is a step, in this order of start. */
export const matchSteps = (
  steps: Steps,
  expected: readonly (string | StepExpectation)[],
  options?: OrderOptions | null,
): MatchResult => {
  const { only = false } = readOptions(options, ['only'])
  if (!Array.isArray(expected))
    throw invalidArgument(`steps: expected a list of steps, got ${typeof expected}`)
  const all = listOf(steps)
  const missed = only ? firstDifference(all, expected) : firstMissing(all, expected)
  const pass = missed === undefined
  return {
    pass,
    message: () =>
      pass
        ? `expected other steps than ${show(expected)}${recorded(all)}`
        : `expected ${only ? 'exactly the steps' : 'steps in the order'} ${show(expected)}\n${missed}${recorded(all)}`,
  }
}

/** Compares the order of two steps: the first step that is like `first` began before the first one like `second`. */
export const matchOrder = (
  steps: Steps,
  first: string | StepExpectation,
  second: string | StepExpectation,
): MatchResult => {
  const all = listOf(steps)
  const places = [first, second].map((expected) =>
    comparedWith(all, expected).findIndex(({ differences }) => differences.length === 0),
  ) as [number, number]
  const absent = [first, second].filter((_, index) => (places[index] as number) < 0)
  const pass = absent.length === 0 && places[0] < places[1]
  const reason = () =>
    absent.length > 0
      ? absent
          .map(
            (expected) =>
              `no step is like ${show(expected)}${nearest(comparedWith(all, expected))}`,
          )
          .join('\n')
      : 'it did not'
  return {
    pass,
    message: () =>
      pass
        ? `expected ${show(first)} not to begin before ${show(second)}; it did${recorded(all)}`
        : `expected ${show(first)} to begin before ${show(second)}: ${reason()}${recorded(all)}`,
  }
}

const listOf = (steps: Steps): readonly StepLike[] => {
  const list = listIn(steps)
  if (list === undefined)
    throw invalidArgument(`steps: expected the steps of recordInMemory(), got ${typeof steps}`)
  return inOrder(list)
}

const comparedWith = (all: readonly StepLike[], given: string | StepExpectation): Compared[] => {
  const expected = readExpectation(given)
  return all.map((step) => ({ step, differences: differencesOf(step, expected, all) }))
}

/** Returns the first expectation without a step, skipping other steps; undefined when there is none. */
const firstMissing = (
  all: readonly StepLike[],
  expected: readonly (string | StepExpectation)[],
): string | undefined => {
  let place = 0
  for (const [index, one] of expected.entries()) {
    const compared = comparedWith(all, one)
    const found = compared.findIndex(
      ({ differences }, at) => at >= place && differences.length === 0,
    )
    if (found < 0) {
      const isEarlier = compared.some(({ differences }) => differences.length === 0)
      const why = isEarlier ? 'it came earlier' : `none is like it${nearest(compared)}`
      return `number ${index + 1}, ${show(one)}: ${why}`
    }
    place = found + 1
  }
  return undefined
}

/** Returns the first difference to a list of exactly these steps. */
const firstDifference = (
  all: readonly StepLike[],
  expected: readonly (string | StepExpectation)[],
): string | undefined => {
  for (const [index, one] of expected.entries()) {
    const compared = comparedWith(all, one)[index]
    if (compared === undefined) return `number ${index + 1}, ${show(one)}: there is none`
    if (compared.differences.length > 0)
      return `number ${index + 1}: ${lineOf(compared.step)}\n${indented(compared.differences.join('\n'))}`
  }
  const extra = all[expected.length]
  return extra && `number ${expected.length + 1} was not expected: ${lineOf(extra)}`
}

/** Describes the step with the fewest differences. A step with another name is further away than any of its name. */
const nearest = (compared: readonly Compared[]): string => {
  const distance = ({ differences }: Compared) =>
    differences.length + (differences.some((line) => line.startsWith('name:')) ? 100 : 0)
  const [first] = compared
    .filter(({ differences }) => differences.length > 0)
    .sort((one, other) => distance(one) - distance(other))
  return first === undefined
    ? ''
    : `\nnearest: ${lineOf(first.step)}\n${indented(first.differences.join('\n'))}`
}

const recorded = (all: readonly StepLike[]): string =>
  `\n\nrecorded (${stepCount(all.length)}):\n${indented(treeOf(all))}`

const stepCount = (count: number): string => (count === 1 ? '1 step' : `${count} steps`)

const indented = (text: string): string => text.replace(/^/gm, '  ')
