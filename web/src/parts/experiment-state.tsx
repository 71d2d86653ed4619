import { plural } from '../format/number.js'
import { line } from '../format/text.js'

interface Ended {
  status: string | null
  problem: string | null
  itemCount: number
  params: unknown
}

const WORDS: Readonly<Record<string, string>> = {
  OVER_BUDGET: 'over budget',
  STOPPED: 'stopped',
  BROKEN: 'broken',
  DECIDED: 'decided early',
}

/** Returns the number of results that an evaluation planned; undefined when it is not known. */
const plannedOf = (params: unknown): number | undefined => {
  const { evaluate } = (params ?? {}) as {
    evaluate?: { items?: unknown; repetitions?: unknown } | null
  }
  const planned = Number(evaluate?.items) * Number(evaluate?.repetitions)
  return Number.isFinite(planned) ? planned : undefined
}

/** A mark for an experiment whose run did not come to a good end; nothing for the others. */
export const ExperimentState = ({ experiment }: { experiment: Ended }) => {
  const { status, problem, itemCount, params } = experiment
  const planned = plannedOf(params)
  const lacks = planned !== undefined && itemCount < planned
  const word = WORDS[status ?? ''] ?? (lacks ? 'not complete' : undefined)
  if (word === undefined) return null
  const count = lacks ? `${itemCount} of ${plural(planned, 'result')}` : undefined
  return (
    <span
      className={status === 'DECIDED' ? 'soft' : 'bad'}
      title={line(problem ?? count ?? '', 300) || undefined}
    >
      {word}
      {count !== undefined && `, ${count}`}
    </span>
  )
}
