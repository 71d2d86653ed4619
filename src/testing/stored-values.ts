import type { StepRecord, ThreadRecord } from '../outbox/records.js'
import { toIso } from '../values/clock.js'

/** The fields of a step, without its place in the tree. */
export type StepValues = Record<string, unknown> & { id: string; startTime?: string }
export type ThreadValues = Record<string, unknown> & { id: string }

const LISTS = ['tags', 'scores', 'attachments'] as const

/** Returns a record as a service would read it: by way of JSON. */
export const writtenStep = (record: StepRecord): StepValues => {
  const { sessionId: _, sequence: __, startTime, endTime, ...fields } = record
  const moment = (value: number | string | undefined) =>
    typeof value === 'number' ? toIso(value) : value
  return JSON.parse(
    JSON.stringify({ ...fields, startTime: moment(startTime), endTime: moment(endTime) }),
  ) as StepValues
}

/** Merges a record into the stored step by the rules of the service: absent values and empty lists change nothing. */
export const mergedStep = (stored: StepValues | undefined, given: StepValues): StepValues => {
  const merged: StepValues = { ...stored, ...withoutEmpty(given) }
  if (stored?.environment !== undefined) merged.environment = stored.environment
  if (stored?.generation !== undefined && given.generation !== undefined)
    merged.generation = { ...(stored.generation as object), ...(given.generation as object) }
  merged.scores = joined(stored?.scores, given.scores, scoreKey)
  merged.attachments = joined(stored?.attachments, given.attachments, ({ id }) => String(id))
  return merged
}

/** Merges a change into the stored thread; metadata by key, where null removes. */
export const mergedThread = (
  stored: ThreadValues | undefined,
  record: ThreadRecord,
): ThreadValues => {
  const given = JSON.parse(JSON.stringify(record)) as ThreadValues
  const merged: ThreadValues = { ...stored, ...given }
  if (stored?.environment !== undefined) merged.environment = stored.environment
  if (given.metadata === null) merged.metadata = undefined
  else if (given.metadata !== undefined)
    merged.metadata = Object.fromEntries(
      Object.entries({ ...(stored?.metadata as object), ...(given.metadata as object) }).filter(
        ([, value]) => value !== null,
      ),
    )
  return merged
}

const withoutEmpty = (given: StepValues): StepValues =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => !(LISTS.some((list) => list === name) && isEmpty(value)),
    ),
  ) as StepValues

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** The service updates the score of a step with the same id, or else with the same name, type and scorer. */
const scoreKey = ({ id, name, type, scorer }: Record<string, unknown>): string =>
  typeof id === 'string' ? id : JSON.stringify([name, type, scorer])

/** Joins two lists; an item replaces the earlier one with its key. */
const joined = (
  stored: unknown,
  given: unknown,
  keyOf: (item: Record<string, unknown>) => string,
): Record<string, unknown>[] => {
  const items = new Map<string, Record<string, unknown>>()
  for (const list of [stored, given])
    if (Array.isArray(list))
      for (const item of list) items.set(keyOf(item), { ...items.get(keyOf(item)), ...item })
  return [...items.values()]
}
