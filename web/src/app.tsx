import { useEffect, useState } from 'react'
import { Redirect, Router, useLocation } from 'wouter'
import { segment } from './address/segment.js'
import { ProjectProvider } from './data/project.js'
import { signIn, takeToken } from './data/session.js'
import { type AppState, guessState, LAST_PROJECT, readState } from './open-project.js'
import { DocsPage, isDocs, Pages, preload } from './routes.js'
import { SignInPage } from './shell/sign-in.js'
import { ProblemView } from './ui/problem-view.js'
import { Toasts } from './ui/toasts.js'

/** Taken once, before the first request. */
const token = takeToken()

/** Checks the session, signs in by a link, and shows the page of the address. */
export const App = () => {
  const [state, setState] = useState<AppState>(() => guessState(window.location.pathname))
  const [location, navigate] = useLocation()
  const goOn = () => {
    const next = new URLSearchParams(window.location.search).get('next')
    // Only a path of this service, and never another host.
    navigate(next !== null && /^\/(?![/\\])/.test(next) ? next : '/', { replace: true })
  }
  const start = async () => {
    const found = await readState()
    if (found.is === 'open') localStorage.setItem(LAST_PROJECT, found.project.id)
    else localStorage.removeItem(LAST_PROJECT)
    setState(found)
  }
  const startBy = async (token: string) => {
    const isLetIn = await signIn({ token }).then(
      () => true,
      () => false,
    )
    const found = await readState()
    // A live session needs no valid link.
    if (found.is === 'signed out' && !isLetIn) setState({ ...found, reason: USED_LINK })
    else {
      await start()
      if (found.is === 'open') goOn()
    }
  }
  useEffect(() => {
    // Everybody may read the documentation: no request to the service.
    if (isDocs(location)) return
    preload(location)
    if (token === undefined) void start()
    else void startBy(token)
  }, [])
  if (isDocs(location)) return <DocsPage />
  if (state.is === 'starting') return null
  if (state.is === 'failed')
    return (
      <main className="sign-in">
        <ProblemView problem={state.problem} retry={start} />
      </main>
    )
  const asked = /^\/projects\/([^/]+)/.exec(location)?.[1]
  if (state.is === 'signed out' || location === '/sign-in')
    return (
      <SignInPage
        reason={state.is === 'signed out' ? state.reason : undefined}
        onDone={async () => {
          await start()
          if (location === '/sign-in') goOn()
        }}
      />
    )
  const { project } = state
  if (asked !== undefined && asked !== segment(project.id) && asked !== project.id)
    return (
      <main className="sign-in">
        <div className="column">
          <h1>This page belongs to another project</h1>
          <p>
            It belongs to <code>{asked}</code>; you are signed in to <bdi>{project.name}</bdi>.
          </p>
          <div className="row">
            <a
              className="button primary"
              href={`/sign-in?next=${segment(location + window.location.search)}`}
            >
              Sign in to it
            </a>
            <a className="button" href="/">
              Go to {project.name}
            </a>
          </div>
        </div>
      </main>
    )
  const base = `/projects/${segment(project.id)}`
  if (asked === undefined)
    return <Redirect to={`${base}${project.isEmpty ? '/settings/connect' : '/threads'}`} replace />
  return (
    <ProjectProvider value={project}>
      <Router base={base}>
        <Toasts>
          <Pages name={project.name} />
        </Toasts>
      </Router>
    </ProjectProvider>
  )
}

const USED_LINK =
  'This link was already used, or is more than an hour old. stepwell sign-in prints a new one.'
