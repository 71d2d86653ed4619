// Passes what an application exports on to the service, and keeps the bytes: they say what was exported, whatever the
// service makes of it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The bytes of some requests, in either encoding of OTLP. */
export class Exported {
  readonly #text: string

  constructor(bodies: readonly Buffer[]) {
    // Every byte is a character, so that protobuf can be searched like JSON.
    this.#text = Buffer.concat(bodies).toString('latin1')
  }

  /** Returns true when a text was exported: plain, or within JSON, if it needs no escapes. */
  hasText(text: string | RegExp): boolean {
    return typeof text === 'string' ? this.#text.includes(text) : text.test(this.#text)
  }

  /** Returns true when a whole number was exported: as digits, or as an integer or double of protobuf. */
  hasNumber(number: number): boolean {
    if (new RegExp(`(?<![\\da-zA-Z.])${number}(?![\\da-zA-Z])`).test(this.#text)) return true
    const integer = String.fromCharCode(0x18, ...varint(number))
    const double = Buffer.alloc(9, 0x21)
    double.writeDoubleLE(number, 1)
    return this.#text.includes(integer) || this.#text.includes(double.toString('latin1'))
  }
}

/** Returns the bytes of a number in protobuf. */
const varint = (number: number): number[] =>
  number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...varint(number >> 7)]

export interface Relay {
  url: string
  /** Returns what was exported since it was last asked. */
  taken: () => Exported
  close: () => void
}

/** Listens in place of the service. */
export const relayTo = async (serviceUrl: string): Promise<Relay> => {
  let bodies: Buffer[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    bodies.push(body)
    const { 'content-type': type = '', 'x-api-key': key = '' } = request.headers
    const answer = await fetch(`${serviceUrl}${request.url}`, {
      method: 'POST',
      headers: { 'content-type': type, 'x-api-key': String(key) },
      body,
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken: () => {
      const exported = new Exported(bodies)
      bodies = []
      return exported
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
