// Input and output of a step: those of tools, retrievals, agents and anything else that is not a call of a model.
import { whyNotStored } from '../../kernel/storable.js'
import type { Attributes } from '../encoding/schema.js'
import { firstOf, structure, toPayload } from './attributes.js'
import { ACTION_INPUT, ACTION_OUTPUT, embeddedByGenkit } from './dialects/genkit.js'
import { RUN_INPUT, RUN_OUTPUT } from './dialects/langsmith.js'
import { payloadNameOfMastra } from './dialects/mastra.js'
import { embeddedTexts, openInferenceDocuments } from './documents.js'
import { holdsAll, type Taken } from './taken.js'

const PAYLOADS = {
  input: [
    'input.value',
    'gen_ai.tool.call.arguments',
    // Of Pydantic AI.
    'tool_arguments',
    // Of the Agent Development Kit.
    'gcp.vertex.agent.tool_call_args',
    'gen_ai.retrieval.query.text',
    'traceloop.entity.input',
    'langfuse.observation.input',
    'ai.toolCall.args',
    'ai.value',
    'ai.values',
    'ai.documents',
    'ai.request.text',
    'reranker.query',
  ],
  output: [
    'output.value',
    'gen_ai.tool.call.result',
    'tool_response',
    'gcp.vertex.agent.tool_response',
    'final_result',
    'gen_ai.retrieval.documents',
    'traceloop.entity.output',
    'langfuse.observation.output',
    'ai.toolCall.result',
    'ai.response.object',
    'ai.ranking',
  ],
}
/** The same of spans around model calls, which have no generation to hold them. */
const MESSAGES = {
  input: [
    'gen_ai.input.messages',
    'pydantic_ai.all_messages',
    // Of Pydantic AI, too, by events.
    'all_messages_events',
    'ai.prompt',
    'ai.prompt.messages',
    RUN_INPUT,
    ACTION_INPUT,
  ],
  output: [
    'gen_ai.output.messages',
    'ai.response.text',
    'ai.response.toolCalls',
    RUN_OUTPUT,
    ACTION_OUTPUT,
  ],
}
/** The same in many attributes, one for each member of an element of a list. */
const LISTS = {
  input: [
    (attributes: Attributes) => embeddedTexts(attributes) ?? embeddedByGenkit(attributes),
    (attributes: Attributes) => openInferenceDocuments(attributes, 'reranker.input_documents'),
  ],
  output: [
    (attributes: Attributes) => openInferenceDocuments(attributes, 'retrieval.documents'),
    (attributes: Attributes) => openInferenceDocuments(attributes, 'reranker.output_documents'),
  ],
}

/** Values that are written as JSON, texts too. */
const WRITTEN_AS_JSON = [
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'traceloop.entity.input',
  'traceloop.entity.output',
  'ai.toolCall.args',
  'ai.toolCall.result',
  'ai.value',
  ACTION_INPUT,
  ACTION_OUTPUT,
]

/** Returns what a value means: its structure, or the text that is quoted as JSON. */
const meaningOf = (attributes: Attributes, name: string, value: unknown): unknown => {
  const isJson =
    WRITTEN_AS_JSON.includes(name) ||
    attributes.get(name.replace('.value', '.mime_type')) === 'application/json'
  if (!isJson || typeof value !== 'string' || !/^\s*"/.test(value)) return structure(value)
  try {
    const text: unknown = JSON.parse(value)
    return typeof text === 'string' && whyNotStored(text) === undefined ? text : value
  } catch {
    return value
  }
}

/** Instructions of an agent, which its messages do not have. */
const INSTRUCTIONS = 'gen_ai.system_instructions'

export const payloadOf = (
  attributes: Attributes,
  field: 'input' | 'output',
  isCall: boolean,
  taken: Taken,
): Record<string, unknown> | undefined => {
  const names = isCall
    ? PAYLOADS[field]
    : [...PAYLOADS[field], payloadNameOfMastra(attributes, field), ...MESSAGES[field]]
  const found = firstOf(attributes, names)
  if (found !== undefined) {
    const value = meaningOf(attributes, found.name, found.value)
    const instructions = field === 'input' && !isCall ? attributes.get(INSTRUCTIONS) : undefined
    if (instructions !== undefined && MESSAGES.input.includes(found.name))
      return { instructions: structure(instructions), messages: value }
    if (isHeld(found.value, value)) taken.add(found.name, field)
    return toPayload(value)
  }
  for (const listOf of LISTS[field]) {
    const list = listOf(attributes)
    if (list !== undefined) return list
  }
  return undefined
}

/** Returns true when a payload of this structure shows what the attribute was. */
const isHeld = (attribute: unknown, value: unknown): boolean => {
  if (typeof attribute === 'object') return false
  if (typeof value === 'string') return attribute === value
  if (typeof attribute !== 'string' || typeof value !== 'object' || value === null) return true
  const isOnlyContent =
    !Array.isArray(value) && Object.keys(value).length === 1 && 'content' in value
  return !isOnlyContent && holdsAll(attribute, value)
}
