// Numbers in attributes that are texts, as tracers write them that know no other attributes: Micrometer's, in Spring AI. And
// ids that are numbers, as applications have them from their databases.
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

test('a cost of nothing is known, but not from OpenLIT, which writes it for prices that it does not know', async () => {
  const call = {
    'gen_ai.system': 'openai',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.usage.input_tokens': 1000,
    'gen_ai.usage.output_tokens': 1000,
  }
  const costOf = async (cost: number, attributes: Record<string, unknown>) => {
    const told = await usageOf({ ...call, 'gen_ai.usage.cost': cost, ...attributes })
    return [told?.costSource, told?.cost]
  }
  const openLit = { 'telemetry.sdk.name': 'openlit' }
  expect(await costOf(0, {})).toEqual(['CLIENT', 0])
  expect(await costOf(0.5, openLit)).toEqual(['CLIENT', 0.5])
  expect(await costOf(0, openLit)).toEqual(['BOOK', 0.0125])
})

test('texts that are no numbers are none', async () => {
  for (const text of ['', ' ', 'many', '0x10', '12 tokens', '1e999', 'NaN', '1_000'])
    expect(
      await usageOf({ 'gen_ai.usage.input_tokens': text, 'gen_ai.usage.output_tokens': '7' }),
    ).toMatchObject({ inputTokenCount: null, outputTokenCount: 7 })
})

test('users and conversations whose ids are whole numbers are found by them', async () => {
  const found = async (conversation: unknown, user: unknown, names = ['session.id', 'user.id']) => {
    const [ofConversation = '', ofUser = ''] = names
    const { threadId } = await spans.recorded({ [ofConversation]: conversation, [ofUser]: user })
    const thread = await spans.api().getThread(threadId ?? '')
    return [threadId, thread?.participant?.identifier]
  }
  expect(await found(7, 42)).toEqual(['7', '42'])
  expect(
    await found(8, 0, ['ai.telemetry.metadata.chatId', 'ai.telemetry.metadata.userId']),
  ).toEqual(['8', '0'])
  expect(await found(9_007_199_254_740_993n, 9_223_372_036_854_775_807n)).toEqual([
    '9007199254740993',
    '9223372036854775807',
  ])
  const [own, nobody] = await found(7.5, true)
  expect(own).toMatch(/^f+\d+$/)
  expect(nobody).toBeUndefined()
})
