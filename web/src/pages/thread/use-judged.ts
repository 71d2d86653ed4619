import { useEffect, useState } from 'react'
import { ScoresSinceDocument } from '../../../generated/operations.js'
import { plainClient } from '../../data/client.js'
import { read } from '../../data/use-data.js'

const POLL_MS = 5000
/** Scores of one look; of more than that in so short a time, the newest count. */
const MAX_SCORES = 100
const EVER = '0001-01-01T00:00:00Z'

/** The newest score of each step and thread that was judged while the page is open, by the id of what it judges. */
export interface Judged {
  steps: ReadonlyMap<string, string>
  threads: ReadonlyMap<string, string>
}

const NOBODY: Judged = { steps: new Map(), threads: new Map() }

/** Looks for scores that others give meanwhile: a user's feedback changes no step, so that the outline tells of none. */
export const useJudged = (): Judged => {
  const [judged, setJudged] = useState<Judged>(NOBODY)
  useEffect(() => {
    let isOver = false
    let since: string | undefined
    let timer: ReturnType<typeof setTimeout>
    const known = new Set<string>()
    const look = async () => {
      const variables = { since: since ?? EVER, first: since === undefined ? 1 : MAX_SCORES }
      const answer =
        document.visibilityState === 'visible'
          ? await read(ScoresSinceDocument, variables, plainClient).catch(() => undefined)
          : undefined
      if (isOver) return
      timer = setTimeout(look, POLL_MS)
      if (answer === undefined) return
      const scores = answer.scores.edges.map(({ node }) => node)
      const isFirst = since === undefined
      since = scores[0]?.createdAt ?? since ?? EVER
      const given = scores.filter(({ id }) => !known.has(id)).reverse()
      for (const { id } of given) known.add(id)
      if (isFirst || given.length === 0) return
      setJudged((before) => {
        const steps = new Map(before.steps)
        const threads = new Map(before.threads)
        for (const { id, stepId, threadId } of given) {
          if (stepId !== null) steps.set(stepId, id)
          else if (threadId !== null) threads.set(threadId, id)
        }
        return { steps, threads }
      })
    }
    void look()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [])
  return judged
}
