import { ignoreListeners } from '../../outbox/exit/process-end.js'
import { withhold } from '../../tracing/recording/permitted.js'
import type { Step } from '../../tracing/step.js'
import type { Tracer } from '../../tracing/tracer.js'
import { now } from '../../values/clock.js'
import { Host } from '../shared/host.js'
import type { Json } from '../shared/json.js'
import { Runs } from '../shared/runs.js'
import { type AgentsSpan, type AgentsTrace, currentPlace } from './spans.js'
import { beginOf, write } from './values.js'
import { isWithheld } from './withheld.js'

/** Spans that say nothing which those around them do not say: of a whole run, and of a turn of it. */
const HIDDEN = new Set(['task', 'turn'])

/** Spans whose error is that of a whole run. */
const OUTER = new Set(['agent', 'task'])

/** A processor of traces, as the OpenAI Agents SDK takes them. */
export interface StepwellProcessor {
  onTraceStart(trace: AgentsTrace): Promise<void>
  onTraceEnd(trace: AgentsTrace): Promise<void>
  onSpanStart(span: AgentsSpan): Promise<void>
  onSpanEnd(span: AgentsSpan): Promise<void>
  /** Delivers what was recorded. */
  forceFlush(): Promise<void>
  /** Delivers what was recorded, in `timeout` milliseconds at most. */
  shutdown(timeout?: number): Promise<void>
}

const known = new WeakMap<Tracer, StepwellProcessor>()

/**
 * Returns a processor that records runs of the OpenAI Agents SDK as steps: agents, calls of models, tools, handoffs and
 * guardrails. Always the same one for a client.
 *
 * @example
 * addTraceProcessor(stepwellProcessor(stepwell))
 */
export const stepwellProcessor = (stepwell: Tracer): StepwellProcessor => {
  ignoreListeners(leavesEndToOthers)
  const made = known.get(stepwell) ?? processorOf(stepwell, new Host(stepwell, 'the Agents SDK'))
  known.set(stepwell, made)
  return made
}

const processorOf = (stepwell: Tracer, host: Host): StepwellProcessor => {
  const runs = new Runs(host)
  const startedAt = new WeakMap<Step, number>()
  /** Those that are being opened: finding the step around them would open them again. */
  const opening = new Set<string>()
  /** The errors of runs, by their traces. */
  const failed = new Map<string, string>()

  const openTrace = (trace: AgentsTrace): void => {
    if (runs.has(trace.traceId)) return
    const { traceId, name, groupId, metadata } = trace
    runs.open(traceId, undefined, {
      type: 'run',
      name,
      metadata: { ...metadata, ...(groupId === null ? {} : { groupId }) },
    })
  }
  const openSpan = (span: AgentsSpan): void => {
    const { spanId, parentId, traceId } = span
    if (runs.has(spanId) || opening.has(spanId)) return
    const around = parentId ?? traceId
    const data = span.spanData as Json
    if (HIDDEN.has(String(data.type)) && runs.hide(spanId, around)) return
    opening.add(spanId)
    try {
      const step = runs.open(spanId, around, beginOf(data))
      startedAt.set(step, now())
      // For the end of the process, and for streams that nobody reads to their end.
      step.recording.soFar = () => {
        host.guarded(() => {
          writeSpan(step, span, false)
        })
        return undefined
      }
    } finally {
      opening.delete(spanId)
    }
  }
  const closeSpan = (span: AgentsSpan): void => {
    const { spanId, traceId, error } = span
    const data = span.spanData as Json
    runs.close(spanId, (step) => {
      if (error !== null) step.error ??= errorOf(error)
      writeSpan(step, span, true)
    })
    if (error !== null && OUTER.has(String(data.type))) failed.set(traceId, errorOf(error))
    // The end of a trace that failed is told to nobody.
    if (failed.has(traceId) && runs.settle(traceId, failed.get(traceId))) failed.delete(traceId)
  }
  const writeSpan = (step: Step, span: AgentsSpan, hasEnded: boolean): void => {
    // The settings of a run hold for stepwell.fetch too.
    if (isWithheld(span, hasEnded)) withhold(step)
    write(step, span.spanData as Json, timesOf(step))
  }
  const timesOf = (step: Step) => ({ startedAt: startedAt.get(step) ?? now(), endedAt: now() })

  // Processors hear of a span some moments after its work began.
  host.find(() => {
    // The span that is being opened names the one around it. The running code may be inside of others already.
    if (opening.size > 0) return undefined
    const { trace, span } = currentPlace() ?? {}
    if (trace === undefined || !runs.has(trace.traceId)) return undefined
    if (span === undefined) return runs.step(trace.traceId)
    const { spanId, parentId, traceId } = span
    if (!runs.has(spanId) && isRunning(span) && runs.has(parentId ?? traceId)) openSpan(span)
    return runs.step(spanId) ?? runs.step(traceId)
  })
  return {
    onTraceStart: async (trace) => {
      host.guarded(() => openTrace(trace))
    },
    onTraceEnd: async (trace) => {
      failed.delete(trace.traceId)
      host.guarded(() => runs.close(trace.traceId, () => {}))
    },
    onSpanStart: async (span) => {
      host.guarded(() => openSpan(span))
    },
    onSpanEnd: async (span) => {
      host.guarded(() => closeSpan(span))
    },
    forceFlush: async () => {
      await stepwell.flush()
    },
    shutdown: async (timeout) => {
      await stepwell.flush(timeout === undefined ? {} : { timeoutMs: timeout })
    },
  }
}

/** Tells the listener by which the Agents SDK ends the process at a signal, if nobody else listens. */
const leavesEndToOthers = (listener: unknown): boolean =>
  typeof listener === 'function' && listener.toString().includes('hasOtherListenersForSignals')

const isRunning = (span: AgentsSpan & { startedAt?: unknown; endedAt?: unknown }): boolean =>
  span.startedAt !== null && span.endedAt === null

const errorOf = ({ message, data }: NonNullable<AgentsSpan['error']>): string => {
  const cause = data?.error
  return typeof cause === 'string' && cause !== message ? `${message}: ${cause}` : message
}
