import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { line } from '../../format/text.js'
import { TypeIcon } from '../../ui/icons.js'
import { addressOf, type Item, NOUNS, nameOf, type Unit } from './queue-units.js'

/** Shows an item to judge: its name with the way to its page, and what it holds. */
export const ReviewItem = ({
  unit,
  item,
  children,
}: {
  unit: Unit
  item: Item | undefined
  children: ReactNode
}) => (
  <div
    className="review-item"
    tabIndex={0}
    role="region"
    aria-label={`The ${NOUNS[unit]} to judge`}
  >
    {item !== undefined && (
      <h2>
        {item.type !== undefined && <TypeIcon type={item.type} />}{' '}
        <bdi>{line(item.name) || nameOf(item)}</bdi>{' '}
        <Link href={addressOf(unit, item.id)} className="soft">
          {unit === 'threads' ? 'with all its steps' : 'in its thread'}
        </Link>
      </h2>
    )}
    {children}
  </div>
)
