import { fork } from 'node:child_process'

/** Starts the sink in a separate process. */
export const startSink = async () => {
  const child = fork(new URL('./sink.js', import.meta.url), { execArgv: [] })
  const waiting = new Map()
  let calls = 0
  const { port } = await new Promise((resolve) => child.once('message', resolve))
  child.on('message', (message) => waiting.get(message.id)?.(message))
  const tell = (told) =>
    new Promise((resolve) => {
      const id = ++calls
      waiting.set(id, (answer) => {
        waiting.delete(id)
        resolve(answer)
      })
      child.send({ id, ...told })
    })
  return {
    url: `http://127.0.0.1:${port}`,
    tell,
    count: async () => (await tell({})).count,
    /** Waits until a number of steps has arrived, or no new one for a while. Returns the number that arrived. */
    async settled(wanted, quietMs = 3000) {
      let last = -1
      let since = performance.now()
      for (;;) {
        const { count } = await tell({})
        if (count >= wanted) return count
        if (count !== last) {
          last = count
          since = performance.now()
        } else if (performance.now() - since > quietMs) return count
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    },
    stop: () => child.disconnect(),
  }
}
