// Spans of `@mastra/otel-exporter`, version 1.
import { expect, test } from 'vitest'
import { useSpans } from './support/record-span.js'

const { api, recorded } = useSpans()

test('agents and steps of workflows have their inputs and outputs, and the thread and the user of their metadata', async () => {
  const agent = await recorded({
    'gen_ai.operation.name': 'invoke_agent',
    'mastra.span.type': 'agent_run',
    'mastra.agent_run.input': 'Weather in Rome?',
    'mastra.agent_run.output': '{"text":"Take a hat.","files":[]}',
    'gen_ai.system_instructions': 'Be kind.',
    'mastra.metadata.threadId': 'thread of Mastra',
    'mastra.metadata.userId': 'mia of Mastra',
  })
  expect(agent).toMatchObject({
    type: 'run',
    threadId: 'thread of Mastra',
    input: { content: 'Weather in Rome?' },
    output: { text: 'Take a hat.', files: [] },
  })
  const thread = await api().getThread('thread of Mastra')
  expect(thread?.participant?.identifier).toBe('mia of Mastra')
  expect(
    await recorded(
      {
        'gen_ai.operation.name': 'workflow_step',
        'mastra.span.type': 'workflow_step',
        'mastra.workflow_step.input': '{"city":"Rome"}',
        'mastra.workflow_step.output': '{"sky":"sunny"}',
      },
      { parentSpanId: '1'.repeat(16) },
    ),
  ).toMatchObject({ type: 'undefined', input: { city: 'Rome' }, output: { sky: 'sunny' } })
})

test('a call of a model has the time to the first part of its answer', async () => {
  const start = Date.UTC(2026, 0, 1)
  const { generation } = await recorded(
    {
      'gen_ai.operation.name': 'chat',
      'mastra.span.type': 'model_inference',
      'gen_ai.request.model': 'gpt-4o',
      'mastra.completion_start_time': new Date(start + 250).toISOString(),
    },
    { start: BigInt(start) * 1_000_000n, end: BigInt(start + 1000) * 1_000_000n },
  )
  expect(generation).toMatchObject({ model: 'gpt-4o', ttFirstToken: 250 })
})
