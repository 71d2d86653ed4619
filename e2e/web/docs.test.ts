import { expect, test } from 'vitest'
import { useStand } from './support.js'

const stand = useStand(() => Promise.resolve(), { isSignedIn: false })

test('a visitor who is not signed in reads the documentation, with the address of this service', async () => {
  const page = await stand.open(`${stand.url}/docs`)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(`${stand.url}/docs/quick-start`)
  await page.getByRole('heading', { name: 'Quick start' }).waitFor()
  expect(await page.title()).toBe('Quick start · Stepwell')
  await page.getByText(`export STEPWELL_API_URL=${stand.url}`).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Concepts' }).click()
  await page.waitForURL(`${stand.url}/docs/concepts`)
  const picture = page.getByRole('img', { name: /A user has threads/ })
  await picture.waitFor()
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(760)
  expect(asked.filter((url) => !url.startsWith(stand.url))).toEqual([])
  expect(asked.filter((url) => url.includes('/api/'))).toEqual([])
})

test('an anchor is scrolled to, and an unknown address shows that there is no such page', async () => {
  const page = await stand.open(`${stand.url}/docs/operate/limits#fixed-limits`)
  const heading = page.getByRole('heading', { name: 'Fixed limits' })
  await heading.waitFor()
  await expect
    .poll(() => heading.evaluate((one) => Math.round(one.getBoundingClientRect().top)))
    .toBeLessThan(800)
  await page.goto(`${stand.url}/docs/nothing`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
})

test.each(['/docs', '/docs/reference/sdk/steps', '/docs/operate/limits', '/docs/benchmarks'])(
  '%s is no wider than a narrow screen',
  async (path) => {
    const page = await stand.open(`${stand.url}${path}`, { viewport: { width: 390, height: 844 } })
    await page.getByRole('main').getByRole('heading').first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    await page.getByText('All pages', { exact: true }).first().click()
    await page.getByRole('link', { name: 'Monitoring' }).first().click()
    await page.getByRole('heading', { name: 'Monitoring' }).waitFor()
  },
)
