// Compiled by the test with the compiler: the test runner does not support these two yet.
import type { Tracer } from '../../src/tracing/index.js'

/** A standard decorator. */
export const decorated = (client: Tracer) => {
  class Agent {
    readonly base = 2
    @client.tracedMethod({ type: 'tool', tags: ['d'] })
    async double(value: number): Promise<number> {
      return this.base * value
    }
  }
  return new Agent()
}

/** A step that ends with its block. */
export const block = (client: Tracer): void => {
  using step = client.step({ name: 'block', type: 'tool' })
  step.trace('inside', () => 1)
  step.output = { done: true }
}
