import { useLocation } from 'wouter'
import { line } from '../../format/text.js'
import { moment } from '../../format/time.js'
import { compareLink } from '../../parts/compare-link.js'

interface Offered {
  id: string
  name: string
  createdAt: string
}

/** Offers other experiments on the same data as the base of a comparison: earlier ones first, the previous one marked. */
export const CompareWith = ({
  experiment: { id, name, createdAt },
  datasetId,
  experiments,
}: {
  experiment: Offered
  /** Null without one. */
  datasetId: string | null
  /** Newest first. */
  experiments: readonly Offered[]
}) => {
  const [, navigate] = useLocation()
  const own = experiments.findIndex((one) => one.id === id)
  // One that is not among the newest is older than them.
  const isEarlier = (one: Offered, place: number) =>
    own < 0 ? Date.parse(one.createdAt) <= Date.parse(createdAt) : place > own
  const groups = {
    'Before it': experiments.filter((one, place) => one.id !== id && isEarlier(one, place)),
    'After it': experiments.filter((one, place) => one.id !== id && !isEarlier(one, place)),
  }
  // On other data than a dataset's, only an experiment of the same name is surely on the same.
  const previous =
    groups['Before it'].find((one) => one.name === name) ??
    (datasetId === null ? undefined : groups['Before it'][0])
  if (experiments.every((one) => one.id === id)) return null
  return (
    <select
      className="field"
      aria-label="Compare with"
      value=""
      onChange={({ target: { value } }) => navigate(compareLink(datasetId, [value, id]))}
    >
      <option value="">Compare with …</option>
      {Object.entries(groups).map(
        ([label, some]) =>
          some.length > 0 && (
            <optgroup key={label} label={label}>
              {some.map((one) => (
                <option key={one.id} value={one.id}>
                  {one === previous && 'previous: '}
                  {line(one.name, 60)} · {moment(one.createdAt)}
                </option>
              ))}
            </optgroup>
          ),
      )}
    </select>
  )
}
