import { useEffect, useRef, useState } from 'react'
import { useSingleFlight } from '../../../browser/use-single-flight.js'
import { renderMessages } from '../template.js'
import type { Column } from './columns.js'
import type { TrialItem } from './items.js'
import { type Answer, NOTHING, run } from './run.js'

/** Calls at once; the others wait. */
const MAX_RUNNING = 4

/** The key of the answer that a column gives to an item. */
export const answerKey = (column: Column, row: TrialItem): string => `${column.key} ${row.id}`

/** Runs all columns on all items, and keeps their answers. */
export const useRuns = (
  endpointId: string | undefined,
  columns: readonly Column[],
  rows: readonly TrialItem[],
  onProblem: (problem: Error | undefined) => void,
) => {
  const [answers, setAnswers] = useState<Readonly<Record<string, Answer>>>({})
  const [running, setRunning] = useState<AbortController>()
  const latest = useRef<AbortController>(undefined)
  // Ends the calls when the page is left: their answers would cost something, and nobody would see them.
  useEffect(() => () => latest.current?.abort(), [])
  const runAll = useSingleFlight(async () => {
    if (endpointId === undefined) return
    onProblem(undefined)
    const stop = new AbortController()
    latest.current = stop
    let prepared: { key: string; call: Parameters<typeof run>[0] }[]
    try {
      prepared = rows.flatMap((row) =>
        columns.map((column) => {
          const { messages, ...rest } = column.called()
          const variables = { ...column.defaults, ...row.variables }
          return {
            key: answerKey(column, row),
            call: { endpointId, messages: renderMessages(messages, variables), ...rest },
          }
        }),
      )
    } catch (error) {
      onProblem(error as Error)
      return
    }
    setRunning(stop)
    setAnswers(Object.fromEntries(prepared.map(({ key }) => [key, NOTHING])))
    const waiting = [...prepared]
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { key, call } = next
        await run(call, stop.signal, (answer) =>
          setAnswers((before) => ({ ...before, [key]: answer })),
        )
      }
    }
    await Promise.all(Array.from({ length: MAX_RUNNING }, work))
    setRunning(undefined)
  })
  return {
    answers,
    isRunning: running !== undefined,
    runAll: () => void runAll(),
    stop: () => running?.abort(),
    clear: () => setAnswers({}),
  }
}
