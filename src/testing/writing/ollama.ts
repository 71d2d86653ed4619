import { argumentsOf, defined, inputOf, outputOf, type Told } from './told.js'
import { json, lines, type Writer } from './writer.js'

/** The moment of all answers: they were recorded without one. */
const CREATED = '2026-01-01T00:00:00Z'

/** Writes chats of Ollama, whose arguments of tools are objects. */
export const writeOllamaChat: Writer = (told, { body }) => {
  const { tool_calls: _, content, ...rest } = told.message
  const calls = told.calls.map((call) => ({
    ...(call.id.startsWith('call-') ? {} : { id: call.id }),
    function: { name: call.name, arguments: argumentsOf(call) },
  }))
  const message = {
    ...rest,
    role: 'assistant',
    content: content ?? '',
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return answerOf(told, { message }, body.stream)
}

/** Writes completions of Ollama. */
export const writeOllamaText: Writer = (told, { body }) =>
  answerOf(told, { response: told.completion }, body.stream)

/** Streams, unless the request forbids it. */
const answerOf = (
  { model, usage, finishReason = 'stop' }: Told,
  content: object,
  stream: unknown,
) => {
  const end = defined({
    model,
    created_at: CREATED,
    done: true,
    done_reason: finishReason,
    prompt_eval_count: usage && inputOf(usage),
    eval_count: usage && outputOf(usage),
  })
  if (stream === false) return json({ ...end, ...content })
  return lines([{ model, created_at: CREATED, ...content, done: false }, end])
}
