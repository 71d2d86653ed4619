// The program of the worker that sends what is left when the process exits: nothing else runs then. An attempt that fails is
// repeated until the deadline. It is shipped as a text, generated/exit-worker.ts, as it has to come along wherever the
// SDK is bundled to.
const {
  workerData: { url, headers, bodies, deadlineMs, states, answers, answerBytes },
} = require('node:worker_threads')
const { protocol } = new URL(url)
const http = require(protocol === 'https:' ? 'node:https' : 'node:http')
const { gzipSync } = require('node:zlib')
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 })
const state = new Int32Array(states)
const deadline = Date.now() + deadlineMs
const settle = (index, status, text) => {
  const bytes = Buffer.from(text).subarray(0, answerBytes - 4)
  const view = Buffer.from(answers, index * answerBytes, answerBytes)
  view.writeInt32LE(bytes.length)
  bytes.copy(view, 4)
  Atomics.store(state, index + 1, status)
  Atomics.add(state, 0, 1)
  Atomics.notify(state, 0)
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
      response.on('data', (part) => parts.push(part))
      response.on('error', again)
      response.on('end', () => {
        if (isOver) return
        const { statusCode } = response
        if (statusCode === 429 || statusCode >= 500) return again()
        isOver = true
        settle(index, statusCode, Buffer.concat(parts).toString())
      })
    },
  )
  request.on('error', again)
  request.end(packed)
}
for (const [index, body] of bodies.entries()) send(index, gzipSync(body, { level: 1 }), 50)
