// Instrumentations that tell when a stream began by an event of the span, and by nothing else.
import { expect, test } from 'vitest'
import { useSpans } from './support/record-span.js'

const spans = useSpans()
const START = 1_700_000_000_000_000_000n
const MS = 1_000_000n
const event = (name: string, ms: bigint) => ({ name, time: START + ms * MS })
const firstOf = async (...events: { name: string; time: bigint }[]) => {
  const { generation } = await spans.recorded(
    { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' },
    { start: START, end: START + 900n * MS, events },
  )
  return generation?.ttFirstToken
}

test.each([
  'First Token Stream Event',
  'gen_ai.content.completion.chunk',
  'llm.content.completion.chunk',
])('the first event "%s" of a call tells when its answer began', async (name) => {
  expect(await firstOf(event(name, 300n), event(name, 120n), event('other', 5n))).toBe(120)
})

test('an event before or after the call tells nothing about it', async () => {
  const name = 'First Token Stream Event'
  expect(await firstOf(event(name, -5n), event(name, 901n))).toBeNull()
  expect(await firstOf(event('other', 5n))).toBeNull()
})
