import { Link, useLocation } from 'wouter'
import { useProject } from '../data/project.js'
import { at } from '../format/base.js'
import { Icon } from '../ui/icons.js'
import { DESTINATIONS } from './destinations.js'

const isUnder = (location: string, path: string): boolean => {
  const [, first] = path.split('/')
  const [, here] = location.split('/')
  return first === here || (first === 'threads' && here === 'runs')
}

/** The links to all pages. */
export const Rail = ({
  isFolded,
  onFold,
  onProjects,
  onFind,
}: {
  isFolded: boolean
  /** Undefined where the rail can't be folded. */
  onFold?: () => void
  onProjects: () => void
  onFind: () => void
}) => {
  const { name: projectName } = useProject()
  const [location] = useLocation()
  return (
    <nav className="rail" aria-label="Pages">
      <Link href="/threads" className="brand">
        <img src={ICON} width="16" height="16" alt="" />
        <span className="word clip">Stepwell</span>
      </Link>
      <button
        type="button"
        className="entry project"
        aria-label={`Project: ${projectName}`}
        title={projectName}
        onClick={onProjects}
      >
        <Icon name="switch" />
        <span className="word clip">
          <bdi>{projectName}</bdi>
        </span>
      </button>
      {DESTINATIONS.map((group) => (
        <div key={group[0]?.path}>
          {group.map(({ path, name, icon }) => (
            <Link
              key={path}
              href={path}
              aria-current={isUnder(location, path) ? 'page' : undefined}
              aria-label={isFolded ? name : undefined}
              title={isFolded ? name : undefined}
            >
              <Icon name={icon} />
              <span className="word">{name}</span>
            </Link>
          ))}
          <div className="gap" />
        </div>
      ))}
      <div className="grow" />
      <a href={at('/docs')} aria-label={isFolded ? 'Documentation' : undefined}>
        <Icon name="open" />
        <span className="word">Documentation</span>
      </a>
      <button
        type="button"
        className="entry"
        onClick={onFind}
        aria-label={isFolded ? 'Find' : undefined}
      >
        <Icon name="retrieval" />
        <span className="word grow">Find</span>
        <kbd className="word">Ctrl K</kbd>
      </button>
      {onFold !== undefined && (
        <button
          type="button"
          className="entry"
          aria-label={isFolded ? 'Unfold the rail' : 'Fold the rail'}
          onClick={onFold}
        >
          <Icon name={isFolded ? 'right' : 'left'} />
          <span className="word">Fold</span>
        </button>
      )}
    </nav>
  )
}

const ICON = new URL('../icon.svg', import.meta.url).href
