import { useEffect, useRef, useState } from 'react'
import { MessagesDocument, type MessagesQuery } from '../../../../generated/operations.js'
import { plainClient } from '../../../data/client.js'
import type { Problem } from '../../../data/problem.js'
import { type ProblemError, read } from '../../../data/use-data.js'
import type { Outline } from '../outline/outline.js'
import type { ChatItem } from './chat-items.js'

export type Message = NonNullable<MessagesQuery['stepsById'][number]>

const BATCH_SIZE = 50

/** Reads the contents of the visible messages in batches. */
export const useMessages = (outline: Outline, items: readonly ChatItem[]) => {
  const [messages, setMessages] = useState<ReadonlyMap<string, Message>>(new Map())
  const [problem, setProblem] = useState<Problem>()
  const [attempt, setAttempt] = useState(0)
  const known = useRef(new Set<string>())
  const first = items[0]?.place
  useEffect(() => {
    let isCancelled = false
    const load = async () => {
      const ids = items
        .map(({ place }) => outline.ids[place] ?? '')
        .filter((id) => !known.current.has(id))
      for (let at = 0; at < ids.length && !isCancelled; at += BATCH_SIZE) {
        const part = ids.slice(at, at + BATCH_SIZE)
        const answer = await read(MessagesDocument, { ids: part }, plainClient).catch(
          (error: ProblemError) => error,
        )
        if (answer instanceof Error) {
          if (!isCancelled) setProblem(answer.problem)
          return
        }
        // A message without output may still be written: it is read again with the outline.
        for (const step of answer.stepsById)
          if (step !== null && step.output !== null) known.current.add(step.id)
        setMessages((all) => {
          const next = new Map(all)
          for (const step of answer.stepsById) if (step !== null) next.set(step.id, step)
          return next
        })
      }
    }
    void load()
    return () => {
      isCancelled = true
    }
  }, [outline, first, attempt])
  const retry = () => {
    setProblem(undefined)
    setAttempt((before) => before + 1)
  }
  return { messages, problem, retry }
}
