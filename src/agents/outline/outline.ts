import {
  type OutlineForAgentFragment,
  RunForAgentDocument,
  ThreadForAgentDocument,
  type ThreadForAgentQuery,
} from '../../../generated/agents.js'
import { type Columns, type OutlineStep, type OutlineSubject, stepsOf } from '../../api/outlines.js'
import { invalidArgument } from '../../errors.js'
import { type Budgeted, budgetOf, costOf, Lines } from '../budget.js'
import { ask, type Source } from '../source.js'
import { counted, quote, shownCost, shownMs, UNTRUSTED } from '../text.js'
import { chooseRows, lineOf, type Row } from './choose.js'
import { type Excerpts, readExcerpts } from './excerpts.js'
import { isFold } from './fold.js'
import { type Finding, findingsIn } from './notable.js'
import { titleOf } from './rows.js'
import { treesOf } from './tree.js'

export type OutlineRequest = OutlineSubject & Budgeted

/** Parts of a budget that sections have at most, so that none pushes out the next. */
const FAILED_SHARE = 0.2
/** Room for two failures, where a share of a small budget has none. */
const FAILED_TOKENS = 150
const FINDINGS_SHARE = 0.25
const TREE_SHARE = 0.65

/**
 * Says what happened in a thread, or below a step, in at most so many tokens: failures first, then what stands out, then the
 * tree with repetitions folded and with what went in and out, as far as there is room. Every line names the id to read on.
 *
 * @returns the text; null when there is no such thread or step.
 * @throws `INVALID_ARGUMENT` when not exactly one of `threadId` and `rootStepId` is given, or the budget is invalid.
 */
export const outline = async (source: Source, request: OutlineRequest): Promise<string | null> => {
  const budget = budgetOf(request)
  const found = await read(source, request)
  if (found === null) return null
  const { head, steps } = found
  const lines = new Lines(budget)
  for (const line of head) lines.add(line)
  if (steps.length === 0) return lines.toString()
  const excerpts = await readExcerpts(source, steps)
  addFailures(
    lines,
    steps,
    excerpts,
    Math.max(budget * FAILED_SHARE, Math.min(budget * 0.4, FAILED_TOKENS)),
  )
  if (steps.length > excerpts.size)
    lines.add(`(contents of ${excerpts.size} of ${steps.length} steps were looked at)`)
  addFindings(lines, findingsIn(steps, excerpts), excerpts, budget * FINDINGS_SHARE)
  addTree(lines, steps, excerpts)
  return lines.toString()
}

const read = async (
  source: Source,
  { threadId, rootStepId }: OutlineRequest,
): Promise<{ head: string[]; steps: OutlineStep[] } | null> => {
  if ((threadId === undefined) === (rootStepId === undefined))
    throw invalidArgument('outline: expected either threadId or rootStepId')
  if (threadId !== undefined) {
    const { thread, outline } = await ask(source, ThreadForAgentDocument, { id: threadId })
    if (thread === null || outline === null) return null
    const steps = decode(outline)
    return { head: [...headOfThread(thread), ...headOf(outline, steps)], steps }
  }
  const { outline } = await ask(source, RunForAgentDocument, { id: rootStepId as string })
  if (outline === null) return null
  const steps = decode(outline)
  return { head: [`step ${rootStepId}`, ...headOf(outline, steps)], steps }
}

const decode = ({ skeleton, names, types }: OutlineForAgentFragment): OutlineStep[] =>
  stepsOf(skeleton as Columns, names, types)

const MAX_HEAD = 100
const MAX_LISTED = 10

const headOfThread = (thread: NonNullable<ThreadForAgentQuery['thread']>): string[] => {
  const { id, name, participant, tags, scores } = thread
  const user = participant === null ? '' : ` by ${quote(participant.identifier, MAX_HEAD)}`
  const listed = (tags ?? []).slice(0, MAX_LISTED).map((tag) => quote(tag, MAX_HEAD))
  const scored = scores
    .slice(0, MAX_LISTED)
    .map(
      ({ name, value, label }) =>
        `${quote(name, MAX_HEAD)} ${label === null ? value : quote(label, MAX_HEAD)}`,
    )
  return [
    `thread ${id}${name === null ? '' : ` ${quote(name, MAX_HEAD)}`}${user}`,
    ...(listed.length === 0 ? [] : [`tags ${listed.join(', ')}`]),
    ...(scored.length === 0 ? [] : [`scores ${scored.join(', ')}`]),
  ]
}

const headOf = (outline: OutlineForAgentFragment, steps: readonly OutlineStep[]): string[] => {
  const { stepCount, errorCount, runningCount, startedAt, endedAt } = outline
  const sum = (of: (step: OutlineStep) => number | null) =>
    steps.reduce((all, step) => all + (of(step) ?? 0), 0)
  const tokens = sum((step) => step.tokens)
  const cost = sum((step) => step.cost)
  const took =
    startedAt === null || endedAt === null ? undefined : Date.parse(endedAt) - Date.parse(startedAt)
  const facts = [
    `${counted(stepCount, 'step')}, ${errorCount} failed`,
    runningCount > 0 ? `${runningCount} without an end` : undefined,
    startedAt === null ? undefined : `started ${startedAt}`,
    took === undefined ? undefined : `took ${shownMs(took)}`,
    tokens > 0 ? `${tokens} tokens` : undefined,
    cost > 0 ? shownCost(cost) : undefined,
  ]
  return [facts.filter((fact) => fact !== undefined).join(', '), UNTRUSTED]
}

const MAX_EXCERPT = 120

const addFailures = (
  lines: Lines,
  steps: readonly OutlineStep[],
  excerpts: ReadonlyMap<string, Excerpts>,
  share: number,
): void => {
  const byError = new Map<string, OutlineStep[]>()
  for (const step of steps) {
    if (!step.hasFailed) continue
    const error = excerpts.get(step.id)?.error ?? ''
    byError.set(error, [...(byError.get(error) ?? []), step])
  }
  const groups = [...byError].map(([error, failed]) => ({
    what: error === '' ? 'failed' : `failed with ${quote(error, MAX_EXCERPT)}`,
    steps: failed,
  }))
  addGroups(lines, 'Failed', groups, () => '', share)
}

const addFindings = (
  lines: Lines,
  findings: readonly Finding[],
  excerpts: ReadonlyMap<string, Excerpts>,
  share: number,
): void => {
  // Rare things say more than frequent ones.
  const ordered = [...findings].sort((one, other) => one.steps.length - other.steps.length)
  addGroups(
    lines,
    'Stands out, by rules',
    ordered,
    (step) => contentsOf(excerpts.get(step.id), 60),
    share,
  )
}

/** The steps of a group that are listed at first; more of them, when all groups have theirs. */
const ROUNDS = [3, 8, 30]

const addGroups = (
  lines: Lines,
  title: string,
  groups: readonly Finding[],
  contents: (step: OutlineStep) => string,
  share: number,
): void => {
  if (groups.length === 0) return
  const most = ROUNDS.findLast((listed) => costOfGroups(groups, listed, contents) <= share) ?? 1
  let left = Math.min(share, lines.left)
  const shown = groups.map((group) => linesOf(group, most, contents))
  const head = `${title}:`
  left -= costOf(head)
  const chosen: string[] = []
  let missing = 0
  for (const group of shown) {
    const cost = group.reduce((sum, line) => sum + costOf(line), 0)
    if (cost > left - MORE_LINE) missing++
    else {
      left -= cost
      chosen.push(...group)
    }
  }
  if (chosen.length > 0) lines.add(head, ...chosen)
  if (missing > 0) lines.add(`(${title}: ${missing} more of other kinds; ask with a larger budget)`)
}

const MORE_LINE = 20

const costOfGroups = (
  groups: readonly Finding[],
  listed: number,
  contents: (step: OutlineStep) => string,
): number =>
  groups
    .flatMap((group) => linesOf(group, listed, contents))
    .reduce((sum, line) => sum + costOf(line), 0)

const linesOf = (
  { what, steps }: Finding,
  listed: number,
  contents: (step: OutlineStep) => string,
): string[] => {
  const more = steps.length > listed ? ` (${listed} of ${steps.length})` : ''
  return [
    `- ${what}${more}`,
    ...steps.slice(0, listed).map((step) => `  ${titleOf(step)} ${step.id}${contents(step)}`),
  ]
}

const contentsOf = (excerpts: Excerpts | undefined, maxChars: number): string => {
  if (excerpts === undefined || maxChars === 0) return ''
  const { input, output, error } = excerpts
  const took = input === null ? '' : ` in ${quote(input, maxChars)}`
  const gave = output === null ? '' : ` out ${quote(output, maxChars)}`
  return `${took}${gave}${error === null ? '' : ` error ${quote(error, maxChars)}`}`
}

/** Lengths of excerpts in the tree, the first that has room. */
const LENGTHS = [120, 60, 30]

const addTree = (
  lines: Lines,
  steps: readonly OutlineStep[],
  excerpts: ReadonlyMap<string, Excerpts>,
): void => {
  const head =
    'Steps, those inside others indented; "in" and "out" are beginnings, read a step for the whole:'
  if (!lines.add(head)) return
  const tops = chooseRows(treesOf(steps), Math.floor(lines.left * TREE_SHARE))
  if (tops === undefined) {
    lines.add('(no room for the steps; ask with a larger budget)')
    return
  }
  const rows: Row[] = []
  const collect = (row: Row) => {
    rows.push(row)
    row.below?.forEach(collect)
  }
  tops.forEach(collect)
  const bare = rows.map((row) => lineOf(row))
  const full = (length: number) =>
    rows.map(({ part }, index) =>
      isFold(part) ? bare[index] : bare[index] + contentsOf(excerpts.get(part.step.id), length),
    ) as string[]
  const length = LENGTHS.find((one) => costs(full(one)) <= lines.left)
  lines.add(
    ...(length === undefined ? partly(bare, full(LENGTHS.at(-1) ?? 0), lines.left) : full(length)),
  )
}

const costs = (shown: readonly string[]): number =>
  shown.reduce((sum, line) => sum + costOf(line), 0)

/** Takes the longer form of lines from the first on, as long as there is room. */
const partly = (short: readonly string[], long: readonly string[], tokens: number): string[] => {
  let left = tokens - costs(short)
  return short.map((line, index) => {
    const longer = long[index] ?? line
    const more = costOf(longer) - costOf(line)
    if (more > left) return line
    left -= more
    return longer
  })
}
