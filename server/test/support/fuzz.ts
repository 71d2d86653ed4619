// Requests of all kinds, valid, nearly valid and invalid, from a seed: the same seed makes the same requests.
import {
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'

import { asJson, asProtobuf, type Given } from './otlp.js'

/** Numbers from 0 to 1, from a seed (mulberry32). */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item
  }

  list<Item>(most: number, make: () => Item): Item[] {
    return Array.from({ length: this.below(most + 1) }, make)
  }
}

export interface FuzzRequest {
  kind: string
  path: string
  method: string
  headers: Record<string, string>
  body: string | Uint8Array | undefined
}

const TEXTS = [
  '',
  ' ',
  'a',
  'id-1',
  'thread-1',
  'x'.repeat(600),
  '\u0000',
  '\ud800',
  '\ufdd0',
  '😀',
  "'; DROP TABLE steps; --",
  '%',
  '_',
  '\\',
  '`x`',
  '{{x}}',
  '../..',
  '__proto__',
  'constructor',
  'null',
  '2026-01-01T00:00:00.000Z',
  '2026-02-30',
  '-1',
  '1e400',
  'Infinity',
  'NaN',
  '\r\nx: y',
  '<script>',
  'createdAt',
  'é'.normalize('NFD'),
  '\u202e',
]
const NUMBERS = [0, -1, 1, 20, 1000, 1001, 100_001, 2 ** 31, -(2 ** 31), 2 ** 53, 1e308, 0.1, -0]

/** Removes lone surrogates, which no URL can contain. */
const wellFormed = (text: string) => Buffer.from(text).toString()

export class Fuzz {
  readonly #dice: Dice
  readonly #schema: GraphQLSchema
  /** Cursors, keys and URLs from answers, to be sent again and changed. */
  readonly seen: string[] = []
  readonly uploads: string[] = []

  constructor(seed: number, schema: GraphQLSchema) {
    this.#dice = new Dice(seed)
    this.#schema = schema
  }

  next(): FuzzRequest {
    const dice = this.#dice
    const make = dice.pick([
      () => this.#document(),
      () => this.#document(),
      () => this.#list(),
      () => this.#list(),
      () => this.#ingestion(),
      () => this.#ingestion(),
      () => this.#rest(),
      () => this.#upload(),
      () => this.#telemetry(),
    ])
    const request = make()
    if (dice.chance(0.1)) request.body = this.#broken(request.body)
    if (dice.chance(0.1)) Object.assign(request.headers, this.#headers())
    return request
  }

  #post(kind: string, path: string, body: unknown): FuzzRequest {
    const headers = { 'content-type': 'application/json', 'x-api-key': 'fuzz' }
    return { kind, path, method: 'POST', headers, body: JSON.stringify(body) }
  }

  #text(): string {
    const dice = this.#dice
    if (this.seen.length > 0 && dice.chance(0.2)) return this.#mutated(dice.pick(this.seen))
    return dice.chance(0.8)
      ? dice.pick(TEXTS)
      : String.fromCharCode(...dice.list(8, () => dice.below(0x1_0000)))
  }

  #json(depth = 0): unknown {
    const dice = this.#dice
    switch (dice.below(depth > 3 ? 4 : 6)) {
      case 0:
        return null
      case 1:
        return dice.chance(0.5)
      case 2:
        return dice.pick(NUMBERS)
      case 3:
        return this.#text()
      case 4:
        return dice.list(4, () => this.#json(depth + 1))
      default:
        return Object.fromEntries(dice.list(4, () => [this.#text(), this.#json(depth + 1)]))
    }
  }

  #mutated(text: string): string {
    const dice = this.#dice
    const at = dice.below(text.length + 1)
    return dice.pick([
      text,
      text.slice(0, at),
      text.slice(0, at) + dice.pick(TEXTS) + text.slice(at),
      text.slice(0, at) + text.slice(at + 1),
      text + text,
    ])
  }

  #broken(body: FuzzRequest['body']): FuzzRequest['body'] {
    if (typeof body === 'string') return this.#mutated(body)
    return body?.slice(0, this.#dice.below(body.length))
  }

  #headers(): Record<string, string> {
    const dice = this.#dice
    const text = this.#text()
      .replace(/[^\x20-\x7e]/g, '?')
      .trim()
    return dice.pick([
      { 'content-encoding': dice.pick(['gzip', 'deflate', 'br', 'identity', text]) },
      { 'content-type': dice.pick(['text/plain', 'multipart/form-data; boundary=x', text]) },
      { 'x-env': dice.pick(['prod', 'dev', text]) },
      { 'x-api-key': dice.pick(['', 'other', text]) },
      { range: dice.pick(['bytes=0-', 'bytes=-1', 'bytes=5-1', text]) },
      { 'content-length': dice.pick(['0', '-1', '99999999999', 'x']) },
      { origin: 'https://elsewhere.example', 'x-client-name': text },
    ])
  }

  /** Returns a value for a type, mostly a valid one. */
  #value(type: GraphQLInputType, depth = 0): unknown {
    const dice = this.#dice
    if (dice.chance(0.04)) return this.#json()
    if (isNonNullType(type)) return this.#value(type.ofType, depth)
    if (dice.chance(0.15)) return null
    if (isListType(type))
      return dice.list(depth > 2 ? 1 : 3, () => this.#value(type.ofType, depth + 1))
    if (isEnumType(type)) return dice.pick(type.getValues()).name
    if (isInputObjectType(type))
      return Object.fromEntries(
        Object.values(type.getFields())
          .filter((field) => isNonNullType(field.type) || dice.chance(depth > 1 ? 0.15 : 0.35))
          .map((field) => [field.name, this.#value(field.type, depth + 1)]),
      )
    switch (type.name) {
      case 'Int':
        return Math.trunc(dice.pick(NUMBERS.slice(0, 7)))
      case 'Float':
        return dice.pick(NUMBERS)
      case 'Boolean':
        return dice.chance(0.5)
      case 'DateTime':
        return dice.pick(['2026-01-01T00:00:00.000Z', '2026-01-01', this.#text()])
      case 'Json':
        return this.#json()
      default:
        return this.#text()
    }
  }

  #selection(type: GraphQLOutputType, depth: number): string {
    const dice = this.#dice
    const named = getNamedType(type)
    if (isLeafType(named)) return ''
    if (!isObjectType(named)) return '{ __typename }'
    const fields = Object.values(named.getFields()).filter(
      (field) => depth < 4 || isLeafType(getNamedType(field.type)),
    )
    const chosen = dice.list(5, () => dice.pick(fields))
    return `{ __typename ${chosen
      .map(
        (field, index) =>
          `${dice.chance(0.3) ? `f${index}: ` : ''}${field.name} ${this.#selection(field.type, depth + 1)}`,
      )
      .join(' ')} }`
  }

  #document(): FuzzRequest {
    const dice = this.#dice
    const isMutation = dice.chance(0.5)
    const root = isMutation ? this.#schema.getMutationType() : this.#schema.getQueryType()
    const field = dice.pick(Object.values(root?.getFields() ?? {}))
    const args = field.args.filter((arg) => isNonNullType(arg.type) || dice.chance(0.4))
    const variables = Object.fromEntries(args.map((arg) => [arg.name, this.#value(arg.type)]))
    const declared = args.map((arg) => `$${arg.name}: ${arg.type}`).join(' ')
    const given = args.map((arg) => `${arg.name}: $${arg.name}`).join(' ')
    const query = `${isMutation ? 'mutation' : 'query'} ${declared && `(${declared})`} {
      ${field.name} ${given && `(${given})`} ${this.#selection(field.type, 0)} }`
    return this.#post('document', '/api/graphql', {
      query: dice.chance(0.1) ? this.#mutated(query) : query,
      variables: dice.chance(0.03) ? this.#json() : variables,
    })
  }

  #list(): FuzzRequest {
    const dice = this.#dice
    const list = dice.pick(['steps', 'threads', 'generations', 'scores', 'participants'])
    const fields = [
      'id',
      'name',
      'createdAt',
      'tags',
      'metadata',
      'output',
      'tokenCount',
      'duration',
      'score',
      'value',
      'participant',
      'participantIdentifiers',
      'stepName',
      'stepType',
      'scoreValue',
      'error',
      'threadId',
      'identifier',
      'threadCount',
      'lastEngaged',
      'model',
      'promptLineage',
      this.#text(),
    ]
    const operators = [
      'eq',
      'neq',
      'gt',
      'gte',
      'lt',
      'lte',
      'in',
      'nin',
      'ilike',
      'nilike',
      'is',
      'nis',
    ]
    const value = () =>
      dice.pick<() => unknown>([
        () => null,
        () => this.#text(),
        () => dice.pick(NUMBERS),
        () => dice.list(3, () => this.#text()),
        () => '2026-01-01T00:00:00Z',
        () => this.#json(),
      ])()
    const field = this.#schema.getQueryType()?.getFields()[list]
    const typeOf = (name: string) => field?.args.find((arg) => arg.name === name)?.type
    const cursor = () => (this.seen.length > 0 ? this.#mutated(dice.pick(this.seen)) : this.#text())
    const variables = {
      filters: dice.list(3, () => ({
        field: dice.pick(fields),
        operator: dice.pick(operators),
        value: value(),
        ...(dice.chance(0.3) ? { path: this.#text() } : {}),
      })),
      ...(dice.chance(0.5) ? { first: dice.pick(NUMBERS.slice(0, 7)) } : {}),
      ...(dice.chance(0.3) ? { after: cursor() } : {}),
      ...(dice.chance(0.2) ? { before: cursor() } : {}),
      ...(dice.chance(0.2) ? { skip: dice.pick(NUMBERS.slice(0, 7)) } : {}),
      ...(dice.chance(0.4) && typeOf('orderBy')
        ? {
            orderBy: {
              column: dice.pick([
                'createdAt',
                'tokenCount',
                'duration',
                'value',
                'model',
                'participant',
                'nothing',
              ]),
              direction: dice.pick(['ASC', 'DESC', 'UP']),
            },
          }
        : {}),
    }
    const names = Object.keys(variables)
    const query = `query (${names.map((name) => `$${name}: ${typeOf(name)}`).join(' ')}) {
      ${list}(${names.map((name) => `${name}: $${name}`).join(' ')}) {
        totalCount pageInfo { endCursor hasNextPage } edges { cursor node { id } } } }`
    return this.#post('list', '/api/graphql', { query, variables })
  }

  #ingestion(): FuzzRequest {
    const dice = this.#dice
    const type = this.#schema.getType('StepInput') as GraphQLInputType
    const steps = dice.list(6, () => this.#value(type))
    if (dice.chance(0.7))
      return this.#post('ingestion', '/api/graphql', {
        query:
          'mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message refused { id code message } } }',
        variables: { steps },
      })
    const ids = steps.map((_, index) => `s${index}`)
    return this.#post('aliases', '/api/graphql', {
      query: `mutation (${ids.map((id) => `$${id}: String!, $${id}_n: String, $${id}_t: [String!]`).join(', ') || '$x: Int'}) {
        ${ids.map((id) => `${id}: ingestStep(id: $${id}, name: $${id}_n, tags: $${id}_t) { ok message }`).join('\n') || '__typename'} }`,
      variables: Object.fromEntries(
        ids.flatMap((id) => [
          [id, this.#text()],
          [`${id}_n`, this.#json()],
          [`${id}_t`, this.#json()],
        ]),
      ),
    })
  }

  #rest(): FuzzRequest {
    const dice = this.#dice
    const path = dice.pick([
      '/api/my-project',
      '/api/export/dataset',
      '/api/upload/file',
      '/api/operator',
      '//api//graphql',
      '/metrics',
      '/healthz',
      `/${encodeURIComponent(wellFormed(this.#text()))}`,
      '/files/x/y',
    ])
    const body = dice.chance(0.5)
      ? {
          id: this.#text(),
          name: this.#text(),
          fileName: this.#text(),
          contentType: this.#text(),
          threadId: this.#json(),
        }
      : this.#json()
    const request = this.#post('rest', path, body)
    request.method = dice.pick([
      'POST',
      'POST',
      'POST',
      'GET',
      'PUT',
      'DELETE',
      'OPTIONS',
      'HEAD',
      'PATCH',
    ])
    if (['GET', 'HEAD'].includes(request.method)) request.body = undefined
    return request
  }

  #upload(): FuzzRequest {
    const dice = this.#dice
    const url = this.uploads.length > 0 ? dice.pick(this.uploads) : '/files/p/files/x?signature=x'
    const path = dice.chance(0.3)
      ? `/${encodeURI(wellFormed(this.#mutated(url))).replace(/^\/+/, '')}`
      : url
    const boundary = dice.pick(['x', 'y z', '-'.repeat(70)])
    const part = (name: string, value: string, file = '') =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`
    const body = dice
      .list(3, () =>
        dice.pick([
          () => part('key', this.#text()),
          () => part('file', this.#text(), '; filename="x"'),
          () => part(this.#text(), this.#text()),
        ])(),
      )
      .concat(dice.chance(0.8) ? [`--${boundary}--\r\n`] : [])
      .join('')
    const method = dice.pick(['POST', 'POST', 'PUT', 'GET', 'HEAD'])
    return {
      kind: 'upload',
      path,
      method,
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
      body: ['GET', 'HEAD'].includes(method) ? undefined : body,
    }
  }

  /** Makes spans in both encodings, valid and nearly valid, and other bodies. */
  #telemetry(): FuzzRequest {
    const dice = this.#dice
    if (dice.chance(0.1)) {
      const request = this.#post('otlp', '/v1/traces', { resourceSpans: this.#json() })
      if (dice.chance(0.5)) {
        request.headers['content-type'] = 'application/x-protobuf'
        request.body = Uint8Array.from({ length: dice.below(200) }, () => dice.below(256))
      }
      return request
    }
    const hex = (digits: number) =>
      dice.chance(0.05) ? dice.pick(TEXTS) : dice.pick('123abc'.split('')).repeat(digits)
    const attributes = () =>
      Object.fromEntries(
        dice.list(4, () => [
          dice.pick(ATTRIBUTES),
          dice.chance(0.5) ? dice.pick(TEXTS) : this.#json(),
        ]),
      )
    const given: Given = {
      resource: attributes(),
      scope: dice.pick(TEXTS),
      spans: dice.list(5, () => ({
        traceId: hex(32),
        spanId: hex(16),
        ...(dice.chance(0.5) ? { parentSpanId: hex(16) } : {}),
        name: dice.pick(TEXTS),
        start: BigInt(dice.below(2 ** 31)) * BigInt(dice.below(2 ** 32)),
        end: BigInt(dice.below(2 ** 31)) * BigInt(dice.below(2 ** 32)),
        attributes: attributes(),
        events: dice.list(2, () => ({
          name: dice.pick(['exception', 'x']),
          attributes: attributes(),
        })),
        status: { code: dice.below(4), message: dice.pick(TEXTS) },
      })),
    }
    const request = this.#post('otlp', '/v1/traces', {})
    if (dice.chance(0.5)) return { ...request, body: asJson(given) }
    const body = asProtobuf(given)
    // Sometimes a byte was damaged on the way.
    if (dice.chance(0.3)) body[dice.below(body.length)] = dice.below(256)
    return {
      ...request,
      headers: { ...request.headers, 'content-type': 'application/x-protobuf' },
      body,
    }
  }
}

const ATTRIBUTES = [
  'gen_ai.operation.name',
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.usage.input_tokens',
  'gen_ai.request.model',
  'gen_ai.request.temperature',
  'llm.input_messages.0.message.role',
  'llm.input_messages.99999.message.content',
  'openinference.span.kind',
  'gen_ai.prompt.0.content',
  'input.value',
  'output.value',
  'session.id',
  'exception.message',
  'service.version',
  'deployment.environment',
  '__proto__',
  '',
]
