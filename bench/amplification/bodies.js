// The parts of bodies: pieces that are short to send and expensive to process, each repeated to a size.
import { deflateSync, gzipSync } from 'node:zlib'

/** Repeats a piece up to a number of bytes; `{n}` in it becomes a different number each time. */
export const repeat = (piece, bytes, separator = ',') => {
  const one = piece + separator
  if (!piece.includes('{n}'))
    return one
      .repeat(Math.max(1, Math.floor(bytes / one.length)))
      .slice(0, -separator.length || undefined)
  const parts = []
  let size = 0
  for (let index = 0; size < bytes || index === 0; index++) {
    const part = piece.replaceAll('{n}', index.toString(36))
    parts.push(part)
    size += part.length + separator.length
  }
  return parts.join(separator)
}

export const INGEST =
  'mutation($s: [StepInput!]!) { ingestSteps(steps: $s) { ok accepted refused { index id message } } }'

/** Elements of JSON, each as text. */
export const ELEMENTS = {
  'empty object': '{}',
  'empty list': '[]',
  zero: '0',
  fraction: '1.5',
  null: 'null',
  'empty text': '""',
  'a text each': '"{n}"',
  'escaped text': '"\\u00e9\\n"',
  'small object': '{"a":0}',
  'a shape each': '{"a{n}":0}',
  'list of one': '[0]',
  'nested objects': '{"a":{"a":{"a":{}}}}',
  'nested lists': '[[[[[]]]]]',
  'index key': '{"4294967290":0}',
  prototype: '{"__proto__":{}}',
  step: '{"id":"{n}"}',
  'refused step': '{"id":"{n}","type":"thought"}',
  'step with a wrong name': '{"id":"{n}","colour":"red"}',
  'step of a thread': '{"id":"{n}","threadId":"{n}"}',
  'step with scores':
    '{"id":"{n}","scores":[{"name":"a","type":"AI","value":1},{"name":"b","type":"AI","value":1}]}',
  'step with a generation': '{"id":"{n}","generation":{"messages":[{"role":"user","content":""}]}}',
  'step with an attachment': '{"id":"{n}","attachments":[{"id":"{n}","name":""}]}',
  'an attachment of a file': '{"id":"{n}","objectKey":"{n}"}',
  'step with tags': '{"id":"{n}","tags":["a","b","c","d"]}',
  filter: '{"field":"name","operator":"eq","value":"a"}',
}

/** Places in a request's variables for a list of such elements, with the documents that take it. */
export const PLACES = {
  'variables of no use': [`{ __typename }`, (list) => `{"x":[${list}]}`],
  steps: [INGEST, (list) => `{"s":[${list}]}`],
  'input of a step': [INGEST, (list) => `{"s":[{"id":"p","input":[${list}]}]}`],
  'metadata of a step': [INGEST, (list) => `{"s":[{"id":"p","metadata":{"x":[${list}]}}]}`],
  'messages of a step': [
    INGEST,
    (list) => `{"s":[{"id":"p","generation":{"messages":[${list}]}}]}`,
  ],
  'tags of a step': [INGEST, (list) => `{"s":[{"id":"p","tags":[${list}]}]}`],
  'scores of a step': [INGEST, (list) => `{"s":[{"id":"p","scores":[${list}]}]}`],
  'attachments of a step': [INGEST, (list) => `{"s":[{"id":"p","attachments":[${list}]}]}`],
  filters: [
    'query($f: [stepsInputType!]) { steps(filters: $f) { totalCount } }',
    (list) => `{"f":[${list}]}`,
  ],
  'value of a filter': [
    'query($f: [stepsInputType!]) { steps(filters: $f) { totalCount } }',
    (list) => `{"f":[{"field":"tags","operator":"in","value":[${list}]}]}`,
  ],
  'scores of their own': [
    'mutation($s: [ScoreInput!]!) { createScores(scores: $s) { __typename } }',
    (list) => `{"s":[${list}]}`,
  ],
  'a literal number': [
    'mutation($v: Json) { upsertThread(id: "v", metadata: $v) { id } }',
    (list) => `{"v":{"x":[${list}]}}`,
  ],
}

/** Creates GraphQL documents of a size. */
export const DOCUMENTS = {
  comments: (bytes) => `${'#\n'.repeat(bytes / 2)}{ __typename }`,
  'long comments': (bytes) => `${`#${'x'.repeat(200)}\n`.repeat(bytes / 202)}{ __typename }`,
  'one comment': (bytes) => `#${'x'.repeat(bytes)}\n{ __typename }`,
  commas: (bytes) => `{${','.repeat(bytes)} __typename }`,
  names: (bytes) => `{ ${'a '.repeat(bytes / 2)}}`,
  'the same field': (bytes) => `{ ${'__typename '.repeat(bytes / 11)}}`,
  'an unknown field each': (bytes) => `{ ${repeat('a{n}', bytes, ' ')} }`,
  'nearly known fields': (bytes) => `{ ${repeat('step{n}', bytes, ' ')} }`,
  aliases: (bytes) => `{ ${repeat('a{n}: __typename', bytes, ' ')} }`,
  'aliased queries': (bytes) => `{ ${repeat('a{n}: step(id: "x") { id }', bytes, ' ')} }`,
  'aliased mutations': (bytes) =>
    `mutation { ${repeat('a{n}: ingestStep(id: "a{n}") { ok }', bytes, ' ')} }`,
  'mutations of one field': (bytes) =>
    `mutation { ${repeat('a{n}: upsertThread(id: "x") { id }', bytes, ' ')} }`,
  'aliased lists': (bytes) =>
    `{ ${repeat('a{n}: steps(first: 1000) { edges { node { id input output } } }', bytes, ' ')} }`,
  'nested fields': (bytes) => '{a'.repeat(bytes / 2) + '}'.repeat(bytes / 2),
  'unclosed braces': (bytes) => '{a'.repeat(bytes / 2),
  'unused fragments': (bytes) =>
    `{ __typename } ${repeat('fragment f{n} on Query { __typename }', bytes, ' ')}`,
  'spread fragments': (bytes) =>
    `{ ${repeat('...f{n}', bytes / 4, ' ')} } ${repeat('fragment f{n} on Query { a: __typename }', (bytes * 3) / 4, ' ')}`,
  'chained fragments': (bytes) => {
    const count = Math.max(2, Math.floor(bytes / 40))
    return `{ ...f0 } ${Array.from({ length: count }, (_, at) => `fragment f${at} on Query { ...f${(at + 1) % count} }`).join(' ')}`
  },
  'conflicting fragments': (bytes) =>
    `{ ${repeat('...f{n}', bytes / 6, ' ')} } ${repeat('fragment f{n} on Query { a: step(id: "{n}") { id } }', (bytes * 5) / 6, ' ')}`,
  'inline fragments': (bytes) => `{ ${'... { __typename } '.repeat(bytes / 19)} }`,
  operations: (bytes) => repeat('query q{n} { __typename }', bytes, ' '),
  'operations of one fragment': (bytes) =>
    `fragment f on Query { ${repeat('a{n}: step(id: $x) { id }', bytes / 2, ' ')} } ${repeat('query q{n}($x: String!) { ...f }', bytes / 2, ' ')}`,
  'variables declared': (bytes) => `query(${repeat('$a{n}: Int', bytes)}) { __typename }`,
  'variables used': (bytes) =>
    `mutation(${repeat('$a{n}: Json', bytes / 2)}) { ${repeat('a{n}: upsertThread(id: "x", metadata: $a{n}) { id }', bytes / 2, ' ')} }`,
  'variables of an unknown type': (bytes) =>
    `query(${repeat('$a{n}: Thing{n}', bytes)}) { __typename }`,
  directives: (bytes) => `{ __typename ${'@skip(if: false) '.repeat(bytes / 17)} }`,
  'unknown directives': (bytes) => `{ __typename ${repeat('@a{n}', bytes, ' ')} }`,
  'arguments that are not there': (bytes) => `{ step(${repeat('a{n}: 1', bytes)}) { id } }`,
  'a literal list': (bytes) =>
    `mutation { upsertThread(id: "x", metadata: [${'0,'.repeat(bytes / 2)}]) { id } }`,
  'a literal of lists': (bytes) =>
    `mutation { upsertThread(id: "x", metadata: [${'[],'.repeat(bytes / 3)}]) { id } }`,
  'a literal object': (bytes) =>
    `mutation { upsertThread(id: "x", metadata: {${repeat('a{n}: 0', bytes)}}) { id } }`,
  'a deep literal': (bytes) =>
    `mutation { upsertThread(id: "x", metadata: ${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}) { id } }`,
  'literal steps': (bytes) =>
    `mutation { ingestSteps(steps: [${repeat('{id: "{n}"}', bytes)}]) { ok } }`,
  'a block text of lines': (bytes) => `{ step(id: """${'\n'.repeat(bytes)}""") { id } }`,
  'a text of escapes': (bytes) => `{ step(id: "${'\\n'.repeat(bytes / 2)}") { id } }`,
  'a long text': (bytes) => `{ step(id: "${'x'.repeat(bytes)}") { id } }`,
  'a long name': (bytes) => `{ ${'x'.repeat(bytes)} }`,
  'long names': (bytes) =>
    `{ ${Array.from({ length: 100 }, (_, at) => `${'x'.repeat(bytes / 100)}${at}`).join(' ')} }`,
  'a long number': (bytes) => `{ steps(first: ${'9'.repeat(bytes)}) { totalCount } }`,
  'type definitions': (bytes) => repeat('type T{n} { a: Int }', bytes, ' '),
  introspection: (bytes) =>
    `{ ${repeat('a{n}: __schema { types { name fields { name args { name type { name ofType { name } } } } } }', Math.min(bytes, 9000), ' ')} }`,
}

const varint = (number) => {
  const bytes = []
  for (let rest = number; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest < 128 ? rest : (rest % 128) | 128)
    if (rest < 128) return Buffer.from(bytes)
  }
}
/** Returns a field of protobuf that holds bytes. */
export const field = (number, ...content) => {
  const bytes = Buffer.concat(content)
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
}
/** Returns a piece so often that it has about so many bytes. */
export const copies = (piece, bytes) =>
  Buffer.alloc(Math.max(1, Math.floor(bytes / piece.length)) * piece.length, piece)
const IDS = [field(1, Buffer.alloc(16, 1)), field(2, Buffer.alloc(8, 1))]
const inSpan = (...content) => field(1, field(2, field(2, ...IDS, ...content)))
const nest = (number, levels, inner = Buffer.alloc(0)) => {
  let nested = inner
  for (let level = 0; level < levels; level++) nested = field(number, nested)
  return nested
}

/** Creates OTLP requests of a size, in protobuf. */
export const SPANS = {
  'empty spans': (bytes) => field(1, field(2, copies(field(2), bytes))),
  'spans without a name': (bytes) => field(1, field(2, copies(field(2, ...IDS), bytes))),
  'a span each': (bytes) => {
    const spans = []
    for (let size = 0, at = 0; size < bytes; at++) {
      const id = Buffer.alloc(8)
      id.writeUInt32BE(at + 1)
      const span = field(2, field(1, Buffer.alloc(16, 1)), field(2, id))
      spans.push(span)
      size += span.length
    }
    return field(1, field(2, Buffer.concat(spans)))
  },
  'a trace each': (bytes) => {
    const spans = []
    for (let size = 0, at = 0; size < bytes; at++) {
      const id = Buffer.alloc(16)
      id.writeUInt32BE(at + 1)
      const span = field(2, field(1, id), field(2, id.subarray(0, 8)), field(5, Buffer.from('a')))
      spans.push(span)
      size += span.length
    }
    return field(1, field(2, Buffer.concat(spans)))
  },
  'empty resources': (bytes) => copies(field(1), bytes),
  'empty scopes': (bytes) => field(1, copies(field(2), bytes)),
  'empty attributes': (bytes) => inSpan(copies(field(9), bytes)),
  'empty events': (bytes) => inSpan(copies(field(11), bytes)),
  'attributes of events': (bytes) => inSpan(field(11, copies(field(3), bytes))),
  'attributes of a resource': (bytes) => field(1, field(1, copies(field(1), bytes))),
  'values of a list': (bytes) => inSpan(field(9, field(2, field(5, copies(field(1), bytes))))),
  'lists of a list': (bytes) =>
    inSpan(field(9, field(2, field(5, copies(field(1, field(5)), bytes))))),
  'members of an object': (bytes) => inSpan(field(9, field(2, field(6, copies(field(1), bytes))))),
  'an attribute each': (bytes) => {
    const attributes = []
    for (let size = 0, at = 0; size < bytes; at++) {
      const one = field(9, field(1, Buffer.from(at.toString(36))))
      attributes.push(one)
      size += one.length
    }
    return inSpan(Buffer.concat(attributes))
  },
  'deep values': (bytes) => inSpan(copies(field(9, field(2, nest(1, 30))), bytes)),
  'unknown fields': (bytes) => copies(Buffer.from([0x78, 0]), bytes),
  'packed numbers': (bytes) => inSpan(copies(Buffer.from([0x39, 0, 0, 0, 0, 0, 0, 0, 0]), bytes)),
  'a text of JSON': (bytes) =>
    inSpan(
      field(
        9,
        field(1, Buffer.from('input.value')),
        field(2, field(1, Buffer.from(`[${'{},'.repeat(bytes / 3)}0]`))),
      ),
    ),
  'flat messages': (bytes) => {
    const attributes = []
    for (let size = 0, at = 0; size < bytes; at++) {
      const one = field(9, field(1, Buffer.from(`llm.input_messages.${at}.message.role`)))
      attributes.push(one)
      size += one.length
    }
    return inSpan(
      field(9, field(1, Buffer.from('llm.request.type')), field(2, field(1, Buffer.from('chat')))),
      Buffer.concat(attributes),
    )
  },
}

/** Creates OTLP requests in JSON, with a list of elements in different places. */
export const SPANS_JSON = {
  spans: (list) => `{"resourceSpans":[{"scopeSpans":[{"spans":[${list}]}]}]}`,
  scopes: (list) => `{"resourceSpans":[{"scopeSpans":[${list}]}]}`,
  resources: (list) => `{"resourceSpans":[${list}]}`,
  attributes: (list) =>
    `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"${'1'.repeat(32)}","spanId":"${'1'.repeat(16)}","attributes":[${list}]}]}]}]}`,
  events: (list) =>
    `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"${'1'.repeat(32)}","spanId":"${'1'.repeat(16)}","events":[${list}]}]}]}]}`,
  values: (list) =>
    `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"${'1'.repeat(32)}","spanId":"${'1'.repeat(16)}","attributes":[{"key":"a","value":{"arrayValue":{"values":[${list}]}}}]}]}]}]}`,
}

/** Ways to compress a body. */
export const PACKINGS = {
  plain: (body) => ({ body, headers: {} }),
  gzip: (body) => ({ body: gzipSync(body), headers: { 'content-encoding': 'gzip' } }),
  deflate: (body) => ({ body: deflateSync(body), headers: { 'content-encoding': 'deflate' } }),
}
