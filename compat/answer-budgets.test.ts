import { createService } from '@stepwell/server'
import { expect, test } from 'vitest'
import { StepwellClient } from '../src/index.js'
import { checkBudgets, makeTrace } from './answer-budgets.js'

// A sample: answer-budgets.ts asks for all of it.
test('no answer for agents has more tokens than its budget by a real vocabulary', async () => {
  const service = await createService()
  const client = new StepwellClient({ apiKey: service.apiKey as string, fetch: service.fetch })
  const threads: string[] = []
  for (const count of [7, 60, 400]) threads.push(await makeTrace(client, count))
  const { answers, above } = await checkBudgets(client, threads, [500, 8000, 50_000])
  expect(answers).toBeGreaterThan(40)
  expect(above).toEqual([])
  await service.close()
}, 600_000)
