// Thirty seeded faults in recorded conversations: does the outline at 8,000 tokens name the faulty step?
//
//   node scripts/run.js bench/agents.ts FILE [BUDGET [SEED]]
//
// FILE has runs of tau-bench, as for examples/tau-bench.ts; `seeded-faults.ts` puts the faults into them.
import { createService } from '@stepwell/server'
import { outline } from '../src/agents/index.js'
import { StepwellClient } from '../src/index.js'
import { faultyThreads } from './seeded-faults.js'

const [file, budget = '8000', firstSeed = '1'] = process.argv.slice(2)
if (file === undefined) {
  console.error('usage: node scripts/run.js bench/agents.ts FILE [BUDGET [SEED]]')
  process.exit(2)
}
const service = await createService()
const client = new StepwellClient({
  apiKey: service.apiKey as string,
  fetch: service.fetch,
  timeoutMs: 600_000,
})
const outcomes = new Map<string, { found: number; missed: string[] }>()
const sizes: number[] = []
for await (const { kind, threadId, steps, faulty } of faultyThreads(file, Number(firstSeed))) {
  for (let from = 0; from < steps.length; from += 500)
    await client.api.sendSteps(steps.slice(from, from + 500))
  const { text = '', tokens = 0 } =
    (await outline(client, { threadId, budget: Number(budget) })) ?? {}
  const outcome = outcomes.get(kind) ?? { found: 0, missed: [] }
  outcomes.set(kind, outcome)
  sizes.push(tokens)
  // An id may be the beginning of another one.
  if (text.split(/[\s,]+/).includes(faulty)) outcome.found++
  else outcome.missed.push(`${threadId} (${steps.length} steps): ${faulty}`)
}
for (const [kind, { found, missed }] of outcomes)
  console.log(
    `${kind}: ${found} of ${found + missed.length}${missed.map((one) => `\n  missed ${one}`).join('')}`,
  )
const found = [...outcomes.values()].reduce((sum, outcome) => sum + outcome.found, 0)
sizes.sort((one, other) => one - other)
console.log(
  `${found} of ${sizes.length} faults named within ${budget} tokens; outlines have ${sizes[0]} to ${sizes.at(-1)} by the library's own count`,
)
await service.close()
