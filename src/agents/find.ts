import {
  FindStepsForAgentDocument,
  type FindStepsForAgentQuery,
  FindThreadsForAgentDocument,
  type FindThreadsForAgentQuery,
} from '../../generated/agents.js'
import { invalidArgument } from '../errors.js'
import { type Answer, type Budgeted, budgetOf, Lines } from './budget.js'
import { ask, type Source } from './source.js'
import { quote, shownCost, shownId, shownMs, UNTRUSTED } from './text.js'

export interface FindRequest extends Budgeted {
  /** The list. */
  subject: 'threads' | 'steps'
  /** Conditions, as the filter field of the web UI takes them. Default: all pass. */
  query?: string | undefined
  /** The end of the answer before, to go on after it. */
  after?: string | undefined
}

type FoundThread = FindThreadsForAgentQuery['threads']['edges'][number]['node']
type FoundStep = FindStepsForAgentQuery['steps']['edges'][number]['node']

const PAGE = 20
const MAX_TEXT = 80

/**
 * Lists threads or steps that pass a query in at most so many tokens, the newest first, each in a line with its id.
 *
 * @returns the answer, with the cursor to go on from.
 * @throws `INVALID_ARGUMENT` when the subject, the query, the cursor or the budget is invalid.
 */
export const find = async (source: Source, request: FindRequest): Promise<Answer> => {
  const lines = new Lines(budgetOf(request))
  const { subject, query = null } = request
  if (subject !== 'threads' && subject !== 'steps')
    throw invalidArgument(`subject: expected threads or steps, got ${JSON.stringify(subject)}`)
  lines.add(UNTRUSTED)
  let after = request.after ?? null
  let count = 0
  for (;;) {
    const { rows, pageInfo } = await pageOf(source, subject, { query, first: PAGE, after })
    for (const { line, cursor } of rows) {
      // The line that says how to go on has the cursor, which is as long as an id may be.
      if (!lines.addBefore(footOf(count + 1, cursor), line)) {
        lines.add(footOf(count, after))
        if (count > 0 && after !== null) lines.goOn({ after })
        return lines.answer()
      }
      count++
      after = cursor
    }
    if (!pageInfo.hasNextPage) break
  }
  lines.add(count === 0 ? `no ${subject} pass` : `${count} ${subject}, no more`)
  return lines.answer()
}

const footOf = (count: number, after: string | null): string =>
  count === 0
    ? 'no room for one; ask with a larger budget'
    : `${count} shown, there are more: go on after ${after}`

const pageOf = async (
  source: Source,
  subject: 'threads' | 'steps',
  variables: { query: string | null; first: number; after: string | null },
) => {
  if (subject === 'threads') {
    const { threads } = await ask(source, FindThreadsForAgentDocument, variables)
    return {
      pageInfo: threads.pageInfo,
      rows: threads.edges.map(({ cursor, node }) => ({ cursor, line: lineOfThread(node) })),
    }
  }
  const { steps } = await ask(source, FindStepsForAgentDocument, variables)
  return {
    pageInfo: steps.pageInfo,
    rows: steps.edges.map(({ cursor, node }) => ({ cursor, line: lineOfStep(node) })),
  }
}

const lineOfThread = (thread: FoundThread): string => {
  const { duration, tokenCount, cost, participant, firstMessage, lastMessage, firstError } = thread
  return joined([
    `thread ${shownId(thread.id)}`,
    thread.name === null ? undefined : quote(thread.name, MAX_TEXT),
    thread.startedAt ?? undefined,
    duration === null ? undefined : shownMs(duration * 1000),
    tokenCount ? `${tokenCount} tokens` : undefined,
    cost ? shownCost(cost) : undefined,
    participant === null ? undefined : `by ${quote(participant.identifier, MAX_TEXT)}`,
    firstMessage === null ? undefined : `first ${quote(firstMessage, MAX_TEXT)}`,
    lastMessage === null ? undefined : `last ${quote(lastMessage, MAX_TEXT)}`,
    firstError === null ? undefined : `error ${quote(firstError, MAX_TEXT)}`,
  ])
}

const lineOfStep = (step: FoundStep): string => {
  const { startTime, endTime, generation } = step
  const error = step.error ?? generation?.error ?? null
  return joined([
    `step ${shownId(step.id)}`,
    step.type,
    step.name === null ? undefined : quote(step.name, MAX_TEXT),
    step.threadId === null ? undefined : `of thread ${shownId(step.threadId)}`,
    startTime ?? step.createdAt,
    startTime === null || endTime === null
      ? undefined
      : shownMs(Date.parse(endTime) - Date.parse(startTime)),
    generation?.model == null ? undefined : `model ${quote(generation.model, MAX_TEXT)}`,
    generation?.tokenCount ? `${generation.tokenCount} tokens` : undefined,
    generation?.cost ? shownCost(generation.cost) : undefined,
    step.inputExcerpt === null ? undefined : `in ${quote(step.inputExcerpt, MAX_TEXT)}`,
    step.outputExcerpt === null ? undefined : `out ${quote(step.outputExcerpt, MAX_TEXT)}`,
    error === null ? undefined : `error ${quote(error, MAX_TEXT)}`,
  ])
}

const joined = (facts: readonly (string | undefined)[]): string =>
  facts.filter((fact) => fact !== undefined).join(' · ')
