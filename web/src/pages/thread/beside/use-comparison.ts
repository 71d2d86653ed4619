import { useEffect, useMemo, useState } from 'react'
import type { Problem } from '../../../data/problem.js'
import { ProblemError } from '../../../data/use-data.js'
import type { ChatItem } from '../chat/chat-items.js'
import { type Contents, NO_CONTENTS, readContents } from '../chat/contents.js'
import type { Outline } from '../outline/outline.js'
import { alignTurns, type Pair } from './align.js'
import { differencesOf } from './differences.js'
import { type Turn, turnsOf, wordsOf } from './turns.js'

/** Pairs of turns that are read at once. */
const PORTION = 12
/** Pairs that are read unasked. */
const MAX_UNASKED = 160

/** Two turns beside each other, with their differences in words. */
export interface Row {
  left: Turn | undefined
  right: Turn | undefined
  differences: readonly string[]
}

interface Read {
  outlines: readonly Outline[]
  pairs: readonly Pair[]
  /** The pairs whose contents are there, from the first on. */
  count: number
  left: Contents
  right: Contents
}

/** Reads two threads and aligns them by turns: the questions first, then the turns in order. */
export const useComparison = (left: Outline | undefined, right: Outline | undefined) => {
  const [done, setDone] = useState<Read>()
  const [wanted, setWanted] = useState(MAX_UNASKED)
  const [problem, setProblem] = useState<Problem>()
  const [attempt, setAttempt] = useState(0)
  const leftTurns = useMemo(() => (left === undefined ? [] : turnsOf(left)), [left])
  const rightTurns = useMemo(() => (right === undefined ? [] : turnsOf(right)), [right])
  useEffect(() => {
    if (left === undefined || right === undefined) return
    let isCancelled = false
    const load = async () => {
      const isSame = done?.outlines[0] === left && done.outlines[1] === right
      let read = isSame ? done : { outlines: [left, right], pairs: [], count: 0, ...NOTHING }
      if (!isSame) {
        const [one, other] = await Promise.all([
          readContents(left, questions(leftTurns), done?.left ?? NO_CONTENTS),
          readContents(right, questions(rightTurns), done?.right ?? NO_CONTENTS),
        ])
        const pairs = alignTurns(
          leftTurns.map((turn) => wordsOf(left, turn, one)),
          rightTurns.map((turn) => wordsOf(right, turn, other)),
        )
        read = { ...read, pairs, left: one, right: other }
      }
      while (!isCancelled && read.count < Math.min(wanted, read.pairs.length)) {
        const part = read.pairs.slice(read.count, read.count + PORTION)
        const [one, other] = await Promise.all([
          readContents(
            left,
            part.flatMap(([place]) => entriesOf(leftTurns[place])),
            read.left,
          ),
          readContents(
            right,
            part.flatMap(([, place]) => entriesOf(rightTurns[place])),
            read.right,
          ),
        ])
        read = { ...read, count: read.count + part.length, left: one, right: other }
        if (!isCancelled) setDone(read)
      }
      if (!isCancelled) setDone(read)
    }
    load().catch((error: unknown) => {
      if (!(error instanceof ProblemError)) throw error
      if (!isCancelled) setProblem(error.problem)
    })
    return () => {
      isCancelled = true
    }
  }, [left, right, wanted, attempt])
  const rows = useMemo((): Row[] => {
    const [one, other] = done?.outlines ?? []
    if (done === undefined || one !== left || other !== right || !left || !right) return []
    return done.pairs.slice(0, done.count).map(([from, to]) => {
      const [mine, others] = [leftTurns[from], rightTurns[to]]
      return {
        left: mine,
        right: others,
        differences: differencesOf(
          { outline: left, contents: done.left },
          mine,
          { outline: right, contents: done.right },
          others,
        ),
      }
    })
  }, [done, left, right])
  return {
    rows,
    /** The number of aligned turns, of which those of `rows` have been read. */
    count: done?.pairs.length ?? 0,
    /** True when the rest is read on request alone. */
    isPaused: rows.length >= wanted && rows.length < (done?.pairs.length ?? 0),
    left: done?.left ?? NO_CONTENTS,
    right: done?.right ?? NO_CONTENTS,
    problem,
    more: () => setWanted((before) => before + MAX_UNASKED),
    retry: () => {
      setProblem(undefined)
      setAttempt((before) => before + 1)
    },
  }
}

const NOTHING = { left: NO_CONTENTS, right: NO_CONTENTS }

/** The entries by which turns are aligned: of a run, the beginning of its input will do. */
const questions = (turns: readonly Turn[]): ChatItem[] =>
  turns.flatMap(({ question, root }): ChatItem[] => {
    if (root >= 0) return [{ kind: 'tool', place: root }]
    return question < 0 ? [] : [{ kind: 'message', place: question }]
  })

/** The entries of a turn, and its run with all that it took and gave. */
const entriesOf = (turn: Turn | undefined): readonly ChatItem[] => {
  if (turn === undefined || turn.root < 0) return turn?.items ?? []
  return [...turn.items, { kind: 'message', place: turn.root }]
}
