import { useLocation } from 'wouter'
import { ExperimentTableDocument } from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useData } from '../../data/use-data.js'
import { line } from '../../format/text.js'
import { moment } from '../../format/time.js'

const MAX_OFFERED = 100

/** Offers the other experiments on the dataset as the base of a comparison: earlier ones first, the previous one at the top. */
export const CompareWith = ({
  experiment: { id, createdAt },
  datasetId,
}: {
  experiment: { id: string; createdAt: string }
  datasetId: string
}) => {
  const { data } = useData(ExperimentTableDocument, { datasetId, first: MAX_OFFERED })
  const [, navigate] = useLocation()
  const others = (data?.datasetExperiments.edges ?? []).flatMap(({ node }) =>
    node.id === id ? [] : [node],
  )
  if (others.length === 0) return null
  const own = Date.parse(createdAt)
  const isEarlier = (one: { createdAt: string }) => Date.parse(one.createdAt) <= own
  const offered = { earlier: others.filter(isEarlier), later: others.filter((one) => !isEarlier(one)) }
  return (
    <select
      className="field"
      aria-label="Compare with"
      value=""
      onChange={({ target: { value } }) =>
        navigate(`/datasets/${segment(datasetId)}/compare?base=${segment(value)}&with=${segment(id)}`)
      }
    >
      <option value="">Compare with …</option>
      {(['earlier', 'later'] as const).map(
        (when) =>
          offered[when].length > 0 && (
            <optgroup key={when} label={when === 'earlier' ? 'Before it' : 'After it'}>
              {offered[when].map((one, place) => (
                <option key={one.id} value={one.id}>
                  {when === 'earlier' && place === 0 && 'previous: '}
                  {line(one.name, 60)} · {moment(one.createdAt)}
                </option>
              ))}
            </optgroup>
          ),
      )}
    </select>
  )
}
