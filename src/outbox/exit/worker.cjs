// The program of the worker that sends remaining bodies when the process exits and nothing else runs any more. A failed
// attempt is repeated until the deadline. The program ships as a text, generated/exit-worker.ts, so that it is in every
// bundle of the SDK.
const {
  workerData: { url, headers, bodies, deadlineMs, answered, port },
} = require('node:worker_threads')
const { protocol } = new URL(url)
const http = require(protocol === 'https:' ? 'node:https' : 'node:http')
const { gzipSync } = require('node:zlib')
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 })
const count = new Int32Array(answered)
const deadline = Date.now() + deadlineMs
// The service never sends a longer answer.
const MAX_ANSWER = 4_000_000
const PASSING = new Set([429, 502, 503, 504])
const FIRST_WAIT = 50
const MAX_FAULTS = 2
const settle = (index, status, text) => {
  port.postMessage({ index, status, text })
  Atomics.add(count, 0, 1)
  Atomics.notify(count, 0)
}
const send = (index, packed, wait) => {
  let isOver = false
  const again = () => {
    if (isOver) return
    isOver = true
    if (Date.now() + wait < deadline)
      setTimeout(send, wait, index, packed, Math.min(wait * 2, 1000))
  }
  const request = http.request(
    url,
    {
      method: 'POST',
      agent,
      headers: {
        ...headers,
        'content-encoding': 'gzip',
        'content-length': packed.length,
      },
    },
    (response) => {
      const parts = []
      let length = 0
      response.on('data', (part) => {
        length += part.length
        if (length <= MAX_ANSWER) parts.push(part)
        else request.destroy()
      })
      response.on('error', again)
      response.on('aborted', again)
      response.on('end', () => {
        if (isOver) return
        const { statusCode } = response
        // Other faults may be due to the body, which is then sent in parts.
        if (PASSING.has(statusCode) || (statusCode >= 500 && wait < FIRST_WAIT * 2 ** MAX_FAULTS))
          return again()
        isOver = true
        settle(index, statusCode, Buffer.concat(parts).toString())
      })
    },
  )
  request.on('error', again)
  request.end(packed)
}
for (const [index, body] of bodies.entries()) send(index, gzipSync(body, { level: 1 }), FIRST_WAIT)
