// Records what each page of the web UI asks the service for: it is opened once in a browser, and its requests are kept.
import { openBrowser } from '../../e2e/web/browser.js'
import { API_KEY } from '../service.js'

const PAGES = {
  overview: '/overview?range=30d',
  'overview by model': '/overview?range=30d&by=model',
  threads: '/threads?range=30d',
  'threads, the longest first': '/threads?range=30d&sort=duration+DESC',
  'threads with errors': '/threads?range=30d&q=error%3Aany',
  'a thread': '/threads/b-7',
  'a long thread': '/threads/b-1',
  'a long thread, as a conversation': '/threads/b-1?view=chat',
  'two threads side by side': '/threads/b-7/beside/b-8',
  steps: '/steps?range=30d',
  'steps of a name with errors': '/steps?range=30d&q=name%3Dtool_7+error%3Aany',
  generations: '/generations?range=30d',
  'generations of a model': '/generations?range=30d&q=model%3Dgpt-4o',
  scores: '/scores?range=30d',
  users: '/users',
  'a user': 'user:',
  review: '/review',
  dataset: 'dataset:',
  experiments: '/experiments',
  experiment: 'experiment:',
  comparison: 'compare:',
  prompts: '/prompts',
  keys: '/settings/keys',
  judges: '/settings/judges',
  storage: '/settings/storage',
}

const IDS =
  '{ datasets(first: 1) { edges { node { id } } } datasetExperiments(first: 2) { edges { node { id } } } participants(first: 1) { edges { node { id } } } }'

/** Opens every page, and resolves to the bodies of its requests by its name. */
export const requestsOfPages = async ({ url, post }) => {
  const { data } = await post('/api/graphql', JSON.stringify({ query: IDS }))
  const [fresh, old] = data.datasetExperiments.edges.map(({ node }) => node.id)
  const dataset = data.datasets.edges[0].node.id
  const paths = {
    'user:': `/users/${data.participants.edges[0].node.id}`,
    'dataset:': `/datasets/${dataset}`,
    'experiment:': `/experiments/${fresh}`,
    'compare:': `/datasets/${dataset}/compare?base=${old}&with=${fresh}`,
  }
  const browser = await openBrowser()
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    await context.request.post(`${url}/api/sign-in`, {
      headers: { origin: url },
      data: { apiKey: API_KEY },
    })
    const page = await context.newPage()
    await page.goto(url)
    await page.waitForURL(/projects/)
    const [base] = page.url().match(/^.*\/projects\/[^/]+/)
    const found = {}
    for (const [name, path] of Object.entries(PAGES)) {
      const bodies = new Set()
      const note = (request) => {
        if (request.url().endsWith('/api/graphql') && request.method() === 'POST')
          bodies.add(request.postData())
      }
      await page.goto('about:blank')
      page.on('request', note)
      await page.goto(`${base}${paths[path] ?? path}`)
      await page.locator('h1').first().waitFor()
      await page.waitForLoadState('networkidle')
      page.off('request', note)
      if (bodies.size === 0) throw new Error(`the page ${name} asks for nothing`)
      found[name] = [...bodies]
    }
    return found
  } finally {
    await browser.close()
  }
}
