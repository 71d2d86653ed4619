import type { Tracer } from '../../tracing/tracer.js'
import { Host } from '../shared/host.js'
import { isJson, type Json } from '../shared/json.js'
import { Runs } from '../shared/runs.js'
import { followServers } from './in-process-tools.js'
import { followMessages } from './iteration.js'
import { Session } from './session.js'

/** The function `query` of the Claude Agent SDK. */
export type RecordedQuery = (params: never) => AsyncGenerator<unknown, void>

/** Options of `recordQuery`. */
export interface ClaudeOptions {
  /** Makes each session a thread, by the session's id, where no thread is around the call. Default: false. */
  threads?: boolean | undefined
}

const known = new WeakMap<Tracer, { host: Host; runs: Runs }>()

/**
 * Returns a `query` that records what Claude does as steps: each turn, its calls of models, its tools and its subagents.
 * The messages are those of the given `query`, unchanged.
 *
 * @example
 * const query = recordQuery(stepwell, plainQuery)
 * for await (const message of query({ prompt: 'Where is my order?' })) console.log(message)
 */
export const recordQuery = <Query extends RecordedQuery>(
  stepwell: Tracer,
  query: Query,
  { threads = false }: ClaudeOptions = {},
): Query => {
  const shared = known.get(stepwell) ?? sharedOf(stepwell)
  known.set(stepwell, shared)
  const { host, runs } = shared
  const recorded = (params: { prompt?: unknown; options?: unknown }): unknown => {
    const ask = query as unknown as (given: unknown) => AsyncGenerator<unknown, void>
    const session = host.guarded(() => new Session(stepwell, runs, threads))
    if (session === undefined || !isJson(params)) return ask(params)
    const { prompt, options } = params
    const given = host.guarded(() => prepared(session, host, runs, prompt, options)) ?? {}
    const { turn } = session
    const call = () => ask({ ...params, ...given })
    try {
      const messages = turn === undefined ? call() : host.inside(turn, call)
      host.guarded(() => followMessages(messages, session, host))
      return messages
    } catch (error) {
      host.guarded(() => session.failed(error))
      throw error
    }
  }
  return recorded as unknown as Query
}

const sharedOf = (stepwell: Tracer): { host: Host; runs: Runs } => {
  const host = new Host(stepwell, 'the Claude Agent SDK')
  return { host, runs: new Runs(host) }
}

/** Begins the first turn. Returns the prompt to give in place of one that comes message by message. */
const prepared = (
  session: Session,
  host: Host,
  runs: Runs,
  prompt: unknown,
  options: unknown,
): Json => {
  if (isJson(options)) {
    session.isResumed = options.resume !== undefined || options.continue === true
    if (isJson(options.mcpServers)) followServers(Object.values(options.mcpServers), host, runs)
  }
  if (typeof prompt === 'string') {
    session.asked(prompt)
    return {}
  }
  const isIterable = typeof prompt === 'object' && prompt !== null && Symbol.asyncIterator in prompt
  return isIterable ? { prompt: noted(prompt as AsyncIterable<unknown>, session, host) } : {}
}

/** Passes on what the application says, and notes it. */
async function* noted(
  prompt: AsyncIterable<unknown>,
  session: Session,
  host: Host,
): AsyncGenerator<unknown, void> {
  for await (const message of prompt) {
    host.guarded(() => {
      const content = isJson(message) && isJson(message.message) ? message.message.content : message
      session.asked(content)
    })
    yield message
  }
}
