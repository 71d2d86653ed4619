import { RECORD_STEPS } from '../../generated/record-steps.js'
import { capture } from '../values/capture.js'
import { toIso } from '../values/clock.js'
import type { Loss } from './account.js'
import type { StepRecord, ThreadRecord } from './records.js'
import type { Failure } from './sending/answer.js'

/** What a client says of itself with each batch, so that the service can tell what it has not received. */
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

/** A step on its way. */
export interface Item {
  readonly session: Session
  /** Its number among the steps of its session, from 1 and without gaps. */
  readonly sequence: number
  /** Its place among all that this client has recorded, changes of threads included; 0 for what was there before it. */
  readonly order: number
  readonly id: string
  readonly threadId: string | undefined
  /** About how large it is, in characters. */
  readonly size: number
  /** How much of that is in memory. */
  held: number
  /** Undefined when it is there as JSON. */
  record: StepRecord | undefined
  /** As JSON; undefined when it is not written yet, or in the spool alone. */
  text: string | undefined
  /** Its line in the spool; undefined when it is not there. */
  line: SpoolLine | undefined
  /** Its content was given up, as it was too large with it. */
  isShrunk: boolean
}

/** A line of the spool, to read a step back from. Throws when that can't be done. */
export interface SpoolLine {
  read(): string
}

/** A change of a thread as it was recorded. */
export interface ThreadChange {
  readonly record: ThreadRecord
  /** Settles it in the spool, and all before it; undefined when it is not there. */
  readonly mark: number | undefined
  /** As that of an item. */
  readonly order: number
  /** About how large it is, in characters. */
  readonly size: number
}

/** Changes of a thread on their way, as one. */
export interface ThreadItem {
  readonly record: ThreadRecord
  /** What it is made of, in order: should it be refused, they are tried one by one. */
  readonly changes: readonly [ThreadChange, ...ThreadChange[]]
}

export const threadItem = (change: ThreadChange): ThreadItem => ({
  record: change.record,
  changes: [change],
})

export const sizeOfThread = ({ changes }: ThreadItem): number =>
  changes.reduce((sum, { size }) => sum + size, 0)

/** What goes in one request. */
export interface Batch {
  readonly session: Session
  readonly items: Item[]
  readonly threads: ThreadItem[]
  /** The losses that it tells of, once it is on its way. */
  losses: Loss[]
  /** Whether it tells how a session of an earlier process ended. */
  readonly isEnd: boolean
  /** The end of its session that it tells of, once it is written; undefined while the session goes on. */
  toldEnd: string | undefined
  /** Asks whether the service takes anything, and so holds nothing. */
  readonly isProbe: boolean
  lastFailure: Failure | undefined
  /** How often in a row it failed for a reason that may be its content or the service. */
  failures: number
  /** How often it failed while the service took a probe. */
  blame: number
  /** The moment of the host's `elapsed` before which it is not tried again. */
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
 * A batch in two: the halves of its steps, then threads and the step apart, then the halves of its threads. It alone when
 * it can't be divided.
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

/** Whether something in it was recorded up to a place. */
export const reachesBackTo = ({ items: [first], threads, isEnd }: Batch, order: number): boolean =>
  isEnd ||
  (first !== undefined && first.order <= order) ||
  threads.some(({ changes: [change] }) => change.order <= order)

/** Whether what was recorded at a place is in it. */
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

/** A step as it is written: moments as texts. */
const wireForm = (record: StepRecord): StepRecord => {
  if (typeof record.startTime === 'number') record.startTime = toIso(record.startTime)
  if (typeof record.endTime === 'number') record.endTime = toIso(record.endTime)
  return record
}

/** A step's JSON, written now or read back. Throws when it can't be read back. */
export const textOfItem = (item: Item): string => {
  if (item.record !== undefined) return JSON.stringify(wireForm(item.record))
  return item.text ?? (item.line as SpoolLine).read()
}

const QUERY = JSON.stringify(RECORD_STEPS)

/** The request's body. All steps are written at once where that is possible: one by one takes twice as long. */
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

/** What is left of a value that is too large to be sent. */
const SHRUNK_LENGTH = 1000

/** The step without most of its content, for a service that won't take it whole: where it stands in its tree is kept. */
export const shrunkText = (text: string): string => {
  const step = JSON.parse(text) as Record<string, unknown>
  for (const field of ['input', 'output', 'metadata', 'error', 'generation', 'scores', 'name'])
    if (step[field] !== undefined) step[field] = capture(step[field], SHRUNK_LENGTH)
  if (!isObject(step.generation)) delete step.generation
  delete step.scores
  return JSON.stringify(step)
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null
