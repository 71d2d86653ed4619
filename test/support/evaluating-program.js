// Evaluates, for tests that kill it or run it twice at once: `node evaluating-program.js NAME LOG [RESUME]`. Writes a line to
// the log when a task begins, and the table to stdout. The items: 40, or those of the file of STEPWELL_TAU_BENCH.
import { appendFileSync, readFileSync } from 'node:fs'
import { evaluate, formatTable } from 'stepwell/evaluate'

const [name, log, resume = 'share'] = process.argv.slice(2)
const REPETITIONS = 4

const recorded = () => {
  const runs = new Map()
  for (const { task_id: task, trial, reward } of JSON.parse(
    readFileSync(process.env.STEPWELL_TAU_BENCH, 'utf8'),
  ))
    runs.set(`${task} ${trial}`, reward)
  return (task, repetition) => runs.get(`${task} ${repetition - 1}`)
}
const rewardOf = process.env.STEPWELL_TAU_BENCH
  ? recorded()
  : (task, repetition) => ((task * 7 + repetition * 13) % 10 < 6 ? 1 : 0)
const count = process.env.STEPWELL_TAU_BENCH ? 50 : 40

const evaluation = await evaluate({
  name,
  release: 'fixed',
  resume: resume === 'take over' ? 'take over' : true,
  data: Array.from({ length: count }, (_, task) => ({ key: `task ${task}`, input: task })),
  repetitions: REPETITIONS,
  concurrency: 8,
  task: async ({ key, input }, { repetition, seed }) => {
    appendFileSync(log, `${key} ${repetition}\n`)
    await new Promise((resolve) => setTimeout(resolve, seed % 40))
    return rewardOf(input, repetition)
  },
  scorers: [
    function reward({ output }) {
      return output
    },
  ],
  progress: false,
})
process.stdout.write(formatTable(evaluation))
process.exitCode = evaluation.exitCode
