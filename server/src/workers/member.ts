import cluster from 'node:cluster'
import type { ProcessGroup } from '../service.js'
import { mergeMetrics } from './merge-metrics.js'
import { type Texts, type ToFirst, type ToWorker, WORKER_VARIABLE } from './messages.js'
import type { Stops } from './stops.js'

type Begin = Extract<ToWorker, { kind: 'begin' }>

/** Time for the other processes to answer a scrape; those that take longer are left out. */
const GATHER_MS = 2000

/** This process as one of several that serve together. */
export class Member implements ProcessGroup {
  /** Hears from the process that started this one; undefined for a process that serves alone. */
  static async join(stops: Stops): Promise<Member | undefined> {
    if (!cluster.isWorker || process.env[WORKER_VARIABLE] === undefined) return undefined
    delete process.env[WORKER_VARIABLE]
    return new Promise((resolve) => {
      // The first process says nothing else before, and answers nobody who can't hear it.
      process.once('message', (message: ToWorker) => {
        if (message.kind === 'begin') resolve(new Member(message, stops))
      })
      tell({ kind: 'joins' })
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

  /** Tells the first process that requests are answered here. */
  serves(url: string, metrics: () => Promise<string>): void {
    this.#read = metrics
    tell({ kind: 'serves', url })
  }

  /** Lets the process end, which would wait for messages otherwise. */
  leave(): void {
    process.channel?.unref()
  }

  /** Adds the metrics of the other processes to those of this one. */
  async completeMetrics(own: string): Promise<string> {
    const texts: Texts = [[this.number, own], ...(await this.#gather())]
    return mergeMetrics(texts.sort(([a], [b]) => a - b))
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
