import { useEffect, useRef, useState } from 'react'
import { Redirect, Router, useLocation } from 'wouter'
import { segment } from './address/segment.js'
import { projectInAddress } from './data/current-project.js'
import { type OpenProject, onSessionsElsewhere } from './data/known-sessions.js'
import { SIGNED_OUT } from './data/problem.js'
import { ProjectProvider, SessionsProvider } from './data/project.js'
import { signIn, takeToken } from './data/session.js'
import { ownPath } from './format/base.js'
import { type AppState, chooseProject, guessState, readState } from './open-project.js'
import { DocsPage, isDocs, Pages, preload } from './routes.js'
import { ForeignPage } from './shell/foreign-page.js'
import { takeRefusal } from './shell/refusals.js'
import { SignInPage } from './shell/sign-in.js'
import { ProblemView } from './ui/problem-view.js'
import { Toasts } from './ui/toasts.js'

interface Check {
  /** True if the page is to go with its session. */
  isOver: boolean
  /** True if the project is opened by it. */
  isOpening: boolean
  /** The reason to show if there is no session. */
  reason?: string
}

const FIRST_CHECK: Check = { isOver: true, isOpening: true }

/** A browser without the cookie would show the same form again, as if nothing had happened. */
const AFTER_SIGN_IN: Check = {
  ...FIRST_CHECK,
  reason:
    'The sign-in went well, but this browser has not kept its cookie. Allow cookies for this address, and open the service at its public URL: over https if that begins with it.',
}

/** Taken once, before the first request. */
const token = takeToken()
/** The reason why a sign-in with the provider failed, which it led back here with. */
const refusal = takeRefusal()

/** Checks the sessions, signs in by a link, and shows the page of the address. */
export const App = () => {
  const [state, setState] = useState<AppState>(() => guessState(ownPath(window.location.pathname)))
  const [location, navigate] = useLocation()
  const isSigningIn = location === '/sign-in'
  const shown = useRef(state)
  shown.current = state
  const start = async (path = location, { isOver, isOpening, reason } = FIRST_CHECK) => {
    const state = await readState(path)
    const found = state.is === 'signed out' ? { ...state, reason: state.reason ?? reason } : state
    // The tabs that only hear of another one's project were not opened last.
    if (found.is === 'open' && isOpening) chooseProject(found.project.id)
    // The page of a returning user is open already: it stays, and says itself what it can't read.
    if (shown.current.is !== 'open') return setState(found)
    if (found.is === 'failed') return setTimeout(() => checkAgain({ isOver, isOpening }), RETRY_MS)
    // A session that ended by itself takes no unsaved text with it: another tab is there to sign in again.
    if (found.is !== 'open' && !isOver) return
    setState(found.is === 'signed out' ? { ...found, reason: found.reason ?? SIGNED_OUT } : found)
  }
  const checkAgain = (check: Check) => start(ownPath(window.location.pathname), check)
  /** Opens the page that was asked for before the sign-in, or else the project. */
  const goOn = async (projectId: string) => {
    chooseProject(projectId)
    const path = nextIn(window.location.search) ?? '/'
    await start(path.split('?')[0], AFTER_SIGN_IN)
    navigate(path, { replace: true })
  }
  const startBy = async (token: string) => {
    const projectId = await signIn({ token }).catch(() => undefined)
    if (projectId !== undefined) return goOn(projectId)
    const found = await readState('/')
    if (found.is === 'signed out') return setState({ ...found, reason: USED_LINK })
    // A live session needs no valid link.
    setState(found)
    if (found.is === 'open') navigate('/', { replace: true })
  }
  useEffect(() => {
    // Everybody may read the documentation: no request to the service.
    if (isDocs(location)) return
    preload(location)
    if (token === undefined) void start()
    else void startBy(token)
  }, [])
  // A page stays no longer than until somebody signs out, in whichever tab.
  useEffect(() => onSessionsElsewhere((isOver) => checkAgain({ isOver, isOpening: false })), [])
  if (isDocs(location)) return <DocsPage />
  if (state.is === 'starting') return null
  if (state.is === 'failed')
    return (
      <main className="sign-in">
        <ProblemView problem={state.problem} retry={() => start()} />
      </main>
    )
  if (state.is === 'signed out' || isSigningIn)
    return (
      <SignInPage
        reason={refusal ?? (state.is === 'signed out' ? state.reason : undefined)}
        provider={state.provider}
        next={isSigningIn ? (nextIn(window.location.search) ?? '/') : pageOf(window.location)}
        sessions={sessionsOf(state)}
        onDone={async (projectId) => {
          if (isSigningIn) return goOn(projectId)
          await start(location, AFTER_SIGN_IN)
        }}
      />
    )
  const asked = projectInAddress(location)
  if (state.is === 'elsewhere' || (asked !== undefined && asked !== state.project.id))
    return <ForeignPage asked={asked ?? ''} sessions={state.sessions} />
  const { project, sessions } = state
  const base = `/projects/${segment(project.id)}`
  if (asked === undefined) {
    const page = pageWithoutProject() ?? (project.isEmpty ? '/settings/connect' : '/threads')
    return <Redirect to={`${base}${page}`} replace />
  }
  return (
    <SessionsProvider value={sessions}>
      <ProjectProvider value={project}>
        <Router base={base}>
          <Toasts>
            <Pages />
          </Toasts>
        </Router>
      </ProjectProvider>
    </SessionsProvider>
  )
}

/** The pause before another check of the sessions, of which one was cut. */
const RETRY_MS = 3000

/** Returns the page to go on with after the sign-in; undefined when the address names none of this service. */
const nextIn = (search: string): string | undefined => {
  const next = new URLSearchParams(search).get('next')
  // Only a path of this service, and never another host.
  return next !== null && /^\/(?![/\\])/.test(next) ? next : undefined
}

const pageOf = ({ pathname, search, hash }: Location): string =>
  `${ownPath(pathname)}${search}${hash}`

/** Returns the page that an address without a project names: the SDK prints such links. Undefined when it names none. */
const pageWithoutProject = (): string | undefined => {
  const page = pageOf(window.location)
  return /^\/(projects(\/|[?#]|$)|[?#]|$)/.test(page) ? undefined : page
}

const sessionsOf = (state: AppState): readonly OpenProject[] =>
  state.is === 'open' || state.is === 'elsewhere' ? state.sessions : []

const USED_LINK =
  'This link was already used, or is more than an hour old. stepwell sign-in prints a new one.'
