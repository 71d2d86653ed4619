import { type ReactNode, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useKeys } from '../browser/keys.js'
import { useProject } from '../data/project.js'
import { at } from '../format/base.js'
import { Icon } from '../ui/icons.js'
import { DESTINATIONS } from './destinations.js'
import { HelpDialog } from './help.js'
import { Palette } from './palette.js'
import { ProjectsDialog } from './projects-dialog.js'
import { useShellActions } from './use-shell-actions.js'

const isUnder = (location: string, path: string): boolean => {
  const [, first] = path.split('/')
  const [, here] = location.split('/')
  return first === here || (first === 'threads' && here === 'runs')
}

/** The frame around every page: the rail, the palette, the keys that work everywhere. */
export const Shell = ({ children }: { children: ReactNode }) => {
  const { name: projectName } = useProject()
  const [location, navigate] = useLocation()
  const [isFolded, setFolded] = useState(localStorage.getItem('rail') === 'folded')
  const [isOpen, setOpen] = useState(false)
  const [shown, show] = useState<'palette' | 'actions' | 'help' | 'projects' | null>(null)
  // Every page begins with the rail closed.
  useEffect(() => setOpen(false), [location])
  useEffect(() => {
    const open = () => setOpen((is) => !is)
    document.addEventListener('stepwell-menu', open)
    return () => document.removeEventListener('stepwell-menu', open)
  }, [])
  useKeys({
    ...Object.fromEntries(
      DESTINATIONS.flat().map(({ key, path }) => [`g ${key}`, () => navigate(path)]),
    ),
    'Ctrl+k': () => show('palette'),
    '.': () => show('actions'),
    '?': () => show('help'),
  })
  const fold = () => {
    localStorage.setItem('rail', isFolded ? 'open' : 'folded')
    setFolded(!isFolded)
    requestAnimationFrame(() => document.dispatchEvent(new Event('stepwell-fold')))
  }
  useShellActions({
    onFold: fold,
    onProjects: () => show('projects'),
    onHelp: () => show('help'),
  })
  return (
    <div className={isFolded ? 'shell folded' : 'shell'}>
      <a className="button skip" href="#content">
        Skip to the content
      </a>
      <nav className={isOpen ? 'rail open' : 'rail'} aria-label="Pages">
        <Link href="/threads" className="brand">
          <img src={ICON} width="16" height="16" alt="" />
          <span className="word clip">Stepwell</span>
        </Link>
        <button
          type="button"
          className="entry project"
          aria-label={`Project: ${projectName}`}
          title={projectName}
          onClick={() => show('projects')}
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
          onClick={() => show('palette')}
          aria-label={isFolded ? 'Find' : undefined}
        >
          <Icon name="retrieval" />
          <span className="word grow">Find</span>
          <kbd className="word">Ctrl K</kbd>
        </button>
        <button
          type="button"
          className="entry only-wide"
          aria-label={isFolded ? 'Unfold the rail' : 'Fold the rail'}
          onClick={fold}
        >
          <Icon name={isFolded ? 'right' : 'left'} />
          <span className="word">Fold</span>
        </button>
      </nav>
      <main className="main" id="content" tabIndex={-1}>
        {children}
      </main>
      {(shown === 'palette' || shown === 'actions') && (
        <Palette key={shown} only={shown} onClose={() => show(null)} />
      )}
      {shown === 'projects' && <ProjectsDialog onClose={() => show(null)} />}
      {shown === 'help' && <HelpDialog onClose={() => show(null)} />}
    </div>
  )
}

const ICON = new URL('../icon.svg', import.meta.url).href
