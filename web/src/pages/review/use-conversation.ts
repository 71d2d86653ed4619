import { useEffect, useState } from 'react'
import {
  ReviewConversationDocument,
  type ReviewConversationQuery,
  ReviewLastCallDocument,
} from '../../../generated/operations.js'
import { plainClient } from '../../data/client.js'
import type { Problem } from '../../data/problem.js'
import { ProblemError, read } from '../../data/use-data.js'

type Thread = ReviewConversationQuery['threads']['edges'][number]['node']
export type ConversationStep = Thread['steps'][number]

export interface Conversation {
  /** Messages, and the tools that were called between them. */
  steps: readonly ConversationStep[]
  /** The messages of the last call of a model, when none were recorded as steps. */
  seen: readonly unknown[]
}

export const isMessage = ({ type }: ConversationStep): boolean => type.endsWith('_message')

const readConversation = async (id: string): Promise<Conversation> => {
  const { threads } = await read(ReviewConversationDocument, { id }, plainClient)
  const steps = threads.edges[0]?.node.steps ?? []
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

const whole = new Map<string, Promise<Conversation>>()
const MAX_KEPT = 10

/** Reads the conversation of a thread, once: preloads the next one. */
export const useConversation = (id: string | undefined) => {
  const [state, setState] = useState<{
    id?: string
    conversation?: Conversation
    problem?: Problem
  }>({})
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    if (id === undefined) return
    let isCancelled = false
    let reading = whole.get(id)
    if (reading === undefined) {
      reading = readConversation(id)
      whole.set(id, reading)
      reading.catch(() => whole.delete(id))
      if (whole.size > MAX_KEPT) whole.delete(whole.keys().next().value ?? '')
    }
    reading.then(
      (conversation) => !isCancelled && setState({ id, conversation }),
      (error) =>
        !isCancelled &&
        setState({ id, ...(error instanceof ProblemError ? { problem: error.problem } : {}) }),
    )
    return () => {
      isCancelled = true
    }
  }, [id, attempt])
  const retry = () => {
    setState({})
    setAttempt((before) => before + 1)
  }
  return { ...(state.id === id ? state : {}), retry }
}
