import type { ThreadRecord } from '../../src/outbox/records.js'
import type { Answer } from '../../src/outbox/sending/http-post.js'
import { numberOf } from './answers.js'
import type { Random } from './random.js'

/** The state of the service. */
export type Weather =
  | 'well'
  | 'slow'
  | 'away'
  | 'silent'
  | 'breaking'
  | 'busy'
  | 'failing'
  | 'redirecting'
  | 'foreign'
  | 'keyless'
  | 'flaky'

/** The service's reaction to a step or thread, whenever it is sent. */
export type Objection =
  | { kind: 'status'; status: number }
  | { kind: 'refused'; code: string; isLong: boolean }
  /** For so many times. */
  | { kind: 'unavailable'; code: string; times: number }
  /** Requests that contain it are never answered. */
  | { kind: 'unanswered' }

interface StoredSession {
  /** The numbers of its steps, each with the id that has it. */
  numbers: Map<number, string>
  recorded: number
  endedAt: string | undefined
  /** The numbers of steps that will not arrive, with the reasons. */
  lost: Map<number, string>
}

export interface StoredThread {
  name: unknown
  participantId: unknown
  environment: unknown
  tags: unknown
  metadata: Record<string, unknown> | null
  /** Values by name. */
  scores?: Readonly<Record<string, unknown>> | undefined
}

interface SentStep {
  id: string
  sequence: number
  sessionId: string
  threadId?: string
  startTime?: string
  attachments?: readonly { id: string; objectKey: string }[]
}

/** The stored state of a step, merged from all that was sent of it. */
interface StoredStep {
  threadId: string | undefined
  /** More of it has arrived than attachments. */
  isWhole: boolean
  /** The key of the content of each. */
  attachments: Map<string, string>
}

interface Request {
  session: {
    id: string
    recorded: number
    endedAt?: string
    losses: { reason: string; from: number; to: number }[]
  }
  threads?: ThreadRecord[]
  steps: SentStep[]
}

/** The result of a request. */
export interface Handled {
  answer: Answer | 'broken' | 'silent'
  /** Stored, or refused for good. */
  steps: SentStep[]
  /** Stored. */
  threads: ThreadRecord[]
  /** Refused, for good or not. */
  refused: SentStep[]
}

/** Applies a change of a thread as the service does: by its documented rules, not by the code of the client. */
export const applyChange = (
  stored: StoredThread | undefined,
  change: ThreadRecord,
): StoredThread => {
  const thread: StoredThread = stored ?? {
    name: undefined,
    participantId: undefined,
    environment: undefined,
    tags: undefined,
    metadata: {},
  }
  const metadata = change.metadata as Record<string, unknown> | null | undefined
  const laid: Record<string, unknown> = { ...(thread.metadata ?? {}) }
  for (const [key, value] of Object.entries(metadata ?? {}))
    if (value === null) delete laid[key]
    else laid[key] = value
  return {
    name: change.name === undefined ? thread.name : change.name,
    participantId: change.participantId === undefined ? thread.participantId : change.participantId,
    environment: thread.environment ?? change.environment,
    tags: change.tags === undefined ? thread.tags : change.tags,
    metadata: metadata === undefined ? thread.metadata : metadata === null ? null : laid,
    scores: scoresAfter(thread.scores, change.scores),
  }
}

/** A later score of a name stays; the order of the first ones does, too. */
const scoresAfter = (
  stored: Readonly<Record<string, unknown>> | undefined,
  given: unknown,
): Readonly<Record<string, unknown>> | undefined =>
  Array.isArray(given)
    ? { ...stored, ...Object.fromEntries(given.map(({ name, value }) => [name, value])) }
    : stored

/** A service as clients see it: it stores, refuses and fails, in every possible way. */
export class SimulatedService {
  weather: Weather = 'well'
  readonly objections = new Map<string, Objection>()
  readonly steps = new Map<string, StoredStep>()
  readonly threads = new Map<string, StoredThread>()
  readonly sessions = new Map<string, StoredSession>()
  /** The number of the last change of each thread. */
  readonly changes = new Map<string, number>()
  /** Called when a client reports the end of a session. */
  ended: (sessionId: string) => void = () => {}
  /** More steps and threads than this in one request are refused. */
  maxSteps = Number.POSITIVE_INFINITY
  faults: string[] = []
  /** The sizes of the files that were uploaded, by their keys. */
  readonly files = new Map<string, number>()
  readonly #random: Random
  readonly #refused = new Set<string>()

  constructor(random: Random) {
    this.#random = random
  }

  handle(body: Uint8Array): Handled {
    const { variables } = JSON.parse(Buffer.from(body).toString()) as { variables: Request }
    const { steps, threads = [] } = variables
    const nothing = (answer: Handled['answer']): Handled => ({
      answer,
      steps: [],
      threads: [],
      refused: [],
    })
    const status = (code: number, text = '') =>
      nothing({ status: code, text, retryAfterMs: undefined })
    const failure = this.failure()
    if (failure !== undefined) return nothing(failure)
    if (steps.length + threads.length > this.maxSteps) return status(413)
    for (const id of [...steps.map((step) => step.id), ...threads.map((thread) => thread.id)]) {
      const objection = this.objections.get(id)
      if (objection?.kind === 'status') return status(objection.status, 'no')
      if (objection?.kind === 'unanswered') return nothing('broken')
    }
    const handled = this.#store(variables)
    // The answer is lost on its way, or never written, after everything was stored.
    if (this.weather === 'breaking') return { ...nothing('broken') }
    return handled
  }

  /** Returns the result of any request in this weather; undefined when it gets through. */
  failure(): Handled['answer'] | undefined {
    const status = (code: number, text = '', retryAfterMs?: number) => ({
      status: code,
      text,
      retryAfterMs,
    })
    switch (this.weather) {
      case 'away':
        return 'broken'
      case 'silent':
        return 'silent'
      case 'busy':
        return status(429, '', 1000)
      case 'failing':
        return status(this.#random.pick([500, 502, 503, 520]), 'nginx')
      case 'redirecting':
        return status(302)
      case 'foreign':
        return status(200, '<html>')
      case 'keyless':
        return status(401, '{"errors":[{"message":"x-api-key"}]}')
      case 'flaky':
        return this.#random.pick([undefined, undefined, 'broken', 'silent'])
      default:
        return undefined
    }
  }

  #store({ session, steps, threads = [] }: Request): Handled {
    const known: StoredSession = this.sessions.get(session.id) ?? {
      numbers: new Map(),
      recorded: 0,
      endedAt: undefined,
      lost: new Map(),
    }
    this.sessions.set(session.id, known)
    known.recorded = Math.max(known.recorded, session.recorded)
    known.endedAt = session.endedAt ?? known.endedAt
    if (session.endedAt !== undefined) this.ended(session.id)
    for (const { reason, from, to } of session.losses)
      for (let number = from; number <= to; number++) known.lost.set(number, reason)
    const refused: object[] = []
    const refusedThreads: object[] = []
    const handled: Handled = { answer: 'broken', steps: [], threads: [], refused: [] }
    for (const [index, thread] of threads.entries()) {
      const refusal = this.#refusal(thread.id, thread.id) ?? this.#refusalOfName(thread)
      if (refusal !== undefined) refusedThreads.push({ index, ...refusal })
      else {
        this.threads.set(thread.id, applyChange(this.threads.get(thread.id), thread))
        this.changes.set(
          thread.id,
          Math.max(numberOf(thread.tags), this.changes.get(thread.id) ?? 0),
        )
        handled.threads.push(thread)
      }
    }
    for (const [index, step] of steps.entries()) {
      const refusal = this.#refusal(step.id, partOf(step))
      if (refusal === undefined) this.#storeStep(known.numbers, step)
      else {
        refused.push({ index, id: step.id, ...refusal })
        handled.refused.push(step)
      }
      if (refusal === undefined || !refusal.isPassing) handled.steps.push(step)
    }
    const data = { ingestSteps: { refused, refusedThreads } }
    handled.answer = { status: 200, text: JSON.stringify({ data }), retryAfterMs: undefined }
    return handled
  }

  /**
   * An answer has arrived that refuses these steps: a client that sends one again sends it without most of its content.
   */
  noteRefused(steps: readonly SentStep[]): void {
    for (const step of steps) this.#refused.add(partOf(step))
  }

  #storeStep(numbers: Map<number, string>, step: SentStep): void {
    const other = numbers.get(step.sequence)
    if (other !== undefined && other !== step.id)
      this.faults.push(`${step.id} and ${other} have the number ${step.sequence}`)
    numbers.set(step.sequence, step.id)
    const stored = this.steps.get(step.id) ?? {
      threadId: undefined,
      isWhole: false,
      attachments: new Map(),
    }
    this.steps.set(step.id, stored)
    stored.isWhole ||= step.startTime !== undefined
    stored.threadId = step.threadId ?? stored.threadId
    for (const { id, objectKey } of step.attachments ?? []) stored.attachments.set(id, objectKey)
  }

  #refusalOfName({ name }: ThreadRecord) {
    return name === 'refused'
      ? { code: 'INVALID_ARGUMENT', message: 'name: no', isPassing: false }
      : undefined
  }

  #refusal(
    id: string,
    part: string,
  ): { code: string; message: string; isPassing: boolean } | undefined {
    const objection = this.objections.get(id)
    if (objection?.kind === 'refused') {
      // A step that is too large is sent once more, without most of its content.
      const isPassing = objection.code === 'TOO_LARGE' && !this.#refused.has(part)
      return {
        code: objection.code,
        message: objection.isLong ? 'no '.repeat(5000) : 'no',
        isPassing,
      }
    }
    if (objection?.kind !== 'unavailable') return undefined
    if (objection.times-- > 0) return { code: objection.code, message: 'later', isPassing: true }
    this.objections.delete(id)
    return undefined
  }
}

/** Returns a key for the parts that are sent of one step. */
const partOf = ({ sessionId, sequence }: SentStep): string => `${sessionId} ${sequence}`
