import type { ComponentType } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { LegacyPrompt, LegacyThread } from './legacy-links.js'
import { ThreadsPage } from './pages/lists/threads.js'
import { Shell } from './shell/shell.js'
import { ErrorBoundary } from './ui/error-boundary.js'
import { type LoadedPage, loadedPage } from './ui/loading/page-loader.js'
import { Top } from './ui/top.js'

const ThreadPage = loadedPage(
  async () => (await import('./pages/thread/thread-page.js')).ThreadPage,
)

const BesidePage = loadedPage(
  async () => (await import('./pages/thread/beside/beside-page.js')).BesidePage,
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

const ChartsPage = loadedPage(
  async () => (await import('./pages/charts/charts-page.js')).ChartsPage,
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

const ItemPage = loadedPage(async () => (await import('./pages/datasets/item-page.js')).ItemPage)

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
  async () => (await import('./pages/prompts/new-version/new-version-page.js')).NewVersionPage,
)

const TryPage = loadedPage(async () => (await import('./pages/prompts/try/try-page.js')).TryPage)

const SettingsPage = loadedPage(
  async () => (await import('./pages/settings/settings-page.js')).SettingsPage,
)

/** The documentation, which belongs to no project. */
export const DocsPage = loadedPage(async () => (await import('./pages/docs/docs-page.js')).DocsPage)

export const isDocs = (location: string): boolean => /^\/docs(\/|$)/.test(location)

/** The pages by their paths below the project. */
const PAGES: readonly (readonly [
  path: string,
  page: ComponentType & Partial<Pick<LoadedPage, 'preload'>>,
])[] = [
  ['/threads', ThreadsPage],
  ['/threads/:id', ThreadPage],
  ['/threads/:id/beside/:other', BesidePage],
  ['/runs/:id', RunPage],
  ['/steps', StepsPage],
  ['/steps/:id', StepLink],
  ['/generations', GenerationsPage],
  ['/scores', ScoresPage],
  ['/users', UsersPage],
  ['/users/:id', UserPage],
  ['/overview', OverviewPage],
  ['/charts', ChartsPage],
  ['/review', ReviewPage],
  ['/datasets', DatasetsPage],
  ['/datasets/:id/compare', ComparePage],
  ['/datasets/:id/items/:item', ItemPage],
  ['/datasets/:id', DatasetPage],
  ['/experiments', ExperimentsPage],
  ['/experiments/compare', ComparePage],
  ['/experiments/:id', ExperimentPage],
  ['/prompts', PromptsPage],
  ['/prompts/:name', PromptPage],
  ['/prompts/:name/new', NewVersionPage],
  ['/prompts/:name/try', TryPage],
  ['/settings/:section', SettingsPage],
]

/** Begins to load the page of the address while the session is checked. */
export const preload = (location: string): void => {
  const path = location.replace(/^\/projects\/[^/]+/, '')
  for (const [pattern, page] of PAGES)
    if (new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}/?$`).test(path)) page.preload?.()
}

export const Pages = () => {
  const [location] = useLocation()
  return (
    <Shell>
      <ErrorBoundary name="This page" key={location}>
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
      </ErrorBoundary>
    </Shell>
  )
}

const NotFound = () => (
  <>
    <Top title="Page not found" />
    <div className="empty">
      <p>No page has this address. The rail lists all pages; Ctrl K finds anything by its id.</p>
    </div>
  </>
)
