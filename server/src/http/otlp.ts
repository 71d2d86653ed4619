import type { Caller } from '../domain/caller.js'
import type { Domain } from '../domain/domain.js'
import { show } from '../domain/errors.js'
import { readJson } from '../otlp/json.js'
import { readProtobuf, writeProtobuf } from '../otlp/protobuf.js'
import { receiveSpans } from '../otlp/receive.js'
import type { Span } from '../otlp/span.js'
import { answer, badRequest } from './answers.js'
import { readBytes, readJsonObject } from './body.js'

const PROTOBUF = 'application/x-protobuf'

export interface TraceRequest {
  spans: Span[]
  isProtobuf: boolean
}

/** Reads what an exporter of OTLP/HTTP sends, in either encoding. */
export const readTraces = async (request: Request, mostBytes: number): Promise<TraceRequest> => {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type === PROTOBUF)
    return { spans: readProtobuf(await readBytes(request, mostBytes)), isProtobuf: true }
  if (type === 'application/json')
    return { spans: readJson(await readJsonObject(request, mostBytes)), isProtobuf: false }
  throw badRequest(
    `content-type: expected ${PROTOBUF} or application/json, got ${show(request.headers.get('content-type'))}`,
  )
}

/** Answers in the encoding of the request, as OTLP demands. */
export const receiveTraces = async (
  domain: Domain,
  caller: Caller,
  { spans, isProtobuf }: TraceRequest,
): Promise<Response> => {
  const { rejected, message } = await receiveSpans(domain, caller, spans)
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
