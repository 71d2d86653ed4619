import { useEffect, useRef, useState } from 'react'
import { MessagesDocument, type MessagesQuery } from '../../../../generated/operations.js'
import { plainClient } from '../../../data/client.js'
import type { Problem } from '../../../data/problem.js'
import { type Failed, read } from '../../../data/use-data.js'
import type { Outline } from '../outline/outline.js'
import type { Item } from './chat-items.js'

export type Said = NonNullable<MessagesQuery['stepsById'][number]>

const AT_ONCE = 50

/** The contents of the messages that show, read some at a time. */
export const useSaid = (outline: Outline, items: readonly Item[]) => {
  const [said, setSaid] = useState<ReadonlyMap<string, Said>>(new Map())
  const [problem, setProblem] = useState<Problem>()
  const [attempt, setAttempt] = useState(0)
  const known = useRef(new Set<string>())
  const first = items[0]?.place
  useEffect(() => {
    let isOld = false
    const load = async () => {
      const ids = items
        .map(({ place }) => outline.ids[place] ?? '')
        .filter((id) => !known.current.has(id))
      for (let at = 0; at < ids.length && !isOld; at += AT_ONCE) {
        const part = ids.slice(at, at + AT_ONCE)
        const answer = await read(MessagesDocument, { ids: part }, plainClient).catch(
          (error: Failed) => error,
        )
        if (answer instanceof Error) {
          if (!isOld) setProblem(answer.problem)
          return
        }
        // One without an end may still be written: it is read again when the outline is.
        for (const step of answer.stepsById)
          if (step !== null && step.output !== null) known.current.add(step.id)
        setSaid((all) => {
          const next = new Map(all)
          for (const step of answer.stepsById) if (step !== null) next.set(step.id, step)
          return next
        })
      }
    }
    void load()
    return () => {
      isOld = true
    }
  }, [outline, first, attempt])
  const retry = () => {
    setProblem(undefined)
    setAttempt((before) => before + 1)
  }
  return { said, problem, retry }
}
