// The web UI in headless Chromium, beside its own emptiest page of the same minute:
//
//   node bench/web.js [STEPS OF THE PROJECT] [ROUNDS]
//
// Needs a build, `npm install --prefix e2e/web` and a Chromium of the system. First load: the bytes on the wire. Then,
// from the start of a navigation: rows of the tables of threads, steps and calls of models, rows of threads of 10,000
// and 100,000 steps, and the reaction time to a key there; while scrolling: the longest task, and frames in which a row
// was missing.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, listen } from '@stepwell/server'
import { openBrowser } from '../e2e/web/browser.js'

const [steps = 100_000, rounds = 10] = process.argv.slice(2).map(Number)
const folder = await mkdtemp(join(tmpdir(), 'stepwell-web-'))
const service = await createService({ dataFolder: folder })
const listening = await listen(service, '127.0.0.1', 0)
const base = `${listening.url}/projects/${service.projectId}`

/** A browser on its first visit that is signed in all the same. */
const signedIn = async (options = {}) => {
  const context = await browser.newContext(options)
  await context.request.post(`${listening.url}/api/sign-in`, {
    headers: { origin: listening.url },
    data: { apiKey: service.apiKey },
  })
  return context
}

const ask = async (query, variables) => {
  const answer = await service.fetch(`${listening.url}/api/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': service.apiKey },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = await answer.json()
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}
const INGEST = 'mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }'
const send = async (all) => {
  for (let from = 0; from < all.length; from += 2000)
    await ask(INGEST, { steps: all.slice(from, from + 2000) })
}

/** Creates turns of an agent: a question, a run, and in it calls of models with tools below them. */
const thread = (threadId, count, begin = Date.now() - 86_400_000) => {
  const made = []
  for (let turn = 0; made.length < count; turn++) {
    const at = (ms) => new Date(begin + turn * 5000 + ms).toISOString()
    const run = `${threadId}-${turn}`
    made.push({
      id: `${run}-q`,
      threadId,
      type: 'user_message',
      name: 'ada',
      startTime: at(0),
      output: { content: `Question ${turn}: where is order ${turn * 7}?` },
    })
    made.push({
      id: run,
      threadId,
      type: 'run',
      name: 'agent',
      startTime: at(100),
      endTime: at(4000),
    })
    for (let call = 0; call < 36; call++)
      made.push({
        id: `${run}-${call}`,
        threadId,
        parentId: call % 6 === 0 ? run : `${run}-${call - (call % 6)}`,
        type: call % 6 === 0 ? 'llm' : 'tool',
        name: call % 6 === 0 ? 'gpt-4o' : `tool_${call % 6}`,
        startTime: at(100 + call * 100),
        endTime: at(180 + call * 100),
        input: { query: `orders of customer ${turn}, page ${call}` },
        output: { content: `result ${turn}.${call}` },
        ...(call % 6 === 0
          ? {
              generation: {
                type: 'CHAT',
                provider: 'openai',
                model: 'gpt-4o',
                messages: [{ role: 'user', content: `Question ${turn}: where is order ${call}?` }],
                messageCompletion: { role: 'assistant', content: `It was sent on day ${call}.` },
                inputTokenCount: 800 + call,
                outputTokenCount: 40,
              },
            }
          : {}),
        ...(turn % 97 === 50 && call === 20 ? { error: 'no such order' } : {}),
      })
  }
  return made.slice(0, count)
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const p95 = (values) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1]
const ms = (value) => `${Math.round(value)} ms`

/** Measures from the start of a navigation to the first element of a kind, by the page's own clock. */
const timed = async (page, path, selector) => {
  await page.goto('about:blank')
  await page.addInitScript(`globalThis.seen = new Promise((resolve) => {
    const look = () => document.querySelector(${JSON.stringify(selector)})
      ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(look)
    look()
  })`)
  await page.goto(`${base}${path}`, { waitUntil: 'commit' })
  return page.evaluate(() => globalThis.seen)
}

const browser = await openBrowser()
try {
  console.log(
    `filling: threads of 10,000 and 100,000 steps, then ${steps.toLocaleString('en')} steps in threads of 40`,
  )
  await send(thread('ten', 10_000))
  await send(thread('hundred', 100_000))
  for (let from = 0; from < steps; from += 40_000)
    await send(
      Array.from({ length: Math.min(1000, (steps - from) / 40) }, (_, index) =>
        thread(`t-${from}-${index}`, 40, Date.now() - 86_400_000 - (from + index) * 50),
      ).flat(),
    )
  await ask(
    '{ threads(first: 1, orderBy: { column: "tokenCount", direction: DESC }) { totalCount } }',
  ).catch(() => undefined)

  // The bytes of a first visit.
  {
    const page = await (await signedIn()).newPage()
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    const kinds = new Map()
    const bytes = { script: 0, all: 0 }
    session.on('Network.responseReceived', ({ requestId, response }) =>
      kinds.set(requestId, response.mimeType),
    )
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      bytes.all += encodedDataLength
      if (/javascript/.test(kinds.get(requestId) ?? '')) bytes.script += encodedDataLength
    })
    await page.goto(`${base}/threads`)
    await page.locator('tr[data-key]').first().waitFor()
    console.log(
      `first load of the threads page: ${(bytes.script / 1000).toFixed(1)} kB of JavaScript, ${(bytes.all / 1000).toFixed(1)} kB in all`,
    )
  }

  const open = async () => {
    const page = await (await signedIn({ viewport: { width: 1280, height: 800 } })).newPage()
    await page.goto(`${base}/nothing`)
    await page.locator('h1').waitFor()
    return page
  }
  const measures = {
    'an empty page': ['/nothing', 'h1'],
    'threads table': ['/threads', 'tr[data-key]'],
    'steps table': ['/steps', 'tr[data-key]'],
    'generations table': ['/generations', 'tr[data-key]'],
    'thread of 10,000 steps': ['/threads/ten', '.tree-row'],
    'thread of 100,000 steps': ['/threads/hundred', '.tree-row'],
  }
  const found = Object.fromEntries(Object.keys(measures).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const [name, [path, selector]] of Object.entries(measures)) {
      const page = await open()
      found[name].push(await timed(page, path, selector))
      await page.context().close()
    }
  const empty = median(found['an empty page'])
  for (const [name, values] of Object.entries(found))
    console.log(
      `${name}: median ${ms(median(values))}, p95 ${ms(p95(values))}, ${(median(values) / empty).toFixed(2)} of the empty page`,
    )

  for (const id of ['ten', 'hundred']) {
    const page = await open()
    await page.goto(`${base}/threads/${id}?step=${id}-0-q`)
    await page.locator('.tree-row.is-selected').waitFor()
    const keys = []
    for (let press = 0; press < 20; press++) {
      await page.evaluate(() => {
        globalThis.answered = new Promise((resolve) => {
          const was = document.querySelector('.is-selected')?.id
          addEventListener(
            'keydown',
            () => {
              const begin = performance.now()
              const look = () =>
                document.querySelector('.tree-row.is-selected')?.id !== was
                  ? resolve(performance.now() - begin)
                  : requestAnimationFrame(look)
              look()
            },
            { once: true, capture: true },
          )
        })
      })
      await page.keyboard.press('ArrowDown')
      keys.push(await page.evaluate(() => globalThis.answered))
    }
    const scrolled = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const tree = document.querySelector('.tree')
          let longest = 0
          const observer = new PerformanceObserver((list) => {
            for (const { duration } of list.getEntries()) longest = Math.max(longest, duration)
          })
          observer.observe({ type: 'longtask' })
          const frames = []
          let [blank, last] = [0, performance.now()]
          const begin = last
          const step = (now) => {
            frames.push(now - last)
            // Rows cover the visible area, from its first to its last pixel.
            const box = tree.getBoundingClientRect()
            for (const y of [box.top + 3, box.bottom - 3])
              if (!document.elementFromPoint(box.left + 60, y)?.closest('.tree-row')) blank++
            tree.scrollTop += (10_000 * (now - last)) / 1000
            if (tree.scrollTop + tree.clientHeight >= tree.scrollHeight - 1) tree.scrollTop = 0
            last = now
            if (now - begin < 5000) requestAnimationFrame(step)
            else
              setTimeout(() => {
                observer.disconnect()
                frames.sort((a, b) => a - b)
                resolve({
                  longest,
                  frame: frames[Math.ceil(frames.length * 0.95) - 1],
                  frames: frames.length,
                  blank,
                })
              }, 100)
          }
          requestAnimationFrame(step)
        }),
    )
    console.log(
      `${id === 'ten' ? '10,000' : '100,000'} steps: a key is answered after ${ms(median(keys))} (p95 ${ms(p95(keys))}); scrolling 10,000 px/s for 5 s: longest task ${ms(scrolled.longest)}, p95 of ${scrolled.frames} frames ${ms(scrolled.frame)}, ${scrolled.blank} frames with a row missing`,
    )
    await page.context().close()
  }
} finally {
  await browser.close()
  await listening.stop(100)
  await service.close()
  await rm(folder, { recursive: true, force: true })
}
