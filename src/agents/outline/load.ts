import {
  type OutlineForAgentFragment,
  RunForAgentDocument,
  ThreadForAgentDocument,
  type ThreadForAgentQuery,
} from '../../../generated/agents.js'
import { type Columns, type OutlineStep, type OutlineSubject, stepsOf } from '../../api/outlines.js'
import { invalidArgument } from '../../errors.js'
import { ask, type Source } from '../source.js'
import { counted, quote, shownCost, shownId, shownMs } from '../text.js'

/** A thread, or a step with all below it, and lines that introduce it. */
export interface Run {
  readonly head: readonly string[]
  readonly steps: readonly OutlineStep[]
}

/** Reads the steps of a thread or of a step. Returns null when there is none. */
export const loadRun = async (
  source: Source,
  { threadId, rootStepId }: OutlineSubject,
): Promise<Run | null> => {
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
  return { head: [`step ${shownId(rootStepId as string)}`, ...headOf(outline, steps)], steps }
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
    `thread ${shownId(id)}${name === null ? '' : ` ${quote(name, MAX_HEAD)}`}${user}`,
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
  return [facts.filter((fact) => fact !== undefined).join(', ')]
}
