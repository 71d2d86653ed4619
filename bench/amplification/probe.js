// Loaded into the service's process by `--import`, and not part of it: measures how long the event loop is held, and
// reports it to the program that started the process. A hold is the main thread's own processor time between two turns
// of the loop, so that other programs on the machine do not count; the wall-clock time is reported with it.
import { readFileSync, writeFileSync } from 'node:fs'
import { GCProfiler } from 'node:v8'

const EVERY_MS = 5
const mainThread = `/proc/self/task/${process.pid}/schedstat`
const cpuMs = () => Number(readFileSync(mainThread, 'utf8').split(' ', 1)[0]) / 1e6
const peakBytes = () =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024

let cpu = cpuMs()
let at = performance.now()
let holdMs = 0
let clockMs = 0
let begin = { cpu: process.cpuUsage(), bytes: 0, used: 0 }
let profiler = new GCProfiler()

/**
 * Returns the largest live heap that the collector saw, as the process's memory stays high after a peak. Only a full
 * collection measures it: after one of the young generation, dead old objects are still counted. V8 begins a full one
 * long before the heap reaches the bars; if none was needed, the size of the heap is the bound.
 */
const mostAlive = () => {
  const { statistics } = profiler.stop()
  const whole = statistics.filter(({ gcType }) => gcType === 'MarkSweepCompact')
  globalThis.gc?.()
  return Math.max(
    process.memoryUsage().heapUsed,
    ...(whole.length > 0 ? whole : statistics).map(
      ({ afterGC }) => afterGC.heapStatistics.usedHeapSize,
    ),
  )
}

const tick = () => {
  const [cpuNow, now] = [cpuMs(), performance.now()]
  holdMs = Math.max(holdMs, cpuNow - cpu)
  clockMs = Math.max(clockMs, now - at - EVERY_MS)
  cpu = cpuNow
  at = now
}
setInterval(tick, EVERY_MS).unref()

if (process.send) {
  process.on('message', (message) => {
    tick()
    if (message === 'begin') {
      globalThis.gc?.()
      // Resets Linux's peak of memory.
      writeFileSync('/proc/self/clear_refs', '5')
      cpu = cpuMs()
      at = performance.now()
      holdMs = clockMs = 0
      profiler = new GCProfiler()
      profiler.start()
      begin = {
        cpu: process.cpuUsage(),
        bytes: peakBytes(),
        used: process.memoryUsage().heapUsed,
      }
      process.send({ begun: true })
    } else {
      const { user, system } = process.cpuUsage(begin.cpu)
      const alive = mostAlive() - begin.used
      const memory = Math.max(peakBytes() - begin.bytes, alive)
      process.send({ holdMs, clockMs, cpuMs: (user + system) / 1000, memory, alive })
    }
  })
  process.on('disconnect', () => process.exit())
  process.channel.unref()
}
