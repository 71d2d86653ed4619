import { useLocation } from 'wouter'
import { useKeys } from '../../browser/keys.js'
import { walkAt } from '../../list/neighbours.js'
import { Icon } from '../../ui/icons.js'

/** `[` and `]` walk the list that one came from. */
export const Neighbours = () => {
  const [path, navigate] = useLocation()
  const walk = walkAt(path)
  useKeys(
    {
      '[': () => walk?.previous !== undefined && navigate(walk.previous),
      ']': () => walk?.next !== undefined && navigate(walk.next),
      Escape: () => {
        if (walk !== undefined) navigate(walk.from, { replace: false })
      },
    },
    walk !== undefined,
  )
  if (walk === undefined) return null
  return (
    <div className="row only-wide" style={{ gap: 2 }}>
      <button
        type="button"
        className="button plain small"
        aria-label="The one before"
        title="["
        disabled={walk.previous === undefined}
        onClick={() => walk.previous !== undefined && navigate(walk.previous)}
      >
        <Icon name="left" />
      </button>
      <button
        type="button"
        className="button plain small"
        aria-label="The one after"
        title="]"
        disabled={walk.next === undefined}
        onClick={() => walk.next !== undefined && navigate(walk.next)}
      >
        <Icon name="right" />
      </button>
    </div>
  )
}
