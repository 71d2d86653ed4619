import { RECORD_STEPS } from '../../generated/record-steps.js'
import { capture, captureMembers } from '../values/capture.js'
import { toIso } from '../values/clock.js'
import type { Loss } from './account.js'
import type { StepRecord, ThreadRecord } from './records.js'
import type { Failure } from './sending/answer.js'

/**
 * A client's report about its session, sent with each batch, from which the service derives what it has not received.
 */
export interface Session {
  id: string
  /** ISO 8601. */
  startedAt: string
  release: string | undefined
  /** The sequence number of the last step that was recorded. */
  recorded: number
  /** ISO 8601; undefined while it runs. */
  endedAt: string | undefined
}

/** Returns true when a session began before another one; ids decide between those of one millisecond. */
export const isEarlier = (one: Session, other: Session): boolean =>
  one.startedAt < other.startedAt || (one.startedAt === other.startedAt && one.id < other.id)

/** A step that is not delivered yet. */
export interface Item {
  readonly session: Session
  /** Its number among the steps of its session, from 1 and without gaps. */
  readonly sequence: number
  /** Its place among all records of this client, changes of threads included; 0 for records of earlier processes. */
  readonly order: number
  readonly id: string
  readonly threadId: string | undefined
  /** Its approximate size, in characters. */
  readonly size: number
  /** The part of that which is in memory. */
  held: number
  /** Undefined when it is present as JSON. */
  record: StepRecord | undefined
  /** As JSON; undefined when it is not written yet, or only in the spool. */
  text: string | undefined
  /** Its line in the spool; undefined when it is not there. */
  line: SpoolLine | undefined
  /** Content of it was removed, as it was too large with it. */
  isShrunk: boolean
  /** The fields whose content was removed, or all. */
  cut?: readonly (string | undefined)[]
}

/** A line of the spool, to read a step back from. Throws when that fails. */
export interface SpoolLine {
  read(): string
}

/** A change of a thread as it was recorded. */
export interface ThreadChange {
  readonly record: ThreadRecord
  /** Settles it in the spool, and all before it; undefined when it is not there. */
  readonly mark: number | undefined
  /** Its place, as for an item. */
  readonly order: number
  /** Its approximate size, in characters. */
  readonly size: number
  /** As for an item. */
  readonly cut?: readonly (string | undefined)[]
}

/** Merged changes of a thread that are not delivered yet. */
export interface ThreadItem {
  readonly record: ThreadRecord
  /** The changes that it consists of, in order: if it is refused, they are tried one by one. */
  readonly changes: readonly [ThreadChange, ...ThreadChange[]]
}

/** Steps and changes of threads that are not delivered yet. */
export interface Records {
  items: Item[]
  threads: ThreadItem[]
}

export const threadItem = (change: ThreadChange): ThreadItem => ({
  record: change.record,
  changes: [change],
})

export const sizeOfThread = ({ changes }: ThreadItem): number =>
  changes.reduce((sum, { size }) => sum + size, 0)

/** The content of one request. */
export interface Batch {
  readonly session: Session
  readonly items: Item[]
  readonly threads: ThreadItem[]
  /** The losses that it reports, once it is being sent. */
  losses: Loss[]
  /** True when it reports the end of an earlier process's session. */
  readonly isEnd: boolean
  /** The end of its session that it reports, once it is written; undefined while the session runs. */
  toldEnd: string | undefined
  /** Asks if the service accepts anything, and so is empty. */
  readonly isProbe: boolean
  lastFailure: Failure | undefined
  /** Consecutive failures that may be due to its content or to the service. */
  failures: number
  /** Failures while the service accepted a probe. */
  blame: number
  /** The time, by the host's `elapsed`, before which it is not tried again. */
  notBefore: number
}

export const newBatch = (
  session: Session,
  parts: Partial<Pick<Batch, 'items' | 'threads' | 'losses' | 'isEnd' | 'isProbe'>> = {},
): Batch => ({
  session,
  items: [],
  threads: [],
  losses: [],
  isEnd: false,
  isProbe: false,
  toldEnd: undefined,
  failures: 0,
  lastFailure: undefined,
  blame: 0,
  notBefore: 0,
  ...parts,
})

/**
 * Divides a batch in two: first by halving its steps, then into threads and the single step, then by halving its
 * threads. Returns the batch alone when it cannot be divided.
 */
export const dividedBatch = (batch: Batch): Batch[] => {
  const { session, items, threads, losses, isEnd } = batch
  const inTwo = (first: Partial<Batch>, second: Partial<Batch>) => [
    newBatch(session, first),
    newBatch(session, { ...second, losses, isEnd }),
  ]
  if (items.length > 1) {
    const middle = Math.ceil(items.length / 2)
    return inTwo({ items: items.slice(0, middle), threads }, { items: items.slice(middle) })
  }
  if (items.length > 0 && threads.length > 0) return inTwo({ threads }, { items })
  if (threads.length < 2) return [batch]
  const middle = Math.ceil(threads.length / 2)
  return inTwo({ threads: threads.slice(0, middle) }, { threads: threads.slice(middle) })
}

/** Returns true when something in it was recorded up to a place. */
export const reachesBackTo = ({ items: [first], threads, isEnd }: Batch, order: number): boolean =>
  isEnd ||
  (first !== undefined && first.order <= order) ||
  threads.some(({ changes: [change] }) => change.order <= order)

/** Returns true when the record of a place is in it. */
export const holdsOrder = ({ items, threads }: Batch, order: number): boolean =>
  indexOfOrder(items, order) !== undefined ||
  threads.some(({ changes }) => changes.some((change) => change.order === order))

/** Finds the step that was recorded at a place, in a list that is in order. */
export const indexOfOrder = (
  items: readonly Item[],
  order: number,
  from = 0,
): number | undefined => {
  let low = from
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((items[middle] as Item).order < order) low = middle + 1
    else high = middle
  }
  return items[low]?.order === order ? low : undefined
}

/** Returns a step in its wire form: with moments as texts. */
const wireForm = (record: StepRecord): StepRecord => {
  if (typeof record.startTime === 'number') record.startTime = toIso(record.startTime)
  if (typeof record.endTime === 'number') record.endTime = toIso(record.endTime)
  return record
}

/** Returns a step's JSON, written now or read back. Throws when it cannot be read back. */
export const textOfItem = (item: Item): string => {
  if (item.record !== undefined) return JSON.stringify(wireForm(item.record))
  return item.text ?? (item.line as SpoolLine).read()
}

const QUERY = JSON.stringify(RECORD_STEPS)

/** Writes the request's body. All steps are written at once if possible: one by one takes twice as long. */
export const bodyOf = ({ session, items, threads, losses }: Batch): string => {
  const records: StepRecord[] = []
  for (const { record } of items) if (record !== undefined) records.push(wireForm(record))
  const steps =
    records.length === items.length
      ? JSON.stringify(records)
      : `[${items.map(textOfItem).join(',')}]`
  const changed =
    threads.length === 0 ? '' : `,"threads":${JSON.stringify(threads.map(({ record }) => record))}`
  const told = JSON.stringify({ ...session, losses })
  return `{"query":${QUERY},"variables":{"session":${told}${changed},"steps":${steps}}}`
}

/** Characters that remain of a value that is too large to be sent. */
const SHRUNK_LENGTH = 1000

const STEP_FIELDS = 'input output metadata error name tags generation scores attachments'.split(' ')
const THREAD_FIELDS = 'name metadata tags scores'.split(' ')

/** Returns the field at whose start a refusal's message is, if it can shrink. */
const fieldIn = (message: string, fields: readonly string[]): string | undefined => {
  const name = /^\w+/.exec(message)?.[0]
  return fields.find((field) => field === name)
}

/**
 * Removes most of the field of a step that a refusal names, or of all when it names none or that was done before. Returns
 * false when nothing more can be removed. The step's place in the tree, its scores and attachments stay.
 */
export const shrink = (item: Item, message: string): boolean => {
  const { cut = [] } = item
  if (cut.includes(undefined)) return false
  const named = fieldIn(message, STEP_FIELDS)
  const field = cut.includes(named) ? undefined : named
  try {
    item.text = JSON.stringify(shrunk(JSON.parse(textOfItem(item)), field, STEP_FIELDS))
  } catch {
    // It cannot be read back from the spool any more.
    return false
  }
  item.record = undefined
  item.isShrunk = true
  item.cut = [...cut, field]
  return true
}

/**
 * Returns a single change of a thread with less of the field that a refusal names, then without it; undefined when there
 * is nothing to remove.
 */
export const shrunkThread = (
  { changes: [change] }: ThreadItem,
  message: string,
): ThreadItem | undefined => {
  const { record, cut = [] } = change
  const field = fieldIn(message, THREAD_FIELDS)
  if (!cut.includes(field))
    return threadItem({
      ...change,
      record: shrunk({ ...record }, field, THREAD_FIELDS),
      cut: [...cut, field],
    })
  return field === undefined || !record[field as keyof ThreadRecord]
    ? undefined
    : threadItem({ ...change, record: { ...record, [field]: undefined } })
}

/**
 * Removes most of some fields, for a service that refuses them whole. Objects whose members the service knows by name get
 * no other ones.
 */
const shrunk = <Value extends object>(
  value: Value,
  field: string | undefined,
  fields: readonly string[],
): Value => {
  const object = value as Record<string, unknown>
  for (const name of field === undefined ? fields : [field]) {
    const given = object[name]
    if (given === undefined || given === null) continue
    if (name === 'generation') object[name] = captureMembers(given, SHRUNK_LENGTH)
    else if (name === 'scores' || name === 'attachments')
      object[name] = listOf(given).map((one) => {
        const part = name === 'scores' ? 'comment' : 'metadata'
        return one[part] === undefined ? one : { ...one, [part]: capture(one[part], SHRUNK_LENGTH) }
      })
    else object[name] = capture(given, SHRUNK_LENGTH)
  }
  return value
}

const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []
