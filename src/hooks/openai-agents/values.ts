import type { GenerationPayloadInput } from '../../../generated/schema.js'
import type { Answered, Asked } from '../../model-calls/apis/api.js'
import { openAIChat } from '../../model-calls/apis/openai-chat.js'
import { openAIResponses } from '../../model-calls/apis/openai-responses.js'
import type { Step } from '../../tracing/step.js'
import type { StepData } from '../../tracing/step-data.js'
import { type CallTimes, describe, timesOf, tokensIn, tokensOf } from '../shared/generation.js'
import { defined, isJson, type Json, objectsOf, parsedOr, textOf } from '../shared/json.js'

/** Returns the step that a span begins. */
export const beginOf = (data: Json): StepData => {
  const name = textOf(data.name)
  switch (data.type) {
    case 'agent':
      return {
        type: 'run',
        name: name ?? 'agent',
        metadata: defined({ tools: data.tools, handoffs: data.handoffs }),
      }
    case 'function':
      return { type: 'tool', name: name ?? 'tool' }
    case 'generation':
    case 'response':
      return { type: 'llm', name: 'chat' }
    case 'mcp_tools':
      return { name: 'list tools', input: { server: data.server } }
    case 'handoff':
      return { name: 'handoff', input: { from: data.from_agent } }
    default:
      return { name: name ?? String(data.type) }
  }
}

/** Writes what is known of a span at its end into its step. */
export const write = (step: Step, data: Json, times: CallTimes): void => {
  switch (data.type) {
    case 'function':
      step.input ??= structure(data.input)
      step.output ??= structure(data.output)
      return
    case 'generation':
      writeCall(
        step,
        openAIChat.ask({ ...settingsOf(data), model: data.model, messages: data.input }, ''),
        answeredOf(openAIChat, objectsOf(data.output)[0]),
        data,
        times,
      )
      return
    case 'response': {
      const response = isJson(data._response) ? data._response : {}
      const body = {
        ...settingsIn(response),
        input: itemsOf(data._input),
        instructions: response.instructions,
        tools: response.tools,
        model: response.model,
      }
      writeCall(
        step,
        openAIResponses.ask(body, ''),
        answeredOf(openAIResponses, response),
        data,
        times,
      )
      return
    }
    case 'handoff':
      step.output ??= { to: data.to_agent }
      return
    case 'guardrail':
      step.output ??= { triggered: data.triggered }
      return
    case 'mcp_tools':
      step.output ??= { tools: data.result }
      return
    case 'custom':
      step.input ??= data.data
      return
  }
}

const structure = (value: unknown): unknown =>
  typeof value === 'string' && value !== '' ? parsedOr(value) : undefined

const answeredOf = (api: typeof openAIChat, body: unknown): Answered => {
  const answer = api.answer()
  answer.whole(body)
  return answer.read()
}

const writeCall = (
  step: Step,
  asked: Asked,
  answered: Answered,
  { usage }: Json,
  times: CallTimes,
): void => {
  const model = answered.model ?? asked.model
  const counts =
    answered.usage !== undefined && answered.usage.total > 0
      ? tokensOf(answered.usage)
      : tokensIn('openai', usage)
  if (model !== undefined) step.name = `chat ${asked.model ?? model}`
  describe(step, {
    type: 'CHAT',
    provider: 'openai',
    model,
    messages: asked.messages?.length === 0 ? undefined : asked.messages,
    messageCompletion: answered.message,
    tools: asked.tools,
    settings: asked.settings,
    ...counts,
    ...timesOf(times, counts.outputTokenCount),
  } as GenerationPayloadInput)
  const reason = answered.finishReason
  if (reason !== undefined) step.metadata = { ...step.metadata, finishReason: reason }
}

/** Returns the settings of a chat completion that are set. */
const settingsOf = ({ model_config: settings }: Json): Json =>
  isJson(settings) ? defined(settings) : {}

const SETTINGS = ['temperature', 'top_p', 'tool_choice', 'max_output_tokens', 'parallel_tool_calls']

/** Returns the settings that an answer tells of. */
const settingsIn = (response: Json): Json => {
  const settings: Json = {}
  for (const name of SETTINGS)
    if (response[name] !== undefined && response[name] !== null) settings[name] = response[name]
  return settings
}

/** Returns items in the form of the API: those of the Agents SDK have other names for the ids and results of calls. */
const itemsOf = (input: unknown): unknown =>
  Array.isArray(input)
    ? input.filter(isJson).map((item) => {
        if (item.type === 'function_call_result')
          return {
            type: 'function_call_output',
            call_id: item.callId,
            output: resultOf(item.output),
          }
        return 'callId' in item ? { ...item, call_id: item.callId } : item
      })
    : input

const resultOf = (output: unknown): unknown =>
  isJson(output) && output.type === 'text' ? output.text : output
