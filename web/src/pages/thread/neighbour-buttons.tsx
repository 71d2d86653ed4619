import { useLocation } from 'wouter'
import { useKeys } from '../../browser/keys.js'
import { neighboursAt } from '../../list/neighbours.js'
import { Icon } from '../../ui/icons.js'

/** Go to the neighbours in the list behind the page, also by `[` and `]`. */
export const NeighbourButtons = () => {
  const [path, navigate] = useLocation()
  const neighbours = neighboursAt(path)
  useKeys(
    {
      '[': () => neighbours?.previous !== undefined && navigate(neighbours.previous),
      ']': () => neighbours?.next !== undefined && navigate(neighbours.next),
      Escape: () => {
        if (neighbours !== undefined) navigate(neighbours.from, { replace: false })
      },
    },
    neighbours !== undefined,
  )
  if (neighbours === undefined) return null
  return (
    <div className="row" style={{ gap: 2 }}>
      <button
        type="button"
        className="button plain small"
        aria-label="Previous"
        title="["
        disabled={neighbours.previous === undefined}
        onClick={() => neighbours.previous !== undefined && navigate(neighbours.previous)}
      >
        <Icon name="left" />
      </button>
      <button
        type="button"
        className="button plain small"
        aria-label="Next"
        title="]"
        disabled={neighbours.next === undefined}
        onClick={() => neighbours.next !== undefined && navigate(neighbours.next)}
      >
        <Icon name="right" />
      </button>
    </div>
  )
}
