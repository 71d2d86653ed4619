// The way back: from a stored step to its span, by the table in docs/integrations/opentelemetry.md alone.
type Members = Readonly<Record<string, unknown>>

/** A step as the API returns it. */
export interface StoredStep {
  id: string
  parentId: string | null | undefined
  name: string | null | undefined
  startTime: string | null | undefined
  endTime: string | null | undefined
  input: unknown
  output: unknown
  metadata: unknown
  generation: unknown
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Values of attributes in a form that can be compared; a number is one, whether it came as an integer or a double. */
const comparable = (value: unknown): unknown => {
  if (!isMembers(value)) return null
  const [form] = Object.keys(value)
  const given = form === undefined ? undefined : value[form]
  switch (form) {
    case 'stringValue':
      return { text: given }
    case 'boolValue':
      return { boolean: given }
    case 'bytesValue':
      return { bytes: given }
    case 'intValue':
      return { number: String(BigInt(given as string)) }
    case 'doubleValue': {
      const double = Number(given)
      const isWhole = Number.isSafeInteger(double) && !Object.is(double, -0)
      return { number: isWhole ? String(double) : `double ${given}` }
    }
    case 'arrayValue':
      return { list: ((given as Members).values as unknown[]).map(comparable) }
    case 'kvlistValue':
      return { members: comparableMembers((given as Members).values as KeyValue[]) }
    default:
      return null
  }
}
export interface KeyValue {
  key: string
  value: unknown
}
type Entry = readonly [string, unknown]

const sorted = (entries: readonly Entry[]): Entry[] =>
  entries.toSorted((a, b) => {
    const [one, other] = [JSON.stringify(a), JSON.stringify(b)]
    return one < other ? -1 : one > other ? 1 : 0
  })
export const comparableMembers = (members: readonly KeyValue[] = []): Entry[] =>
  sorted(members.map(({ key, value }) => [key, comparable(value)]))

/** The same of a stored value. */
const stored = (value: unknown): unknown => {
  if (value === null) return null
  if (typeof value === 'string') return { text: value }
  if (typeof value === 'boolean') return { boolean: value }
  if (typeof value === 'number')
    return { number: Number.isSafeInteger(value) ? String(value) : `double ${value}` }
  if (Array.isArray(value)) return { list: value.map(stored) }
  const members = value as Members
  const [form, ...others] = Object.keys(members)
  if (others.length === 0) {
    if (form === 'intValue') return { number: members.intValue }
    if (form === 'doubleValue') return { number: `double ${members.doubleValue}` }
    if (form === 'bytesValue') return { bytes: members.bytesValue }
  }
  return { members: storedMembers(members) }
}
const storedMembers = (members: unknown): Entry[] => {
  if (!isMembers(members)) return []
  const { kvlistValue: listed } = members
  return Object.keys(members).length === 1 && Array.isArray(listed)
    ? storedList(listed)
    : sorted(Object.entries(members).map(([key, value]) => [key, stored(value)]))
}
const storedList = (listed: unknown): Entry[] =>
  sorted(((listed ?? []) as KeyValue[]).map(({ key, value }): Entry => [key, stored(value)]))

/** An attribute with this structure as a text of JSON. */
const json = (value: unknown) => ({ json: value })

const parsed = (text: unknown): unknown => {
  try {
    const value: unknown = JSON.parse(String(text))
    return typeof value === 'object' && value !== null ? value : text
  } catch {
    return text
  }
}

interface Message extends Members {
  role?: unknown
  content?: unknown
  tool_calls?: { id?: unknown; function: { name?: unknown; arguments?: unknown } }[]
}

const toParts = ({ role, content, tool_calls: calls = [], ...rest }: Message): Members => {
  if (role === 'tool' && 'tool_call_id' in rest)
    return {
      role,
      parts: [{ type: 'tool_call_response', id: rest.tool_call_id, response: parsed(content) }],
    }
  const texts =
    typeof content === 'string'
      ? [{ type: 'text', content }]
      : ((content ?? []) as Members[]).map((part) =>
          part.type === 'text' ? { type: 'text', content: part.text } : part,
        )
  const called = calls.map(({ id, function: { name, arguments: written } }) => ({
    type: 'tool_call',
    id,
    name,
    arguments: parsed(written),
  }))
  return { role, ...rest, parts: [...texts, ...called] }
}

const toFlat = (beginning: string, messages: readonly Message[]): Entry[] => {
  const isOpenInference = beginning.startsWith('llm.')
  return messages.flatMap(({ tool_calls: calls = [], ...members }, index) => {
    const prefix = `${beginning}.${index}.${isOpenInference ? 'message.' : ''}`
    const called = calls.flatMap(({ id, function: { name, arguments: written } }, place) => {
      const call = `${prefix}tool_calls.${place}.${isOpenInference ? 'tool_call.' : ''}`
      const inner = isOpenInference ? `${call}function.` : call
      return Object.entries({
        [`${call}id`]: id,
        [`${inner}name`]: name,
        [`${inner}arguments`]: written,
      })
    })
    return [
      ...Object.entries(members).map(([name, value]): Entry => [`${prefix}${name}`, value]),
      ...called,
    ]
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]): Entry => [name, stored(value)])
  })
}

/** Returns the attributes that are in fields of the step. */
const fromFields = (step: StoredStep, fields: Members): Entry[] => {
  const generation = (step.generation ?? {}) as {
    messages?: Message[]
    messageCompletion?: Message
    tools?: unknown
  }
  const asked = generation.messages ?? []
  const hasInstructions = 'gen_ai.system_instructions' in fields
  return Object.entries(fields).flatMap(([name, field]): Entry[] => {
    if (field === 'input' || field === 'output') {
      const payload = step[field] as Members
      const isContent = Object.keys(payload).join() === 'content'
      if (!isContent) return [[name, json(payload)]]
      const { content } = payload
      return [[name, typeof content === 'object' ? json(content) : stored(content)]]
    }
    if (field === 'generation.tools') return [[name, json(generation.tools)]]
    if (name === 'gen_ai.system_instructions')
      return [[name, json(toParts(asked[0] as Message).parts)]]
    if (name === 'gen_ai.input.messages')
      return [[name, json(asked.slice(hasInstructions ? 1 : 0).map(toParts))]]
    const answer = generation.messageCompletion as Message
    if (name === 'gen_ai.output.messages') return [[name, json([toParts(answer)])]]
    return toFlat(name, field === 'generation.messages' ? asked : [answer])
  })
}

const nanoseconds = (moment: unknown, below: unknown = 0): bigint => {
  if (typeof moment !== 'string') return BigInt(Number(below))
  const [seconds = '', fraction = ''] = moment.replace('Z', '').split('.')
  const whole = BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n
  return whole + BigInt(fraction.padEnd(9, '0')) + BigInt(Number(below))
}

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer']
const CODES = ['unset', 'ok', 'error']
const codeOf = (names: readonly string[], said: unknown): unknown =>
  typeof said === 'string' ? names.indexOf(said) : (said ?? 0)

const OTEL = 'otel.'

/** Returns the span of a step, with its resource and scope. */
export const spanAgain = (step: StoredStep) => {
  const metadata = step.metadata as Members
  const said = (name: string) => metadata[`${OTEL}${name}`]
  const resource = storedMembers(said('resource'))
  const resourceHas = (name: string) => resource.some(([key]) => key === name)
  const version = resource.findLast(([key]) => key === 'service.version')?.[1] as
    | Members
    | undefined
  const isOurs = (name: string) =>
    name === 'release'
      ? typeof version?.text === 'string' && version.text !== ''
      : name === 'service.name' || name === 'service.version'
        ? resourceHas(name)
        : OWN.has(name)
  const below = (said('nanoseconds') ?? {}) as Members
  const status = (said('status') ?? {}) as Members
  const [traceId, spanId] = step.id.split('-')
  return {
    traceId,
    spanId,
    parentSpanId: step.parentId?.split('-')[1] ?? '',
    name: said('name') ?? step.name ?? '',
    kind: codeOf(KINDS, said('kind')),
    traceState: said('trace_state') ?? '',
    flags: said('flags') ?? 0,
    start: nanoseconds(step.startTime, below.start),
    end: nanoseconds(step.endTime, below.end),
    attributes: sorted([
      ...Object.entries(metadata)
        .filter(([name]) => !isOurs(name))
        .map(([name, value]): Entry => [name, stored(value)]),
      ...storedList(said('attributes')),
      ...fromFields(step, (said('fields') ?? {}) as Members),
    ]),
    droppedAttributesCount: said('dropped_attributes_count') ?? 0,
    events: ((said('events') ?? []) as Members[]).map((event) => ({
      name: event.name ?? '',
      time: nanoseconds(event.time),
      attributes: storedMembers(event.attributes),
      droppedAttributesCount: event.dropped_attributes_count ?? 0,
    })),
    droppedEventsCount: said('dropped_events_count') ?? 0,
    links: ((said('links') ?? []) as Members[]).map((link) => ({
      traceId: link.trace_id ?? '',
      spanId: link.span_id ?? '',
      traceState: link.trace_state ?? '',
      flags: link.flags ?? 0,
      attributes: storedMembers(link.attributes),
      droppedAttributesCount: link.dropped_attributes_count ?? 0,
    })),
    droppedLinksCount: said('dropped_links_count') ?? 0,
    status: { code: codeOf(CODES, status.code), message: status.message ?? '' },
    resource: {
      attributes: resource,
      droppedAttributesCount: said('resource.dropped_attributes_count') ?? 0,
      schemaUrl: said('resource.schema_url') ?? '',
    },
    scope: {
      name: said('scope.name') ?? '',
      version: said('scope.version') ?? '',
      attributes: storedMembers(said('scope.attributes')),
      droppedAttributesCount: said('scope.dropped_attributes_count') ?? 0,
      schemaUrl: said('scope.schema_url') ?? '',
    },
  }
}

/** The names that the docs reserve. */
export const OWN: ReadonlySet<string> = new Set(
  `attributes dropped_attributes_count dropped_events_count dropped_links_count events fields flags kind links logs name
  nanoseconds omitted resource resource.dropped_attributes_count resource.schema_url scope.attributes
  scope.dropped_attributes_count scope.name scope.schema_url scope.version status trace_state withheld resource.withheld scope.withheld`
    .split(/\s+/)
    .map((name) => `${OTEL}${name}`),
)
