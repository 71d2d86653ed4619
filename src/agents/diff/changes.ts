import type { Excerpts } from '../outline/excerpts.js'
import type { Node } from '../outline/tree.js'
import { quote, shownCost, shownMs } from '../text.js'

/** Durations and costs vary by chance: less than these times is no change. */
const MANY_TIMES = 5
const MIN_MS = 1000
const MIN_TOKENS = 200

const MAX_TEXT = 90

/** A part of two steps that differs. */
export interface Change {
  readonly text: string
  /** True when one of the steps failed and the other did not, or failed otherwise. */
  readonly isFailure: boolean
}

/** Lists what differs between a step and its counterpart. `whole` has the parts that were read to their ends. */
export const changesOf = (
  base: Node,
  other: Node,
  excerptsOf: (node: Node) => Excerpts | undefined,
  whole: readonly string[],
): Change[] => {
  const [one, two] = [excerptsOf(base), excerptsOf(other)]
  const changes: Change[] = []
  const add = (text: string, isFailure = false) => changes.push({ text, isFailure })
  if (base.step.hasFailed !== other.step.hasFailed) {
    const [side, error] = other.step.hasFailed ? ['other', two?.error] : ['base', one?.error]
    add(`failed in ${side} alone${error == null ? '' : ` with ${quote(error, MAX_TEXT)}`}`, true)
  } else if (one !== undefined && two !== undefined && one.error !== two.error)
    add(`error ${shown(one.error)} / ${shown(two.error)}`, true)
  if (base.step.isRunning !== other.step.isRunning)
    add(`no end in ${other.step.isRunning ? 'other' : 'base'} alone`)
  if (one !== undefined && two !== undefined)
    for (const part of ['input', 'output'] as const)
      if (one[part] !== two[part]) add(`${part} ${shown(one[part])} / ${shown(two[part])}`)
  for (const text of whole) add(text)
  const [tokens, otherTokens] = [base.step.tokens ?? 0, other.step.tokens ?? 0]
  if (Math.abs(tokens - otherTokens) > MIN_TOKENS && isFar(tokens, otherTokens, 2))
    add(`${tokens} / ${otherTokens} tokens`)
  const [ms, otherMs] = [base.step.duration ?? 0, other.step.duration ?? 0]
  if (Math.max(ms, otherMs) > MIN_MS && isFar(ms, otherMs, MANY_TIMES))
    add(`${shownMs(ms)} / ${shownMs(otherMs)}`)
  const [cost, otherCost] = [base.step.cost ?? 0, other.step.cost ?? 0]
  if (isFar(cost, otherCost, MANY_TIMES)) add(`${shownCost(cost)} / ${shownCost(otherCost)}`)
  return changes
}

const shown = (text: string | null): string => (text === null ? 'none' : quote(text, MAX_TEXT))

const isFar = (one: number, two: number, times: number): boolean =>
  Math.max(one, two) > times * Math.min(one, two)
