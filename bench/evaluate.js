// The time and memory that `evaluate` adds to a task of a millisecond, beside a loop that runs the same task as often.
//
//   npm run build && node bench/evaluate.js [items]
//
// The service is a process of its own; the evaluation, too, so that its memory is its own.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { evaluate } from 'stepwell/evaluate'
import { API_KEY, startService } from './service.js'

const ITEMS = Number(process.argv[2] ?? 10_000)
const CONCURRENCY = [1, 10]
const task = () => new Promise((resolve) => setTimeout(resolve, 1))

const bare = async (concurrency) => {
  let left = ITEMS
  const begin = performance.now()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) await task()
    }),
  )
  return performance.now() - begin
}

const measure = async (concurrency) => {
  const alone = await bare(concurrency)
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 50)
  const begin = performance.now()
  const cpu = process.cpuUsage()
  const { status, results } = await evaluate({
    name: `bench ${concurrency}`,
    resume: false,
    data: Array.from({ length: ITEMS }, (_, index) => ({
      input: { question: `question ${index}` },
    })),
    concurrency,
    task,
    scorers: [
      function empty({ output }) {
        return output === undefined
      },
    ],
    progress: false,
  })
  const together = performance.now() - begin
  clearInterval(watch)
  const { user, system } = process.cpuUsage(cpu)
  const each = (milliseconds) => `${(milliseconds / ITEMS).toFixed(3)} ms`
  console.log(
    `${ITEMS} items, ${concurrency} at once: ${each(alone)} an item alone, ${each(together)} evaluated, ${each(together - alone)} added; ` +
      `processor time ${each((user + system) / 1000)} an item; ${(peak / 1e6).toFixed(0)} MB at most; ${status}, ${results.length} results`,
  )
}

const own = fileURLToPath(import.meta.url)
if (process.env.CONCURRENCY) await measure(Number(process.env.CONCURRENCY))
else {
  const work = mkdtempSync(join(tmpdir(), 'stepwell-bench-'))
  const service = await startService(join(work, 'data'))
  for (const concurrency of CONCURRENCY)
    spawnSync(process.execPath, [own, String(ITEMS)], {
      stdio: 'inherit',
      env: {
        ...process.env,
        CONCURRENCY: String(concurrency),
        STEPWELL_API_KEY: API_KEY,
        STEPWELL_API_URL: service.url,
      },
    })
  await service.stop()
  rmSync(work, { recursive: true, force: true })
}
