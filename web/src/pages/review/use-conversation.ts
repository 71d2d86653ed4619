import {
  ReviewConversationDocument,
  type ReviewConversationQuery,
  ReviewLastCallDocument,
} from '../../../generated/operations.js'
import { plainClient } from '../../data/client.js'
import { read } from '../../data/use-data.js'
import { useReadAhead } from './use-read-ahead.js'

type Thread = ReviewConversationQuery['threads']['edges'][number]['node']
export type ConversationStep = Thread['steps'][number]

export interface Conversation {
  /** Messages, and the tools that were called between them. */
  steps: readonly ConversationStep[]
  /** The messages of the last call of a model, when none were recorded as steps. */
  seen: readonly unknown[]
}

export const isMessage = ({ type }: ConversationStep): boolean => type.endsWith('_message')

/** Returns null for a thread that has been deleted. */
const readConversation = async (id: string): Promise<Conversation | null> => {
  const { threads } = await read(ReviewConversationDocument, { id }, plainClient)
  const thread = threads.edges[0]?.node
  if (thread === undefined) return null
  const { steps } = thread
  if (steps.some(isMessage)) return { steps, seen: [] }
  const last = await read(ReviewLastCallDocument, { threadId: id }, plainClient)
  const call = last.steps.edges[0]?.node.generation
  const seen = Array.isArray(call?.messages)
    ? [...call.messages, call.messageCompletion]
    : [
        { role: 'user', content: call?.prompt },
        { role: 'assistant', content: call?.completion },
      ].filter(({ content }) => content != null)
  return { steps, seen: seen.filter((message) => message != null) }
}

/** Reads the conversation of a thread, and the next one ahead of time. */
export const useConversation = (id?: string, following?: string) =>
  useReadAhead(readConversation, id, following)
