import type { Answer } from '../../src/outbox/http-post.js'
import type { ThreadRecord } from '../../src/tracing/recorder.js'
import type { Random } from './random.js'

/** How the service is at the moment. */
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

/** What a service has against a step or thread, whenever it is sent. */
export type Objection =
  | { kind: 'status'; status: number }
  | { kind: 'refused'; code: string; isLong: boolean }
  /** So many times. */
  | { kind: 'unavailable'; code: string; times: number }
  /** Whatever holds it is never answered. */
  | { kind: 'unanswered' }

export interface StoredThread {
  name: unknown
  participantId: unknown
  environment: unknown
  tags: unknown
  metadata: Record<string, unknown> | null
}

interface SentStep {
  id: string
  sequence: number
  sessionId: string
  input?: unknown
}

interface Request {
  session: {
    id: string
    recorded: number
    endedAt?: string
    losses: { from: number; to: number }[]
  }
  threads?: ThreadRecord[]
  steps: SentStep[]
}

/** What a request came to. */
export interface Handled {
  answer: Answer | 'broken' | 'silent'
  /** The ids that were stored and those that were refused for good. */
  steps: string[]
  threads: string[]
  /** The steps that were refused, for good or not. */
  refused: string[]
}

/** A change of a thread as the service makes it: by its documented rules, not by the code of the client. */
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
  }
}

/** A service as clients know it from outside: it stores, refuses and fails, each in all the ways that there are. */
export class SimulatedService {
  weather: Weather = 'well'
  readonly objections = new Map<string, Objection>()
  readonly steps = new Map<string, SentStep>()
  readonly threads = new Map<string, StoredThread>()
  /** Sessions: the numbers of the steps, each with the id that has it; and the end. */
  readonly sessions = new Map<
    string,
    {
      numbers: Map<number, string>
      recorded: number
      endedAt: string | undefined
      lost: Set<number>
    }
  >()
  /** More steps than this in one request are too many. */
  maxSteps = Number.POSITIVE_INFINITY
  requests = 0
  faults: string[] = []
  readonly #random: Random
  readonly #refused = new Set<string>()

  constructor(random: Random) {
    this.#random = random
  }

  handle(body: Uint8Array): Handled {
    this.requests++
    const { variables } = JSON.parse(Buffer.from(body).toString()) as { variables: Request }
    const { steps, threads = [] } = variables
    const nothing = (answer: Handled['answer']): Handled => ({
      answer,
      steps: [],
      threads: [],
      refused: [],
    })
    const status = (code: number, text = '', retryAfterMs?: number) =>
      nothing({ status: code, text, retryAfterMs })
    switch (this.weather) {
      case 'away':
        return nothing('broken')
      case 'silent':
        return nothing('silent')
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
        if (this.#random.chance(0.5)) return nothing(this.#random.chance(0.5) ? 'broken' : 'silent')
        break
      default:
    }
    if (steps.length > this.maxSteps) return status(413)
    for (const id of [...steps.map((step) => step.id), ...threads.map((thread) => thread.id)]) {
      const objection = this.objections.get(id)
      if (objection?.kind === 'status') return status(objection.status, 'no')
      if (objection?.kind === 'unanswered') return nothing('broken')
    }
    const handled = this.#store(variables)
    // The answer is lost on its way, or never written, after all of it was stored.
    if (this.weather === 'breaking') return { ...nothing('broken') }
    return handled
  }

  #store({ session, steps, threads = [] }: Request): Handled {
    const known = this.sessions.get(session.id) ?? {
      numbers: new Map(),
      recorded: 0,
      endedAt: undefined,
      lost: new Set<number>(),
    }
    this.sessions.set(session.id, known)
    known.recorded = Math.max(known.recorded, session.recorded)
    known.endedAt = session.endedAt ?? known.endedAt
    for (const { from, to } of session.losses)
      for (let number = from; number <= to; number++) known.lost.add(number)
    const refused: object[] = []
    const refusedThreads: object[] = []
    const handled: Handled = { answer: 'broken', steps: [], threads: [], refused: [] }
    for (const [index, thread] of threads.entries()) {
      const refusal = this.#refusal(thread.id) ?? this.#refusalOfName(thread)
      if (refusal !== undefined) refusedThreads.push({ index, ...refusal })
      else this.threads.set(thread.id, applyChange(this.threads.get(thread.id), thread))
      if (refusal === undefined || !refusal.isPassing) handled.threads.push(thread.id)
    }
    for (const [index, step] of steps.entries()) {
      const refusal = this.#refusal(step.id)
      if (refusal === undefined) this.#storeStep(known.numbers, step)
      else {
        refused.push({ index, id: step.id, ...refusal })
        handled.refused.push(step.id)
      }
      if (refusal === undefined || !refusal.isPassing) handled.steps.push(step.id)
    }
    const data = { ingestSteps: { refused, refusedThreads } }
    handled.answer = { status: 200, text: JSON.stringify({ data }), retryAfterMs: undefined }
    return handled
  }

  /** An answer has arrived that refuses these steps: a client that sends one again sends it without most of its content. */
  noteRefused(ids: readonly string[]): void {
    for (const id of ids) this.#refused.add(id)
  }

  #storeStep(numbers: Map<number, string>, step: SentStep): void {
    const other = numbers.get(step.sequence)
    if (other !== undefined && other !== step.id)
      this.faults.push(`${step.id} and ${other} have the number ${step.sequence}`)
    numbers.set(step.sequence, step.id)
    this.steps.set(step.id, step)
  }

  #refusalOfName({ name }: ThreadRecord) {
    return name === 'refused'
      ? { code: 'INVALID_ARGUMENT', message: 'name: no', isPassing: false }
      : undefined
  }

  #refusal(id: string): { code: string; message: string; isPassing: boolean } | undefined {
    const objection = this.objections.get(id)
    if (objection?.kind === 'refused') {
      // A step that is too large comes once more, without most of its content.
      const isPassing = objection.code === 'TOO_LARGE' && !this.#refused.has(id)
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
