import { Account, type Stats } from '../outbox/account.js'
import type { StepRecord, ThreadRecord } from '../outbox/records.js'
import type { Serializer } from '../tracing/recording/serializer.js'
import type { Sink } from '../tracing/recording/sink.js'
import type { Step } from '../tracing/step.js'
import { newId } from '../values/id.js'
import type { RecordedStep, RecordedThread } from './recorded.js'
import {
  mergedStep,
  mergedThread,
  readGeneration,
  type StepValues,
  type ThreadValues,
  writtenStep,
} from './stored-values.js'

const STEP_FIELDS = [
  'id',
  'name',
  'type',
  'threadId',
  'parentId',
  'rootRunId',
  'input',
  'output',
  'error',
  'metadata',
  'tags',
  'generation',
  'scores',
  'attachments',
  'environment',
  'startTime',
  'endTime',
] as const

/** A step of the list: open, or with the values that were recorded of it. */
interface Entry {
  readonly view: RecordedStep
  /** Its place among all steps that were made. */
  readonly number: number
  /** Milliseconds since 1970. */
  start: number
  values: StepValues | undefined
}

/** Keeps what is recorded, at once and in the form in which a service would store it. Has no timers. */
export class Memory implements Sink {
  /** In order of start; the same list as long as the memory exists. */
  readonly steps: RecordedStep[] = []
  readonly threads: RecordedThread[] = []
  readonly #serializer: Serializer
  readonly #account: Account
  readonly #entries = new Map<string, Entry>()
  readonly #open = new Map<Step, Entry>()
  /** In the order of `steps`. */
  readonly #listed: Entry[] = []
  readonly #threadValues = new Map<string, ThreadValues>()
  readonly #sessionId = newId()
  #isClosed = false
  #made = 0

  constructor(serializer: Serializer, report: (message: string) => void) {
    this.#serializer = serializer
    this.#account = new Account(report)
  }

  noteStep(step: Step): void {
    if (this.#isClosed) return
    const entry = this.#newEntry()
    const read = (): StepValues => writtenStep(this.#serializer.step(step).value)
    for (const name of STEP_FIELDS)
      Object.defineProperty(entry.view, name, {
        get: () => fieldOf(read(), name),
        enumerable: true,
        configurable: true,
      })
    setValue(entry.view, 'isOpen', true)
    entry.start = startOf(step.startTime)
    this.#open.set(step, entry)
    this.#list(entry)
  }

  noteEnd(step: Step): void {
    const entry = this.#open.get(step)
    if (entry === undefined) return
    this.#open.delete(step)
    this.#unlist(entry)
    // Sampling may drop it, and the end may change its id.
    if (!this.#entries.has(step.id)) this.#entries.set(step.id, entry)
  }

  add(record: StepRecord): void {
    this.#account.recorded++
    if (this.#isClosed) {
      this.#account.drop('closed', 'a step was recorded after the client was closed', record)
      return
    }
    const given = writtenStep(record)
    const entry = this.#entries.get(given.id) ?? this.#newEntry()
    this.#entries.set(given.id, entry)
    this.#unlist(entry)
    entry.values = mergedStep(entry.values, given)
    entry.start = startOf(entry.values.startTime)
    for (const name of STEP_FIELDS) setValue(entry.view, name, fieldOf(entry.values, name))
    setValue(entry.view, 'isOpen', false)
    this.#list(entry)
    const { threadId } = entry.view
    if (threadId !== undefined && !this.#threadValues.has(threadId))
      this.#putThread(threadId, { id: threadId, environment: given.environment as string })
    this.#account.delivered++
  }

  addThread(record: ThreadRecord): void {
    if (this.#isClosed)
      this.#account.dropThread(`the thread ${record.id} was changed after the client was closed`)
    else this.#putThread(record.id, record)
  }

  lose(reason: 'internal', message: string): void {
    this.#account.recorded++
    this.#account.drop(reason, message)
  }

  /** Forgets everything. Steps that are still open appear when they end. */
  clear(): void {
    for (const list of [this.steps, this.threads, this.#listed]) list.length = 0
    for (const map of [this.#entries, this.#open, this.#threadValues]) map.clear()
  }

  start(): void {}

  async flushLast(): Promise<void> {}

  async flush(): Promise<void> {}

  async close(): Promise<void> {
    this.end()
  }

  cutOff(): void {}

  end(): void {
    this.#isClosed = true
  }

  stats(sampledOut = 0, timedOut = 0): Stats {
    const { recorded, delivered, pending, dropped } = this.#account
    return {
      recorded,
      delivered,
      pending,
      dropped,
      droppedByReason: this.#account.droppedByReason(),
      droppedThreadChanges: this.#account.droppedThreads,
      droppedScores: this.#account.droppedScores,
      adopted: 0,
      sampledOut,
      timedOut,
      setAside: this.#account.setAside(),
      lastProblem: undefined,
      sessionId: this.#sessionId,
    }
  }

  #newEntry(): Entry {
    const view = {} as RecordedStep
    const { steps, threads } = this
    defineLinks(view, {
      parent: () => steps.find(({ id }) => id === view.parentId),
      children: () => steps.filter(({ parentId }) => parentId === view.id),
      thread: () => threads.find(({ id }) => id === view.threadId),
    })
    return { view, number: this.#made++, start: Number.POSITIVE_INFINITY, values: undefined }
  }

  /** Puts a step in its place, which is nearly always the last. */
  #list(entry: Entry): void {
    let place = this.#listed.length
    while (place > 0 && isBefore(entry, this.#listed[place - 1] as Entry)) place--
    this.#listed.splice(place, 0, entry)
    this.steps.splice(place, 0, entry.view)
  }

  #unlist(entry: Entry): void {
    const place = this.#listed.lastIndexOf(entry)
    if (place < 0) return
    this.#listed.splice(place, 1)
    this.steps.splice(place, 1)
  }

  #putThread(id: string, record: ThreadRecord): void {
    const values = mergedThread(this.#threadValues.get(id), record)
    this.#threadValues.set(id, values)
    const { steps, threads } = this
    let view = threads.find((thread) => thread.id === id)
    if (view === undefined) {
      view = {} as RecordedThread
      defineLinks(view, { steps: () => steps.filter(({ threadId }) => threadId === id) })
      threads.push(view)
    }
    for (const name of ['id', 'name', 'participantId', 'environment', 'metadata', 'tags', 'scores'])
      setValue(view, name, fieldOf(values, name))
  }
}

const isBefore = (one: Entry, other: Entry): boolean =>
  one.start < other.start || (one.start === other.start && one.number < other.number)

/** A step without a start is the last. */
const startOf = (moment: string | undefined): number => {
  const milliseconds = Date.parse(moment ?? '')
  return Number.isNaN(milliseconds) ? Number.POSITIVE_INFINITY : milliseconds
}

const fieldOf = (values: Record<string, unknown>, name: string): unknown => {
  if (name === 'tags' || name === 'scores' || name === 'attachments') return values[name] ?? []
  if (name === 'generation') return readGeneration(values.generation)
  return values[name] ?? (name === 'type' ? 'undefined' : undefined)
}

const setValue = (view: object, name: string, value: unknown): void => {
  Object.defineProperty(view, name, { value, enumerable: true, configurable: true })
}

/** Links lead in circles, so comparisons and prints leave them out. */
const defineLinks = (view: object, links: Record<string, () => unknown>): void => {
  for (const [name, get] of Object.entries(links)) Object.defineProperty(view, name, { get })
}
