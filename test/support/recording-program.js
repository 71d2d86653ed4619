// An application that records steps and ends in one way or another, for tests that observe it from outside: `node
// test/support/recording-program.js WAY URL [SPOOL]`, after a build. Prints a line with what it has recorded.
import { writeSync } from 'node:fs'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { Tracer } from 'stepwell/spool'

const [way = '', apiUrl = '', spool] = process.argv.slice(2)
const exitTimeoutMs = Number(process.env.EXIT_TIMEOUT_MS ?? 3000)
const stepwell = new Tracer({ apiKey: 'k', apiUrl, spool, exitTimeoutMs })
const say = (line) => writeSync(1, `${line}\n`)

const record = (count) => {
  for (let index = 0; index < count; index++) stepwell.trace(`step ${index}`, () => index)
}

const ways = {
  naturalEnd: () => record(200),
  exit: () => {
    record(200)
    process.exit(3)
  },
  /** Reads a model's answer, from MODEL_URL, that does not end. */
  midStream: async () => {
    const response = await stepwell.fetch(`${process.env.MODEL_URL}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }),
    })
    for await (const _ of response.body) say('a piece came')
  },
  exitInside: () =>
    stepwell.trace('unfinished', () => {
      record(10)
      process.exit(0)
    }),
  uncaught: () => {
    record(200)
    setTimeout(() => {
      throw new Error('nobody catches this')
    }, 1)
  },
  rejection: () => {
    record(200)
    void Promise.reject(new Error('nobody catches this either'))
  },
  /** A promise with methods of its own, like those of model clients, that is not awaited. */
  richRejection: () => {
    class Rich extends Promise {}
    record(199)
    stepwell.trace('step 199', () => Rich.reject(new Error('nobody catches this either')))
  },
  /** One that is handled, in every possible way. */
  richHandled: async () => {
    class Rich extends Promise {
      caught() {
        return super.then(undefined, () => 0)
      }
    }
    record(197)
    const rejecting = (name) => stepwell.trace(name, () => Rich.reject(new Error('caught')))
    rejecting('step 197').caught()
    rejecting('step 198').catch(() => 0)
    await Promise.allSettled([rejecting('step 199')])
  },
  insideGenerator: () => {
    record(199)
    const words = stepwell.traced(function* words() {
      yield 'half '
      yield 'way'
      process.exit(3)
    })
    for (const _ of words());
  },
  signal: () => {
    record(200)
    setInterval(() => {}, 1000)
    say('ready')
  },
  ownHandler: () => {
    record(100)
    process.on('SIGTERM', () => {
      record(100)
      process.exit(7)
    })
    setInterval(() => {}, 1000)
    say('ready')
  },
  /** A handler with `once`, as most are: it is gone from the list before others are called. */
  onceHandler: () => {
    process.once('SIGTERM', () => setTimeout(() => process.exit(7), 200))
    record(100)
    setInterval(() => {}, 1000)
    say('ready')
  },
  /** Two clients, and steps that are recorded while the process is ending. */
  manyClients: () => {
    const other = new Tracer({ apiKey: 'k', apiUrl, exitTimeoutMs })
    for (let index = 0; index < 100; index++) other.trace(`other ${index}`, () => index)
    record(100)
    setInterval(() => record(1), 50).unref()
  },
  /** The process exits inside its very first step. */
  exitAtOnce: () => stepwell.trace('first', () => process.exit(4)),
  errorAtOnce: () =>
    stepwell.trace('first', () => {
      setImmediate(() => {
        throw new Error('nobody catches this')
      })
      return new Promise(() => {})
    }),
  signalAtOnce: () =>
    stepwell.trace('first', async () => {
      say('ready')
      await new Promise((resolve) => setTimeout(resolve, 1_000_000))
    }),
  /** A worker thread records, one step of it still open, and the main thread, which records nothing, exits. */
  workerThread: (count) => {
    if (isMainThread) {
      const argv = [way, apiUrl]
      new Worker(new URL(import.meta.url), { argv }).on('message', () => process.exit(5))
      return
    }
    ways.recordedByWorker(count)
  },
  /** The same, but the process is ended by a signal. */
  workerThreadSignal: (count) => {
    if (isMainThread) {
      const argv = [way, apiUrl]
      new Worker(new URL(import.meta.url), { argv }).on('message', () => say('ready'))
      return
    }
    ways.recordedByWorker(count)
  },
  /** The same, and the worker goes on recording. */
  busyWorkerThread: () => {
    if (!isMainThread) setInterval(() => stepwell.trace('later', () => 1), 1)
    ways.workerThread(2000)
  },
  busyWorkerThreadSignal: () => {
    if (!isMainThread) setInterval(() => stepwell.trace('later', () => 1), 1)
    ways.workerThreadSignal(2000)
  },
  recordedByWorker: (count = 100) => {
    record(count)
    void stepwell.trace('unfinished', () => new Promise(() => {}))
    parentPort?.postMessage('recorded')
    setInterval(() => {}, 1000)
  },
  /** A series of steps until the process is killed. Their number is told after the turn that has recorded them. */
  steadily: () => {
    let count = 0
    setInterval(() => {
      for (let index = 0; index < 3; index++) {
        count++
        stepwell.trace(`step ${count}`, () => count)
      }
      const told = `${stepwell.stats().sessionId} ${count}`
      setImmediate(() => say(told))
    }, 2)
  },
}
await ways[way]?.()
