// Numbers in attributes that are texts, as tracers write them that know no other attributes: Micrometer's, in Spring AI.
import { expect, test } from 'vitest'
import { useSpans } from './support/record-span.js'

const spans = useSpans()
const usageOf = async (attributes: Record<string, unknown>) =>
  (await spans.recorded({ 'gen_ai.operation.name': 'chat', ...attributes })).generation

test('tokens, costs and times that are written as texts are read', async () => {
  expect(
    await usageOf({
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.usage.input_tokens': '1210',
      'gen_ai.usage.output_tokens': '35',
      'gen_ai.usage.total_tokens': '1245',
      'gen_ai.usage.cost': '1.5E-4',
      'gen_ai.response.time_to_first_chunk': '0.25',
    }),
  ).toMatchObject({
    inputTokenCount: 1210,
    outputTokenCount: 35,
    tokenCount: 1245,
    cost: 0.00015,
    ttFirstToken: 250,
  })
})

test('texts that are no numbers are none', async () => {
  for (const text of ['', ' ', 'many', '0x10', '12 tokens', '1e999', 'NaN', '1_000'])
    expect(
      await usageOf({ 'gen_ai.usage.input_tokens': text, 'gen_ai.usage.output_tokens': '7' }),
    ).toMatchObject({ inputTokenCount: null, outputTokenCount: 7 })
})
