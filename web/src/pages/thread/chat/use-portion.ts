import { useEffect, useRef, useState } from 'react'
import type { Problem } from '../../../data/problem.js'
import { ProblemError } from '../../../data/use-data.js'
import type { Outline } from '../outline/outline.js'
import { type ChatItem, keyOf } from './chat-items.js'
import { type Contents, NO_CONTENTS, readContents } from './contents.js'

/** Entries that are read in one request. */
const STEP = 50
/** Entries before the one that is asked for, so that it is read in its context. */
const BEFORE = 15
/** Entries that are read unasked, so that the scrollbar of a usual conversation spans all of it. */
const MAX_UNASKED = 700
/** Entries in the page at once; those at the far end leave it. */
const MAX_SHOWN = 1000

/** Entries of a conversation in a row, with their contents: nothing is shown that would change its height. */
export interface Portion {
  outline: Outline
  items: readonly ChatItem[]
  from: number
  to: number
  contents: Contents
}

/** Reads a conversation in portions: the one around an entry first, then the ones around it. */
export const usePortion = (
  outline: Outline,
  items: readonly ChatItem[],
  near: number,
  judged: ReadonlyMap<string, string>,
  /** Returns true while the entry at `near` has to show. */
  isNearWanted: () => boolean,
) => {
  const [portion, setPortion] = useState<Portion>()
  const [problem, setProblem] = useState<Problem>()
  const [attempt, setAttempt] = useState(0)
  const latest = useRef(portion)
  latest.current = portion
  // The newest request wins, one that extends waits for nobody.
  const asked = useRef(0)
  const isBusy = useRef(false)
  const show = async (from: number, to: number, isJump: boolean) => {
    if (!isJump && isBusy.current) return
    const mine = ++asked.current
    isBusy.current = true
    try {
      const before = latest.current
      // After a jump only the new place counts; else what is shown already is read no more than needed.
      const known = before?.contents ?? NO_CONTENTS
      const contents = await readContents(outline, items.slice(from, to), known, judged)
      if (mine === asked.current) setPortion({ outline, items, from, to, contents })
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      if (mine === asked.current) setProblem(error.problem)
    } finally {
      if (mine === asked.current) isBusy.current = false
    }
  }
  const jump = (to: number) => {
    const from = Math.max(0, Math.min(to - BEFORE, items.length - STEP))
    return show(from, Math.min(items.length, from + STEP), true)
  }
  const later = () => {
    if (portion === undefined || portion.items !== items || portion.to >= items.length) return
    const to = Math.min(items.length, portion.to + STEP)
    void show(Math.max(portion.from, to - MAX_SHOWN), to, false)
  }
  const earlier = () => {
    if (portion === undefined || portion.items !== items || portion.from <= 0) return
    const from = Math.max(0, portion.from - STEP)
    void show(from, Math.min(portion.to, from + MAX_SHOWN), false)
  }
  useEffect(() => {
    const before = latest.current
    if (before === undefined) {
      void jump(Math.max(0, near))
      return
    }
    // The thread has grown, or calls were unfolded: the same entries stay, and the end stays the end.
    const places = new Map(items.map((item, index) => [keyOf(outline, item), index]))
    const indexOf = (index: number) => {
      for (let at = index; at >= 0; at--) {
        const item = before.items[at]
        const found = item && places.get(keyOf(before.outline, item))
        if (found !== undefined) return found
      }
      return 0
    }
    const wasAtEnd = before.to === before.items.length
    const from = indexOf(before.from)
    const to = wasAtEnd ? items.length : indexOf(before.to - 1) + 1
    if (isNearWanted() && (near < from || near >= to)) void jump(near)
    else void show(from, to, true)
  }, [outline, items, judged, attempt])
  useEffect(() => {
    if (portion === undefined || portion.items !== items || problem !== undefined) return
    const { length } = items
    const isWhole = portion.from === 0 && portion.to === length
    if (isWhole || portion.to - portion.from >= MAX_UNASKED) return
    // On either side in turns, so that both are there when the reader turns to one.
    const isOdd = ((portion.to - portion.from) / STEP) & 1
    const isLater = portion.to < length && (portion.from === 0 || isOdd)
    const timer = setTimeout(isLater ? later : earlier, 30)
    return () => clearTimeout(timer)
  }, [portion, items, problem])
  const retry = () => {
    setProblem(undefined)
    setAttempt((before) => before + 1)
  }
  return { portion, problem, retry, jump, later, earlier }
}
