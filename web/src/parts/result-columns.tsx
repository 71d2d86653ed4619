import { Link } from 'wouter'
import { segment } from '../address/segment.js'
import { count } from '../format/number.js'
import { duration } from '../format/time.js'
import type { Column } from '../table/table.js'

interface Result {
  experimentRunId: string | null
  durationMs: number | null
  tokens: number | null
}

/** Returns the address of the run that made a result; undefined when none was recorded. */
export const runOf = ({ experimentRunId }: Pick<Result, 'experimentRunId'>): string | undefined =>
  experimentRunId === null ? undefined : `/steps/${segment(experimentRunId)}`

/** The last columns of a table of results: what each took, and its run. */
export const RESULT_COLUMNS: readonly Column<Result>[] = [
  {
    id: 'duration',
    title: 'Dur.',
    width: 80,
    align: 'right',
    isBlank: ({ durationMs }) => durationMs === null,
    cell: ({ durationMs }) => duration(durationMs),
  },
  {
    id: 'tokens',
    title: 'Tokens',
    unit: 'tokens',
    width: 80,
    align: 'right',
    isBlank: ({ tokens }) => tokens === null || tokens === 0,
    cell: ({ tokens }) => count(tokens),
  },
  {
    id: 'run',
    title: 'Run',
    width: 90,
    cell: (row) => {
      const run = runOf(row)
      return run === undefined ? (
        <span className="quiet">not recorded</span>
      ) : (
        <Link href={run}>its run</Link>
      )
    },
  },
]
