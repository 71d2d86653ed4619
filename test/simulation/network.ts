import type { Answer } from '../../src/outbox/http-post.js'
import type { SimulatedProcess } from './process.js'
import type { World } from './world.js'

/** Brings requests to the service and answers back, as fast and as far as the weather lets them. */
export class Network {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  post(process: SimulatedProcess, body: Uint8Array, timeoutMs: number): Promise<Answer> {
    const { clock, random, service } = this.#world
    return new Promise((resolve, reject) => {
      let isOver = false
      const settle = (work: () => void) => {
        if (isOver || !process.isAlive) return
        isOver = true
        cancelTimeout()
        work()
      }
      const cancelTimeout = clock.schedule(timeoutMs, () =>
        settle(() => reject(new Error(`no answer within ${timeoutMs} ms`))),
      )
      const latency = () =>
        service.weather === 'slow' ? random.between(100, 1500) : random.between(0, 15)
      clock.schedule(latency(), () => {
        // What the client has given up on by then, or died over, was cut off: it never reached the service as a whole.
        if (isOver || !process.isAlive) return
        const { answer, steps, threads, refused } = service.handle(body)
        if (answer === 'silent') return
        clock.schedule(latency(), () =>
          settle(() => {
            if (answer === 'broken') {
              reject(new Error('read ECONNRESET'))
              return
            }
            this.#world.answered(process, steps, threads)
            service.noteRefused(refused)
            resolve(answer)
          }),
        )
      })
    })
  }
}
