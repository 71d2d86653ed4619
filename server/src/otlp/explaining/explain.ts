// Says what follows from recorded spans and log records: by leaving out one attribute after the other, and comparing
// the steps, so that it says what the service does and not what a list says of it.
import { isDeepStrictEqual } from 'node:util'
import type { SpanLog } from '../../domain/span-logs.js'
import { isObject } from '../../domain/values.js'
import { DEFAULT_LIMITS } from '../../kernel/limits.js'
import type { Attributes } from '../encoding/schema.js'
import type { Log } from '../log.js'
import type { Span } from '../span.js'
import { claimsOf, tagsOf, usersOf } from '../understanding/conversations.js'
import { flawOfLog, joinLogs, spanLogsOf } from '../understanding/logs.js'
import { flawOf, toStep } from '../understanding/steps.js'
import type { Recorded } from './recorded.js'

/** Attributes of one span that are tried one by one; there is no end to what spans may have. */
const MAX_TRIED = 300

/** Explains a recorded request in lines of text. */
export const explain = ({ encoding, spans, logs }: Recorded): string[] => [
  `${encoding}: ${counted(spans.length, 'span')}, ${counted(logs.length, 'log record')}`,
  ...spans.flatMap((span) => ['', ...explainSpan(span)]),
  ...(logs.length === 0 ? [] : ['', ...explainLogs(logs)]),
]

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

type Fields = Readonly<Record<string, unknown>>

/** Returns all that follows from a span beside its metadata, by the names of fields. */
const fieldsOf = (span: Span): Fields => {
  const { metadata: _, generation, threadId: __, ...step } = toStep(span, '')
  const [claim] = claimsOf([span], DEFAULT_LIMITS.idBytes)
  const [user] = usersOf([span], DEFAULT_LIMITS.textBytes, () => undefined)
  return {
    ...step,
    ...Object.fromEntries(
      Object.entries(isObject(generation) ? generation : {}).map(([name, value]) => [
        `generation.${name}`,
        value,
      ]),
    ),
    ...(claim === undefined ? {} : { thread: claim.threadId }),
    ...(user === undefined ? {} : { user: user.identifier }),
    ...(tagsOf(span.attributes).length === 0 ? {} : { tags: tagsOf(span.attributes) }),
  }
}

const changed = (before: Fields, after: Fields): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  )

const explainSpan = (span: Span): string[] => {
  const title = `span ${span.traceId}-${span.spanId} ${JSON.stringify(span.name)}`
  const flaw = flawOf(span)
  if (flaw !== undefined) return [`${title} is rejected: ${flaw}`]
  const step = toStep(span, '')
  const fields = fieldsOf(span)
  const { 'otel.fields': held } = step.metadata as Record<string, unknown>
  const lines = [`${title} becomes a step of type ${step.type}`]
  const metadataOnly: string[] = []
  const repeated: string[] = []
  for (const name of [...span.attributes.keys()].slice(0, MAX_TRIED)) {
    const without = { ...span, attributes: omitting(span.attributes, name) }
    const affected = changed(fields, fieldsOf(without))
    if (affected.length > 0)
      lines.push(
        `  ${name} -> ${affected.join(', ')}${isHeld(name, held) ? ', in whole' : '; also in metadata'}`,
      )
    else if (isReadAlone(span, name)) repeated.push(name)
    else metadataOnly.push(name)
  }
  for (const [place, event] of span.events.entries()) {
    const without = { ...span, events: span.events.toSpliced(place, 1) }
    const affected = changed(fields, fieldsOf(without))
    const what = affected.length === 0 ? '' : `${affected.join(', ')}; also in `
    lines.push(`  event ${event.name} -> ${what}metadata, otel.events`)
  }
  const environment = fields.environment === undefined ? [] : ['environment']
  if (span.origin.resource.attributes.size > 0)
    lines.push(`  resource -> ${['metadata, otel.resource', ...environment].join(', ')}`)
  if (repeated.length > 0)
    lines.push(`  in metadata, as the fields say the same without them: ${repeated.join(', ')}`)
  if (metadataOnly.length > 0)
    lines.push(`  in metadata, as no field is read from them: ${metadataOnly.join(', ')}`)
  if (span.attributes.size > MAX_TRIED)
    lines.push(`  not tried: ${span.attributes.size - MAX_TRIED} further attributes`)
  if (span.withheld !== undefined)
    lines.push(`  left out: ${span.withheld} attributes, events and links, as there are too many`)
  return lines
}

const omitting = (attributes: Attributes, name: string): Attributes =>
  new Map([...attributes].filter(([one]) => one !== name))

/** Returns true when a field holds an attribute in whole, alone or with those that begin alike. */
const isHeld = (name: string, held: unknown): boolean =>
  isObject(held) && Object.keys(held).some((one) => name === one || name.startsWith(`${one}.`))

/** Attributes that say the type of a step, without which others are not read. */
const KINDS =
  /^(?:gen_ai\.operation\.name|openinference\.span\.kind|traceloop\.span\.kind|llm\.request\.type|ai\.operationId|langfuse\.observation\.type)$/

/** Returns true when a field would be read from an attribute if the span had no other. */
const isReadAlone = (span: Span, name: string): boolean => {
  const kinds = new Map([...span.attributes].filter(([one]) => KINDS.test(one) && one !== name))
  const alone = new Map([...kinds, [name, span.attributes.get(name)] as const])
  // A first span is a run in any case.
  const bare = { ...span, parentSpanId: span.parentSpanId || '1'.repeat(16), events: [] }
  return (
    changed(fieldsOf({ ...bare, attributes: kinds }), fieldsOf({ ...bare, attributes: alone }))
      .length > 0
  )
}

const explainLogs = (logs: readonly Log[]): string[] => {
  const rejected = logs.flatMap((log) => {
    const flaw = flawOfLog(log)
    return flaw === undefined ? [] : [`log record ${JSON.stringify(log.name)} is rejected: ${flaw}`]
  })
  const sound = logs.filter((log) => flawOfLog(log) === undefined)
  const steps = new Map<string, SpanLog[]>()
  for (const log of sound.map(spanLogsOf(() => ({ named: true, rest: true }))))
    steps.set(log.stepId, [...(steps.get(log.stepId) ?? []), log])
  const joined = [...steps].map(([id, own]) => {
    const { generation, scores } = joinLogs(DEFAULT_LIMITS.metadataBytes, new Set([id]))({}, own)
    const fields = [
      ...Object.keys(generation ?? {}).map((name) => `generation.${name}`),
      ...(scores.length === 0 ? [] : ['scores']),
    ]
    const names = [...new Set(own.map(({ record }) => String(record.name)))]
    return `${counted(own.length, 'log record')} (${names.join(', ')}) -> step ${id}: ${['metadata, otel.logs', ...fields].join(', ')}`
  })
  return [...rejected, ...joined]
}
