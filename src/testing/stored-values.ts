import type { StepRecord, ThreadRecord } from '../outbox/records.js'
import { toIso } from '../values/clock.js'
import { asObject, isPlain } from '../values/fit.js'

/** The fields of a step, without its place in the tree. */
export type StepValues = Record<string, unknown> & { id: string; startTime?: string }
export type ThreadValues = Record<string, unknown> & { id: string }

type Fields = Record<string, unknown>

/** Returns a record as a service would read it: by way of JSON, with values in the form that readers of a field expect. */
export const writtenStep = (record: StepRecord): StepValues => {
  const { sessionId: _, sequence: __, startTime, endTime, ...fields } = record
  const moment = (value: number | string | undefined) =>
    typeof value === 'number' ? toIso(value) : value
  const written = JSON.parse(
    JSON.stringify({ ...fields, startTime: moment(startTime), endTime: moment(endTime) }),
  ) as StepValues
  if (written.metadata != null) written.metadata = asObject(written.metadata, 'value')
  if (Array.isArray(written.attachments))
    written.attachments = written.attachments.map((file: Fields) =>
      file.metadata == null ? file : { ...file, metadata: asObject(file.metadata, 'value') },
    )
  if (isPlain(written.generation)) written.generation = writtenGeneration(written.generation)
  return written
}

const writtenGeneration = (generation: Fields): Fields => {
  const written = withoutNulls(generation)
  for (const name of ['settings', 'variables', 'metadata'])
    if (name in written) written[name] = asObject(written[name], 'value')
  for (const name of ['messages', 'tools'])
    if (name in written && !Array.isArray(written[name])) written[name] = [written[name]]
  const { messageCompletion: said } = written
  if (said !== undefined && !isPlain(said))
    written.messageCompletion = { role: 'assistant', content: said }
  return written
}

/** Returns a model call as services return it: with its type, and the sum of its tokens where both counts are known. */
export const readGeneration = (generation: unknown): unknown => {
  if (!isPlain(generation)) return generation
  const { messages, messageCompletion, prompt, completion } = generation
  const isText =
    (messages ?? messageCompletion) === undefined && (prompt ?? completion) !== undefined
  const read: Fields = { type: isText ? 'COMPLETION' : 'CHAT', ...generation }
  const { inputTokenCount: input, outputTokenCount: output } = generation
  if (typeof input === 'number' && typeof output === 'number') read.tokenCount ??= input + output
  return read
}

/** Merges a record into the stored step by the rules of the service: absent values and empty lists change nothing. */
export const mergedStep = (stored: StepValues | undefined, given: StepValues): StepValues => {
  const merged = overlaid(stored, given)
  // The first one stays, also when it is the one of the service.
  if (stored !== undefined) merged.environment = stored.environment
  if (isPlain(stored?.generation) && isPlain(given.generation))
    merged.generation = overlaid(
      given.error === null ? { ...stored.generation, error: undefined } : stored.generation,
      given.generation,
    )
  merged.scores = joined(stored?.scores, given.scores, isSameScore)
  merged.attachments = joined(stored?.attachments, given.attachments, isSameAttachment)
  return merged
}

/** Merges a change into the stored thread; metadata by key, where null removes. */
export const mergedThread = (
  stored: ThreadValues | undefined,
  record: ThreadRecord,
): ThreadValues => {
  const given = JSON.parse(JSON.stringify(record)) as ThreadValues
  const merged: ThreadValues = { ...stored, ...given }
  if (stored !== undefined) merged.environment = stored.environment
  if (given.metadata === null) merged.metadata = undefined
  else if (given.metadata !== undefined)
    merged.metadata = withoutNulls({
      ...(stored?.metadata as object),
      ...(given.metadata as object),
    })
  if ((stored?.scores ?? given.scores) !== undefined)
    merged.scores = joined(stored?.scores, given.scores, isSameScore)
  return merged
}

const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** Puts given fields over stored ones; an empty list of tags is no change. */
const overlaid = <Given extends Fields>(stored: unknown, given: Given): Given => {
  const before: Fields = isPlain(stored) ? stored : {}
  const tags = isEmpty(given.tags) ? (before.tags ?? given.tags) : (given.tags ?? before.tags)
  return { ...before, ...given, ...(tags === undefined ? {} : { tags }) }
}

const isSameAttachment = (one: Fields, other: Fields): boolean => one.id === other.id

/** The service updates the score of a step with the same id; without an id, the first with this name, type and scorer. */
const isSameScore = (stored: Fields, given: Fields): boolean =>
  typeof given.id === 'string'
    ? stored.id === given.id
    : ['name', 'type', 'scorer'].every((name) => stored[name] === given[name])

/** Joins two lists; an item changes the first one that is the same, and its nulls and empty lists change nothing. */
const joined = (
  stored: unknown,
  given: unknown,
  isSame: (stored: Fields, given: Fields) => boolean,
): Fields[] => {
  const items: Fields[] = Array.isArray(stored) ? [...stored] : []
  for (const one of Array.isArray(given) ? given : []) {
    const item = withoutNulls(one)
    const place = items.findIndex((other) => isSame(other, item))
    if (place < 0) items.push(item)
    else items[place] = overlaid(items[place], item)
  }
  return items
}
