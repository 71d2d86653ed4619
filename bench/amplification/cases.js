// The cases: fixed ones, one for each way that is known to be cheap to send and expensive to process, and generated
// ones, which combine the same parts by a seed. A case is a list of connections with the bytes to write into them.
import {
  DOCUMENTS,
  ELEMENTS,
  INGEST,
  PACKINGS,
  PLACES,
  repeat,
  SPANS,
  SPANS_JSON,
} from './bodies.js'
import { LOGS, PREPARED_LOGS } from './logs.js'
import { head } from './wire.js'

const JSON_TYPE = { 'content-type': 'application/json' }
const PROTOBUF_TYPE = { 'content-type': 'application/x-protobuf' }
const asBytes = (body) => (typeof body === 'string' ? Buffer.from(body) : body)

/** Returns a whole request with a body. `unpacked` is the size that justifies memory and time of the service. */
const whole = ({ path, headers, key }, given, packing = 'plain') => {
  const unpacked = asBytes(given)
  const { body, headers: more } = PACKINGS[packing](unpacked)
  const all = { 'x-api-key': key, ...headers, ...more }
  return {
    parts: [Buffer.from(head({ path, headers: all }, body.length)), body],
    unpacked: unpacked.length,
  }
}

const graphql = (key) => ({ path: '/api/graphql', headers: JSON_TYPE, key })
const traces = (key, headers = PROTOBUF_TYPE) => ({ path: '/v1/traces', headers, key })
const asked = (query, variables = '{}') =>
  `{"query":${JSON.stringify(query)},"variables":${variables}}`

const fixed = (key, bytes) => {
  const cases = []
  const add = (name, connections, times = 1) =>
    cases.push({ name, make: () => Array.from({ length: times }, () => connections()).flat() })
  for (const [name, make] of Object.entries(DOCUMENTS)) {
    add(`document: ${name}`, () => whole(graphql(key), asked(make(bytes)), 'gzip'))
    add(`document: ${name}, 64 kB`, () => whole(graphql(key), asked(make(64_000))))
  }
  for (const [place, [query, fill]] of Object.entries(PLACES))
    for (const [name, element] of Object.entries(ELEMENTS))
      add(`variables: ${place}: ${name}`, () =>
        whole(graphql(key), asked(query, fill(repeat(element, bytes))), 'gzip'),
      )
  add('variables: an unknown member each', () =>
    whole(graphql(key), asked(INGEST, `{"s":[{"id":"a",${repeat('"a{n}":0', bytes)}}]}`), 'gzip'),
  )
  // The shortest possible distinct names.
  const members = repeat('"abcdefghij{n}":0', bytes)
  for (const [name, variables] of Object.entries({
    'unknown members': `{"s":[{"id":"a",${members}}]}`,
    'variables of no use': `{"s":[{"id":"a"}],${members}}`,
    'members of an input': `{"s":[{"id":"a","input":{${members}}}]}`,
    'members of metadata': `{"s":[{"id":"a","metadata":{${repeat('"abcdefghij{n}":0', Math.min(bytes, 900_000))}}}]}`,
  }))
    add(`variables: ${name} with long names`, () =>
      whole(graphql(key), asked(INGEST, variables), 'gzip'),
    )
  add(
    'lists by a text that is nowhere, 200 at once',
    () =>
      whole(
        graphql(key),
        asked(
          '{ steps(filters: [{ field: "input", operator: "ilike", value: "nowhere" }]) { edges { node { id } } } }',
        ),
      ),
    200,
  )
  add('variables: a variable each', () =>
    whole(graphql(key), asked('{ __typename }', `{${repeat('"a{n}":0', bytes)}}`), 'gzip'),
  )
  add('variables: deep', () =>
    whole(
      graphql(key),
      asked('{ __typename }', `{"x":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`),
      'gzip',
    ),
  )
  add('body: spaces', () => whole(graphql(key), `${' '.repeat(bytes)}{}`, 'gzip'))
  add('body: open brackets', () => whole(graphql(key), '['.repeat(bytes), 'gzip'))
  add('body: a member again and again', () =>
    whole(graphql(key), `{${repeat('"query":""', bytes)}}`, 'gzip'),
  )
  add('different comments, a hundred documents', () =>
    Array.from({ length: 100 }, (_, at) =>
      whole(graphql(key), asked(`${`#${at}\n`.repeat(190_000 / 4)}{ __typename }`)),
    ),
  )
  add('different long texts, a thousand documents', () =>
    Array.from({ length: 1000 }, (_, at) =>
      whole(graphql(key), asked(`#${at}${'x'.repeat(90_000)}\n{ nothing }`)),
    ),
  )
  for (const [name, make] of Object.entries(SPANS)) {
    add(`otlp: ${name}`, () => whole(traces(key), make(bytes), 'gzip'))
    add(`otlp: ${name}, 16 at once`, () => whole(traces(key), make(bytes / 4), 'gzip'), 16)
  }
  for (const [place, fill] of Object.entries(SPANS_JSON))
    for (const name of ['empty object', 'zero', 'a shape each'])
      add(`otlp json: ${place}: ${name}`, () =>
        whole(traces(key, JSON_TYPE), fill(repeat(ELEMENTS[name], bytes)), 'gzip'),
      )
  const logs = (headers) => ({ path: '/v1/logs', headers, key })
  for (const [name, { json, protobuf }] of Object.entries(LOGS)) {
    add(`logs: ${name}`, () => whole(logs(PROTOBUF_TYPE), protobuf(bytes), 'gzip'))
    add(`logs: ${name}, 16 at once`, () => whole(logs(PROTOBUF_TYPE), protobuf(bytes / 4)), 16)
    add(`logs json: ${name}`, () => whole(logs(JSON_TYPE), json(bytes), 'gzip'))
  }
  for (const [name, { prepare, path, bodies }] of Object.entries(PREPARED_LOGS))
    cases.push({
      name: `logs: ${name}`,
      prepare: () => prepare().map((body) => whole(logs(JSON_TYPE), body, 'gzip')),
      make: () => bodies().map((body) => whole({ path, headers: JSON_TYPE, key }, body)),
    })
  for (const path of [
    '/api/my-project',
    '/api/export/dataset',
    '/api/upload/file',
    '/api/graphql',
    '/v1/traces',
    '/v1/logs',
  ])
    add(`${path}: empty objects`, () =>
      whole({ path, headers: JSON_TYPE, key }, `{"id":[${repeat('{}', bytes)}]}`, 'gzip'),
    )
  // Announces a body that is not sent, or only drop by drop.
  const announced = (length, times, then = []) =>
    Array.from({ length: times }, () => ({
      parts: [
        Buffer.from(
          head({ path: '/api/graphql', headers: { ...JSON_TYPE, 'x-api-key': key } }, length),
        ),
        ...then,
      ],
      holdMs: 6000,
      unpacked: 1000,
    }))
  add('announced: 64 MB, four times', () => announced(64_000_000, 4))
  add('announced: 64 MB, 300 times', () => announced(64_000_000, 300))
  add('announced: 100 bytes, 1,500 times', () => announced(100, 1500))
  add('announced: chunks, 300 times', () =>
    Array.from({ length: 300 }, () => ({
      parts: [
        Buffer.from(
          head({
            path: '/api/graphql',
            headers: { ...JSON_TYPE, 'x-api-key': key, 'transfer-encoding': 'chunked' },
          }),
        ),
      ],
      holdMs: 6000,
      unpacked: 1000,
    })),
  )
  add('announced: 64 MB compressed, 300 times', () =>
    Array.from({ length: 300 }, () => ({
      parts: [
        Buffer.from(
          head(
            {
              path: '/v1/traces',
              headers: { ...PROTOBUF_TYPE, 'x-api-key': key, 'content-encoding': 'gzip' },
            },
            64_000_000,
          ),
        ),
      ],
      holdMs: 6000,
      unpacked: 1000,
    })),
  )
  add('announced: half of 8 MB, 20 times', () =>
    announced(8_000_000, 20, [Buffer.alloc(4_000_000, ' ')]).map((one) => ({
      ...one,
      unpacked: 4_000_000,
    })),
  )
  add('expected to continue, 300 times', () =>
    Array.from({ length: 300 }, () => ({
      parts: [
        Buffer.from(
          head(
            {
              path: '/api/graphql',
              headers: { ...JSON_TYPE, 'x-api-key': key, expect: '100-continue' },
            },
            64_000_000,
          ),
        ),
      ],
      holdMs: 6000,
      unpacked: 1000,
    })),
  )
  add('dripped: a byte at a time, 200 times', () =>
    Array.from({ length: 200 }, () => ({
      parts: [
        Buffer.from(
          head({ path: '/api/graphql', headers: { ...JSON_TYPE, 'x-api-key': key } }, 10_000),
        ),
        ...Array.from({ length: 60 }, () => Buffer.from(' ')),
      ],
      pauseMs: 100,
      holdMs: 6000,
      unpacked: 1000,
    })),
  )
  add('unknown keys, 2,000', () =>
    Array.from({ length: 50 }, (_, at) => ({
      parts: Array.from({ length: 40 }, (_, one) =>
        Buffer.from(
          `${head({ path: '/api/graphql', headers: { ...JSON_TYPE, 'x-api-key': `lsk_nobody_${at}_${one}`, connection: one === 39 ? 'close' : 'keep-alive' } }, 2)}{}`,
        ),
      ),
      unpacked: 1000,
    })),
  )
  add('sign-in with unknown keys, 1,000', () =>
    Array.from({ length: 1000 }, (_, at) => {
      const body = JSON.stringify({ apiKey: `lsk_nobody_${at}` })
      return {
        parts: [
          Buffer.from(
            head(
              { path: '/api/sign-in', headers: { ...JSON_TYPE, origin: 'http://localhost' } },
              body.length,
            ) + body,
          ),
        ],
        unpacked: 1000,
      }
    }),
  )
  add('pipelined: 5,000 health checks in one connection', () => [
    {
      parts: [
        Buffer.from(
          head({ method: 'GET', path: '/healthz', headers: { connection: 'keep-alive' } }).repeat(
            4999,
          ) + head({ method: 'GET', path: '/healthz' }),
        ),
      ],
      unpacked: 300_000,
    },
  ])
  const small = asked('{ __typename }')
  add('pipelined: 2,000 questions in one connection', () => [
    {
      parts: [
        Buffer.from(
          (
            head(
              {
                ...graphql(key),
                headers: { ...JSON_TYPE, 'x-api-key': key, connection: 'keep-alive' },
              },
              small.length,
            ) + small
          ).repeat(1999) +
            head({ ...graphql(key), headers: { ...JSON_TYPE, 'x-api-key': key } }, small.length) +
            small,
        ),
      ],
      unpacked: 400_000,
    },
  ])
  const odd = (name, request, times = 50) =>
    add(
      name,
      () => [
        { parts: [Buffer.from(head({ method: 'GET', path: '/', ...request }))], unpacked: 16_000 },
      ],
      times,
    )
  odd('headers: as many as may be', {
    headers: Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`a${at}`, '1'])),
  })
  odd('headers: cookies', {
    path: '/metrics',
    headers: { cookie: `${'a=b; '.repeat(2500)}`, 'sec-fetch-site': 'same-origin' },
  })
  odd('headers: accept', { headers: { accept: `${'text/html,'.repeat(1300)}` } })
  odd('headers: x-env', {
    path: '/metrics',
    headers: { 'x-env': 'a'.repeat(14_000), 'x-api-key': key },
  })
  odd('headers: host', { headers: { host: `${'a.'.repeat(7000)}a` } })
  odd('headers: accept-encoding', {
    path: '/assets/x.js',
    headers: { 'accept-encoding': 'br '.repeat(4000) },
  })
  odd('headers: range', { path: '/files/a/b', headers: { range: `bytes=${'0-1,'.repeat(3500)}` } })
  odd('url: a long query', { path: `/files/a/b?${'a=b&'.repeat(3500)}` })
  odd('url: percent signs', { path: `/files/${'%41'.repeat(4500)}` })
  odd('url: slashes', { path: '/'.repeat(15_000) })
  odd('url: wrong percent signs', { path: `/files/${'%'.repeat(15_000)}` })
  odd('upgrade to a web socket', {
    headers: {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'x'.repeat(24),
      'sec-websocket-version': '13',
    },
  })
  return cases
}

/** Generates a case: bodies of several parts, in any compression, sent in any way. */
export const generate = (dice, key) => {
  const bytes = dice.magnitude(1000, 8_000_000)
  const list = () => {
    const kinds = Array.from({ length: 1 + dice.below(3) }, () => dice.pick(Object.keys(ELEMENTS)))
    const deep = dice.chance(0.2) ? 1 + dice.below(5) : 0
    const text = kinds
      .map((kind) => repeat(ELEMENTS[kind], Math.max(2, bytes / kinds.length)))
      .join(',')
    return {
      text: '['.repeat(deep) + text + ']'.repeat(deep),
      name: kinds.join(' + ') + (deep ? ` ${deep} deep` : ''),
    }
  }
  const packing = dice.pick(Object.keys(PACKINGS))
  const kind = dice.pick(['document', 'variables', 'both', 'spans', 'spans in JSON', 'rest'])
  let body
  let name
  let target
  if (kind === 'document' || kind === 'both') {
    const names = Array.from({ length: 1 + dice.below(3) }, () => dice.pick(Object.keys(DOCUMENTS)))
    // Of several documents, the first one's selections are executed; all are parsed and validated.
    const document = names
      .map((one, at) => {
        const text = DOCUMENTS[one](Math.max(10, Math.floor(bytes / names.length)))
        return at === 0
          ? text
          : text.replace(/^(\{|query\b|mutation\b)/, (start) =>
              start === '{' ? `query q_${at} {` : start,
            )
      })
      .join('\n')
    const { text, name: elements } = kind === 'both' ? list() : { text: '', name: '' }
    body = asked(document, `{"x":[${text}]}`)
    name = `${names.join(' and ')}${kind === 'both' ? ` with ${elements}` : ''}`
    target = graphql(key)
  } else if (kind === 'variables') {
    const place = dice.pick(Object.keys(PLACES))
    const { text, name: elements } = list()
    body = asked(PLACES[place][0], PLACES[place][1](text))
    name = `${place}: ${elements}`
    target = graphql(key)
  } else if (kind === 'spans') {
    const names = Array.from({ length: 1 + dice.below(3) }, () => dice.pick(Object.keys(SPANS)))
    body = Buffer.concat(
      names.map((one) => SPANS[one](Math.max(10, Math.floor(bytes / names.length)))),
    )
    name = names.join(' and ')
    target = traces(key)
  } else {
    const { text, name: elements } = list()
    const place = dice.pick(Object.keys(SPANS_JSON))
    const path = dice.pick([
      '/api/my-project',
      '/api/export/dataset',
      '/api/upload/file',
      '/api/sign-in',
    ])
    const isSpans = kind === 'spans in JSON'
    body = isSpans ? SPANS_JSON[place](text) : `{"id":[${text}]}`
    name = `${isSpans ? place : path}: ${elements}`
    target = isSpans ? traces(key, JSON_TYPE) : { path, headers: JSON_TYPE, key }
  }
  const one = whole(target, body, packing)
  const times = bytes < 500_000 && dice.chance(0.3) ? 1 + dice.below(20) : 1
  const way = dice.pick([
    'whole',
    'whole',
    'whole',
    'in pieces',
    'broken off',
    'dripped at the end',
  ])
  const [first, rest] = one.parts
  const piece = Math.max(1, Math.ceil(rest.length / (1 + dice.below(50))))
  const pieces = Array.from({ length: Math.ceil(rest.length / piece) }, (_, at) =>
    rest.subarray(at * piece, (at + 1) * piece),
  )
  const sent = {
    whole: one,
    'in pieces': { ...one, parts: [first, ...pieces], pauseMs: 1 },
    'broken off': {
      ...one,
      parts: [first, rest.subarray(0, Math.floor(rest.length * dice.next()))],
      holdMs: 1000,
    },
    'dripped at the end': {
      ...one,
      parts: [
        first,
        rest.subarray(0, -3),
        ...[3, 2, 1].map((at) => rest.subarray(-at, rest.length - at + 1)),
      ],
      pauseMs: 20,
    },
  }[way]
  return {
    name: `${kind}: ${name}; ${bytes.toLocaleString('en')} bytes ${packing}, ${way}${times > 1 ? `, ${times} times` : ''}`,
    make: () => Array.from({ length: times }, () => sent),
  }
}

export { fixed }
