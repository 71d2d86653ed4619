import type { OutlineStep, OutlineSubject } from '../../api/outlines.js'
import { type Answer, type Budgeted, budgetOf, costOf, Lines } from '../budget.js'
import { pause } from '../pause.js'
import type { Source } from '../source.js'
import { quote, shownId, UNTRUSTED } from '../text.js'
import { chooseRows, lineOf, type Row } from './choose.js'
import { type Excerpts, readExcerpts } from './excerpts.js'
import { isFold } from './fold.js'
import { loadRun } from './load.js'
import { type Finding, findingsIn, groupsOf } from './notable.js'
import { titleOf } from './rows.js'
import { treesOf } from './tree.js'

export type OutlineRequest = OutlineSubject & Budgeted

/** Parts of a budget that sections have at most, so that none pushes out the next. */
const FAILED_SHARE = 0.2
/** Room for two failures, where a share of a small budget has none. */
const FAILED_TOKENS = 150
const FINDINGS_SHARE = 0.4
const TREE_SHARE = 0.65

/**
 * Says what happened in a thread, or below a step, in at most so many tokens: failures first, then what stands out, then the
 * tree with repetitions folded and with what went in and out, as far as there is room. Every line names the id to read on.
 *
 * @returns the answer; null when there is no such thread or step.
 * @throws `INVALID_ARGUMENT` when not exactly one of `threadId` and `rootStepId` is given, or the budget is invalid.
 */
export const outline = async (source: Source, request: OutlineRequest): Promise<Answer | null> => {
  const budget = budgetOf(request)
  const found = await loadRun(source, request)
  if (found === null) return null
  const { head, steps } = found
  const lines = new Lines(budget)
  for (const line of head) lines.add(line)
  lines.add(UNTRUSTED)
  if (steps.length === 0) return lines.answer()
  const excerpts = await readExcerpts(source, steps)
  await pause()
  addFailures(
    lines,
    steps,
    excerpts,
    Math.max(budget * FAILED_SHARE, Math.min(budget * 0.4, FAILED_TOKENS)),
  )
  if (steps.length > excerpts.size)
    lines.add(`(contents of ${excerpts.size} of ${steps.length} steps were looked at)`)
  await pause()
  const findings = findingsIn(steps, excerpts)
  await pause()
  addFindings(lines, findings, excerpts, budget * FINDINGS_SHARE)
  await addTree(lines, steps, excerpts)
  return lines.answer()
}

const MAX_EXCERPT = 120

const addFailures = (
  lines: Lines,
  steps: readonly OutlineStep[],
  excerpts: ReadonlyMap<string, Excerpts>,
  share: number,
): void => {
  const failed = steps.filter(({ hasFailed }) => hasFailed)
  const groups = groupsOf(failed, ({ id }) => excerpts.get(id)?.error ?? '').map((same) => {
    const error = excerpts.get(same[0]?.id ?? '')?.error ?? ''
    return {
      what: error === '' ? 'failed' : `failed with ${quote(error, MAX_EXCERPT)}`,
      steps: same,
    }
  })
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

/** Numbers of steps of a group that are listed: the first that has room. */
const ROUNDS = [30, 8, 3, 1]

const addGroups = (
  lines: Lines,
  title: string,
  groups: readonly Finding[],
  contents: (step: OutlineStep) => string,
  share: number,
): void => {
  if (groups.length === 0) return
  const head = `${title}:`
  let left = Math.min(share, lines.left) - costOf(head) - MORE_LINE
  const chosen: string[] = []
  let missing = 0
  for (const [index, group] of groups.entries()) {
    // An even part of what is left: small groups leave some of theirs to the larger ones after them.
    const part = left / (groups.length - index)
    const choices = ROUNDS.map((listed) => linesOf(group, listed, contents))
    const fit =
      choices.find((choice) => costOfAll(choice) <= part) ??
      choices.slice(-1).find((choice) => costOfAll(choice) <= left)
    if (fit === undefined) missing++
    else {
      left -= costOfAll(fit)
      chosen.push(...fit)
    }
  }
  if (chosen.length > 0) lines.add(head, ...chosen)
  if (missing > 0) lines.add(`(${title}: ${missing} more of other kinds; ask with a larger budget)`)
}

const MORE_LINE = 20

const costOfAll = (shown: readonly string[]): number =>
  shown.reduce((sum, line) => sum + costOf(line), 0)

const linesOf = (
  { what, steps }: Finding,
  listed: number,
  contents: (step: OutlineStep) => string,
): string[] => {
  const more = steps.length > listed ? ` (${listed} of ${steps.length})` : ''
  return [
    `- ${what}${more}`,
    ...steps
      .slice(0, listed)
      .map((step) => `  ${titleOf(step)} ${shownId(step.id)}${contents(step)}`),
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

const addTree = async (
  lines: Lines,
  steps: readonly OutlineStep[],
  excerpts: ReadonlyMap<string, Excerpts>,
): Promise<void> => {
  const head =
    'Steps, those inside others indented; "in" and "out" are beginnings, read a step for the whole:'
  if (!lines.add(head)) return
  await pause()
  const trees = treesOf(steps)
  await pause()
  const tops = chooseRows(trees, Math.floor(lines.left * TREE_SHARE))
  await pause()
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
  await pause()
  const length = LENGTHS.find((one) => costOfAll(full(one)) <= lines.left)
  await pause()
  lines.add(
    ...(length === undefined ? partly(bare, full(LENGTHS.at(-1) ?? 0), lines.left) : full(length)),
  )
}

/** Takes the longer form of lines from the first on, as long as there is room. */
const partly = (short: readonly string[], long: readonly string[], tokens: number): string[] => {
  let left = tokens - costOfAll(short)
  return short.map((line, index) => {
    const longer = long[index] ?? line
    const more = costOf(longer) - costOf(line)
    if (more > left) return line
    left -= more
    return longer
  })
}
