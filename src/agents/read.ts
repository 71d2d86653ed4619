import { StepForAgentDocument, type StepForAgentQuery } from '../../generated/agents.js'
import { invalidArgument } from '../errors.js'
import { type Answer, type Budgeted, budgetOf, costOf, Lines } from './budget.js'
import { ask, type Source } from './source.js'
import {
  cutToTokens,
  fenceFor,
  quote,
  shownCost,
  shownId,
  shownMs,
  textIn,
  UNTRUSTED,
  withoutControls,
} from './text.js'
import { maxTokens } from './tokens.js'

export interface ReadRequest extends Budgeted {
  /** The step, by its id. */
  stepId: string
  /** One part alone, such as `output` or `messages.3`, as the answer without it names them. */
  part?: string | undefined
  /** Character to begin at, from 0; only with `part`. */
  from?: number | undefined
}

type Step = NonNullable<StepForAgentQuery['step']>

/**
 * Says what a step took and gave in at most so many tokens. Cuts what has no room, and names the part and the
 * character to read on from.
 *
 * @returns the answer, with the part and character to read on from; null when there is no such step.
 * @throws `INVALID_ARGUMENT` when the step has no such part, the place is outside of it, or the budget is invalid.
 */
export const read = async (source: Source, request: ReadRequest): Promise<Answer | null> => {
  const budget = budgetOf(request)
  const { stepId, part, from = 0 } = request
  if (from !== 0 && part === undefined) throw invalidArgument('from: expected a part to begin in')
  const { step } = await ask(source, StepForAgentDocument, { id: stepId })
  if (step === null) return null
  const parts = partsOf(step)
  if (part === undefined) return shownWhole(step, parts, budget)
  const text = parts.get(part)
  if (text === undefined)
    throw invalidArgument(
      `part: expected one of ${[...parts.keys()].slice(0, 40).join(', ')}, got ${quote(part, 60)}`,
    )
  if (!Number.isInteger(from) || from < 0 || from > text.length)
    throw invalidArgument(
      `from: expected a whole number from 0 to ${text.length}, got ${String(from)}`,
    )
  const lines = new Lines(budget)
  lines.add(`step ${shownId(step.id)}`, UNTRUSTED)
  addPart(lines, part, text, from, lines.left)
  return lines.answer()
}

const shownWhole = (step: Step, parts: ReadonlyMap<string, string>, budget: number): Answer => {
  const lines = new Lines(budget)
  for (const line of headOf(step)) lines.add(line)
  // The smallest parts first, each with its share of what is left: what they leave is for the larger ones.
  const shares = new Map<string, number>()
  const needs = [...parts].map(([name, text]) => ({ name, need: maxTokens(text) + FRAME }))
  let left = lines.left
  for (const [index, { name, need }] of needs
    .sort((one, other) => one.need - other.need)
    .entries()) {
    const share = Math.min(need, Math.floor(left / (needs.length - index)))
    shares.set(name, share)
    left -= share
  }
  for (const [name, text] of parts)
    if (!addPart(lines, name, text, 0, shares.get(name) ?? 0)) notShown(lines, name, text)
  return lines.answer()
}

const notShown = (lines: Lines, name: string, text: string): void => {
  lines.add(`${name}: ${text.length} characters, not shown`)
  lines.goOn({ part: name, from: 0 })
}

const MAX_NAME = 100

const headOf = (step: Step): string[] => {
  const { generation, startTime, endTime, createdAt } = step
  const took =
    startTime === null || endTime === null ? undefined : Date.parse(endTime) - Date.parse(startTime)
  const facts = [
    startTime === null ? `arrived ${createdAt}` : `started ${startTime}`,
    took === undefined ? undefined : `took ${shownMs(took)}`,
    generation?.model == null ? undefined : `model ${quote(generation.model, MAX_NAME)}`,
    generation?.tokenCount == null
      ? undefined
      : `${generation.tokenCount} tokens (${generation.inputTokenCount ?? '?'} in, ${generation.outputTokenCount ?? '?'} out)`,
    generation?.cost == null ? undefined : shownCost(generation.cost),
  ]
  const places = [
    step.threadId === null ? undefined : `thread ${shownId(step.threadId)}`,
    step.parentId === null ? undefined : `inside ${shownId(step.parentId)}`,
  ].filter((place) => place !== undefined)
  return [
    `step ${shownId(step.id)}: ${step.type}${step.name === null ? '' : ` ${quote(step.name, MAX_NAME)}`}`,
    ...(places.length === 0 ? [] : [places.join(', ')]),
    facts.filter((fact) => fact !== undefined).join(', '),
    UNTRUSTED,
  ]
}

/** Returns the parts of a step by name, without those that are empty. */
const partsOf = (step: Step): Map<string, string> => {
  const { generation } = step
  const parts = new Map<string, string>()
  const put = (name: string, value: unknown) => {
    if (isEmpty(value)) return
    parts.set(name, typeof value === 'string' ? value : JSON.stringify(value, null, 1))
  }
  put('error', step.error)
  put('generation.error', generation?.error === step.error ? null : generation?.error)
  put('scores', step.scores.map(plain))
  put('tags', step.tags)
  put('input', textIn(step.input))
  // Messages are what a call of a model took and gave; values of its step follow only where they say something else.
  const messages = Array.isArray(generation?.messages) ? generation.messages : []
  messages.forEach((message, index) => {
    put(`messages.${index}`, message)
  })
  put('prompt', generation?.prompt)
  put('completion', generation?.completion)
  put('messageCompletion', generation?.messageCompletion)
  put('output', textIn(step.output))
  put('settings', generation?.settings)
  put('tools', generation?.tools)
  put('metadata', step.metadata)
  return parts
}

const plain = ({ name, value, label, comment }: Step['scores'][number]) => ({
  name,
  value: label ?? value,
  ...(comment === null ? {} : { comment }),
})

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** Tokens of the lines around a part. */
const FRAME = 60

/** Adds a part between lines of backticks, cut to so many tokens. Returns false when it has no room. */
const addPart = (
  lines: Lines,
  name: string,
  text: string,
  from: number,
  tokens: number,
): boolean => {
  const rest = text.slice(from)
  const shown = withoutControls(cutToTokens(rest, tokens - FRAME))
  if (shown === '' && rest !== '') return false
  const end = from + shown.length
  const fence = fenceFor(shown)
  const head =
    from === 0 && end === text.length
      ? `${name}:`
      : `${name}, characters ${from} to ${end} of ${text.length}:`
  const foot = end === text.length ? [] : [`(cut; read on: part ${name}, from ${end})`]
  const around = [head, fence, fence, ...foot].reduce((sum, line) => sum + costOf(line), 0)
  if (around + costOf(shown) <= lines.left) {
    if (foot.length > 0) lines.goOn({ part: name, from: end })
    return lines.add(head, fence, shown, fence, ...foot)
  }
  // The frame was larger than thought: a shorter text has room.
  return tokens > FRAME * 2 && addPart(lines, name, text, from, tokens - FRAME)
}
