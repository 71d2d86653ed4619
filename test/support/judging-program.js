// A worker in a process of its own: node test/support/judging-program.js LOG [tokens]. Notes each judgement that it begins.
import { appendFileSync } from 'node:fs'
import { StepwellClient } from 'stepwell'
import { liveJudge, runJudge } from 'stepwell/evaluate'

const [log, perDay] = process.argv.slice(2)
const client = new StepwellClient()
const call = async (stepId) => {
  appendFileSync(log, `${stepId}\n`)
  await client.trace({ name: 'model', type: 'llm' }, async (step) => {
    await new Promise((resolve) => setTimeout(resolve, 10))
    step.generation = { type: 'CHAT', model: 'm', tokenCount: 10 }
  })
  return '{"reason": "so", "choice": "yes"}'
}
const judge = liveJudge({
  name: 'live',
  version: '1',
  on: 'steps',
  sample: 1,
  quietSeconds: 0,
  seconds: 1,
  client,
  scorers: [
    async function helpful({ item }) {
      await call(item.key)
      return true
    },
  ],
  ...(perDay === undefined ? {} : { budget: { perDay: { tokens: Number(perDay) } } }),
})
const stopped = new AbortController()
process.once('SIGTERM', () => stopped.abort())
await runJudge(judge, { progress: false, signal: stopped.signal })
await client.close()
