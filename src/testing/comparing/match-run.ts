import { invalidArgument } from '../../errors.js'
import { align, type Pair } from '../../values/align.js'
import type { RunFixture } from '../fixtures/fixture.js'
import { type RecordedNode, readFixture } from '../fixtures/read-fixture.js'
import type { MatchResult } from '../match.js'
import { listIn, type Steps } from '../step-like.js'
import { lineOf, treeOf } from '../tree.js'
import { Sayings } from './messages.js'
import { keyOf, normalBy } from './normal.js'
import { readSameRun, type SameRunOptions } from './options.js'
import { isAnswered, nodesOf, type RunNode } from './run-nodes.js'
import { scoreDifferences, stepDifferences } from './step.js'

/** Differences that a message lists. */
const MAX_LISTED = 20

type Paired = Pair<RecordedNode, RunNode>
type Ordering = (nodes: readonly RunNode[]) => readonly RunNode[]

/** Compares the steps of a run with those of a fixture. */
export const matchRun = (
  steps: Steps,
  fixture: RunFixture,
  options?: SameRunOptions | null,
): MatchResult => {
  const all = listIn(steps)
  if (all === undefined)
    throw invalidArgument(`steps: expected the steps of a run, got ${typeof steps}`)
  const same = readSameRun(options)
  const run = readFixture(fixture)
  const normal = normalBy(same.ignore)
  const sayings = new Sayings(normal)
  const isLeftOut = (type: string) => (same.leaveOut as readonly string[]).includes(type)
  const inputOf = (node: RecordedNode | RunNode) => keyOf(normal(node.step.input))
  const kindOf = ({ step }: RecordedNode | RunNode) => keyOf([step.type ?? 'undefined', step.name])
  const keysOf = (node: RecordedNode | RunNode) => [
    `${kindOf(node)} ${inputOf(node)}`,
    kindOf(node),
  ]
  const sorted = <Node extends RecordedNode | RunNode>(nodes: readonly Node[]): readonly Node[] => {
    const kept = nodes.filter(({ step }) => !isLeftOut(step.type ?? 'undefined'))
    if (same.order) return kept
    return kept
      .map((node) => ({ node, key: keysOf(node)[0] ?? '' }))
      .sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
      .map(({ node }) => node)
  }
  const found: string[] = []
  const missing: RecordedNode[] = []
  const extra: RunNode[] = []
  const pairsOf = (base: readonly RecordedNode[], other: readonly RunNode[]): Paired[] =>
    align<RecordedNode, RunNode>(sorted(base), (sorted as Ordering)(other), keysOf)
  // Not a recursion: traces may be deeper than the stack.
  const open = pairsOf(run.roots, nodesOf(all)).reverse()
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const { base, other } = pair
    if (other === undefined) missing.push(base)
    else if (base === undefined) extra.push(other)
    else {
      found.push(
        ...stepDifferences(base, other.step, same, normal, sayings).map(
          (line) => `${lineOf(base.step)}\n    ${line}`,
        ),
      )
      // An answer from the record has nothing below it.
      if (!isAnswered(other.step))
        for (const below of pairsOf(base.children, other.children).reverse()) open.push(below)
    }
  }
  found.unshift(...misplaced(missing, extra, (node) => keysOf(node)[0] ?? ''))
  found.push(...scoreDifferences('thread', run.scores, all[0]?.thread?.scores, same))
  return {
    pass: found.length === 0,
    message: () =>
      found.length === 0
        ? `expected another run than ${JSON.stringify(run.name)}; it is the same`
        : `expected the run ${JSON.stringify(run.name)} as it was recorded:\n${listed(found)}\n\nrecorded now:\n${indented(treeOf(all))}`,
  }
}

/** Describes steps that have no counterpart: those that are only in another place, missing ones and others. */
const misplaced = (
  missing: readonly RecordedNode[],
  extra: readonly RunNode[],
  keyOfNode: (node: RecordedNode | RunNode) => string,
): string[] => {
  const left = [...extra]
  const lines = missing.map((node) => {
    const key = keyOfNode(node)
    const place = left.findIndex((one) => keyOfNode(one) === key)
    if (place < 0) return `missing: ${lineOf(node.step)} (recorded as ${node.step.id})`
    left.splice(place, 1)
    const { parent } = node
    const among = parent === undefined ? '' : ` inside ${lineOf(parent.step)}`
    return `order: ${lineOf(node.step)} is in another place; it was number ${placeOf(node)}${among}`
  })
  return [...lines, ...left.map(({ step }) => `not recorded before: ${lineOf(step)}`)]
}

const placeOf = (node: RecordedNode): string =>
  node.parent === undefined ? 'in its order' : String(node.parent.children.indexOf(node) + 1)

const listed = (lines: readonly string[]): string => {
  const more = lines.length - MAX_LISTED
  return [...lines.slice(0, MAX_LISTED), ...(more > 0 ? [`… and ${more} more`] : [])]
    .map((line) => `- ${line}`)
    .join('\n')
}

const indented = (text: string): string => text.replace(/^/gm, '  ')
