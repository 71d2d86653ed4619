import type { Host } from '../shared/host.js'
import { isJson } from '../shared/json.js'
import type { Runs } from '../shared/runs.js'
import { between, type Transport } from '../shared/transport.js'

/** Returns the id that the steps of a tool's use have among those of Claude. */
export const toolId = (id: unknown): string => `tool:${String(id)}`

const followed = new WeakSet<object>()

/** Runs the tools of servers in this process inside the steps of their uses. */
export const followServers = (servers: readonly unknown[], host: Host, runs: Runs): void => {
  for (const server of servers) {
    const instance = isJson(server) ? server.instance : undefined
    if (!isJson(instance) || typeof instance.connect !== 'function' || followed.has(instance))
      continue
    followed.add(instance)
    const connect = instance.connect as (transport: unknown, ...options: unknown[]) => unknown
    Object.defineProperty(instance, 'connect', {
      configurable: true,
      writable: true,
      value(transport: Transport, ...options: unknown[]): unknown {
        host.guarded(() =>
          between(transport, 'onmessage', (handle, values) => {
            const step = host.guarded(() => stepOf(values[0], runs))
            const call = () => handle.apply(transport, values as never)
            if (step === undefined) call()
            else host.inside(step, call)
          }),
        )
        return connect.call(instance, transport, ...options)
      },
    })
  }
}

/** Returns the step of the use that a request to a server is about, which it may be the first to tell of. */
const stepOf = (message: unknown, runs: Runs) => {
  if (!isJson(message) || message.method !== 'tools/call' || !isJson(message.params))
    return undefined
  const { name, arguments: input, _meta: meta } = message.params
  const use = isJson(meta) ? meta['claudecode/toolUseId'] : undefined
  if (typeof use !== 'string') return undefined
  const id = toolId(use)
  return runs.step(id) ?? runs.open(id, undefined, { type: 'tool', name: String(name), input })
}
