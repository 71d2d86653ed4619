import type { OutlineStep } from '../../api/outlines.js'
import { counted, quote, shownCost, shownId, shownMs, shownTokens } from '../text.js'
import { type Fold, isFold, type Part } from './fold.js'
import type { Node } from './tree.js'

const MAX_NAME = 80

export const titleOf = ({ type, name }: Pick<OutlineStep, 'type' | 'name'>): string =>
  name === null ? type : `${type} ${quote(name, MAX_NAME)}`

/** Shows a step, or a fold, in one line that names the id to read on. */
export const rowOf = (part: Part, isClosed: boolean): string =>
  isFold(part) ? rowOfFold(part) : rowOfNode(part, isClosed)

const rowOfNode = (node: Node, isClosed: boolean): string => {
  const { step } = node
  const isParent = node.children.length > 0
  const facts = [
    step.hasFailed ? 'FAILED' : undefined,
    step.isRunning ? 'no end' : undefined,
    step.duration === null ? undefined : shownMs(step.duration),
    node.tokens > 0 ? shownTokens(node.tokens) : undefined,
    node.cost > 0 ? shownCost(node.cost) : undefined,
    step.isOrphan ? 'its parent never came' : undefined,
    isClosed && isParent ? `${counted(node.count - 1, 'step')} below${failures(node)}` : undefined,
  ]
  return `${titleOf(step)} ${shownId(step.id)}${factsIn(facts)}`
}

const failures = ({ failed, step }: Node): string => {
  const below = failed - (step.hasFailed ? 1 : 0)
  return below === 0 ? '' : ` (${below} failed)`
}

const rowOfFold = ({ nodes, period }: Fold): string => {
  const durations = nodes.flatMap(({ step }) => (step.duration === null ? [] : [step.duration]))
  const slowest = most(nodes, ({ step }) => step.duration ?? 0)
  const dearest = most(nodes, ({ tokens }) => tokens)
  const failed = nodes.filter(({ failed }) => failed > 0)
  const sum = (of: (node: Node) => number) => nodes.reduce((all, node) => all + of(node), 0)
  const middle = median(durations)
  const facts = [
    durations.length === 0 ? undefined : `median ${shownMs(middle)}`,
    sum(({ tokens }) => tokens) > 0 ? shownTokens(sum(({ tokens }) => tokens)) : undefined,
    sum(({ cost }) => cost) > 0 ? shownCost(sum(({ cost }) => cost)) : undefined,
    failed.length > 0 ? `${failed.length} FAILED, the first ${idOf(failed[0])}` : undefined,
    (slowest.step.duration ?? 0) > 3 * middle
      ? `slowest ${idOf(slowest)} ${shownMs(slowest.step.duration ?? 0)}`
      : undefined,
    period !== null && dearest.tokens > 3 * median(nodes.map(({ tokens }) => tokens))
      ? `most tokens ${idOf(dearest)} ${dearest.tokens}`
      : undefined,
  ]
  return `${headOf(nodes, period)} ${idOf(nodes[0])} … ${idOf(nodes.at(-1))}${factsIn(facts)}`
}

const idOf = (node: Node | undefined): string => (node === undefined ? '' : shownId(node.step.id))

const MAX_TITLES = 6

const headOf = (nodes: readonly Node[], period: number | null): string => {
  const titles = nodes.slice(0, period ?? nodes.length).map(({ step }) => titleOf(step))
  if (period !== null) return `${nodes.length / period} times: ${titles.join(', ')}`
  const different = [...new Set(titles)]
  const more = different.length > MAX_TITLES ? ', …' : ''
  return `${nodes.length} steps: ${different.slice(0, MAX_TITLES).join(', ')}${more}`
}

const factsIn = (facts: readonly (string | undefined)[]): string => {
  const told = facts.filter((fact) => fact !== undefined)
  return told.length === 0 ? '' : ` · ${told.join(', ')}`
}

const most = (nodes: readonly Node[], of: (node: Node) => number): Node =>
  nodes.reduce((best, node) => (of(node) > of(best) ? node : best))

/** Returns the middle value; 0 of none. */
export const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
