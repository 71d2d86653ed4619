import type { Tracer } from '../../tracing/tracer.js'
import { Host } from '../shared/host.js'
import { MastraRuns } from './runs.js'
import type { MastraEvent } from './spans.js'

/** A bridge and an exporter, as the observability of Mastra takes them. */
export interface StepwellBridge {
  readonly name: string
  exportTracingEvent(event: MastraEvent): Promise<void>
  /** Leaves the ids of spans to Mastra. */
  createSpan(options: unknown): undefined
  executeInContext<Result>(spanId: string, work: () => Promise<Result>): Promise<Result>
  executeInContextSync<Result>(spanId: string, work: () => Result): Result
  /** Delivers what was recorded. */
  flush(): Promise<void>
  /** Delivers what was recorded. */
  shutdown(): Promise<void>
}

const known = new WeakMap<Tracer, StepwellBridge>()

/**
 * Returns a bridge that records the work of Mastra as steps: agents, workflows, calls of models, tools. Always the same one
 * for a client. Among the `exporters` of Mastra it records the same, but code inside a tool does not find the tool's step.
 *
 * @example
 * new Observability({ configs: { default: { serviceName: 'shop', bridge: stepwellBridge(stepwell) } } })
 */
export const stepwellBridge = (stepwell: Tracer): StepwellBridge => {
  const made = known.get(stepwell) ?? bridgeOf(stepwell)
  known.set(stepwell, made)
  return made
}

const bridgeOf = (stepwell: Tracer): StepwellBridge => {
  const host = new Host(stepwell, 'Mastra')
  const runs = new MastraRuns(host)
  const inside = <Result>(spanId: string, work: () => Result): Result => {
    const step = runs.inside(spanId)
    return step === undefined ? work() : host.inside(step, work)
  }
  return {
    name: 'stepwell',
    exportTracingEvent: async (event) => {
      host.guarded(() => runs.event(event))
    },
    createSpan: (options) => {
      host.guarded(() => runs.creates(options))
      return undefined
    },
    executeInContext: inside,
    executeInContextSync: inside,
    flush: async () => {
      await stepwell.flush()
    },
    shutdown: async () => {
      await stepwell.flush()
    },
  }
}
