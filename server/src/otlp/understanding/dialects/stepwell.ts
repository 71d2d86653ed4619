// Whole copies of steps, as `stepwell export --to-otlp` sends them: beside the attributes of the conventions, some of our own
// say what the conventions have no words for.
import { isJson, type Json, objectsOf, parsed } from '../../../../generated/model-calls/json.js'
import { fromParts } from '../../../../generated/model-calls/message-parts.js'
import type { ScorePayloadInput, StepInput, ThreadInput } from '../../../../generated/resolvers.js'
import { DomainError } from '../../../kernel/errors.js'
import { parseInstant } from '../../../kernel/instant.js'
import type { Attributes } from '../../encoding/schema.js'
import type { Span } from '../../span.js'
import { firstText, structure } from '../attributes.js'

/** The version of the attributes that this service understands. */
const FORMAT = 1

/** Returns true for a span that is a whole copy of a step, with the ids of the step and its thread. */
export const isCopy = ({ attributes }: Pick<Span, 'attributes'>): boolean =>
  attributes.get('stepwell.step.format') === FORMAT &&
  firstText(attributes, 'stepwell.step.id') !== undefined

/** Returns the step that a span is a copy of. Members of another type than theirs are left out, as anybody may write them. */
export const copiedStep = ({ attributes }: Span): StepInput => {
  const fields = textAsJson(attributes, 'stepwell.step.fields')
  const type = firstText(attributes, 'stepwell.step.type')
  const isTool = type === 'tool'
  return said({
    id: firstText(attributes, 'stepwell.step.id') ?? '',
    parentId: firstText(attributes, 'stepwell.parent.id'),
    rootRunId: firstText(attributes, 'stepwell.root_run.id'),
    type: (TYPES.has(type ?? '') ? type : undefined) as StepInput['type'],
    ...texts(fields, 'threadId', 'name', 'error', 'environment'),
    startTime: momentOf(fields.startTime),
    endTime: momentOf(fields.endTime),
    tags: textsOf(fields.tags),
    input: payloadOf(attributes, isTool ? 'gen_ai.tool.call.arguments' : 'input.value'),
    output: payloadOf(attributes, isTool ? 'gen_ai.tool.call.result' : 'output.value'),
    metadata: payloadOf(attributes, 'metadata'),
    generation: isJson(fields.generation)
      ? { ...callOf(fields.generation), ...toldOf(attributes, fields.told) }
      : undefined,
    scores: scoresOf(fields.scores),
  })
}

/** Returns the threads that copies name, the last telling of each. */
export const copiedThreads = (spans: readonly Span[]): ThreadInput[] => {
  const threads = new Map<string, ThreadInput>()
  for (const { attributes } of spans) {
    const thread = textAsJson(attributes, 'stepwell.thread')
    if (typeof thread.id !== 'string' || thread.id === '') continue
    threads.set(
      thread.id,
      said({
        id: thread.id,
        ...texts(thread, 'name', 'environment', 'participantId'),
        metadata: isJson(thread.metadata) ? thread.metadata : undefined,
        tags: textsOf(thread.tags),
      }),
    )
  }
  return [...threads.values()]
}

const TYPES: ReadonlySet<string> = new Set([
  'assistant_message',
  'embedding',
  'llm',
  'rerank',
  'retrieval',
  'run',
  'system_message',
  'tool',
  'undefined',
  'user_message',
])

const textAsJson = (attributes: Attributes, name: string): Json => {
  const value = structure(attributes.get(name))
  return isJson(value) ? value : {}
}

const payloadOf = (attributes: Attributes, name: string): unknown => {
  const value = attributes.get(name)
  const read = structure(value)
  // A text that is JSON, but no object or list.
  return read === value && typeof value === 'string' ? (parsed(value) ?? value) : read
}

const said = <Of extends object>(members: Of): Of =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Of

const texts = <Name extends string>(of: Json, ...names: Name[]): { [one in Name]?: string } =>
  Object.fromEntries(
    names.flatMap((name) => (typeof of[name] === 'string' ? [[name, of[name]]] : [])),
  ) as { [one in Name]?: string }

const numbers = (of: Json, ...names: string[]): Json =>
  Object.fromEntries(
    names.flatMap((name) =>
      typeof of[name] === 'number' && Number.isFinite(of[name]) ? [[name, of[name]]] : [],
    ),
  )

const counts = (of: Json, ...names: string[]): Json =>
  Object.fromEntries(
    Object.entries(numbers(of, ...names)).filter(([, value]) => Number.isInteger(value)),
  )

const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined

const momentOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return undefined
  try {
    return parseInstant('startTime', value)
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}

const JUDGES = new Set(['HUMAN', 'CODE', 'AI'])
/** Scores that a step may come with. */
const MAX_SCORES = 1000

const scoresOf = (value: unknown): ScorePayloadInput[] | undefined => {
  const scores = objectsOf(value).flatMap((score): ScorePayloadInput[] =>
    typeof score.name === 'string' && typeof score.type === 'string' && JUDGES.has(score.type)
      ? [
          said({
            name: score.name,
            type: score.type as ScorePayloadInput['type'],
            ...texts(score, 'id', 'label', 'comment', 'scorer'),
            ...numbers(score, 'value'),
            tags: textsOf(score.tags),
          }),
        ]
      : [],
  )
  return scores.length === 0 ? undefined : scores.slice(0, MAX_SCORES)
}

const USAGE = [
  ...['input', 'cached', 'cacheWrite', 'cacheWrite5m', 'cacheWrite1h', 'audioInput', 'imageInput'],
  ...['output', 'reasoning', 'audioOutput', 'imageOutput', 'unexplained', 'total'],
]

const callOf = (call: Json): NonNullable<StepInput['generation']> =>
  said({
    ...(call.type === 'CHAT' || call.type === 'COMPLETION' ? { type: call.type } : {}),
    ...texts(call, 'promptId', 'provider', 'model', 'error', 'prompt', 'completion'),
    ...counts(call, 'tokenCount', 'inputTokenCount', 'outputTokenCount'),
    ...numbers(call, 'ttFirstToken', 'duration', 'tokenThroughputInSeconds'),
    // A cost by prices of another service is that of its prices.
    ...(call.costSource === undefined || call.costSource === 'CLIENT' ? numbers(call, 'cost') : {}),
    ...(isJson(call.usage) ? { usage: counts(call.usage, ...USAGE) } : {}),
    tags: textsOf(call.tags),
    ...Object.fromEntries(
      JSONS.flatMap((name) => (call[name] === undefined ? [] : [[name, call[name]]])),
    ),
  })

const JSONS = [
  ...['settings', 'variables', 'metadata', 'tools', 'messages', 'messageCompletion'],
] as const

/** Returns the members of a call that the attributes of the conventions have in whole. */
const toldOf = (attributes: Attributes, told: unknown): Json => {
  const listOf = (name: string): unknown[] => {
    const list = structure(attributes.get(name))
    return Array.isArray(list) ? list : []
  }
  const names = textsOf(told) ?? []
  const [answer] = objectsOf(listOf('gen_ai.output.messages')).map(fromParts)
  return said({
    messages: names.includes('messages')
      ? objectsOf(listOf('gen_ai.input.messages')).map(fromParts)
      : undefined,
    messageCompletion: names.includes('messageCompletion') ? answer : undefined,
    tools: names.includes('tools') ? listOf('gen_ai.tool.definitions') : undefined,
  })
}
