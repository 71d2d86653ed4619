import { at } from '../../format/base.js'
import { projectHeader } from '../current-project.js'
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
  const response = await fetch(at('/api/models/call'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...projectHeader() },
    body: JSON.stringify({ ...call, key: sessionKey(call.endpointId) }),
    signal,
  })
  if (!response.ok || response.body === null) throw new Error(await reasonOf(response))
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = `${rest}${decoder.decode(value, { stream: true })}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield JSON.parse(line) as ModelEvent
  }
}

const reasonOf = async (response: Response): Promise<string> => {
  const body: { errors?: { message?: string }[] } = await response.json().catch(() => ({}))
  return body.errors?.[0]?.message ?? `the service answered with ${response.status}`
}
