import {
  MessagesDocument,
  type MessagesQuery,
  ToolCallsDocument,
  type ToolCallsQuery,
} from '../../../../generated/operations.js'
import { plainClient } from '../../../data/client.js'
import { read } from '../../../data/use-data.js'
import type { Outline } from '../outline/outline.js'
import type { ChatItem } from './chat-items.js'

export type Message = NonNullable<MessagesQuery['stepsById'][number]>
/** A call of a tool with the beginnings of its arguments and its result. */
export type ToolCall = NonNullable<ToolCallsQuery['stepsById'][number]>

/** The contents of entries by the ids of their steps. */
export interface Contents {
  messages: ReadonlyMap<string, Message>
  tools: ReadonlyMap<string, ToolCall>
  /** The states of the steps when they were read, as the outline had them. */
  states: ReadonlyMap<string, string>
}

export const NO_CONTENTS: Contents = { messages: new Map(), tools: new Map(), states: new Map() }

/** Reads the contents of entries that are not known yet. A step without a result, or that has changed, is read again. */
export const readContents = async (
  outline: Outline,
  items: readonly ChatItem[],
  known: Contents,
  /** The newest scores of steps that were judged meanwhile. */
  judged: ReadonlyMap<string, string> = new Map(),
): Promise<Contents> => {
  const messageIds: string[] = []
  const toolIds: string[] = []
  const states = new Map(known.states)
  for (const { kind, place } of items) {
    const id = outline.ids[place] ?? ''
    const state = `${outline.stateOf(place)} ${judged.get(id) ?? ''}`
    const hasChanged = states.get(id) !== state
    states.set(id, state)
    if (kind === 'tool') {
      const { outputBytes, error } = known.tools.get(id) ?? {}
      if (hasChanged || (outputBytes == null && error == null)) toolIds.push(id)
    } else if (kind === 'message' || kind === 'speech') {
      const { output, generation } = known.messages.get(id) ?? {}
      if (hasChanged || (output == null && generation == null)) messageIds.push(id)
    }
  }
  const [messages, tools] = await Promise.all([
    readSteps(messageIds, (ids) => read(MessagesDocument, { ids }, plainClient)),
    readSteps(toolIds, (ids) => read(ToolCallsDocument, { ids }, plainClient)),
  ])
  return {
    messages: withSteps(known.messages, messages),
    tools: withSteps(known.tools, tools),
    states,
  }
}

/** Steps of one request; their outputs may be large. */
const MAX_STEPS = 100

const readSteps = async <Step>(
  ids: readonly string[],
  ask: (ids: string[]) => Promise<{ stepsById: Step[] }>,
): Promise<Step[]> => {
  const steps: Step[] = []
  for (let at = 0; at < ids.length; at += MAX_STEPS)
    steps.push(...(await ask(ids.slice(at, at + MAX_STEPS))).stepsById)
  return steps
}

const withSteps = <Step extends { id: string }>(
  known: ReadonlyMap<string, Step>,
  steps: readonly (Step | null)[],
): ReadonlyMap<string, Step> => {
  if (steps.length === 0) return known
  const all = new Map(known)
  for (const step of steps) if (step !== null) all.set(step.id, step)
  return all
}
