import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Returns a port of loopback at which nothing listens. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
