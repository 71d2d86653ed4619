import { send } from '../send.js'
import { sessionKey } from './session-keys.js'

/** A piece of a model's answer as it arrives. */
export type ModelEvent =
  | { type: 'text'; text: string }
  | { type: 'tool'; index: number; name?: string; arguments?: string }
  | { type: 'usage'; inputTokens?: number; outputTokens?: number }
  | { type: 'end'; reason: string | null }
  | { type: 'error'; message: string }

export interface ModelCall {
  endpointId: string
  messages: readonly unknown[]
  settings: unknown
  tools: unknown
}

/** Asks a model through the service, and yields its answer as it arrives. Throws when the service rejects the call. */
export async function* callModel(call: ModelCall, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const key = sessionKey(call.endpointId)
  const { body } = await send('/api/models/call', { ...call, key }, signal)
  if (body === null) return
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = `${rest}${decoder.decode(value, { stream: true })}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield JSON.parse(line) as ModelEvent
  }
}
