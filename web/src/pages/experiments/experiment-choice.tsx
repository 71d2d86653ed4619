import { ExperimentTableDocument } from '../../../generated/operations.js'
import { useData } from '../../data/use-data.js'
import { line } from '../../format/text.js'
import { moment } from '../../format/time.js'
import { ProblemView } from '../../ui/problem-view.js'

/** Experiments that are offered: the newest ones. */
export const MAX_OFFERED = 100

/** Chooses the experiments to compare: the first one is the base. */
export const ExperimentChoice = ({
  datasetId,
  ids,
  most,
  onChange,
}: {
  /** Null for those without a dataset. */
  datasetId: string | null
  ids: readonly string[]
  most: number
  onChange: (ids: readonly string[]) => void
}) => {
  const { data, problem, refresh } = useData(ExperimentTableDocument, {
    datasetId,
    first: MAX_OFFERED,
  })
  const offered = (data?.datasetExperiments.edges.map(({ node }) => node) ?? []).filter(
    ({ dataset }) => (dataset?.id ?? null) === datasetId,
  )
  const rest = offered.filter(({ id }) => !ids.includes(id))
  const titleOf = (id: string) => {
    const found = offered.find((one) => one.id === id)
    return found === undefined
      ? data === undefined
        ? '…'
        : 'an older one'
      : `${line(found.name, 60)} · ${moment(found.createdAt)}`
  }
  return (
    <div className="row wrap">
      {problem !== undefined && <ProblemView problem={problem} retry={refresh} />}
      {ids.map((id, place) => (
        <label key={id} className="row" style={{ gap: 4 }}>
          <span className="soft">{place === 0 ? 'base' : 'with'}</span>
          <select
            className="field"
            // The same before its names are there, so that nothing moves.
            style={{ width: 'min(240px, 60vw)' }}
            value={id}
            onChange={({ target: { value } }) =>
              onChange(
                ids.map((one, at) => (at === place ? value : one)).filter((one) => one !== ''),
              )
            }
          >
            <option value={id}>{titleOf(id)}</option>
            {rest.map((one) => (
              <option key={one.id} value={one.id}>
                {titleOf(one.id)}
              </option>
            ))}
            {place > 0 && ids.length > 2 && <option value="">without it</option>}
          </select>
        </label>
      ))}
      {ids.length < most && rest.length > 0 && (
        <select
          className="field"
          aria-label="Add an experiment"
          value=""
          onChange={(event) => onChange([...ids, event.target.value])}
        >
          <option value="">+ add</option>
          {rest.map((one) => (
            <option key={one.id} value={one.id}>
              {titleOf(one.id)}
            </option>
          ))}
        </select>
      )}
      {ids.length === 2 && (
        <button
          type="button"
          className="button small"
          onClick={() => onChange([ids[1] ?? '', ids[0] ?? ''])}
        >
          swap
        </button>
      )}
    </div>
  )
}
