import type { Answer } from '../../src/outbox/sending/http-post.js'
import type { Fetch } from '../../src/settings.js'
import type { SimulatedProcess } from './process.js'
import type { Upload, UploadFate } from './schedule.js'
import type { World } from './world.js'

/** A request that is settled once, unless its process ends before. */
interface UnderWay {
  readonly isOver: boolean
  settle: (work: () => void) => void
}

/** Brings requests to the service and answers back, as fast and as far as the weather lets them. */
export class Network {
  readonly #world: World
  readonly #underWay = new Set<(error: Error) => void>()
  /** Uploads that are planned, by the names of their files. */
  readonly #uploads = new Map<string, Upload>()

  constructor(world: World) {
    this.#world = world
  }

  post(
    process: SimulatedProcess,
    body: Uint8Array,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { clock, service } = this.#world
    return new Promise((resolve, reject) => {
      const request = this.#begin(process, reject, () => cancelTimeout())
      const { settle } = request
      const cancelTimeout = clock.schedule(timeoutMs, () =>
        settle(() => reject(new Error(`no answer within ${timeoutMs} ms`))),
      )
      signal.onabort = () => settle(() => reject(new Error('cut off')))
      clock.schedule(this.#latency(), () => {
        // A request that the client has abandoned by then, or died during, was cut off: the service never received all
        // of it.
        if (request.isOver || !process.isAlive) return
        const handled = service.handle(body)
        const { answer } = handled
        if (answer === 'silent') return
        clock.schedule(this.#latency(), () =>
          settle(() => {
            if (answer === 'broken') {
              reject(broken())
              return
            }
            this.#world.answered(process, handled)
            resolve(answer)
          }),
        )
      })
    })
  }

  /** Plans the course of an upload, before it begins. */
  plan(upload: Upload): void {
    this.#uploads.set(upload.id, upload)
  }

  /**
   * The `fetch` of a process: requests the URL of an upload, and puts the content there. Has no time-outs of its own.
   */
  fetchOf(process: SimulatedProcess): Fetch {
    return (url, init = {}) =>
      new Promise((resolve, reject) => {
        const request = this.#begin(process, reject, () => process.release())
        process.hold()
        init.signal?.addEventListener('abort', () =>
          request.settle(() => reject(init.signal?.reason)),
        )
        const answer = (response: Response | Error) =>
          request.settle(() => {
            if (response instanceof Error) reject(response)
            else resolve(response)
          })
        if (url.startsWith(FILES)) this.#put(url.slice(FILES.length), init.body, answer)
        else this.#sign(String(init.body), answer)
      })
  }

  /** Breaks off all requests under way. */
  breakAll(): void {
    for (const reject of [...this.#underWay]) reject(broken())
  }

  #begin(process: SimulatedProcess, reject: (error: Error) => void, onEnd: () => void): UnderWay {
    let isOver = false
    const settle = (work: () => void) => {
      if (isOver || !process.isAlive) return
      isOver = true
      this.#underWay.delete(breakOff)
      onEnd()
      work()
    }
    const breakOff = (error: Error) => settle(() => reject(error))
    this.#underWay.add(breakOff)
    return {
      get isOver() {
        return isOver
      },
      settle,
    }
  }

  #latency(): number {
    const { random, service } = this.#world
    return service.weather === 'slow' ? random.between(100, 1500) : random.between(0, 15)
  }

  #sign(body: string, answer: (response: Response | Error) => void): void {
    const { clock, service, uploads } = this.#world
    const { fileName } = JSON.parse(body) as { fileName: string }
    const { signMs, sign } = this.#uploads.get(fileName) as Upload
    clock.schedule(this.#latency() + signMs, () => {
      const failure = service.failure()
      if (failure === 'silent') return
      if (failure === 'broken' || service.weather === 'breaking') answer(broken())
      else if (failure !== undefined) answer(response(failure.status, failure.text))
      else {
        if (sign === 'stored') uploads.set(fileName, 'signed')
        const url = `${FILES}${fileName}`
        const put = { url, uploadType: 'raw', fields: { key: `key/${fileName}` } }
        this.#meet(sign, response(200, JSON.stringify({ put, signedUrl: url })), answer)
      }
    })
  }

  #put(fileName: string, body: unknown, answer: (response: Response | Error) => void): void {
    const { clock, service, uploads } = this.#world
    const { putMs, put } = this.#uploads.get(fileName) as Upload
    clock.schedule(putMs, () => {
      if (put === 'stored') {
        service.files.set(`key/${fileName}`, (body as Blob).size)
        uploads.set(fileName, 'stored')
      }
      this.#meet(put, response(200, ''), answer)
    })
  }

  #meet(fate: UploadFate, well: Response, answer: (response: Response | Error) => void): void {
    if (fate === 'stored') answer(well)
    else if (fate === 'refused') answer(response(403, '<Error>'))
    else if (fate === 'broken') answer(broken())
  }
}

const FILES = 'http://files/'

const broken = (): Error => new Error('read ECONNRESET')

/** Returns the used parts of a Response: real ones would take most of a schedule's time. */
const response = (status: number, text: string): Response =>
  ({
    status,
    headers: NO_HEADERS,
    arrayBuffer: async () => new TextEncoder().encode(text).buffer,
  }) as unknown as Response

const NO_HEADERS = new Headers()
