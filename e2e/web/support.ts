import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import {
  createService,
  type Listening,
  listen,
  type Service,
  type ServiceOptions,
} from '@stepwell/server'
import type { Browser, BrowserContext, Page, Request, Route } from 'playwright-core'
import { StepwellClient } from 'stepwell'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { openBrowser } from './browser.js'

export interface Stand {
  service: Service
  url: string
  /** The beginning of all addresses of the project. */
  base: string
  stepwell: StepwellClient
  /** Opens a page in a new browser context. */
  open: (path: string, options?: Parameters<Browser['newContext']>[0]) => Promise<Page>
}

let axe: Promise<string> | undefined
const axeText = () => {
  axe ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  return axe
}

/** The real service on a socket, with data in it, and a real browser. An error in a page's console fails the test. */
export const useStand = (
  fill: (stepwell: StepwellClient) => Promise<unknown>,
  options: {
    isSignedIn?: boolean
    /** Hosts of private networks on which models may be. */
    modelHosts?: readonly string[]
    /** Hosts of private networks on which webhooks may be. */
    webhookHosts?: readonly string[]
    /** More options of the service, such as a provider to sign in with. */
    service?: () => Promise<ServiceOptions>
    /** Errors that the test causes on purpose. */
    expected?: RegExp
  } = {},
): Stand => {
  const stand = {} as Stand
  let browser: Browser
  let listening: Listening
  let contexts: BrowserContext[] = []
  let faults: string[] = []
  beforeAll(async () => {
    browser = await openBrowser()
    const service = await createService({
      modelHosts: options.modelHosts,
      webhookHosts: options.webhookHosts,
      ...(await options.service?.()),
    })
    listening = await listen(service, '127.0.0.1', 0)
    const { url } = listening
    const stepwell = new StepwellClient({
      apiUrl: url,
      apiKey: service.apiKey ?? '',
      // A busy machine answers late, and a copy of before would be taken instead.
      prompts: { waitMs: 60_000 },
    })
    await fill(stepwell)
    Object.assign(stand, {
      service,
      url,
      base: `${url}/projects/${service.projectId}`,
      stepwell,
      open: async (path: string, given = {}) => {
        const context = await browser.newContext({
          viewport: { width: 1280, height: 800 },
          timezoneId: 'UTC',
          ...given,
        })
        contexts.push(context)
        if (options.isSignedIn ?? true) await signInByLink(context, service.signInLink(url))
        await context.addInitScript(() => {
          if (localStorage.getItem('reviewer') === null) localStorage.setItem('reviewer', 'Mira')
        })
        const page = await context.newPage()
        page.setDefaultTimeout(15_000)
        page.on('pageerror', (error) => faults.push(String(error)))
        page.on('console', (message) => {
          const text = message.text()
          // A key that is wrong or was revoked on purpose.
          if (message.type() !== 'error' || /status of 401/.test(text)) return
          if (options.expected?.test(text) !== true) faults.push(text)
        })
        await page.goto(path.startsWith('http') ? path : `${stand.base}${path}`)
        return page
      },
    })
  })
  afterEach(async () => {
    for (const context of contexts) await context.close()
    contexts = []
    const found = faults
    faults = []
    // Violations of the content-security policy are among them.
    expect(found).toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    await listening?.stop(100)
    await stand.service?.close()
  })
  return stand
}

/** Signs in as the page behind a link does, so that the page that is opened next is the first one. */
export const signInByLink = async (context: BrowserContext, link: string): Promise<void> => {
  const { origin, searchParams } = new URL(link)
  const answer = await context.request.post(`${origin}/api/sign-in`, {
    headers: { origin },
    data: { token: searchParams.get('token') },
  })
  expect(answer.status()).toBe(200)
}

/** Returns a condition for the requests of an operation. */
export const isOperation = (name: string) => (request: Request) =>
  request.method() === 'POST' &&
  new RegExp(`(query|mutation) ${name}\\b`).test(request.postData() ?? '')

/**
 * Has a handler answer requests of a page, from the next one on. The browser tells the page later than it tells the test
 * that requests are to be stopped, so one of the page's own is sent until it is stopped.
 */
export const intercept = async (
  page: Page,
  address: string,
  handler: (route: Route, request: Request) => unknown,
  options?: { times?: number },
): Promise<void> => {
  let isStopped = false
  const isOfTheTest = ({ search }: URL) => search === '?stopped'
  await page.route(address, handler, options)
  await page.route(isOfTheTest, (route) => {
    isStopped = true
    return route.fulfill({ status: 204 })
  })
  await expect
    .poll(async () => {
      await page.evaluate(() => fetch('?stopped'))
      return isStopped
    })
    .toBe(true)
  await page.unroute(isOfTheTest)
}

/** Holds the requests of an operation until `release` is called. `seen` counts them. */
export const hold = async (page: Page, name: string) => {
  const held: Route[] = []
  const state = { seen: 0, isFree: false }
  await intercept(page, '**/api/graphql', async (route) => {
    if (!isOperation(name)(route.request())) return route.fallback()
    state.seen++
    if (state.isFree) return route.fallback()
    held.push(route)
  })
  return {
    state,
    waitFor: (count: number) => expect.poll(() => state.seen).toBe(count),
    release: async () => {
      state.isFree = true
      for (const route of held.splice(0)) await route.continue()
    },
  }
}

interface Violation {
  id: string
  impact: string
  nodes: { html: string }[]
}

const violations = async (page: Page, options: object = {}): Promise<Violation[]> => {
  // The policy of the page stops foreign scripts, but not the debugger's.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await axeText())
  return page.evaluate(async (given) => {
    const { axe } = globalThis as unknown as {
      axe: { run: (context: Document, options: object) => Promise<{ violations: Violation[] }> }
    }
    return (await axe.run(document, { resultTypes: ['violations'], ...given })).violations
  }, options)
}

const written = ({ id, impact, nodes }: Violation) =>
  `${impact} ${id}: ${nodes[0]?.html.slice(0, 200)}`

/** Returns all violations of accessibility that axe finds. */
export const problems = async (page: Page): Promise<string[]> =>
  (await violations(page)).map(written)

/** Returns the violations that the colours of a theme cause: the others are the same in each. */
export const colourProblems = async (page: Page): Promise<string[]> =>
  (
    await violations(page, {
      runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
    })
  ).map(written)

/** Returns the violations of accessibility that axe calls serious or critical. */
export const seriousProblems = async (page: Page): Promise<string[]> =>
  (await violations(page))
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(written)
