// Takes pictures of every page, with data, without any, and before signing in, in both themes and four widths:
//
//   node scripts/run.js e2e/web/shots.ts FOLDER [width,width] [theme,theme] [part of an address]
//
// Pages that are wider than their window and errors in their consoles are printed.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createService, listen } from '@stepwell/server'
import { StepwellClient } from 'stepwell'
import { addresses } from './addresses.js'
import { openBrowser } from './browser.js'
import { seed, seedLarge } from './seed.js'
import { seedSettings } from './seed-settings.js'

const [folder = 'shots', widths = '390,800,1280,1920', themes = 'light,dark', only = ''] =
  process.argv.slice(2)
const HEIGHTS: Readonly<Record<number, number>> = { 390: 844, 1920: 1080 }

const start = async () => {
  const service = await createService()
  const { url, stop } = await listen(service, '127.0.0.1', 0)
  const stepwell = new StepwellClient({ apiUrl: url, apiKey: service.apiKey ?? '' })
  return { service, url, stop, stepwell, base: `${url}/projects/${service.projectId}` }
}

const filled = await start()
await seed(filled.stepwell)
await seedLarge(filled.stepwell, 'large', 10_000)
await seedSettings(filled.stepwell)
await filled.stepwell.api.upsertThread({
  threadId: 'conversation-2',
  name: 'A name as long as some people write them, with everything that they want to find it by again: order 1042, refund, card, Thursday',
  tags: Array.from({ length: 12 }, (_, index) => `a rather long tag ${index}`),
})
await filled.stepwell.flush()
const empty = await start()

const browser = await openBrowser()
mkdirSync(folder, { recursive: true })
/** Ids are others each time. */
const nameOf = (path: string) =>
  path
    .slice(1)
    .replaceAll(/[\da-f]{8}-[-\da-f]{27}/g, '')
    .replaceAll(/\W+/g, '-') || 'root'
try {
  const pages = [
    ...(await addresses(filled.stepwell)).map((path) => ({ stand: filled, path })),
    ...[
      '/overview?range=30d&by=model',
      '/threads/large',
      '/threads/hostile?view=chat',
      '/threads/conversation-1?view=steps',
      '/settings/retention',
    ].map((path) => ({ stand: filled, path })),
    ...['', '/delivery'].map((path) => ({ stand: filled, path: `/docs${path}` })),
    { stand: filled, path: '/sign-in' },
    ...[
      'overview',
      'charts',
      'threads',
      'steps',
      'generations',
      'scores',
      'users',
      'review',
      'datasets',
      'experiments',
      'prompts',
      'settings/connect',
      'settings/audit',
    ].map((path) => ({ stand: empty, path: `/${path}` })),
  ].filter(({ path }) => path.includes(only))
  for (const colorScheme of themes.split(',') as ('light' | 'dark')[])
    for (const width of widths.split(',').map(Number)) {
      const viewport = { width, height: HEIGHTS[width] ?? 800 }
      for (const stand of [filled, empty]) {
        const context = await browser.newContext({ viewport, colorScheme, timezoneId: 'UTC' })
        const page = await context.newPage()
        page.on('pageerror', (error) => console.log(`${colorScheme} ${width}: ${error.stack}`))
        const signIn = () =>
          context.request.post(`${stand.url}/api/sign-in`, {
            headers: { origin: stand.url },
            data: { apiKey: stand.service.apiKey },
          })
        await context.addInitScript(() => localStorage.setItem('reviewer', 'Mira'))
        for (const { path } of pages.filter((one) => one.stand === stand)) {
          const isOutside = /^\/(sign-in|docs)/.test(path)
          if (path === '/sign-in') await context.clearCookies()
          else await signIn()
          await page.goto(`${isOutside ? stand.url : stand.base}${path}`)
          await page.locator('h1').first().waitFor({ state: 'attached' })
          await page.waitForLoadState('networkidle')
          const name = `${stand === empty ? 'empty-' : ''}${nameOf(path)}-${width}-${colorScheme}`
          await page.screenshot({ path: join(folder, `${name}.png`) })
          const more = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          )
          if (more > 0) console.log(`${name}: ${more} px wider than the window`)
        }
        await context.close()
      }
    }
} finally {
  await browser.close()
  for (const { service, stop } of [filled, empty]) {
    await stop(100)
    await service.close()
  }
}
