import cluster from 'node:cluster'
import { basePathOf, pathsBelow } from '../http/base-path.js'
import type { Service } from '../service.js'
import { mergeMetrics } from './merge-metrics.js'
import { type Texts, type ToFirst, type ToWorker, WORKER_VARIABLE } from './messages.js'
import { STOPPED, type Stops } from './stops.js'

type Begin = Extract<ToWorker, { kind: 'begin' }>

const ASK_EVERY_MS = 250
/** Time for the other processes to answer a scrape; those that take longer are left out. */
const GATHER_MS = 2000

/** This process as one of several that serve together. */
export class Member {
  /** Hears from the process that started this one; undefined for a process that serves alone. */
  static async join(stops: Stops): Promise<Member | undefined> {
    if (!cluster.isWorker || process.env[WORKER_VARIABLE] === undefined) return undefined
    delete process.env[WORKER_VARIABLE]
    return new Promise((resolve, reject) => {
      // Messages are lost while either side is still starting.
      const asking = setInterval(() => tell({ kind: 'joins' }), ASK_EVERY_MS)
      const hear = (message: ToWorker) => {
        if (message.kind !== 'begin') return
        clearInterval(asking)
        process.off('message', hear)
        resolve(new Member(message, stops))
      }
      process.on('message', hear)
      tell({ kind: 'joins' })
      void stops.told(1).then(() => {
        clearInterval(asking)
        reject(STOPPED)
      })
    })
  }

  readonly number: number
  readonly operatorToken: string
  /** True for the process that tells people where the service is, and that it ends. */
  readonly isFirst: boolean
  readonly #gathering = new Map<number, (texts: Texts) => void>()
  #gathered = 0
  #read: () => Promise<string> = async () => ''

  /** The port at which all listen, which was any free one if the operator asked for that. */
  readonly port: number

  private constructor({ number, operatorToken, isFirst, port }: Begin, stops: Stops) {
    this.port = port
    this.number = number
    this.operatorToken = operatorToken
    this.isFirst = isFirst
    process.on('message', async (message: ToWorker) => {
      if (message.kind === 'stop') stops.tell(message.level, message.signal)
      else if (message.kind === 'texts') this.#gathering.get(message.id)?.(message.texts)
      else if (message.kind === 'read') {
        const text = await this.#read().catch(() => '')
        tell({ kind: 'text', id: message.id, text })
      }
    })
  }

  /** Returns the service as it answers for all processes. */
  around(service: Service, publicUrl: string | undefined): Service {
    const pathOf = pathsBelow(basePathOf(publicUrl))
    this.#read = service.metrics
    return {
      ...service,
      fetch: async (input, init) => {
        const response = await service.fetch(input, init)
        const request = input instanceof Request ? input : new Request(input)
        return response.status === 200 && pathOf(request) === '/metrics'
          ? this.#completed(response)
          : response
      },
    }
  }

  /** Tells the first process that requests are answered here. */
  serves(url: string): void {
    tell({ kind: 'serves', url })
  }

  /** Lets the process end, which would wait for messages otherwise. */
  leave(): void {
    process.channel?.unref()
  }

  /** Completes the answer to a scrape by the metrics of the other processes. */
  async #completed(response: Response): Promise<Response> {
    const own: [number, string] = [this.number, await response.text()]
    const texts = [own, ...(await this.#gather())].sort(([a], [b]) => a - b)
    const headers = new Headers(response.headers)
    headers.delete('content-length')
    return new Response(mergeMetrics(texts), { headers })
  }

  #gather(): Promise<Texts> {
    const id = ++this.#gathered
    return new Promise<Texts>((resolve) => {
      const timer = setTimeout(() => resolve([]), GATHER_MS)
      this.#gathering.set(id, (texts) => {
        clearTimeout(timer)
        resolve(texts)
      })
      tell({ kind: 'gather', id })
    }).finally(() => this.#gathering.delete(id))
  }
}

const tell = (message: ToFirst) => process.send?.(message)
