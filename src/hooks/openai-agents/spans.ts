// The part of the traces and spans of the OpenAI Agents SDK that is read.
import type { Json } from '../shared/json.js'

/** A trace: a run of agents, from its start to its end. */
export interface AgentsTrace {
  readonly traceId: string
  readonly name: string
  readonly groupId: string | null
  readonly metadata?: Json | undefined
}

/** A unit of work in a trace. */
export interface AgentsSpan {
  readonly spanId: string
  readonly traceId: string
  readonly parentId: string | null
  readonly spanData: { readonly type: string }
  readonly error: { message: string; data?: Json | undefined } | null
}

const STORAGE = Symbol.for('openai.agents.core.asyncLocalStorage')

/** Returns the trace and the span of the running code, as the context of the Agents SDK tells them. */
export const currentPlace = (): { trace?: AgentsTrace; span?: AgentsSpan } | undefined => {
  const storage = (globalThis as Record<symbol, unknown>)[STORAGE] as
    | { getStore(): { active?: boolean; trace?: AgentsTrace; span?: AgentsSpan } | undefined }
    | undefined
  const store = storage?.getStore()
  return store?.active === true ? store : undefined
}
