import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { addresses } from './addresses.js'
import { seed, seedLarge } from './seed.js'
import { seedSettings } from './seed-settings.js'
import { colourProblems, problems, useStand } from './support.js'

// Every page with data: usable by everybody, and still while it loads. A page is loaded once for each width, over a
// slow network; its theme changes nothing but colours.
let all: readonly string[] = []

const stand = useStand(async (stepwell) => {
  await seed(stepwell)
  await seedLarge(stepwell, 'large', 3000)
  await seedSettings(stepwell)
  all = [...(await addresses(stepwell)), '/threads/large']
})

const WIDTHS = [1280, 390] as const
/** The sum of layout shifts that nobody caused by a key or click; a page should have at most 0.02. */
const MAX_SHIFT = 0.02
const LATENCY_MS = 200
/** Longer than a page takes from an answer to the request that follows from it. */
const STILL_MS = 150
/** All pages take five minutes on two cores that do much else. */
const PATIENCE_MS = 900_000

/** Resolves once the page has a heading, and nothing is under way. */
const settling = (page: Page) => {
  let underWay = 0
  let changed = 0
  const count = (by: number) => () => {
    underWay += by
    changed = performance.now()
  }
  page.on('request', count(1))
  page.on('requestfinished', count(-1))
  page.on('requestfailed', count(-1))
  return async () => {
    await page.locator('h1').first().waitFor({ state: 'attached' })
    await expect
      .poll(() => underWay <= 0 && performance.now() - changed > STILL_MS, {
        interval: 20,
        timeout: 60_000,
      })
      .toBe(true)
  }
}

/** Two frames later what came last is drawn. */
const shiftOf = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((done) =>
        requestAnimationFrame(() =>
          requestAnimationFrame(() => done((window as unknown as { shift: number }).shift)),
        ),
      ),
  )

interface Findings {
  problems: string[]
  moved: string[]
}

const visit = async (width: number): Promise<Findings> => {
  const page = await stand.open('/settings/appearance', { viewport: { width, height: 800 } })
  const settled = settling(page)
  await settled()
  await page.addInitScript(() => {
    const own = window as unknown as { shift: number }
    own.shift = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number
        hadRecentInput: boolean
      })[])
        if (!entry.hadRecentInput) own.shift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  const debuggee = await page.context().newCDPSession(page)
  await debuggee.send('Network.enable')
  await debuggee.send('Network.setCacheDisabled', { cacheDisabled: true })
  await debuggee.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: 500_000,
    uploadThroughput: 500_000,
  })
  const found: Findings = { problems: [], moved: [] }
  for (const path of all) {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(`${stand.base}${path}`)
    await settled()
    const shift = await shiftOf(page)
    // The overview has a test of its own.
    if (shift > MAX_SHIFT && path !== '/overview') found.moved.push(`${path} ${shift.toFixed(3)}`)
    for (const problem of await problems(page)) found.problems.push(`${path} ${problem}`)
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const problem of await colourProblems(page)) found.problems.push(`${path} dark ${problem}`)
  }
  return found
}

describe('on every page', () => {
  // Both widths at once: each waits for its network most of the time.
  let visits: Promise<Findings[]> | undefined
  const findings = () => {
    visits ??= Promise.all(WIDTHS.map(visit))
    return visits
  }

  test(
    'axe finds nothing, in both themes at 1280 and 390 px',
    async () => {
      const found = await findings()
      expect(found.map((one) => one.problems)).toEqual(WIDTHS.map(() => []))
    },
    PATIENCE_MS,
  )

  test(
    'nothing moves while it loads over a slow network, at 1280 and 390 px',
    async () => {
      const found = await findings()
      expect(found.map(({ moved }) => moved)).toEqual(WIDTHS.map(() => []))
    },
    PATIENCE_MS,
  )
})

test('axe finds nothing on the page that signs in', async () => {
  const page = await stand.open('/threads')
  await page.context().clearCookies()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(stand.url)
    await page.getByLabel('API key of the project').waitFor()
    expect(await problems(page)).toEqual([])
  }
})
