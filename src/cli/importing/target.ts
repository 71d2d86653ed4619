import { RecordStepsDocument, type RecordStepsMutation } from '../../../generated/operations.js'
import type { ScorePayloadInput, StepInput, ThreadInput } from '../../../generated/schema.js'
import type { Api } from '../../api/api.js'
import { StepwellClient } from '../../client.js'
import { StepwellError } from '../../errors.js'
import { type Connection, missingKey, readConnection } from '../../settings.js'
import type { TypedDocument } from '../../transport/graphql.js'
import { type Pacing, pacedFetch } from './pacing.js'
import { type Report, withoutValue } from './report.js'

/** A record of the source as the service takes it, and its name in the report. */
export interface Sent<Input> {
  kind: string
  id: string
  input: Input
  /** True for what follows from another record: it is no record of the source, and counts only when it is dropped. */
  isPart?: boolean
}

export type SentStep = Sent<StepInput>
export type SentThread = Sent<ThreadInput>
export type SentScore = Sent<ScorePayloadInput> & { stepId: string }

interface Part {
  threads: readonly SentThread[]
  steps: readonly SentStep[]
}

const MAX_STEPS = 200
const MAX_CHARACTERS = 2_000_000
/** Codes of a service that could not just now; the same may succeed later. */
const PASSING = new Set(['UNAVAILABLE', 'INTERNAL', 'RATE_LIMITED'])
const MAX_REPEATS = 5
const REPEAT_WAIT_MS = 1000

/** The service that an import writes to, by the key of a project. */
export class Target {
  readonly api: Api
  readonly report: Report
  readonly pacing: Pacing
  readonly #client: StepwellClient
  readonly #connection: Connection
  readonly #fetch: (url: string, init?: RequestInit) => Promise<Response>

  constructor(report: Report, pacing: Pacing) {
    const connection = readConnection({})
    if (connection.apiKey === undefined) throw missingKey()
    this.#connection = connection
    // Items have ids of the service: a repetition would be another one.
    const isOnce = (body: unknown) =>
      typeof body === 'string' && body.includes('mutation CreateDatasetItem(')
    this.#fetch = pacedFetch({ ...pacing, isOnce })
    this.#client = new StepwellClient({
      disabled: true,
      timeoutMs: pacing.patienceMs + CALL_MS,
      fetch: (url, init) => this.#fetch(url, init as RequestInit),
    })
    this.api = this.#client.api
    this.report = report
    this.pacing = pacing
  }

  query<Data, Variables extends object>(
    document: TypedDocument<Data, Variables> | string,
    variables: NoInfer<Variables>,
  ): Promise<Data> {
    return this.#client.query<Data, object>(document as string, variables)
  }

  /** Stores one record. Returns undefined, and notes it as dropped, when the service rejects it; other errors end the import. */
  async orDropped<Result>(
    kind: string,
    id: string | undefined,
    store: () => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return await store()
    } catch (error) {
      if (!isOfContent(error)) throw error
      this.report.dropped(kind, withoutValue(error.message), id)
      return undefined
    }
  }

  /** Sends a request of OTLP. Says whether something in it was refused, and the reason or a note of the service. */
  async sendTraces(request: unknown): Promise<{ isRefused: boolean; reason: string }> {
    const { apiUrl, apiKey = '' } = this.#connection
    const answer = await this.#fetch(`${apiUrl}/v1/traces`, {
      method: 'POST',
      body: JSON.stringify(request),
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    })
    const body = (await answer.json().catch(() => ({}))) as {
      partialSuccess?: { rejectedSpans?: unknown; errorMessage?: unknown }
      message?: unknown
      errors?: { message?: unknown }[]
    }
    const said = body.errors?.[0]?.message ?? body.message
    const reason = typeof said === 'string' ? said : `status ${answer.status}`
    if (answer.status === 400 || answer.status === 413) return { isRefused: true, reason }
    if (!answer.ok)
      throw new StepwellError(`the service answered with status ${answer.status}: ${reason}`, {
        code:
          answer.status === 401
            ? 'UNAUTHENTICATED'
            : answer.status === 403
              ? 'FORBIDDEN'
              : 'UNAVAILABLE',
        status: answer.status,
      })
    const { rejectedSpans = 0, errorMessage = '' } = body.partialSuccess ?? {}
    return { isRefused: Number(rejectedSpans) > 0, reason: String(errorMessage) }
  }

  /** Stores threads and steps, and notes each as kept or dropped. A record that is refused keeps no other out. */
  async send(part: Part): Promise<void> {
    for (const { threads, steps } of portions(part)) await this.#send(threads, steps)
  }

  /** Stores scores of steps and threads; one of those that is not there yet is begun. */
  async sendScores(scores: readonly (SentScore | SentThread)[]): Promise<void> {
    const threads: SentThread[] = []
    const steps: SentStep[] = []
    for (const score of scores)
      if ('stepId' in score) {
        const { kind, id, stepId, input } = score
        steps.push({ kind, id, input: { id: stepId, scores: [input] } })
      } else threads.push(score)
    await this.send({ threads, steps })
  }

  async #send(
    threads: readonly SentThread[],
    steps: readonly SentStep[],
    repeats = 0,
  ): Promise<void> {
    const all = [...threads, ...steps]
    if (all.length === 0) return
    let answer: RecordStepsMutation['ingestSteps']
    try {
      answer = await this.#ingest(threads, steps)
    } catch (error) {
      if (!isOfContent(error)) throw error
      const [only] = all
      if (all.length === 1 && only !== undefined) {
        this.report.dropped(only.kind, withoutValue(error.message), only.id)
        return
      }
      const [first, second] = halves(threads, steps)
      await this.#send(first.threads, first.steps)
      await this.#send(second.threads, second.steps)
      return
    }
    const { refused, refusedThreads, refusedScores } = answer
    const isPassing = [...refused, ...refusedThreads, ...refusedScores].some(({ code }) =>
      PASSING.has(code),
    )
    if (isPassing) {
      if (repeats >= MAX_REPEATS)
        throw new StepwellError(
          'the service could not store everything; run the same command again',
          {
            code: 'UNAVAILABLE',
          },
        )
      await new Promise((resolve) => setTimeout(resolve, REPEAT_WAIT_MS))
      return this.#send(threads, steps, repeats + 1)
    }
    const threadReasons = new Map(refusedThreads.map(({ index, message }) => [index, message]))
    const reasons = new Map(refused.map(({ index, message }) => [index, message]))
    for (const { stepIndex, threadIndex, message } of refusedScores) {
      if (stepIndex !== null && !reasons.has(stepIndex)) reasons.set(stepIndex, message)
      if (threadIndex !== null && !threadReasons.has(threadIndex))
        threadReasons.set(threadIndex, message)
    }
    this.#note(threads, threadReasons)
    this.#note(steps, reasons)
  }

  #note(records: readonly Sent<unknown>[], reasons: ReadonlyMap<number, string>): void {
    for (const [index, { kind, id, isPart }] of records.entries()) {
      const reason = reasons.get(index)
      if (reason === undefined) {
        if (isPart !== true) this.report.kept(kind)
      } else this.report.dropped(kind, withoutValue(reason), id)
    }
  }

  async #ingest(threads: readonly SentThread[], steps: readonly SentStep[]) {
    const { ingestSteps } = await this.#client.query(RecordStepsDocument, {
      threads: threads.map(({ input }) => input),
      steps: steps.map(({ input }) => input),
    })
    return ingestSteps
  }
}

const CALL_MS = 130_000
const OF_CONTENT = new Set([
  'BAD_REQUEST',
  'INVALID_ARGUMENT',
  'CONFLICT',
  'TOO_LARGE',
  'NOT_FOUND',
])

/** Returns true for an error that says something about what was sent: others go on, and of a smaller batch less is refused. */
export const isOfContent = (error: unknown): error is StepwellError =>
  StepwellError.is(error) && OF_CONTENT.has(error.code)

const halves = (threads: readonly SentThread[], steps: readonly SentStep[]): [Part, Part] =>
  threads.length > 0 && steps.length > 0
    ? [
        { threads, steps: [] },
        { threads: [], steps },
      ]
    : [
        { threads: half(threads, 0), steps: half(steps, 0) },
        { threads: half(threads, 1), steps: half(steps, 1) },
      ]

const half = <Item>(items: readonly Item[], which: 0 | 1): readonly Item[] => {
  const middle = Math.ceil(items.length / 2)
  return which === 0 ? items.slice(0, middle) : items.slice(middle)
}

/** Divides records into requests, threads before the steps that are in them. */
function* portions({ threads, steps }: Part): Generator<Part> {
  let part = { threads: [] as SentThread[], steps: [] as SentStep[] }
  let characters = 0
  const isFull = (more: number) =>
    part.threads.length + part.steps.length >= MAX_STEPS ||
    (characters > 0 && characters + more > MAX_CHARACTERS)
  for (const list of ['threads', 'steps'] as const)
    for (const record of list === 'threads' ? threads : steps) {
      const size = JSON.stringify(record.input).length
      if (isFull(size)) {
        yield part
        part = { threads: [], steps: [] }
        characters = 0
      }
      ;(part[list] as Sent<unknown>[]).push(record)
      characters += size
    }
  yield part
}
