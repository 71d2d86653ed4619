import type { Tracer } from '../../tracing/tracer.js'
import { Host } from '../shared/host.js'
import { between, type Transport } from '../shared/transport.js'
import { Connection } from './connection.js'

/** A client or a server of the MCP SDK. */
export interface McpSide {
  connect(transport: never, ...options: never[]): Promise<unknown>
}

const recorded = new WeakSet<object>()

/**
 * Records what a client or a server of MCP does as steps: calls of tools, reads of resources, and prompts. Where both
 * sides are recorded, the steps of the server are inside those of the client. Call it before `connect`.
 *
 * @returns the client or server, the same one.
 * @example
 * await recordMcp(stepwell, new Client({ name: 'shop', version: '1.0.0' })).connect(transport)
 */
export const recordMcp = <Side extends McpSide>(stepwell: Tracer, side: Side): Side => {
  if (recorded.has(side)) return side
  recorded.add(side)
  const host = new Host(stepwell, 'MCP')
  const { connect } = side
  Object.defineProperty(side, 'connect', {
    configurable: true,
    writable: true,
    value(this: unknown, transport: Transport, ...options: never[]): unknown {
      host.guarded(() => follow(new Connection(stepwell, host), transport))
      return connect.call(this as McpSide, transport as never, ...options)
    },
  })
  return side
}

/** Follows the messages of a transport, by properties of the transport alone. */
const follow = (connection: Connection, transport: Transport): void => {
  const { send } = transport
  transport.send = function (this: unknown, message: never, ...options: never[]) {
    return send.call(this as never, connection.send(message) as never, ...options)
  }
  between(transport, 'onmessage', (handle, values) =>
    connection.receive(values[0], () => void handle.apply(transport, values as never)),
  )
  between(transport, 'onclose', (handle, values) => {
    connection.close()
    handle.apply(transport, values as never)
  })
}
