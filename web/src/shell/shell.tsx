import { type ReactNode, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useFocusOfContent } from '../browser/kept-focus.js'
import { useKeys } from '../browser/keys.js'
import { useWidth } from '../browser/use-width.js'
import { browserStore } from '../format/store.js'
import { DESTINATIONS } from './destinations.js'
import { Drawer } from './drawer.js'
import { HelpDialog } from './help.js'
import { Palette } from './palette.js'
import { ProjectsDialog } from './projects-dialog.js'
import { Rail } from './rail.js'
import { useShellActions } from './use-shell-actions.js'

/** Pages that are less wide have a drawer instead of the rail. */
const MIN_RAIL_WIDTH = 1024

/** The frame around every page: the rail, the palette, the keys that work everywhere. */
export const Shell = ({ children }: { children: ReactNode }) => {
  const [location, navigate] = useLocation()
  useFocusOfContent(location)
  const [isFolded, setFolded] = useState(browserStore.get('rail') === 'folded')
  const isNarrow = useWidth() < MIN_RAIL_WIDTH
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const [shown, show] = useState<'palette' | 'actions' | 'help' | 'projects' | null>(null)
  const opens = (dialog: 'palette' | 'projects') => () => {
    close()
    show(dialog)
  }
  // Every page begins with the drawer closed.
  useEffect(() => setOpen(false), [location, isNarrow])
  useEffect(() => {
    const open = () => setOpen((is) => !is)
    document.addEventListener('stepwell-menu', open)
    return () => document.removeEventListener('stepwell-menu', open)
  }, [])
  useKeys({
    ...Object.fromEntries(
      DESTINATIONS.flat().map(({ key, path }) => [`g ${key}`, () => navigate(path)]),
    ),
    'Ctrl+k': opens('palette'),
    '.': () => show('actions'),
    '?': () => show('help'),
  })
  const fold = () => {
    browserStore.set('rail', isFolded ? 'open' : 'folded')
    setFolded(!isFolded)
  }
  useShellActions({
    onFold: fold,
    onProjects: () => show('projects'),
    onHelp: () => show('help'),
  })
  return (
    <div className={isFolded && !isNarrow ? 'shell folded' : 'shell'}>
      <a className="button skip" href="#content">
        Skip to the content
      </a>
      {isNarrow ? (
        isOpen && (
          <Drawer onClose={close}>
            <Rail isFolded={false} onProjects={opens('projects')} onFind={opens('palette')} />
          </Drawer>
        )
      ) : (
        <Rail
          isFolded={isFolded}
          onFold={fold}
          onProjects={opens('projects')}
          onFind={opens('palette')}
        />
      )}
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
