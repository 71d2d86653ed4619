import { createSocket, type Socket } from 'node:dgram'

/** The types of questions, by the version of the addresses. */
const TYPES: Record<number, 4 | 6> = { 1: 4, 28: 6 }
const QUESTION_AT = 12

/** A DNS server with the addresses of some names. It has never heard of others, and does not answer for silent ones. */
export class NameServer {
  readonly addresses: Record<string, { 4?: number[][]; 6?: number[][] } | 'silent'>
  /** The names that were asked for. */
  readonly asked: string[] = []
  readonly #socket: Socket

  private constructor(socket: Socket, addresses: NameServer['addresses']) {
    this.#socket = socket
    this.addresses = addresses
    socket.on('message', (message, { port, address }) => {
      const answer = this.#answer(message)
      if (answer !== undefined) socket.send(answer, port, address)
    })
  }

  static async open(addresses: NameServer['addresses']): Promise<NameServer> {
    const socket = createSocket('udp4')
    const server = new NameServer(socket, addresses)
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
    return server
  }

  get place(): string {
    return `127.0.0.1:${this.#socket.address().port}`
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.close(() => resolve()))
  }

  #answer(message: Buffer): Buffer | undefined {
    const labels: string[] = []
    let at = QUESTION_AT
    for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
      labels.push(message.toString('latin1', at + 1, at + 1 + length))
      at += length + 1
    }
    const end = at + 5
    const type = message.readUInt16BE(at + 1)
    const name = labels.join('.').toLowerCase()
    this.asked.push(name)
    const known = this.addresses[name]
    if (known === 'silent') return undefined
    const found = known?.[TYPES[type] ?? 4] ?? []
    const header = Buffer.from(message.subarray(0, QUESTION_AT))
    header.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2)
    for (const [place, count] of [1, found.length, 0, 0].entries())
      header.writeUInt16BE(count, 4 + 2 * place)
    const records = found.map((bytes) =>
      Buffer.from([0xc0, QUESTION_AT, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
    )
    return Buffer.concat([header, message.subarray(QUESTION_AT, end), ...records])
  }
}
