import type { Domain } from '../domain/domain.js'
import type { Caller } from '../kernel/caller.js'
import { show } from '../kernel/errors.js'
import type { Turn } from '../kernel/sharing/turns.js'
import { Budget } from '../otlp/encoding/budget.js'
import { readJson } from '../otlp/encoding/json.js'
import { readProtobuf, writeProtobuf } from '../otlp/encoding/protobuf.js'
import { type Decoded, LOGS, type Message, type Signal, TRACES } from '../otlp/encoding/schema.js'
import { logsOf } from '../otlp/log.js'
import { type Received, receiveSpans } from '../otlp/receive.js'
import { receiveLogs } from '../otlp/receive-logs.js'
import { spansOf } from '../otlp/span.js'
import { type BodySource, readBytes, readJsonObject } from './admission/body.js'
import { answer, badRequest } from './answers.js'

const PROTOBUF = 'application/x-protobuf'

/** Memory of a span for each byte of its protobuf. */
const GROWTH_OF_PROTOBUF = 8

interface ExportOf<Of extends Message> {
  request: Decoded<Of>
  isProtobuf: boolean
}

/** Reads the request of an OTLP/HTTP exporter, in either encoding. */
const readExport = async <Of extends Message>(
  source: BodySource,
  signal: Signal<Of>,
): Promise<ExportOf<Of>> => {
  const { headers } = source.request
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === PROTOBUF) {
    const bytes = await readBytes(source)
    await source.hold.grow(bytes.length * GROWTH_OF_PROTOBUF)
    await source.begin(bytes.length)
    const request = await readProtobuf(bytes, new Budget(bytes.length), source.turn, signal)
    return { request, isProtobuf: true }
  }
  if (type === 'application/json') {
    const { body, bytes } = await readJsonObject(source)
    const request = await readJson(body, new Budget(bytes), source.turn, signal)
    return { request, isProtobuf: false }
  }
  throw badRequest(
    `content-type: expected ${PROTOBUF} or application/json, got ${show(headers.get('content-type'))}`,
  )
}

/** Answers in the encoding of the request, as OTLP demands. */
const answerTo = (
  isProtobuf: boolean,
  { rejected, message }: Received,
  rejectedName: string,
): Response => {
  if (isProtobuf)
    return new Response(new Uint8Array(writeProtobuf(rejected, message)), {
      headers: { 'content-type': PROTOBUF, 'cache-control': 'no-store' },
    })
  return answer(
    200,
    rejected === 0 && message === ''
      ? {}
      : { partialSuccess: { [rejectedName]: String(rejected), errorMessage: message } },
  )
}

export interface OtlpCall<Of extends Message> {
  read: (source: BodySource) => Promise<ExportOf<Of>>
  receive: (domain: Domain, caller: Caller, received: ExportOf<Of>, turn: Turn) => Promise<Response>
}

const callOf = <Of extends Message>(
  signal: Signal<Of>,
  rejectedName: string,
  receive: (domain: Domain, caller: Caller, request: Decoded<Of>, turn: Turn) => Promise<Received>,
): OtlpCall<Of> => ({
  read: (source) => readExport(source, signal),
  receive: async (domain, caller, { request, isProtobuf }, turn) =>
    answerTo(isProtobuf, await receive(domain, caller, request, turn), rejectedName),
})

export const TRACES_CALL = callOf(TRACES, 'rejectedSpans', (domain, caller, request, turn) =>
  receiveSpans(domain, caller, spansOf(request), turn),
)
export const LOGS_CALL = callOf(LOGS, 'rejectedLogRecords', (domain, caller, request, turn) =>
  receiveLogs(domain, caller, logsOf(request), turn),
)
