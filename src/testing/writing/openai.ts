import type { Usage } from '../../model-calls/usage/usage.js'
import { isPlain } from '../../values/fit.js'
import { defined, inputOf, outputOf, type Told, writtenToCache } from './told.js'
import { events, json, type Writer } from './writer.js'

/** The moment of all answers: they were recorded without one. */
const CREATED = 1_700_000_000

/** Writes chat completions. */
export const writeChat: Writer = (told, { body }) => {
  const { id, model, message, calls } = told
  const finish_reason = told.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  const usage = usageOf(told)
  const frame = { id, model, created: CREATED }
  if (body.stream !== true) {
    const choices = [
      { index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason },
    ]
    return json(defined({ ...frame, object: 'chat.completion', choices, usage }))
  }
  const chunk = (delta: unknown, reason: string | null = null) => ({
    ...frame,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: reason }],
  })
  const { tool_calls: listed, ...said } = message
  const pieces = (Array.isArray(listed) ? listed : []).map((call, index) =>
    chunk({ tool_calls: [{ index, ...call }] }),
  )
  return events([
    chunk({ role: 'assistant', ...said }),
    ...pieces,
    chunk({}, finish_reason),
    ...(usage === undefined
      ? []
      : [{ ...frame, object: 'chat.completion.chunk', choices: [], usage }]),
    '[DONE]',
  ])
}

/** Writes completions of a text. */
export const writeCompletion: Writer = (told, { body }) => {
  const { id, model, completion, finishReason = 'stop' } = told
  const whole = defined({
    id,
    model,
    created: CREATED,
    object: 'text_completion',
    choices: [{ index: 0, text: completion, finish_reason: finishReason }],
    usage: usageOf(told),
  })
  return body.stream === true ? events([whole, '[DONE]']) : json(whole)
}

/** Writes the answers of the newer API: items, and events that say how they come about. */
export const writeResponse: Writer = (told, { body }) => {
  const { id, model, parts, calls, finishReason } = told
  const texts = parts.filter(({ text }) => typeof text === 'string')
  const output: Record<string, unknown>[] = [
    ...parts
      .filter(({ type }) => type === 'thinking')
      .map(({ thinking }, place) => ({
        type: 'reasoning',
        id: `reasoning-${place + 1}`,
        summary: [{ type: 'summary_text', text: String(thinking) }],
      })),
    ...(texts.length === 0 ? [] : [itemOf(texts)]),
    ...calls.map(({ id: callId, name, given }) => ({
      type: 'function_call',
      id: `item-${callId}`,
      call_id: callId,
      name,
      arguments: given,
      status: 'completed',
    })),
  ]
  const response = (status: string, items: readonly unknown[]) =>
    defined({
      id,
      object: 'response',
      created_at: CREATED,
      model,
      status,
      output: items,
      error: null,
      incomplete_details: null,
      parallel_tool_calls: true,
      usage: status === 'in_progress' ? undefined : usageOf(told, 'input_tokens', 'output_tokens'),
    })
  const status = finishReason === undefined || finishReason === 'stop' ? 'completed' : finishReason
  const isEnd = /^(completed|incomplete|failed|cancelled)$/.test(status)
  const whole = {
    ...response(isEnd ? status : 'incomplete', output),
    ...(isEnd ? {} : { incomplete_details: { reason: status } }),
  }
  if (body.stream !== true) return json(whole)
  let sequence = 0
  const numbered = (event: Record<string, unknown>) => ({ ...event, sequence_number: sequence++ })
  return events(
    [
      { type: 'response.created', response: response('in_progress', []) },
      ...output.flatMap((item, place) => eventsOf(item, place)),
      { type: isEnd ? `response.${status}` : 'response.incomplete', response: whole },
    ].map(numbered),
    true,
  )
}

const itemOf = (texts: readonly Record<string, unknown>[]) => ({
  type: 'message',
  id: 'message-1',
  role: 'assistant',
  status: 'completed',
  content: texts.map(({ text, annotations }) => ({
    type: 'output_text',
    text,
    annotations: Array.isArray(annotations) ? annotations : [],
  })),
})

const eventsOf = (item: Record<string, unknown>, output_index: number) => {
  const place = { output_index, item_id: item.id }
  const content = Array.isArray(item.content) ? item.content.filter(isPlain) : []
  const begun =
    item.type === 'message'
      ? { ...item, content: [] }
      : item.type === 'function_call'
        ? { ...item, arguments: '' }
        : item
  return [
    { type: 'response.output_item.added', output_index, item: begun },
    ...content.flatMap((part, content_index) => [
      {
        type: 'response.content_part.added',
        ...place,
        content_index,
        part: { ...part, text: '', annotations: [] },
      },
      { type: 'response.output_text.delta', ...place, content_index, delta: part.text },
      { type: 'response.output_text.done', ...place, content_index, text: part.text },
      { type: 'response.content_part.done', ...place, content_index, part },
    ]),
    ...(item.type === 'function_call'
      ? [
          { type: 'response.function_call_arguments.delta', ...place, delta: item.arguments },
          {
            type: 'response.function_call_arguments.done',
            ...place,
            arguments: item.arguments,
          },
        ]
      : []),
    { type: 'response.output_item.done', output_index, item },
  ]
}

/** Writes usage, whose parts are within the numbers of the prompt and of the completion. */
const usageOf = (
  { usage, cost }: Told,
  input = 'prompt_tokens',
  output = 'completion_tokens',
): Record<string, unknown> | undefined => {
  if (usage === undefined) return cost === undefined ? undefined : { cost }
  return defined({
    [input]: inputOf(usage),
    [output]: outputOf(usage),
    total_tokens: usage.total,
    [`${input}_details`]: detailsOf({
      cached_tokens: usage.cached,
      cache_write_tokens: writtenToCache(usage),
      audio_tokens: usage.audioInput,
      image_tokens: usage.imageInput,
    }),
    [`${output}_details`]: detailsOf({
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.audioOutput,
      image_tokens: usage.imageOutput,
    }),
    cost,
  })
}

const detailsOf = (details: Record<string, Usage[keyof Usage]>) => {
  const known = defined(details)
  return Object.keys(known).length === 0 ? undefined : known
}
