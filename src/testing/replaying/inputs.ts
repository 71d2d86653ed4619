import { isPlain } from '../../values/fit.js'
import type { RecordedNode, RecordedRun } from '../fixtures/read-fixture.js'
import { asGiven } from '../tree.js'

/**
 * Returns the inputs of a run in their order, as the application had them: those of its outermost steps; in a thread where these
 * have none, the texts of its user's messages.
 */
export const inputsOf = ({ roots }: RecordedRun): unknown[] => {
  const works = roots.filter(({ step }) => !step.type.endsWith('_message'))
  const given = works
    .filter(({ step }) => WORK.includes(step.type) && step.input !== undefined)
    .map(({ step }) => givenOf(step.input))
  if (given.length > 0) return given
  const said = roots.filter(({ step }) => step.type === 'user_message').map(textOf)
  // An application without an input is run once.
  return said.length > 0 ? said : [undefined]
}

/** Steps that are an application's work, and not a part of it. */
const WORK = ['run', 'undefined']

/** A function that was recorded by `traced` has its arguments: the only one is the input. */
const givenOf = (input: unknown): unknown => {
  const stored = asGiven(input, 'input')
  if (!isPlain(stored) || Object.keys(stored).length !== 1) return stored
  const { arguments: given } = stored
  return Array.isArray(given) && given.length === 1 ? given[0] : stored
}

const textOf = ({ step: { input, output } }: RecordedNode): unknown => {
  const value = asGiven(output ?? input, output === undefined ? 'input' : 'output')
  if (!isPlain(value)) return value
  const { content, text, message } = value
  return [content, text, message].find((one) => typeof one === 'string') ?? value
}
