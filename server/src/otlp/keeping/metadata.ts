// Metadata of a step: all that a span says and that has no field of its own. docs/integrations/opentelemetry.md lists
// the names.

import { kindName, statusName } from '../encoding/schema.js'
import { fromMembers, listed } from '../encoding/values.js'
import type { Span } from '../span.js'
import type { Taken } from '../understanding/taken.js'
import { said } from './said.js'

/** Names of ours. An attribute that is called like one of them is among `otel.attributes`. */
const RESERVED: ReadonlySet<string> = new Set([
  'otel.attributes',
  'otel.dropped_attributes_count',
  'otel.dropped_events_count',
  'otel.dropped_links_count',
  'otel.events',
  'otel.fields',
  'otel.flags',
  'otel.kind',
  'otel.links',
  'otel.logs',
  'otel.name',
  'otel.nanoseconds',
  'otel.omitted',
  'otel.omitted_count',
  'otel.resource',
  'otel.resource.dropped_attributes_count',
  'otel.resource.schema_url',
  'otel.resource.withheld',
  'otel.scope.attributes',
  'otel.scope.dropped_attributes_count',
  'otel.scope.name',
  'otel.scope.schema_url',
  'otel.scope.version',
  'otel.scope.withheld',
  'otel.status',
  'otel.trace_state',
  'otel.withheld',
])

/** Parts of the span's origin that its step repeats. */
export interface Copied {
  named: boolean
  rest: boolean
}

/** Returns the metadata of a span's step, which has this name and these attributes in fields. */
export const metadataOf = (
  span: Span,
  name: string,
  taken: Taken,
  copied: Copied,
): Record<string, unknown> => {
  const { attributes, origin } = span
  const named = copied.named ? origin.named.metadata : {}
  const left: (readonly [string, unknown])[] = []
  const apart = [...(attributes.repeated ?? [])]
  for (const attribute of attributes) {
    const [key] = attribute
    if (taken.names.has(key)) continue
    const isOwn = RESERVED.has(key) || Object.hasOwn(origin.named.metadata, key)
    if (isOwn) apart.push(attribute)
    else left.push(attribute)
  }
  const omitted = [
    ...(copied.named ? [] : Object.keys(origin.named.metadata)),
    ...(copied.rest ? [] : Object.keys(origin.rest.metadata)),
  ]
  // By definition of members: a name like `__proto__` stays a name.
  return Object.fromEntries([
    ...left,
    ...Object.entries(named),
    ...(span.name === name ? [] : [['otel.name', span.name] as const]),
    ...Object.entries(
      said({
        'otel.kind': span.kind === 0 ? undefined : kindName(span.kind),
        'otel.trace_state': span.traceState,
        'otel.flags': span.flags,
        'otel.nanoseconds': unlessEmpty(
          said({
            start: Number(span.startTimeUnixNano % NANOSECONDS_IN_MICROSECOND),
            end: Number(span.endTimeUnixNano % NANOSECONDS_IN_MICROSECOND),
          }),
        ),
        'otel.status': unlessEmpty(
          said({
            code: span.status?.code ? statusName(span.status.code) : undefined,
            message: span.status?.message,
          }),
        ),
        'otel.dropped_attributes_count': span.droppedAttributesCount,
        'otel.events': unlessEmpty(span.events.map(eventOf)),
        'otel.dropped_events_count': span.droppedEventsCount,
        'otel.links': unlessEmpty(span.links.map(linkOf)),
        'otel.dropped_links_count': span.droppedLinksCount,
        'otel.withheld': span.withheld,
        'otel.attributes': unlessEmpty(listed(apart)),
        'otel.fields': unlessEmpty(taken.fields),
        'otel.omitted': unlessEmpty(omitted),
      }),
    ),
    ...(copied.rest ? Object.entries(origin.rest.metadata) : []),
  ])
}

const unlessEmpty = <Value extends object>(value: Value): Value | undefined =>
  Object.keys(value).length === 0 ? undefined : value

const eventOf = ({
  name,
  timeUnixNano,
  attributes,
  droppedAttributesCount,
}: Span['events'][number]) =>
  said({
    name,
    time: timeUnixNano === 0n ? undefined : moment(timeUnixNano),
    attributes: attributes.size === 0 ? undefined : fromMembers(attributes),
    dropped_attributes_count: droppedAttributesCount,
  })

const linkOf = (link: Span['links'][number]) =>
  said({
    trace_id: link.traceId,
    span_id: link.spanId,
    trace_state: link.traceState,
    flags: link.flags,
    attributes: link.attributes.size === 0 ? undefined : fromMembers(link.attributes),
    dropped_attributes_count: link.droppedAttributesCount,
  })

const NANOSECONDS_IN_MICROSECOND = 1000n
const NANOSECONDS_IN_MS = 1_000_000n

/** Returns a time to the nanosecond: `2025-11-21T10:00:00.123456789Z`. */
export const moment = (nanoseconds: bigint): string => {
  const below = String(nanoseconds % NANOSECONDS_IN_MS).padStart(6, '0')
  return new Date(Number(nanoseconds / NANOSECONDS_IN_MS)).toISOString().replace('Z', `${below}Z`)
}

/** Room for the names of what is left out. */
const MARGIN = 0.9

/** Returns true when metadata is surely longer than a limit. Looks at texts alone, and stops at the limit. */
export const isBeyond = (
  metadata: Readonly<Record<string, unknown>>,
  mostBytes: number,
): boolean => {
  let least = 0
  for (const name in metadata) {
    const value = metadata[name]
    least += name.length + (typeof value === 'string' ? value.length : 0)
    if (least > mostBytes) return true
  }
  return false
}

/**
 * Returns metadata no longer than a limit: without its largest members, which `otel.omitted` names. Without a step a
 * span would be lost in whole.
 */
export const withinLimit = (
  metadata: Readonly<Record<string, unknown>>,
  mostBytes: number,
): Record<string, unknown> => {
  const members = Object.entries(metadata).map(([name, value]) => ({
    name,
    value,
    // With a colon, a comma and braces.
    bytes: bytesOf(name) + bytesOf(value) + 3,
  }))
  let bytes = members.reduce((sum, member) => sum + member.bytes, 0)
  const omitted = new Set<string>()
  for (const member of members.toSorted((a, b) => b.bytes - a.bytes)) {
    if (bytes <= mostBytes * MARGIN) break
    bytes -= member.bytes
    omitted.add(member.name)
  }
  const before = metadata['otel.omitted']
  const all = [...(Array.isArray(before) ? before : []), ...omitted]
  const names: string[] = []
  let room = mostBytes * (1 - MARGIN) - 100
  for (const name of all) {
    room -= bytesOf(name) + 1
    if (room < 0) break
    names.push(name)
  }
  return Object.fromEntries([
    ...members.filter(({ name }) => !omitted.has(name)).map(({ name, value }) => [name, value]),
    ['otel.omitted', names],
    // Only those for whose names there is no room either are not named.
    ...(names.length < all.length ? [['otel.omitted_count', all.length] as const] : []),
  ])
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
