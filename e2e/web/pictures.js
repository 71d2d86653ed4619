// Takes the pictures of the README from the data of the demo, in both themes: `npm run pictures`.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBrowser } from './browser.js'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'docs/pictures')
const SIZE = { width: 1280, height: 720 }
/** Two versions that differ in a word need no more. */
const PROMPT_HEIGHT = 420
const QUALITY = 80

const data = mkdtempSync(join(tmpdir(), 'stepwell-pictures-'))
const environment = { ...process.env, STEPWELL_DATA: data }
let service
const browser = await openBrowser()
try {
  execFileSync(process.execPath, ['scripts/run.js', 'examples/demo.ts'], {
    cwd: root,
    env: environment,
    stdio: 'ignore',
  })
  service = spawn(process.execPath, ['bin/stepwell.js', 'serve', '--port', '0'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const origin = await address(service.stdout)
  const apiKey = readFileSync(join(data, 'api-key'), 'utf8').trim()
  mkdirSync(folder, { recursive: true })
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ viewport: SIZE, colorScheme })
    await context.request.post(`${origin}/api/sign-in`, { headers: { origin }, data: { apiKey } })
    const page = await context.newPage()
    await page.goto(origin)
    await page.getByRole('link', { name: 'Where is order 1042?' }).first().click()
    await page.waitForURL(/threads\/./)
    await page
      .getByRole('treegrid')
      .getByRole('row', { name: /answer/ })
      .click()
    await page
      .getByRole('tab', { name: 'Generation' })
      .or(page.getByRole('button', { name: 'Generation' }))
      .first()
      .click()
    await take(page, `thread-${colorScheme}`)
    const [base] = page.url().match(/^.*\/projects\/[^/]+/) ?? []
    await page.setViewportSize({ ...SIZE, height: PROMPT_HEIGHT })
    await page.goto(`${base}/prompts/support-agent?tab=diff`)
    await take(page, `prompt-${colorScheme}`)
    await context.close()
  }
} finally {
  await browser.close()
  if (service?.exitCode === null) {
    service.kill()
    await once(service, 'exit')
  }
  rmSync(data, { recursive: true, force: true })
}

/** Returns the address that the service prints. */
async function address(output) {
  let text = ''
  for await (const chunk of output) {
    text += chunk
    const [, url] = /serves at (\S+?),/.exec(text) ?? []
    if (url !== undefined) {
      output.resume()
      return url
    }
  }
  throw new Error(`the service did not start: ${text}`)
}

/** Takes a picture, in a format a fifth of the size of a PNG. */
async function take(page, name) {
  await page.waitForLoadState('networkidle')
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
  })
  const picture = Buffer.from(data, 'base64')
  writeFileSync(join(folder, `${name}.webp`), picture)
  console.log(`docs/pictures/${name}.webp: ${Math.round(picture.length / 1000)} kB`)
}
