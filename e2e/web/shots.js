// Takes pictures of every page of a service with data, in both themes and four widths:
//
//   STEPWELL_API_KEY=… node e2e/web/shots.js http://127.0.0.1:3000 FOLDER [page,page] [width,width] [theme,theme]
import { mkdirSync } from 'node:fs'
import { openBrowser } from './browser.js'

const [
  url = 'http://127.0.0.1:3000',
  folder = 'shots',
  only,
  widths = '1280,390,800,1920',
  themes = 'light,dark',
] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })

const PAGES = {
  threads: '/threads',
  'threads-filtered': '/threads?q=error%3Aany+duration%3E5',
  'threads-none': '/threads?q=name%3Dnothing&range=24h',
  'threads-mistake': '/threads?q=durations%3E5',
  thread: '/threads/conversation-1',
  'thread-long': '/threads/conversation-0',
  'thread-generation': '/threads/conversation-0?step=conversation-0-plan&tab=generation&view=step',
  'thread-10k': '/threads/large-10k',
  hostile: '/threads/hostile?step=hostile-step&view=step',
  'hostile-large': '/threads/hostile?step=hostile-large&view=step',
  'hostile-chat': '/threads/hostile?view=chat',
  'thread-steps': '/threads/conversation-1?view=steps',
  beside: '/threads/conversation-0/beside/conversation-1',
  steps: '/steps',
  generations: '/generations',
  scores: '/scores',
  users: '/users',
  user: 'user:',
  overview: '/overview?range=7d',
  'overview-model': '/overview?range=7d&by=model',
  charts: '/charts',
  review: '/review',
  'review-threads': '/review?of=threads',
  datasets: '/datasets',
  dataset: 'dataset:',
  'dataset-experiments': 'dataset-experiments:',
  item: 'item:',
  'item-history': 'item-history:',
  experiments: '/experiments',
  experiment: 'experiment:',
  compare: 'compare:',
  prompts: '/prompts',
  prompt: '/prompts/support',
  'prompt-diff': '/prompts/support?tab=diff',
  'prompt-rollout': '/prompts/support?tab=rollout',
  'prompt-use': '/prompts/support?tab=use',
  'prompt-labels': '/prompts/support?tab=labels',
  'prompt-preview': '/prompts/support?tab=preview',
  'prompt-try': '/prompts/support/try',
  'prompt-new': '/prompts/support/new?from=2',
  connect: '/settings/connect',
  keys: '/settings/keys',
  environments: '/settings/environments',
  definitions: '/settings/scores',
  conversations: '/settings/conversations',
  judges: '/settings/judges',
  alerts: '/settings/alerts',
  alert: 'alert:',
  models: '/settings/models',
  prices: '/settings/prices',
  retention: '/settings/retention',
  storage: '/settings/storage',
  query: '/settings/query',
  appearance: '/settings/appearance',
  missing: '/nothing/here',
}

const browser = await openBrowser()
try {
  for (const theme of themes.split(','))
    for (const width of widths.split(',').map(Number)) {
      const context = await browser.newContext({
        viewport: { width, height: width === 390 ? 844 : width === 1920 ? 1080 : 800 },
        colorScheme: theme,
      })
      await context.addInitScript(() => localStorage.setItem('reviewer', 'Mira'))
      const page = await context.newPage()
      page.on('console', (message) => {
        if (message.type() === 'error') console.log(`${theme} ${width}: ${message.text()}`)
      })
      page.on('pageerror', (error) => console.log(`${theme} ${width}: ${error.stack}`))
      const { origin } = new URL(url)
      await context.request.post(`${origin}/api/sign-in`, {
        headers: { origin },
        data: { apiKey: process.env.STEPWELL_API_KEY },
      })
      await page.goto(url)
      await page.waitForURL(/projects/)
      const [base] = page.url().match(/^.*\/projects\/[^/]+/) ?? []
      const ask = (query) =>
        page.evaluate(
          async (text) =>
            (
              await (
                await fetch('/api/graphql', {
                  method: 'POST',
                  headers: { 'content-type': 'application/json' },
                  body: JSON.stringify({ query: text }),
                })
              ).json()
            ).data,
          query,
        )
      const { datasets, datasetExperiments, participants, alerts } = await ask(
        '{ datasets(first: 1) { edges { node { id items(first: 1) { edges { node { id } } } } } } datasetExperiments(first: 2) { edges { node { id } } } participants(first: 1) { edges { node { id } } } alerts { id } }',
      )
      const dataset = datasets.edges[0]?.node
      const [fresh, old] = datasetExperiments.edges.map(({ node }) => node.id)
      const paths = {
        'user:': `/users/${participants.edges[0]?.node.id}`,
        'dataset:': `/datasets/${dataset?.id}`,
        'dataset-experiments:': `/datasets/${dataset?.id}?tab=experiments`,
        'item:': `/datasets/${dataset?.id}?item=${dataset?.items.edges[0]?.node.id}`,
        'item-history:': `/datasets/${dataset?.id}/items/${dataset?.items.edges[0]?.node.id}`,
        'experiment:': `/experiments/${fresh}`,
        'alert:': `/settings/alerts?alert=${alerts[0]?.id}`,
        'compare:': `/datasets/${dataset?.id}/compare?base=${old}&with=${fresh}`,
      }
      for (const [name, path] of Object.entries(PAGES)) {
        if (only && !only.split(',').includes(name)) continue
        await page.goto(`${base}${paths[path] ?? path}`)
        await page.waitForLoadState('networkidle')
        await page.waitForTimeout(150)
        await page.screenshot({ path: `${folder}/${name}-${width}-${theme}.png` })
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        if (wide > 0) console.log(`${name} ${width} ${theme}: ${wide} px wider than the window`)
      }
      await context.close()
    }
} finally {
  await browser.close()
}
