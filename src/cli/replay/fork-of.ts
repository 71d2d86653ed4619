import type { Step } from '../../api/steps.js'
import type { RecordedNode } from '../../testing/fixtures/read-fixture.js'
import { lineOf } from '../../testing/tree.js'
import { UsageError } from '../usage.js'
import { idsBelow } from './answer-from.js'

/** Model calls that the error of a step which is not there lists. */
const MAX_LISTED = 10

/**
 * Returns the steps that lie before a fork, by their ids: those that began before it. Steps around the fork don't answer, as their work
 * has it.
 */
export const stepsBefore = (
  given: string | undefined,
  steps: readonly Step[],
  all: readonly RecordedNode[],
): { before: string[]; from: string | undefined } => {
  if (given === undefined) return { before: all.map(({ step }) => step.id), from: undefined }
  const calls = all.filter(({ call }) => call?.messages ?? call?.prompt)
  const fork = all.find(({ step }) => step.id === given) ?? numbered(calls, given)
  if (fork === undefined) {
    const listed = calls
      .slice(0, MAX_LISTED)
      .map(({ step }, index) => `\n  ${index + 1}: ${lineOf(step)} (${step.id})`)
    const more = calls.length - listed.length
    throw new UsageError(
      `--from: expected the id of a step of the thread, or the number of a model call from 1 to ${calls.length}, got ${JSON.stringify(given)}${listed.join('')}${more > 0 ? `\n  and ${more} more` : ''}`,
    )
  }
  const starts = new Map(steps.map(({ id, startTime }) => [id, startTime ?? '']))
  const startOf = ({ step }: RecordedNode): string => starts.get(step.id) ?? ''
  const place = all.indexOf(fork)
  const below = idsBelow(fork)
  const around = new Set<RecordedNode>()
  for (let at = fork.parent; at !== undefined; at = at.parent) around.add(at)
  const isEarlier = (node: RecordedNode, index: number): boolean =>
    Date.parse(startOf(node)) - Date.parse(startOf(fork)) < 0 ||
    (Date.parse(startOf(node)) === Date.parse(startOf(fork)) &&
      (startOf(node) < startOf(fork) || (startOf(node) === startOf(fork) && index < place)))
  const before = all.filter(
    (node, index) =>
      node !== fork &&
      !below.has(node.step.id) &&
      isEarlier(node, index) &&
      !(around.has(node) && node.call === undefined),
  )
  return { before: before.map(({ step }) => step.id), from: fork.step.id }
}

const numbered = (calls: readonly RecordedNode[], given: string): RecordedNode | undefined =>
  /^\d+$/.test(given) ? calls[Number(given) - 1] : undefined
