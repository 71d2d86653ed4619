// One thread of any size in the web UI, in headless Chromium: the time to its first rows and to all of them, the memory of the
// page and of the service, keys, and finding a text in it.
//
//   npm run build && node bench/trace.js postgres://… [STEPS]     # a server, whose user may create databases
//   npm run build && node bench/trace.js embedded [STEPS]
//
// STEPS is 1,000,000 without one. Needs `npm install --prefix e2e/web` and a Chromium of the system.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBrowser } from '../e2e/web/browser.js'
import { freshDatabase } from './databases.js'
import { atRest } from './scale/fill.js'
import { API_KEY, startService } from './service.js'

const [server = 'embedded', size = '1000000'] = process.argv.slice(2)
const STEPS = Number(size)
const BATCH = 2000
const CLIENTS = 4
/** Steps of a part of the agent's work: a run, with calls of a model that call tools. */
const OF_RUN = 100
const OF_CALL = 5
const MS = 60
const begin = Date.now() - STEPS * MS - 60_000

const idOf = (at) => `step-${String(at).padStart(8, '0')}-of-the-trace`
const step = (at) => {
  const inRun = at % OF_RUN
  const isRun = inRun === 0
  const isCall = !isRun && inRun % OF_CALL === 1
  const parent = isRun ? 'root' : isCall ? idOf(at - inRun) : idOf(at - ((inRun - 1) % OF_CALL))
  const name = isRun ? 'sub agent' : isCall ? 'gpt-4o' : `tool ${at % 7}`
  return {
    id: idOf(at),
    threadId: 'trace',
    parentId: parent,
    type: isRun ? 'run' : isCall ? 'llm' : 'tool',
    name,
    startTime: new Date(begin + at * MS).toISOString(),
    endTime: new Date(begin + at * MS + 50 + (at % 997)).toISOString(),
    input: { content: `Where is my order ${at}? `.repeat(15) },
    output: { content: `It was shipped as ${at}. `.repeat(15) },
    ...(at % 5003 === 0 ? { error: 'no such order' } : {}),
    ...(isCall
      ? { generation: { model: 'gpt-4o', provider: 'openai', tokenCount: 100 + (at % 50) } }
      : {}),
  }
}

const folder = mkdtempSync(join(tmpdir(), 'stepwell-trace-'))
const url = server === 'embedded' ? undefined : await freshDatabase(server, 'stepwell_trace')
const service = await startService(folder, url)
const ask = async (query, variables) => {
  const { data, errors } = await service.post('/api/graphql', JSON.stringify({ query, variables }))
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}
const send = (steps) =>
  ask('mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', { steps })
await send([
  {
    id: 'root',
    threadId: 'trace',
    type: 'run',
    name: 'agent',
    startTime: new Date(begin).toISOString(),
  },
])
let next = 0
await Promise.all(
  Array.from({ length: CLIENTS }, async () => {
    while (next < STEPS - 1) {
      const from = next
      next = Math.min(STEPS - 1, from + BATCH)
      await send(Array.from({ length: next - from }, (_, at) => step(from + at)))
    }
  }),
)
await atRest(service, url)

const { project } = await ask('{ project { id } }')
const browser = await openBrowser()
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  await context.request.post(`${service.url}/api/sign-in`, {
    headers: { origin: service.url },
    data: { apiKey: API_KEY },
  })
  const page = await context.newPage()
  const begun = performance.now()
  const since = (time) => `${Math.round(performance.now() - time).toLocaleString('en')} ms`
  await page.goto(`${service.url}/projects/${project.id}/threads/trace`, { waitUntil: 'commit' })
  await page.locator('.tree-row').first().waitFor({ timeout: 120_000 })
  console.log(
    `${STEPS.toLocaleString('en')} steps, ${url === undefined ? 'embedded' : 'PostgreSQL'}:`,
  )
  console.log(`  first rows after ${since(begun)}`)
  await page.locator('.steps-bar [role=status]').waitFor({ state: 'detached', timeout: 120_000 })
  console.log(`  all of them after ${since(begun)}`)

  const press = async (key) => {
    await page.evaluate(() => {
      const shown = () =>
        `${document.querySelector('.is-selected')?.id} of ${document.querySelector('.tree')?.getAttribute('aria-rowcount')}`
      const was = shown()
      globalThis.answered = new Promise((resolve) => {
        const answer = () => {
          const pressed = performance.now()
          const look = () =>
            shown() === was
              ? requestAnimationFrame(look)
              : resolve(Math.round(performance.now() - pressed))
          look()
        }
        addEventListener('keydown', answer, { once: true, capture: true })
      })
    })
    await page.keyboard.press(key)
    return page.evaluate(() => globalThis.answered)
  }
  for (const key of ['ArrowDown', 'End', 'ArrowUp', 'Home', 'e', 'n', 'f', 'f']) {
    const times = [await press(key)]
    // Some keys change something each time.
    if (['ArrowDown', 'ArrowUp', 'e'].includes(key))
      for (let more = 0; more < 9; more++) times.push(await press(key))
    console.log(`  key ${key}: ${Math.max(...times)} ms at most of ${times.length}`)
  }
  const find = async (text, hits) => {
    const asked = performance.now()
    await page.getByLabel('Find in the thread').fill(text)
    await page.locator('.steps-bar').getByText(hits).waitFor({ timeout: 60_000 })
    console.log(`  find "${text}": ${since(asked)}`)
  }
  await find(`shipped as ${Math.floor((STEPS * 2) / 3)}.`, '1 hit')
  await find('shipped', /,\d{3} hits/)
  await find('tool 3', /,\d{3} hits/)
  const session = await context.newCDPSession(page)
  await session.send('HeapProfiler.enable')
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage')
  const megabytes = (bytes) => Math.round(bytes / 1e6)
  console.log(
    `  memory of the page: ${megabytes(usedSize + backingStorageSize)} MB, of which ${megabytes(usedSize)} in its heap`,
  )
  console.log(`  memory of the service: ${service.usage().peak} MB at most`)
} finally {
  await browser.close()
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
