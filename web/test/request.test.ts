import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { parse } from 'graphql'
import { Client, cacheExchange, fetchExchange, type TypedDocumentNode } from 'urql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adviceFor, toProblem } from '../src/data/problem.js'
import { newRequest, sharedRequest } from '../src/data/request.js'

interface Echo {
  echo: string
}
type Ask = TypedDocumentNode<Echo, Record<string, unknown>>
const ECHO = parse('query Echo($id: String, $value: Json) { echo(id: $id, value: $value) }') as Ask
const CHANGE = parse('mutation Change($value: Json) { echo(value: $value) }') as Ask

let answer: (body: string, response: ServerResponse) => unknown
const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  await answer(body, response)
})
const sendJson = (response: ServerResponse, value: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
let client: Client

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = new Client({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
  })
})
afterAll(() => server.close())

const write = (variables: Record<string, unknown>) => {
  const { request, context } = newRequest(CHANGE, variables)
  return client.executeMutation(request, context).toPromise()
}

/** Any value that an editor's text can become, with names that objects know themselves. */
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.constantFrom(1e21, 5e-324, -0, true, null, undefined, new Date(0)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(
        fc.tuple(
          fc.oneof(
            fc.constantFrom('__proto__', 'toJSON', 'constructor', 'length', '2', '1', 'b', 'a'),
            fc.string(),
          ),
          tie('value'),
        ),
        { maxLength: 4 },
      )
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value

test('a request sends the text of JSON.stringify, with keys in their order and with any names', async () => {
  let sent = ''
  answer = (body, response) => {
    sent = body
    sendJson(response, { data: { echo: 'stored' } })
  }
  await fc.assert(
    fc.asyncProperty(anyValue, async (value) => {
      const variables = { z: value, value, a: 1 }
      const { data, error } = await write(variables)
      expect(error).toBeUndefined()
      expect(data).toEqual({ echo: 'stored' })
      expect(sent).toContain(`"variables":${JSON.stringify(variables)}}`)
      expect(JSON.parse(sent)).toMatchObject({ operationName: 'Change' })
    }),
    { numRuns: 200 },
  )
})

test('different requests never share an answer, however similar they are', async () => {
  answer = (body, response) => sendJson(response, { data: { echo: JSON.parse(body).variables.id } })
  // Equal by the hash that urql makes of them.
  const ids = ['ab', 'bA', 'Aab', 'AbA', 'a'.repeat(50)]
  for (const id of [...ids, ...ids]) {
    const { request, context } = sharedRequest(ECHO, { id })
    expect((await client.executeQuery(request, context).toPromise()).data).toEqual({ echo: id })
  }
  expect(sharedRequest(ECHO, { id: 'ab' })).toBe(sharedRequest(ECHO, { id: 'ab' }))
})

test.each([
  ['a page of a proxy', 502, 'text/html', '<html>Bad gateway</html>', 'status 502', 'UNAVAILABLE'],
  ['a page that is no service', 200, 'text/html', '<html>Hello</html>', 'not JSON', 'NETWORK'],
  ['half an answer', 200, 'application/json', '{"data":{"ec', "can't be read", 'NETWORK'],
  ['no answer', 200, 'application/json', 'null', 'it broke off, or is not from', 'NETWORK'],
  ['a list', 200, 'application/json', '[]', 'it broke off, or is not from', 'NETWORK'],
  ['a number', 200, 'application/json', '5', 'it broke off, or is not from', 'NETWORK'],
  ['a refusal of a proxy', 403, 'application/json', '{"message":"no"}', 'status 403', 'FORBIDDEN'],
  ['nothing', 200, 'application/json', '{}', "can't be read", 'NETWORK'],
  ['401 and no reason', 401, 'text/plain', 'no', 'Your session is over', 'UNAUTHENTICATED'],
  [
    'a refusal with its reason',
    403,
    'application/json',
    '{"errors":[{"message":"not yours","extensions":{"code":"FORBIDDEN"}}]}',
    'not yours',
    'FORBIDDEN',
  ],
])('%s is a problem that people can act on', async (_, status, type, body, message, code) => {
  answer = (_, response) => response.writeHead(status, { 'content-type': type }).end(body)
  const { error } = await write({ value: 1 })
  const problem = toProblem(error as NonNullable<typeof error>)
  expect(problem).toMatchObject({ message: expect.stringContaining(message), code })
  expect(problem.message).not.toContain('<html>')
})

test('what is too large to be stored is to be shorter, and what is too large to be read is to be narrower', async () => {
  answer = (_, response) => response.writeHead(413, { 'content-type': 'text/plain' }).end('no')
  const error = (await write({ value: 1 })).error as NonNullable<
    Awaited<ReturnType<typeof write>>['error']
  >
  expect(adviceFor(toProblem(error, true))).toContain('Shorten')
  expect(adviceFor(toProblem(error))).toContain('Narrow the filter')
})

test('an unreachable service is reported as such', async () => {
  answer = (_, response) => response.destroy()
  const { error } = await write({ value: 1 })
  expect(toProblem(error as NonNullable<typeof error>)).toMatchObject({
    message: expect.stringContaining("can't be reached"),
    code: 'NETWORK',
  })
})

const JSON_TYPE = { 'content-type': 'application/json' }
const UNKNOWN = 'that this was not stored'

test.each<[how: string, reply: typeof answer, isUnknown: boolean]>([
  ['a cut', (_, response) => response.destroy(), true],
  ['502', (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('x'), true],
  ['half', (_, response) => response.writeHead(200, JSON_TYPE).end('{"data":{"ec'), true],
  ['429', (_, response) => response.writeHead(429, { 'content-type': 'text/html' }).end(), false],
  ['503', (_, response) => response.writeHead(503, { 'content-type': 'text/html' }).end(), false],
  [
    'a reason',
    (_, response) => response.writeHead(200, JSON_TYPE).end('{"errors":[{"message":"not yours"}]}'),
    false,
  ],
])(
  'a change that ends with %s is called unstored only if that is known',
  async (_, reply, isUnknown) => {
    answer = reply
    const error = (await write({ value: 1 })).error as NonNullable<
      Awaited<ReturnType<typeof write>>['error']
    >
    expect(adviceFor(toProblem(error, true)).includes(UNKNOWN)).toBe(isUnknown)
    expect(adviceFor(toProblem(error))).not.toContain(UNKNOWN)
  },
)
