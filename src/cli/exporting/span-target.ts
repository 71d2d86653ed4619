import { gzipSync } from 'node:zlib'
import { StepwellError, type StepwellErrorCode } from '../../errors.js'
import { isJson, parsed } from '../../model-calls/json.js'
import {
  type PartialSuccess,
  readAnswer,
  readStatusMessage,
  writeRequest,
} from '../../otlp/stored/protobuf.js'
import type { KeyValue } from '../../otlp/values.js'
import { VERSION } from '../../version.js'
import type { Report } from '../importing/report.js'

/** A span as it is sent, of a step. */
export interface SentSpan {
  stepId: string
  /** The attributes of its resource; the same object for the spans of one resource. */
  resource: readonly KeyValue[]
  bytes: Buffer
  /** Writes the span without its contents; undefined for one that has none. */
  withoutContent?: () => Buffer
}

interface TargetOptions {
  url: string
  headers: Readonly<Record<string, string>>
  fetch: (url: string, init?: RequestInit) => Promise<Response>
  report: Report
}

/** Limits of a request, before it is compressed. */
const MAX_SPANS = 500
const MAX_BYTES = 1_000_000
/** Spans that a receiver rejects before it has taken one: it is no receiver of traces, or not of these. */
const MAX_REJECTED_AT_FIRST = 20
const KIND = 'steps'
const TOO_LARGE = 413

/** A receiver of OTLP/HTTP, in protobuf and compressed by gzip. */
export class SpanTarget {
  readonly #options: TargetOptions
  #hasTakenSome = false
  #rejectedAtFirst = 0

  constructor(options: TargetOptions) {
    this.#options = options
  }

  /** Sends spans, and notes in the report what became of each. Rejects when the receiver takes none, or can't be reached. */
  async send(spans: readonly SentSpan[]): Promise<void> {
    for (const portion of portionsOf(spans)) await this.#send(portion)
  }

  async #send(portion: readonly SentSpan[]): Promise<void> {
    const { url, headers, fetch, report } = this.#options
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/x-protobuf',
        'content-encoding': 'gzip',
      },
      body: gzipSync(writeRequest(byResource(portion), { name: 'stepwell', version: VERSION })),
    })
    const body = Buffer.from(await answer.arrayBuffer())
    const type = answer.headers.get('content-type') ?? ''
    if (answer.ok && !/html/i.test(type)) {
      this.#note(portion, /json/i.test(type) ? ofJson(body) : readAnswer(body))
      return
    }
    const reason = `status ${answer.status}${reasonIn(body, type)}`
    if (![400, TOO_LARGE, 422].includes(answer.status))
      throw new StepwellError(`${new URL(url).origin} takes no traces at this address: ${reason}`, {
        code: codeOf(answer.status),
        status: answer.status,
      })
    const [only] = portion
    if (portion.length > 1) {
      // Nothing of a rejected request was stored: parts of it may come again.
      const middle = portion.length >> 1
      await this.#send(portion.slice(0, middle))
      await this.#send(portion.slice(middle))
    } else if (only?.withoutContent !== undefined && answer.status === TOO_LARGE) {
      report.changed(KIND, 'without contents, as the receiver takes no span so large', only.stepId)
      const { withoutContent, ...rest } = only
      await this.#send([{ ...rest, bytes: withoutContent() }])
    } else if (only !== undefined) {
      report.dropped(KIND, reason, only.stepId)
      this.#rejectedAtFirst++
      if (!this.#hasTakenSome && this.#rejectedAtFirst >= MAX_REJECTED_AT_FIRST)
        throw new StepwellError(`${new URL(url).origin} takes none of the spans: ${reason}`, {
          code: 'BAD_REQUEST',
          status: answer.status,
        })
    }
  }

  /** Receivers say how many spans they reject, and not which. */
  #note(portion: readonly SentSpan[], { rejected, message }: PartialSuccess): void {
    const { report } = this.#options
    const lost = Math.min(rejected, portion.length)
    const id = portion.length === 1 ? portion[0]?.stepId : undefined
    for (let index = 0; index < lost; index++)
      report.dropped(KIND, `the receiver rejects it: ${message}`, id)
    if (lost === 0 && message !== '') report.changed(KIND, `the receiver says: ${message}`, id)
    report.kept(KIND, portion.length - lost)
    if (lost < portion.length) this.#hasTakenSome = true
  }
}

const byResource = (spans: readonly SentSpan[]) => {
  const groups = new Map<readonly KeyValue[], Buffer[]>()
  for (const { resource, bytes } of spans) {
    const group = groups.get(resource)
    if (group === undefined) groups.set(resource, [bytes])
    else group.push(bytes)
  }
  return [...groups].map(([resource, of]) => ({ resource, spans: of }))
}

function* portionsOf(spans: readonly SentSpan[]): Generator<readonly SentSpan[]> {
  let portion: SentSpan[] = []
  let bytes = 0
  for (const span of spans) {
    const { length } = span.bytes
    if (portion.length > 0 && (portion.length >= MAX_SPANS || bytes + length > MAX_BYTES)) {
      yield portion
      portion = []
      bytes = 0
    }
    portion.push(span)
    bytes += length
  }
  if (portion.length > 0) yield portion
}

const ofJson = (body: Buffer): PartialSuccess => {
  const answer = parsed(body.toString())
  const said = isJson(answer) && isJson(answer.partialSuccess) ? answer.partialSuccess : {}
  const rejected = Number(said.rejectedSpans ?? 0)
  return {
    rejected: rejected > 0 ? Math.ceil(rejected) : 0,
    message: typeof said.errorMessage === 'string' ? said.errorMessage : '',
  }
}

const MAX_REASON = 300

/** Returns the reason in an error: a `Status` in protobuf or JSON, or a short text. */
const reasonIn = (body: Buffer, type: string): string => {
  const text = body.toString()
  const json = parsed(text)
  const [first] = isJson(json) && Array.isArray(json.errors) ? json.errors : []
  const said = isJson(json)
    ? (json.message ?? json.detail ?? json.error ?? (isJson(first) ? first.message : undefined))
    : /protobuf/i.test(type)
      ? readStatusMessage(body)
      : /html/i.test(type)
        ? 'a page in HTML'
        : text
  return typeof said === 'string' && said.trim() !== ''
    ? `: ${said.trim().slice(0, MAX_REASON)}`
    : ''
}

const codeOf = (status: number): StepwellErrorCode =>
  status === 401 ? 'UNAUTHENTICATED' : status === 403 ? 'FORBIDDEN' : 'NETWORK'
