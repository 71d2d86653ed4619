import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StepInput } from 'stepwell'

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Milliseconds that something took. */
export const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

/** Runs things in turns, a number of rounds after one to warm up. Gives the median of each. */
export const interleave = async <Name extends string>(
  rounds: number,
  works: Record<Name, (round: number) => Promise<unknown>>,
): Promise<Record<Name, number>> => {
  const names = Object.keys(works) as Name[]
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >
  for (let round = 0; round <= rounds; round++)
    for (const name of names) {
      const milliseconds = await timed(() => works[name](round))
      if (round > 0) times[name].push(milliseconds)
    }
  return Object.fromEntries(names.map((name) => [name, median(times[name])])) as Record<
    Name,
    number
  >
}

/** A step of about 2 kB, half of it input and half output. */
export const step = (id: string, threadId: string): StepInput => ({
  id,
  threadId,
  type: 'tool',
  name: 'look_up_order',
  startTime: '2026-01-01T10:00:00.000Z',
  endTime: '2026-01-01T10:00:01.500Z',
  input: { content: 'Where is my order? '.repeat(50) },
  output: { content: 'It was shipped yest. '.repeat(45) },
  metadata: { attempt: 1 },
  tags: ['bench'],
})

export const withFolder = async (work: (folder: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-bench-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
