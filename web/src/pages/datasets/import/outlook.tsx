import { count, plural } from '../../../format/number.js'
import type { BadRow, Mapped } from './messages.js'

/** Rows that are named in a sentence. */
const MAX_ROWS = 12
/** Rows whose problems are shown. */
const MAX_PROBLEMS = 20

/** Names rows by their numbers: `7, 9, 12 and 40 more`. */
export const rowNumbers = (bad: readonly BadRow[], total: number): string => {
  const named = bad.slice(0, MAX_ROWS).map(({ row }) => String(row))
  const others = total - named.length
  return `${named.join(', ')}${others > 0 ? ` and ${count(others)} more` : ''}`
}

/** Says before an import what it will do. */
export const Outlook = ({ mapped, datasetName }: { mapped: Mapped; datasetName: string }) => {
  const { count: items, badCount, bad, first } = mapped
  return (
    <>
      <p role="status">
        <strong>{plural(items, 'item')}</strong>
        {badCount > 0 && (
          <span className="bad">
            {' '}
            · {plural(badCount, 'row')} can't be imported: {rowNumbers(bad, badCount)}
          </span>
        )}
        . Items that <bdi>{datasetName}</bdi> has already are left out.
      </p>
      {badCount > 0 && <BadRows bad={bad} total={badCount} />}
      {first !== undefined && (
        <details>
          <summary>The first item</summary>
          <pre className="import-item" dir="auto">
            {JSON.stringify(
              {
                input: first.input,
                expectedOutput: first.expectedOutput,
                metadata: first.metadata,
              },
              null,
              2,
            ).slice(0, 5000)}
          </pre>
        </details>
      )}
    </>
  )
}

/** Names the problems of rows. */
export const BadRows = ({ bad, total }: { bad: readonly BadRow[]; total: number }) => (
  <details open={total <= 3}>
    <summary>Problems by row</summary>
    <ul>
      {bad.slice(0, MAX_PROBLEMS).map(({ row, problem }) => (
        <li key={row}>
          row {row}: <bdi>{problem.slice(0, 300)}</bdi>
        </li>
      ))}
    </ul>
    {total > MAX_PROBLEMS && <p>And {count(total - MAX_PROBLEMS)} more.</p>}
  </details>
)
