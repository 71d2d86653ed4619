// Sends requests byte by byte as they were made up: half of them are invalid, and no HTTP client would send them.
import { connect } from 'node:net'

/** Returns a request's line and headers. Its connection ends with the answer, unless its headers ask otherwise. */
export const head = ({ method = 'POST', path, headers = {} }, length) =>
  [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries({
      host: 'localhost',
      connection: 'close',
      ...(length === undefined ? {} : { 'content-length': length }),
      ...headers,
    }).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`)),
    '',
    '',
  ].join('\r\n')

/**
 * Returns the statuses of the answers in a text. No answer of the service contains text that resembles the beginning of
 * another one.
 */
const statusesIn = (text) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
    .map(([, status]) => Number(status))
    .filter((status) => status !== 100)

/**
 * Sends the bytes of one connection, and resolves once the service closes it, or after `holdMs`. `parts` are written
 * one after another, `pauseMs` apart.
 */
export const converse = ({ port, parts, pauseMs = 0, holdMs = 60_000 }) =>
  new Promise((resolve) => {
    const begin = performance.now()
    const socket = connect(port, '127.0.0.1')
    const statuses = []
    let wire = 0
    let isHeldBack = false
    const end = () => {
      clearTimeout(deadline)
      socket.destroy()
      resolve({ statuses, wire, isHeldBack, ms: performance.now() - begin })
    }
    const deadline = setTimeout(() => {
      isHeldBack = true
      end()
    }, holdMs)
    socket.on('error', () => undefined)
    socket.on('close', end)
    socket.on('data', (data) => statuses.push(...statusesIn(data.toString('latin1'))))
    socket.on('connect', async () => {
      for (const part of parts) {
        if (socket.destroyed) return
        wire += part.length
        if (!socket.write(part))
          await new Promise((go) => socket.once('drain', go).once('close', go))
        if (pauseMs > 0) await new Promise((go) => setTimeout(go, pauseMs))
      }
    })
  })
