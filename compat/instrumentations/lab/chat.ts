// Chat completions of OpenAI, as its API has them.
import type { Asked } from './model.js'
import { answering, PLAYED, type Scenario, TOKENS } from './scenarios.js'

const USAGE = {
  prompt_tokens: TOKENS.input,
  completion_tokens: TOKENS.output,
  total_tokens: TOKENS.input + TOKENS.output,
  prompt_tokens_details: { cached_tokens: TOKENS.cached },
  completion_tokens_details: { reasoning_tokens: TOKENS.reasoning },
}

export const error = (message: string): object => ({
  error: { message, type: 'invalid_request_error', param: null, code: null },
})

const messageOf = ({ answer, calls, reasoning }: Scenario, isFirst: boolean) => ({
  role: 'assistant',
  content: calls !== undefined && isFirst ? null : answer,
  ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
  ...(calls !== undefined && isFirst
    ? {
        tool_calls: calls.map(({ id, city }) => ({
          id,
          type: 'function',
          function: { name: PLAYED.tool.name, arguments: JSON.stringify({ city }) },
        })),
      }
    : {}),
})

const reasonOf = ({ calls }: Scenario, isFirst: boolean) =>
  calls !== undefined && isFirst ? 'tool_calls' : 'stop'

export const answer = ({ model }: Asked, scenario: Scenario, isFirst: boolean): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_760_000_000,
  model: answering(model),
  choices: [
    {
      index: 0,
      message: messageOf(scenario, isFirst),
      logprobs: null,
      finish_reason: reasonOf(scenario, isFirst),
    },
  ],
  usage: USAGE,
})

export const events = (
  { model, stream_options: options }: Asked,
  scenario: Scenario,
  isFirst: boolean,
): string[] => {
  const chunk = (delta: object, reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
  })
  const head = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: answering(model),
  }
  const { content, tool_calls: calls, ...rest } = messageOf(scenario, isFirst)
  const chunks: object[] = [
    chunk({ ...rest, content: '' }),
    ...(calls ?? []).map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
    ...(content?.match(/\S+\s*/g) ?? []).map((piece) => chunk({ content: piece })),
  ]
  if (!scenario.endless) {
    chunks.push(chunk({}, reasonOf(scenario, isFirst)))
    if (options?.include_usage) chunks.push({ ...head, choices: [], usage: USAGE })
  }
  return [
    ...chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`),
    ...(scenario.endless ? [] : ['data: [DONE]\n\n']),
  ]
}
