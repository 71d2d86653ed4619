import type { Domain } from '../domain/domain.js'
import type { Caller } from '../kernel/caller.js'
import { show } from '../kernel/errors.js'
import type { Turn } from '../kernel/sharing/turns.js'
import { Budget } from '../otlp/budget.js'
import { readJson } from '../otlp/json.js'
import { readProtobuf, writeProtobuf } from '../otlp/protobuf.js'
import { receiveSpans } from '../otlp/receive.js'
import { type Span, spansOf } from '../otlp/span.js'
import { type BodySource, readBytes, readJsonObject } from './admission/body.js'
import { answer, badRequest } from './answers.js'

const PROTOBUF = 'application/x-protobuf'

export interface TraceRequest {
  spans: Span[]
  isProtobuf: boolean
}

/** Memory of a span for each byte of its protobuf. */
const GROWTH_OF_PROTOBUF = 8

/** Reads the request of an OTLP/HTTP exporter, in either encoding. */
export const readTraces = async (source: BodySource): Promise<TraceRequest> => {
  const { headers } = source.request
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === PROTOBUF) {
    const bytes = await readBytes(source)
    await source.hold.grow(bytes.length * GROWTH_OF_PROTOBUF)
    await source.begin()
    const request = await readProtobuf(bytes, new Budget(bytes.length), source.turn)
    return { spans: spansOf(request), isProtobuf: true }
  }
  if (type === 'application/json') {
    const { body, bytes } = await readJsonObject(source)
    const request = await readJson(body, new Budget(bytes), source.turn)
    return { spans: spansOf(request), isProtobuf: false }
  }
  throw badRequest(
    `content-type: expected ${PROTOBUF} or application/json, got ${show(headers.get('content-type'))}`,
  )
}

/** Answers in the encoding of the request, as OTLP demands. */
export const receiveTraces = async (
  domain: Domain,
  caller: Caller,
  { spans, isProtobuf }: TraceRequest,
  turn: Turn,
): Promise<Response> => {
  const { rejected, message } = await receiveSpans(domain, caller, spans, turn)
  if (isProtobuf)
    return new Response(new Uint8Array(writeProtobuf(rejected, message)), {
      headers: { 'content-type': PROTOBUF, 'cache-control': 'no-store' },
    })
  return answer(
    200,
    rejected === 0
      ? {}
      : { partialSuccess: { rejectedSpans: String(rejected), errorMessage: message } },
  )
}
