import { Link } from 'wouter'
import { segment } from '../address/segment.js'
import { atLeast, dollars } from '../format/money.js'
import { count, nounOf, plural } from '../format/number.js'
import { duration } from '../format/time.js'
import type { Column } from '../table/table.js'

interface Result {
  experimentRunId: string | null
  durationMs: number | null
  tokens: number | null
  /** Given by the task. */
  cost: number | null
  /** By the prices of the service. */
  runCost: number | null
  runUnpricedCount: number | null
}

/** Returns the address of the run that made a result; undefined when none was recorded. */
export const runOf = ({ experimentRunId }: Pick<Result, 'experimentRunId'>): string | undefined =>
  experimentRunId === null ? undefined : `/steps/${segment(experimentRunId)}`

/**
 * Returns the address at which a judged result is seen best: its run with the scores, else the results of all experiments
 * on its dataset item, else its experiment.
 */
export const experimentItemLink = ({
  experimentRunId,
  datasetItemId,
  experiment,
}: {
  experimentRunId: string | null
  datasetItemId: string | null
  experiment: { id: string; datasetId: string | null } | null
}): string | undefined => {
  if (experimentRunId !== null) return `/steps/${segment(experimentRunId)}?tab=scores`
  if (experiment === null) return undefined
  return experiment.datasetId === null || datasetItemId === null
    ? `/experiments/${segment(experiment.id)}`
    : `/datasets/${segment(experiment.datasetId)}/items/${segment(datasetItemId)}`
}

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
    unit: ({ tokens }) => nounOf(tokens ?? 0, 'token'),
    width: 80,
    align: 'right',
    isBlank: ({ tokens }) => tokens === null || tokens === 0,
    cell: ({ tokens }) => count(tokens),
  },
  {
    id: 'cost',
    title: 'Cost',
    width: 116,
    align: 'right',
    isBlank: ({ cost, runCost }) => cost === null && runCost === null,
    cell: (row) => <ResultCost result={row} />,
  },
  {
    id: 'run',
    title: 'Run',
    // With more, tables of 1,280 pixels have no place for it.
    width: 90,
    cell: (row) => {
      const run = runOf(row)
      return run === undefined ? (
        <span className="quiet" title="No run was recorded">
          none
        </span>
      ) : (
        <Link href={run}>its run</Link>
      )
    },
  },
]

/** The cost of a result: the one that the task gave, which is marked, else that of its run by the prices of the service. */
const ResultCost = ({
  result: { cost, runCost, runUnpricedCount },
}: {
  result: Pick<Result, 'cost' | 'runCost' | 'runUnpricedCount'>
}) => {
  const isPartial = (runUnpricedCount ?? 0) > 0
  const ofRun = atLeast(runCost, isPartial)
  if (cost !== null)
    return (
      <span title={`Given by the task; by the prices here its run cost ${ofRun}`}>
        {dollars(cost)} <span className="quiet">given</span>
      </span>
    )
  return (
    <span
      title={
        isPartial
          ? `${plural(runUnpricedCount ?? 0, 'call')} without a price for all parts`
          : 'Of its run, by the prices here'
      }
    >
      {ofRun}
    </span>
  )
}
