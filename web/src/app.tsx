import { type ComponentType, useEffect, useState } from 'react'
import { Redirect, Route, Router, Switch, useLocation, useSearch } from 'wouter'
import { ProjectDocument } from '../generated/operations.js'
import { segment } from './address/segment.js'
import { plainClient } from './data/client.js'
import type { Problem } from './data/problem.js'
import { type Project, ProjectProvider } from './data/project.js'
import { signIn, takeToken } from './data/session.js'
import { Failed, read } from './data/use-data.js'
import { ThreadsPage } from './pages/lists/threads.js'
import { Shell, Top } from './shell/shell.js'
import { SignInPage } from './shell/sign-in.js'
import { Boundary } from './ui/boundary.js'
import { type LoadedPage, loadedPage } from './ui/page-loader.js'
import { ProblemView } from './ui/problem-view.js'
import { Toasts } from './ui/toasts.js'

const ThreadPage = loadedPage(
  async () => (await import('./pages/thread/thread-page.js')).ThreadPage,
)
const RunPage = loadedPage(async () => (await import('./pages/thread/run-page.js')).RunPage)
const StepLink = loadedPage(async () => (await import('./pages/thread/step-link.js')).StepLink)
const StepsPage = loadedPage(async () => (await import('./pages/lists/steps.js')).StepsPage)
const GenerationsPage = loadedPage(
  async () => (await import('./pages/lists/generations.js')).GenerationsPage,
)
const ScoresPage = loadedPage(async () => (await import('./pages/lists/scores.js')).ScoresPage)
const UsersPage = loadedPage(async () => (await import('./pages/lists/users.js')).UsersPage)
const UserPage = loadedPage(async () => (await import('./pages/lists/user.js')).UserPage)
const OverviewPage = loadedPage(
  async () => (await import('./pages/overview/overview-page.js')).OverviewPage,
)
const ReviewPage = loadedPage(
  async () => (await import('./pages/review/review-page.js')).ReviewPage,
)
const DatasetsPage = loadedPage(
  async () => (await import('./pages/datasets/datasets-page.js')).DatasetsPage,
)
const DatasetPage = loadedPage(
  async () => (await import('./pages/datasets/dataset-page.js')).DatasetPage,
)
const ComparePage = loadedPage(
  async () => (await import('./pages/experiments/compare-page.js')).ComparePage,
)
const ExperimentsPage = loadedPage(
  async () => (await import('./pages/experiments/experiments-page.js')).ExperimentsPage,
)
const ExperimentPage = loadedPage(
  async () => (await import('./pages/experiments/experiment-page.js')).ExperimentPage,
)
const PromptsPage = loadedPage(
  async () => (await import('./pages/prompts/prompts-page.js')).PromptsPage,
)
const PromptPage = loadedPage(
  async () => (await import('./pages/prompts/prompt-page.js')).PromptPage,
)
const NewVersionPage = loadedPage(
  async () => (await import('./pages/prompts/new-version-page.js')).NewVersionPage,
)
const SettingsPage = loadedPage(
  async () => (await import('./pages/settings/settings-page.js')).SettingsPage,
)

/** The pages by their paths below the project. */
const PAGES: readonly (readonly [
  path: string,
  page: ComponentType & Partial<Pick<LoadedPage, 'preload'>>,
])[] = [
  ['/threads', ThreadsPage],
  ['/threads/:id', ThreadPage],
  ['/runs/:id', RunPage],
  ['/steps', StepsPage],
  ['/steps/:id', StepLink],
  ['/generations', GenerationsPage],
  ['/scores', ScoresPage],
  ['/users', UsersPage],
  ['/users/:id', UserPage],
  ['/overview', OverviewPage],
  ['/review', ReviewPage],
  ['/datasets', DatasetsPage],
  ['/datasets/:id/compare', ComparePage],
  ['/datasets/:id', DatasetPage],
  ['/experiments', ExperimentsPage],
  ['/experiments/:id', ExperimentPage],
  ['/prompts', PromptsPage],
  ['/prompts/:name', PromptPage],
  ['/prompts/:name/new', NewVersionPage],
  ['/settings/:section', SettingsPage],
]

/** What the address asks for begins to load while it is found out who is there. */
const preload = (location: string): void => {
  const path = location.replace(/^\/projects\/[^/]+/, '')
  for (const [pattern, page] of PAGES)
    if (new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}/?$`).test(path)) page.preload?.()
}

type State =
  | { is: 'starting' }
  | { is: 'signed out'; reason?: string | undefined }
  | { is: 'failed'; problem: Problem }
  | { is: 'open'; project: Project }

/** Once, before anything is shown or asked for. */
const token = takeToken()

/** Finds out who is there, lets them in, and shows the page of the address. */
export const App = () => {
  const [state, setState] = useState<State>(() => guess(window.location.pathname))
  const [location, navigate] = useLocation()
  const goOn = () => {
    const next = new URLSearchParams(window.location.search).get('next')
    // Only a path of this service, and never another host.
    navigate(next !== null && /^\/(?![/\\])/.test(next) ? next : '/', { replace: true })
  }
  const start = async () => {
    const found = await open()
    if (found.is === 'open') localStorage.setItem(LAST_PROJECT, found.project.id)
    else localStorage.removeItem(LAST_PROJECT)
    setState(found)
  }
  const startBy = async (token: string) => {
    const isLetIn = await signIn({ token }).then(
      () => true,
      () => false,
    )
    const found = await open()
    // Whoever is signed in already needs no link that is still good.
    if (found.is === 'signed out' && !isLetIn) setState({ ...found, reason: USED_LINK })
    else {
      await start()
      if (found.is === 'open') goOn()
    }
  }
  useEffect(() => {
    preload(location)
    if (token === undefined) void start()
    else void startBy(token)
  }, [])
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
          <h1>This page is of another project</h1>
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

const Pages = ({ name }: { name: string }) => {
  const [location] = useLocation()
  return (
    <Shell projectName={name}>
      <Boundary name="This page" key={location}>
        <Switch>
          {PAGES.map(([path, Page]) => (
            <Route key={path} path={path} component={Page} />
          ))}
          <Route path="/logs/threads/:id" component={LegacyThread} />
          <Route path="/playground" component={LegacyPrompt} />
          <Route path="/">
            <Redirect to="/threads" replace />
          </Route>
          <Route component={NotFound} />
        </Switch>
      </Boundary>
    </Shell>
  )
}

/** Links that released clients make. */
const LegacyThread = () => {
  const [location] = useLocation()
  const parameters = new URLSearchParams(useSearch())
  const step = parameters.get('currentStepId')
  const id = location.split('/').at(-1)
  return <Redirect to={`/threads/${id}${step ? `?step=${segment(step)}` : ''}`} replace />
}

const LegacyPrompt = () => {
  const parameters = new URLSearchParams(useSearch())
  const name = parameters.get('name')
  if (name === null) return <Redirect to="/prompts" replace />
  const version = parameters.get('version')
  return (
    <Redirect
      to={`/prompts/${segment(name)}${version === null ? '' : `?v=${segment(version)}`}`}
      replace
    />
  )
}

const NotFound = () => (
  <>
    <Top title="Nothing is here" />
    <div className="empty">
      <p>
        No page has this address. The rail has those that there are; Ctrl K finds anything by its
        id.
      </p>
    </div>
  </>
)

const USED_LINK =
  'This link was used before, or is more than an hour old. stepwell sign-in prints a new one.'

const LAST_PROJECT = 'project'

/**
 * Whoever was here before is most likely let in again: the page of their project begins to read at once, while it is found
 * out. Until then it offers nothing that changes anything.
 */
const guess = (location: string): State => {
  const id = localStorage.getItem(LAST_PROJECT)
  if (id === null || !location.startsWith(`/projects/${segment(id)}/`)) return { is: 'starting' }
  return {
    is: 'open',
    project: {
      id,
      name: 'default',
      scopes: [],
      isEmpty: false,
      createdAt: new Date(0).toISOString(),
    },
  }
}

/** The project of whoever is signed in. */
const open = async (): Promise<State> => {
  try {
    const { project } = await read(ProjectDocument, {}, plainClient)
    return { is: 'open', project }
  } catch (error) {
    if (!(error instanceof Failed)) throw error
    if (error.problem.code === 'FORBIDDEN')
      return { is: 'signed out', reason: 'That key may only record. Use one that may read.' }
    if (error.problem.code !== 'UNAUTHENTICATED') return { is: 'failed', problem: error.problem }
    return { is: 'signed out' }
  }
}
