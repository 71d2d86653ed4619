import { RECORD_STEPS } from '../../generated/record-steps.js'
import { capture } from '../tracing/capture.js'
import { toIso } from '../tracing/clock.js'
import type { StepRecord, ThreadRecord } from '../tracing/recorder.js'
import type { Loss } from './account.js'

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
  /** Its place among the steps of its session, from 1 and without gaps. */
  readonly sequence: number
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
  /** Reads it back from the spool; undefined when it is not there. */
  load: (() => string) | undefined
  /** Its content was given up, as it was too large with it. */
  isShrunk: boolean
}

/** Changes of a thread on their way. */
export interface ThreadItem {
  readonly record: ThreadRecord
  /** Settles them in the spool; undefined when they are not there. */
  readonly mark: number | undefined
}

/** What goes in one request. */
export interface Batch {
  readonly session: Session
  readonly items: Item[]
  readonly threads: ThreadItem[]
  /** The losses that it tells of, once it is on its way. */
  losses: Loss[]
  /** Whether it tells how a session of an earlier process ended. */
  readonly isEnd: boolean
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
  return item.text ?? (item.load as () => string)()
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
