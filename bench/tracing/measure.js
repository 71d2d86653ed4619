// One measurement of one SDK, in a separate process: `node measure.js SDK MEASURE URL`. Prints JSON.
import { name, STEPS_PER_RUN } from './workload.js'

const [sdk, measure, url, folder] = process.argv.slice(2)
const { create } = await import(`./sdks/${sdk}.js`)
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const turn = () => new Promise((resolve) => setImmediate(resolve))
const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
const tell = (result) => process.send(result)
const report = (result) => new Promise((resolve) => process.send(result, resolve))

/** Returns the longest time that the event loop was held up while something ran. */
const watchLoop = () => {
  let last = performance.now()
  let longest = 0
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - 1)
    last = now
  }, 1)
  return { longest: () => longest, stop: () => clearInterval(timer) }
}

/** Records 1,000 steps a second, spread as a busy service's would be. */
const steadily = async (client, seconds) => {
  const perTick = 10 / STEPS_PER_RUN
  let due = 0
  let done = 0
  const begin = performance.now()
  for (let tick = 0; tick < seconds * 100; tick++) {
    due += perTick
    for (; done < Math.floor(due); done++) client.run()
    const wait = begin + (tick + 1) * 10 - performance.now()
    if (wait > 0) await sleep(wait)
  }
}

const measures = {
  /** Measures the microseconds that a run of four steps takes from the application. */
  async path() {
    const client = await create({ url })
    for (let i = 0; i < 3000; i++) {
      await client.run()
      if (i % 10 === 0) await turn()
    }
    await client.flush()
    const times = []
    for (let i = 0; i < 6000; i++) {
      const begin = process.hrtime.bigint()
      const result = client.run()
      times.push(Number(process.hrtime.bigint() - begin) / 1000 / STEPS_PER_RUN)
      if (typeof result?.then === 'function') await result
      if (i % 10 === 9) await sleep(2)
    }
    times.sort((a, b) => a - b)
    await client.flush()
    return { p50: times[times.length / 2], p99: times[Math.floor(times.length * 0.99)] }
  },
  /** Records 20,000 steps as fast as possible, with a turn of the event loop after each run. */
  async flatOut() {
    const client = await create({ url })
    for (let i = 0; i < 200; i++) client.run()
    await client.flush()
    await report({ ready: true })
    await new Promise((resolve) => process.once('message', resolve))
    const cpu = cpuMs()
    let peak = 0
    const begin = Date.now()
    for (let i = 0; i < 20_000 / STEPS_PER_RUN; i++) {
      client.run()
      if (i % 10 === 9) await turn()
      if (i % 100 === 99) peak = Math.max(peak, process.memoryUsage.rss())
    }
    await client.flush()
    peak = Math.max(peak, process.memoryUsage.rss())
    return { cpu: (cpuMs() - cpu) / 20, begin, peak: peak / 1e6 }
  },
  /** Measures CPU and the longest hold of the event loop at 1,000 steps a second. */
  async steady() {
    await steadily({ run: () => {} }, 1)
    const idle = cpuMs()
    await steadily({ run: () => {} }, 2)
    const own = (cpuMs() - idle) / 2
    const client = await create({ url })
    const cpu = cpuMs()
    await steadily(client, 4)
    const used = (cpuMs() - cpu) / 4 - own
    const loop = watchLoop()
    await steadily(client, 2)
    const longest = loop.longest()
    loop.stop()
    await client.flush()
    return { cpu: used, longest }
  },
  /** Records 10,000 steps without a turn of the event loop. */
  async burst() {
    const client = await create({ url })
    const results = []
    for (let i = 0; i < 10_000 / STEPS_PER_RUN; i++) results.push(client.run())
    await Promise.all(results)
    await client.flush()
    await sleep(1000)
    return { steps: 10_000 }
  },
  /** Sends 2,000 steps to a service that answers 20 ms late. */
  async late() {
    const client = await create({ url })
    for (let i = 0; i < 5; i++) client.run()
    await client.flush()
    const begin = Date.now()
    for (let i = 0; i < 2000 / STEPS_PER_RUN; i++) {
      client.run()
      if (i % 10 === 9) await turn()
    }
    await client.flush()
    return { begin }
  },
  /** Measures the slowest run of an application whose service is down from the start. */
  async downFromStart() {
    const client = await create({ url })
    let slowest = 0
    for (let i = 0; i < 500; i++) {
      const begin = performance.now()
      await client.run()
      slowest = Math.max(slowest, performance.now() - begin)
      await sleep(4)
    }
    await report({ slowest })
    process.exit(0)
  },
  /** Records 200 steps a second; the parent makes the service fail in the middle. */
  async steadyThrough() {
    const client = await create({ url })
    const seconds = Number(folder)
    for (let i = 0; i < seconds * 50; i++) {
      void client.run()
      await sleep(20)
    }
    await client.flush()
    await sleep(500)
    return { steps: seconds * 50 * STEPS_PER_RUN }
  },
  async exit() {
    const client = await create({ url })
    for (let i = 0; i < 50; i++) client.run()
    await report({})
    process.exit(0)
  },
  async naturalEnd() {
    const client = await create({ url })
    for (let i = 0; i < 50; i++) client.run()
    await report({})
    process.disconnect()
    return undefined
  },
  async uncaught() {
    const client = await create({ url })
    for (let i = 0; i < 50; i++) client.run()
    await report({})
    setTimeout(() => {
      throw new Error('nobody catches this')
    }, 1)
    return new Promise(() => {})
  },
  async sigterm() {
    const client = await create({ url })
    for (let i = 0; i < 50; i++) client.run()
    await report({})
    setInterval(() => {}, 1000)
    process.kill(process.pid, 'SIGTERM')
    return new Promise(() => {})
  },
  async silent() {
    const client = await create({ url })
    for (let i = 0; i < 50; i++) client.run()
    const begin = performance.now()
    await Promise.race([client.flush(), sleep(40_000)])
    await report({ flush: performance.now() - begin })
    process.exit(0)
  },
  async large() {
    const client = await create({ url })
    void client
    const { Tracer } = await import('stepwell/tracing')
    const stepwell = new Tracer({ apiKey: 'bench', apiUrl: url })
    const loop = watchLoop()
    await sleep(50)
    for (let i = 0; i < 300; i++) {
      const text = String(i).padEnd(8).repeat(25_000)
      stepwell.trace({ name: name('large'), input: { text } }, () => 1)
      if (i % 10 === 9) await turn()
    }
    await stepwell.flush()
    return { longest: loop.longest(), stats: stepwell.stats() }
  },
}

const result = await measures[measure]()
if (result !== undefined) {
  tell(result)
  await sleep(20)
  process.exit(0)
}
