import type { OutlineStep, OutlineSubject } from '../../api/outlines.js'
import { type Answer, type Budgeted, budgetOf, costOf, Lines } from '../budget.js'
import { readExcerpts } from '../outline/excerpts.js'
import { loadRun } from '../outline/load.js'
import { titleOf } from '../outline/rows.js'
import type { Node } from '../outline/tree.js'
import { pause } from '../pause.js'
import type { Source } from '../source.js'
import { counted, quote, shownId, UNTRUSTED } from '../text.js'
import { type Change, changesOf } from './changes.js'
import { pairsOf, type StepPair } from './pairs.js'
import { compareWhole } from './whole.js'

export interface DiffRequest extends Budgeted {
  /** The thread, or the step with all below it, to compare with: a good run. */
  base: OutlineSubject
  /** The thread, or the step with all below it, that is compared. */
  other: OutlineSubject
}

/** The part of a budget for failures that only one of the runs has. */
const FAILED_SHARE = 0.25

/**
 * Says what differs between two threads, or two steps with all below them, in at most so many tokens. Steps are paired by
 * their place and kind; failures of one run alone come first, then all differences in their order. Every line names the ids
 * to read on.
 *
 * @returns the answer; null when one of the two does not exist.
 * @throws `INVALID_ARGUMENT` when not exactly one of `threadId` and `rootStepId` is given for each, or the budget is invalid.
 */
export const diff = async (source: Source, request: DiffRequest): Promise<Answer | null> => {
  const budget = budgetOf(request)
  const base = await loadRun(source, request.base)
  const other = base === null ? null : await loadRun(source, request.other)
  if (base === null || other === null) return null
  const excerpts = [
    await readExcerpts(source, base.steps),
    await readExcerpts(source, other.steps),
  ] as const
  const excerptsOf = ({ id }: OutlineStep) => excerpts[0].get(id) ?? excerpts[1].get(id)
  await pause()
  const pairs = pairsOf(base.steps, other.steps, excerptsOf)
  await pause()
  const both = pairs.filter((pair) => pair.base !== undefined && pair.other !== undefined)
  const whole = await compareWhole(
    source,
    both as (StepPair & { base: Node; other: Node })[],
    (node) => excerptsOf(node.step),
  )
  const entries = entriesOf(pairs, (one, two) =>
    changesOf(one, two, ({ step }) => excerptsOf(step), whole.changes.get(one) ?? []),
  )
  await pause()

  const lines = new Lines(budget)
  for (const line of base.head) lines.add(`base ${line}`)
  for (const line of other.head) lines.add(`other ${line}`)
  lines.add(UNTRUSTED)
  lines.add(summaryOf(entries, both.length))
  const looked = excerpts[0].size + excerpts[1].size
  if (looked < base.steps.length + other.steps.length)
    lines.add(
      `(contents of ${looked} of ${base.steps.length + other.steps.length} steps were looked at)`,
    )
  if (whole.read < whole.all)
    lines.add(`(of ${whole.all} pairs that begin alike, ${whole.read} were compared to their ends)`)
  await pause()
  addEntries(lines, entries, budget, (node) => excerptsOf(node.step)?.error ?? null)
  return lines.answer()
}

type Entry =
  | {
      readonly kind: 'changed'
      readonly base: Node
      readonly other: Node
      readonly changes: readonly Change[]
    }
  | { readonly kind: 'base' | 'other'; readonly nodes: readonly Node[] }

/** Puts steps of one kind that follow each other without counterparts into one entry. */
const entriesOf = (
  pairs: readonly StepPair[],
  changesIn: (base: Node, other: Node) => readonly Change[],
): Entry[] => {
  const entries: { kind: Entry['kind']; nodes: Node[]; changes: readonly Change[] }[] = []
  for (const { base, other } of pairs) {
    if (base !== undefined && other !== undefined) {
      const changes = changesIn(base, other)
      if (changes.length > 0) entries.push({ kind: 'changed', nodes: [base, other], changes })
      continue
    }
    const kind = base === undefined ? 'other' : 'base'
    const node = (base ?? other) as Node
    const last = entries.at(-1)
    const isSame = last?.kind === kind && last.nodes[0]?.shape === node.shape
    if (isSame && last.nodes[0]?.failed === 0 && node.failed === 0) last.nodes.push(node)
    else entries.push({ kind, nodes: [node], changes: [] })
  }
  return entries.map(({ kind, nodes, changes }) =>
    kind === 'changed'
      ? { kind, base: nodes[0] as Node, other: nodes[1] as Node, changes }
      : { kind, nodes },
  )
}

const summaryOf = (entries: readonly Entry[], pairs: number): string => {
  const changed = entries.filter(({ kind }) => kind === 'changed').length
  const alone = (side: 'base' | 'other') =>
    entries.reduce(
      (sum, entry) =>
        entry.kind === side ? sum + entry.nodes.reduce((all, { count }) => all + count, 0) : sum,
      0,
    )
  if (entries.length === 0) return `Nothing differs in ${counted(pairs, 'pair')} of steps.`
  return `${counted(pairs, 'pair')} of steps, ${changed} of them differ; ${alone('base')} steps in base alone, ${alone('other')} in other alone.`
}

const isFailure = (entry: Entry): boolean =>
  entry.kind === 'changed'
    ? entry.changes.some((change) => change.isFailure)
    : entry.nodes.some(({ failed }) => failed > 0)

const addEntries = (
  lines: Lines,
  entries: readonly Entry[],
  budget: number,
  errorOf: (node: Node) => string | null,
): void => {
  const failures = entries.filter(isFailure)
  const shown = addSection(lines, 'Failures that differ:', failures, budget * FAILED_SHARE, errorOf)
  const rest = entries.filter((entry) => !shown.has(entry))
  const also = addSection(lines, 'Differences in order, base / other:', rest, lines.left, errorOf)
  // A failure without room among the failures may have had some among the rest.
  if (also.size < rest.length) lines.add(moreOf(rest.length - also.size))
}

/** Returns the entries that had room. */
const addSection = (
  lines: Lines,
  title: string,
  entries: readonly Entry[],
  share: number,
  errorOf: (node: Node) => string | null,
): Set<Entry> => {
  const shown = new Set<Entry>()
  if (entries.length === 0) return shown
  let left = Math.min(share, lines.left) - costOf(title)
  const chosen = [title]
  for (const entry of entries) {
    const line = lineOf(entry, errorOf)
    const more = moreOf(entries.length - shown.size - 1)
    if (costOf(line) + costOf(more) > left) break
    left -= costOf(line)
    chosen.push(line)
    shown.add(entry)
  }
  if (shown.size > 0) lines.add(...chosen)
  return shown
}

const moreOf = (count: number): string =>
  `(${counted(count, 'more difference')}; ask with a larger budget, or compare steps inside)`

const MAX_ERROR = 90

const lineOf = (entry: Entry, errorOf: (node: Node) => string | null): string => {
  if (entry.kind === 'changed') {
    const { base, other, changes } = entry
    return `- ${titleOf(base.step)} ${shownId(base.step.id)} / ${shownId(other.step.id)}: ${changes.map(({ text }) => text).join('; ')}`
  }
  const [first, last] = [entry.nodes[0] as Node, entry.nodes.at(-1) as Node]
  const error = errorOf(first)
  const what =
    entry.nodes.length === 1
      ? `${titleOf(first.step)} ${shownId(first.step.id)}`
      : `${entry.nodes.length} times ${titleOf(first.step)} ${shownId(first.step.id)} … ${shownId(last.step.id)}`
  const below = entry.nodes.reduce((sum, { count }) => sum + count - 1, 0)
  return [
    `- ${entry.kind} alone: ${what}`,
    first.step.hasFailed
      ? ` FAILED${error === null ? '' : ` with ${quote(error, MAX_ERROR)}`}`
      : '',
    below > 0 ? `, ${counted(below, 'step')} below` : '',
    below > 0 && first.failed > (first.step.hasFailed ? 1 : 0) ? ' with failures' : '',
  ].join('')
}
