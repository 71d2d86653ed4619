import { isId, newId } from '../values/id.js'
import type { Context, Remote } from './context.js'
import { digitsOf, NONE, traceIdOf } from './trace-ids.js'

/** Headers, in any of the forms that servers and clients have them. */
export type HeadersLike =
  | {
      /** Returns a header by its name; null when there is none. */
      get(name: string): string | null
    }
  | Readonly<Record<string, string | readonly string[] | null | undefined>>

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/
/** Length of a baggage header that W3C requires everybody to pass on. */
const MAX_BAGGAGE = 8192

const STEP = 'stepwell.step'
const RUN = 'stepwell.run'
const THREAD = 'stepwell.thread'
const OWN = new Set([STEP, RUN, THREAD])

/** @internal Reads a request's trace from its headers; returns undefined when there is none that can be read. */
export const readHeaders = (headers: HeadersLike): Remote | undefined => {
  try {
    return readSafely(headers)
  } catch {
    return undefined
  }
}

const readSafely = (headers: HeadersLike): Remote | undefined => {
  const match = TRACEPARENT.exec(headerOf(headers, 'traceparent')?.trim().toLowerCase() ?? '')
  const [, version = 'ff', traceId = '', parentId = '', flags = '00'] = match ?? []
  const isValid = version !== 'ff' && !NONE.test(traceId) && !NONE.test(parentId)
  const entries = readBaggage(headerOf(headers, 'baggage'))
  if (!isValid && entries.size === 0) return undefined
  return {
    traceId: isValid ? traceId : digitsOf(newId(), 32),
    // Other tools sample for reasons of their own, which do not concern the steps here.
    sampled: !isValid || !entries.has(STEP) || (Number.parseInt(flags, 16) & 1) === 1,
    // Anybody may have sent them, and a step with an id that is too long would be rejected.
    stepId: idOf(entries, STEP),
    rootRunId: idOf(entries, RUN),
    threadId: idOf(entries, THREAD),
    baggage: new Map([...entries].filter(([key]) => !OWN.has(key))),
  }
}

const idOf = (entries: ReadonlyMap<string, string>, key: string): string | undefined => {
  const id = entries.get(key)
  return isId(id) ? id : undefined
}

/** @internal Returns the headers for a request, so that the steps of the service that answers it join the trace. */
export const writeHeaders = (context: Context | undefined): Record<string, string> => {
  if (context === undefined) return {}
  const { step, rootRun, thread, trace } = context
  const { remote } = context.setting
  const stepId = step?.id ?? remote?.stepId
  // The root of the whole trace, in whichever service it began.
  const rootRunId = remote?.rootRunId ?? rootRun?.id
  const threadId = step?.threadId ?? thread?.id ?? remote?.threadId
  const headers: Record<string, string> = {}
  if (stepId !== undefined) {
    const traceId = traceIdOf(context) ?? digitsOf(stepId, 32)
    headers.traceparent = `00-${traceId}-${digitsOf(stepId, 16)}-${trace === undefined || trace.kept ? '01' : '00'}`
  }
  const own = Object.entries({ [STEP]: stepId, [RUN]: rootRunId, [THREAD]: threadId })
  const baggage = writeBaggage([...own, ...(remote?.baggage ?? [])])
  if (baggage !== '') headers.baggage = baggage
  return headers
}

/** Writes the entries that fit, in their order. */
const writeBaggage = (entries: readonly (readonly [string, string | undefined])[]): string => {
  let baggage = ''
  for (const [key, value] of entries) {
    if (value === undefined) continue
    let member: string
    try {
      member = `${baggage === '' ? '' : ','}${key}=${encodeURIComponent(value)}`
    } catch {
      // A lone surrogate, which no header can carry.
      continue
    }
    if (baggage.length + member.length <= MAX_BAGGAGE) baggage += member
  }
  return baggage
}

const headerOf = (headers: HeadersLike, name: string): string | undefined => {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const record = headers as Record<string, string | readonly string[] | null | undefined>
  const key = name in record ? name : Object.keys(record).find((key) => key.toLowerCase() === name)
  const value = key === undefined ? undefined : record[key]
  return typeof value === 'string' ? value : value?.join(',')
}

const readBaggage = (header: string | undefined): Map<string, string> => {
  const entries = new Map<string, string>()
  if (header === undefined || header.length > MAX_BAGGAGE) return entries
  for (const member of header.split(',')) {
    const [pair = ''] = member.split(';')
    const at = pair.indexOf('=')
    const key = pair.slice(0, at).trim()
    if (at <= 0 || key === '') continue
    try {
      entries.set(key, decodeURIComponent(pair.slice(at + 1).trim()))
    } catch {
      // This entry is invalid; the others are used.
    }
  }
  return entries
}
