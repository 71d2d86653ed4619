import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Opens the browser of the system; none is downloaded. */
export const openBrowser = (options = {}) =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? PLACES.find((path) => existsSync(path)),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    ...options,
  })
