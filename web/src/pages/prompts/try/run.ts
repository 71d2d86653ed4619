import { callModel, type ModelCall, type ModelEvent } from '../../../data/models/call-model.js'

/** An answer of a model, as far as it has come. */
export interface Answer {
  text: string
  /** Calls of tools by their place, with arguments as JSON. */
  tools: { name: string; arguments: string }[]
  inputTokens?: number
  outputTokens?: number
  /** Milliseconds until the answer began, and until it ended. */
  firstMs?: number
  totalMs?: number
  problem?: Error
  isStopped?: boolean
  /** Why the model ended its answer, null when it did not say. Undefined while it has not, and for one that was cut. */
  reason?: string | null
}

export const NOTHING: Answer = { text: '', tools: [] }

/** Returns an answer after a further event. */
export const withEvent = (answer: Answer, event: ModelEvent): Answer => {
  switch (event.type) {
    case 'text':
      return { ...answer, text: answer.text + event.text }
    case 'tool': {
      const tools = [...answer.tools]
      const before = tools[event.index] ?? { name: '', arguments: '' }
      tools[event.index] = {
        name: before.name + (event.name ?? ''),
        arguments: before.arguments + (event.arguments ?? ''),
      }
      return { ...answer, tools }
    }
    case 'usage': {
      const { type: _, ...tokens } = event
      return { ...answer, ...tokens }
    }
    case 'error':
      return { ...answer, problem: new Error(event.message) }
    case 'end':
      return { ...answer, reason: event.reason }
    default:
      // A service that was renewed while the page was open may say more.
      return answer
  }
}

/** Reasons of models for the end of an answer that was cut, in words. A map, as an endpoint may say `__proto__`. */
const CUTS: ReadonlyMap<string | null, string> = new Map([
  ['length', 'cut at its limit of tokens'],
  ['max_tokens', 'cut at its limit of tokens'],
  ['content_filter', 'cut by a filter of contents'],
  ['refusal', 'declined'],
])

/** Returns how far an answer has come, in words. */
export const stateOf = ({ totalMs, isStopped, problem, reason }: Answer): string => {
  if (totalMs === undefined) return 'running'
  if (isStopped) return 'stopped'
  if (problem !== undefined) return 'failed'
  return reason === undefined ? 'cut off' : (CUTS.get(reason) ?? 'done')
}

/** Asks a model, and reports its answer each time that more of it has come. */
export const run = async (
  call: ModelCall,
  signal: AbortSignal,
  report: (answer: Answer) => void,
): Promise<void> => {
  const begin = performance.now()
  let answer = NOTHING
  const change = (next: Answer) => {
    answer = next
    report(answer)
  }
  try {
    for await (const event of callModel(call, signal)) {
      const firstMs = answer.firstMs ?? performance.now() - begin
      change({ ...withEvent(answer, event), firstMs })
    }
  } catch (error) {
    change(signal.aborted ? { ...answer, isStopped: true } : { ...answer, problem: error as Error })
  }
  change({ ...answer, totalMs: performance.now() - begin })
}
