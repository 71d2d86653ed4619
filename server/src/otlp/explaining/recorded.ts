import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import { isObject } from '../../domain/values.js'
import { Budget } from '../encoding/budget.js'
import { readJson } from '../encoding/json.js'
import { readProtobuf } from '../encoding/protobuf.js'
import { LOGS, TRACES } from '../encoding/schema.js'
import { type Log, logsOf } from '../log.js'
import { isSpanId, isTraceId, type Span, spansOf } from '../span.js'

/** The content of a recorded request. */
export interface Recorded {
  encoding: 'JSON' | 'protobuf'
  spans: readonly Span[]
  logs: readonly Log[]
}

const OPEN_BRACE = 0x7b
const atOnce = () => undefined

/** Reads the body of a request, as an exporter sent it. Says by an error when it is none. */
export const readRecorded = async (given: Uint8Array): Promise<Recorded> => {
  const bytes = await unpacked(given)
  const first = bytes.find((byte) => byte > 0x20)
  return first === OPEN_BRACE ? fromJson(bytes) : fromProtobuf(bytes)
}

const unpacked = async (bytes: Uint8Array): Promise<Uint8Array> => {
  const [first, second] = bytes
  if (first === 0x1f && second === 0x8b) return promisify(gunzip)(bytes)
  // A header of zlib; in protobuf, 0x78 would begin a field that requests do not have.
  return first === 0x78 ? promisify(inflate)(bytes) : bytes
}

const fromJson = async (bytes: Uint8Array): Promise<Recorded> => {
  const body: unknown = JSON.parse(Buffer.from(bytes).toString())
  const request = isObject(body) ? body : {}
  const budget = new Budget(bytes.length)
  return LOGS.list in request
    ? { encoding: 'JSON', spans: [], logs: logsOf(await readJson(request, budget, atOnce, LOGS)) }
    : {
        encoding: 'JSON',
        spans: spansOf(await readJson(request, budget, atOnce, TRACES)),
        logs: [],
      }
}

/** The messages of both signals have the same form, but ids in other fields. */
const fromProtobuf = async (bytes: Uint8Array): Promise<Recorded> => {
  const read = () => new Budget(bytes.length)
  const isWhole = (items: readonly { traceId: string; spanId: string }[]) =>
    items.some(({ traceId, spanId }) => isTraceId(traceId) && isSpanId(spanId))
  try {
    const spans = spansOf(await readProtobuf(bytes, read(), atOnce, TRACES))
    if (isWhole(spans)) return { encoding: 'protobuf', spans, logs: [] }
  } catch {
    // The logs' own error says more.
  }
  const logs = logsOf(await readProtobuf(bytes, read(), atOnce, LOGS))
  return { encoding: 'protobuf', spans: [], logs }
}
