import { useEffect, useMemo, useRef, useState } from 'react'
import type { Problem } from '../../data/problem.js'
import { ProblemError } from '../../data/use-data.js'
import { shuffled } from '../../stats/random.js'
import { type Item, SOURCES, type Unit } from './queue-units.js'

const BATCH_SIZE = 100
/** Below this number of open steps, more are read. */
const MIN_OPEN = 5
/** After this many batches without an item to judge, the reviewer has to ask for more. */
const MAX_READS_IN_VAIN = 10

/** `newest`, `oldest`, or `shuffled-` and a seed: by chance within each hundred of the newest. */
export const seedOf = (order: string | undefined): number | undefined => {
  const seed = /^shuffled-(\d{1,9})$/.exec(order ?? '')?.[1]
  return seed === undefined ? undefined : Number(seed)
}

export const ORDERS = 'newest, oldest, or shuffled- and a number'

export const isOrder = (order: string): boolean =>
  ['newest', 'oldest'].includes(order) || seedOf(order) !== undefined

interface State {
  items: readonly Item[]
  after: string | null
  hasMore: boolean
  unread: number
  /** The item of the address, if there is none. */
  missing?: string | undefined
}

/**
 * The queue in the state in which it was read: judged items keep their places. It grows as it is worked off, and begins
 * with the item of the address, wherever that is.
 */
export const useQueue = (
  unit: Unit,
  query: string | undefined,
  order: string | undefined,
  {
    pause,
    asked,
    isDone,
  }: { pause: boolean; asked: string | undefined; isDone: (item: Item) => boolean },
) => {
  const [state, setState] = useState<State>()
  const [problem, setProblem] = useState<Problem>()
  const [attempt, setAttempt] = useState(0)
  const inVain = useRef(0)
  const isReading = useRef(false)
  const isNewest = order !== 'oldest'
  const seed = seedOf(order)
  const subject = useMemo(() => ({ unit, query, isNewest, seed }), [unit, query, isNewest, seed])
  const latest = useRef<object>(undefined)

  const more = async (before: State | undefined, first: string | undefined) => {
    if (isReading.current && latest.current === subject) return
    latest.current = subject
    isReading.current = true
    setProblem(undefined)
    try {
      const source = SOURCES[unit]
      const [portion, beginning] = await Promise.all([
        source.read({
          first: BATCH_SIZE,
          after: before?.after ?? null,
          query,
          isNewest,
          isCounted: before === undefined,
        }),
        first === undefined ? null : source.readOne(first),
      ])
      if (latest.current !== subject) return
      const read = seed === undefined ? portion.items : shuffled(portion.items, seed)
      const start =
        beginning === null || portion.items.some(({ id }) => id === first) ? [] : [beginning]
      const all = [...(before?.items ?? []), ...start, ...read]
      setState({
        items: [...new Map(all.map((item) => [item.id, item])).values()],
        after: portion.after,
        hasMore: portion.hasMore,
        missing:
          before?.missing ??
          (first !== undefined && start.length === 0 && read.every(({ id }) => id !== first)
            ? first
            : undefined),
        unread: (before?.unread ?? portion.total ?? 0) - portion.items.length,
      })
    } catch (error) {
      if (latest.current === subject && error instanceof ProblemError) setProblem(error.problem)
    } finally {
      if (latest.current === subject) isReading.current = false
    }
  }

  useEffect(() => {
    setState(undefined)
    inVain.current = 0
    if (!pause) void more(undefined, asked)
  }, [subject, pause, attempt])

  const open = state?.items.filter((item) => !isDone(item)) ?? []
  const isShort = open.length < MIN_OPEN && state?.hasMore === true
  useEffect(() => {
    if (open.length > 0) inVain.current = 0
    if (!isShort || problem !== undefined || inVain.current >= MAX_READS_IN_VAIN) return
    inVain.current++
    void more(state, undefined)
  }, [state, isShort])

  return {
    items: state?.items ?? [],
    open,
    isThere: state !== undefined,
    missing: state?.missing,
    /** Unread steps of the queue count too. */
    left: open.length + Math.max(0, state?.unread ?? 0),
    hasMore: state?.hasMore === true,
    problem,
    /** Continues reading where it stopped. */
    goOn: () => {
      inVain.current = 0
      void more(state, undefined)
    },
    restart: () => setAttempt((before) => before + 1),
  }
}
