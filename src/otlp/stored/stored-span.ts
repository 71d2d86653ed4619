import { isDeepStrictEqual } from 'node:util'
import { isJson, type Json, objectsOf, without } from '../../model-calls/json.js'
import { fromParts, toParts } from '../../model-calls/message-parts.js'
import { type Span, toSpan } from '../span.js'
import { attributesOf } from '../values.js'
import { type PlacedStep, spanIdOf } from './ids.js'

/** A step as the service has it, with its thread. */
export interface StoredStep extends PlacedStep, Json {
  type: string
  thread?: Json | null
}

/** The version of the attributes by which a span is a whole copy of a step. */
const FORMAT = 1

/** A span, and what of its step it says otherwise than the step does. */
export interface StoredSpan {
  span: Span
  changes: readonly string[]
}

/**
 * Returns the span of a stored step, by OpenTelemetry's conventions. With content, attributes of our own say what the conventions
 * have no words for, so that a service that receives the span stores an equal step.
 */
export const toStoredSpan = (
  step: StoredStep,
  traceId: string,
  hasContent: boolean,
): StoredSpan => {
  const plain = withoutNulls(step) as Json & { id: string }
  const { parentId, participantIdentifier: userId } = plain
  const attachments = objectsOf(plain.attachments).map(withoutSecrets)
  const exported = {
    ...plain,
    traceId,
    ...(typeof userId === 'string' ? { userId } : {}),
    attachments: attachments.length === 0 ? undefined : attachments,
  }
  const span = toSpan(exported, hasContent)
  const changes: string[] = []
  setTimes(span, plain, changes)
  if (attachments.length > 0) changes.push('its files are named, and not sent')
  const own = hasContent ? copyOf(plain) : {}
  return {
    span: {
      ...span,
      spanId: spanIdOf(plain.id),
      ...(typeof parentId === 'string' ? { parentSpanId: spanIdOf(parentId) } : {}),
      attributes: [...span.attributes, ...attributesOf({ ...kindOf(plain), ...own })],
    },
    changes,
  }
}

/** Spans have an end, and none before its start. */
const setTimes = (span: Span, { startTime, endTime, createdAt }: Json, changes: string[]): void => {
  if (span.startTimeUnixNano === '0') {
    const other = toSpan({ id: '-', startTime: endTime ?? createdAt }, false).startTimeUnixNano
    changes.push(
      startTime === undefined
        ? 'it has no start: its end, or its arrival, stands for it'
        : 'it starts before 1970: its end, or its arrival, stands for it',
    )
    span.startTimeUnixNano = other
  }
  if (endTime === undefined) {
    changes.push('it has not ended: its start stands for its end')
    span.endTimeUnixNano = span.startTimeUnixNano
  } else if (BigInt(span.endTimeUnixNano) < BigInt(span.startTimeUnixNano)) {
    changes.push('it ends before it starts: its start stands for its end')
    span.endTimeUnixNano = span.startTimeUnixNano
  }
  for (const event of span.events) event.timeUnixNano = span.endTimeUnixNano
}

/** The kinds of OpenInference, by which its backends tell spans apart. */
const KINDS: Readonly<Record<string, string>> = {
  llm: 'LLM',
  embedding: 'EMBEDDING',
  tool: 'TOOL',
  retrieval: 'RETRIEVER',
  rerank: 'RERANKER',
  run: 'AGENT',
}

const kindOf = ({ type }: Json): Json => ({
  'openinference.span.kind': KINDS[String(type)] ?? 'CHAIN',
})

/** Fields that attributes with names of their own have in whole. */
const ELSEWHERE = new Set([
  'id',
  'parentId',
  'rootRunId',
  'type',
  'input',
  'output',
  'metadata',
  // The thread and its user are in `stepwell.thread`.
  'thread',
  'participantIdentifier',
  // A file belongs to the service that has it.
  'attachments',
  'createdAt',
])

/** Returns the attributes by which a span is a whole copy. */
const copyOf = (step: Json): Json => {
  const { generation, scores, thread, parentId } = step
  const told = isJson(generation) ? toldInParts(generation) : []
  const rest = Object.fromEntries(Object.entries(step).filter(([name]) => !ELSEWHERE.has(name)))
  return {
    'stepwell.step.format': FORMAT,
    'stepwell.step.fields': JSON.stringify({
      ...rest,
      ...(isJson(generation)
        ? { generation: without(generation, new Set([...FOLLOWING, ...told])) ?? {}, told }
        : {}),
      ...(Array.isArray(scores) ? { scores: objectsOf(scores).map(scoreOf) } : {}),
    }),
    // Once for each tree of steps, not with each step.
    'stepwell.thread':
      isJson(thread) && parentId === undefined ? JSON.stringify(threadOf(thread)) : undefined,
  }
}

/** Members that follow from the step or from its service. */
const FOLLOWING = new Set(['id', 'stepId', 'createdAt', 'startedAt', 'isCostPartial'])

/** Returns the members of a model call that the attributes of the conventions have in whole. */
const toldInParts = ({ messages, messageCompletion: answer, tools }: Json): string[] => [
  ...(Array.isArray(messages) && messages.length > 0 && messages.every(isKept) ? ['messages'] : []),
  ...(isKept(answer) ? ['messageCompletion'] : []),
  ...(Array.isArray(tools) ? ['tools'] : []),
]

const isKept = (message: unknown): boolean =>
  isJson(message) && isDeepStrictEqual(fromParts(toParts(message)), message)

const scoreOf = ({ id, name, type, value, label, comment, scorer, tags }: Json): Json => ({
  id,
  name,
  type,
  value,
  label,
  comment,
  scorer,
  tags,
})

const threadOf = ({ id, name, metadata, tags, environment, participant }: Json): Json => ({
  id,
  name,
  metadata,
  tags,
  environment,
  participantId: isJson(participant) ? participant.identifier : undefined,
})

/** An address of an upload lets whoever has it read the file. */
const withoutSecrets = ({ url, ...attachment }: Json): Json =>
  attachment.objectKey === undefined ? { ...attachment, url } : attachment

/** Leaves out what a step does not have. Payloads and metadata keep their own nulls. */
const withoutNulls = (record: Json): Json =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      if (value === null || value === undefined) return []
      if (name === 'usage' && isJson(value)) return [[name, withoutNulls(value)]]
      if ((name === 'generation' || name === 'thread') && isJson(value))
        return [[name, withoutNulls(value)]]
      if (name === 'scores' || name === 'attachments')
        return [[name, objectsOf(value).map(withoutNulls)]]
      return [[name, value]]
    }),
  )
