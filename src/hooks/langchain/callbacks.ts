import type { Tracer } from '../../tracing/tracer.js'
import { Host } from '../shared/host.js'
import { LangChainRuns } from './handler.js'
import { currentRunId, keepContexts } from './place.js'

type Handle = (...values: unknown[]) => Promise<void>

/** A callback handler, as LangChain takes them in `callbacks`. */
export interface StepwellCallbacks {
  readonly name: string
  readonly awaitHandlers: boolean
  readonly raiseError: boolean
  readonly ignoreLLM: boolean
  readonly ignoreChain: boolean
  readonly ignoreAgent: boolean
  readonly ignoreRetriever: boolean
  readonly ignoreCustomEvent: boolean
  copy(): StepwellCallbacks
  readonly handleLLMStart: Handle
  readonly handleChatModelStart: Handle
  readonly handleLLMNewToken: Handle
  readonly handleLLMEnd: Handle
  readonly handleLLMError: Handle
  readonly handleChainStart: Handle
  readonly handleChainEnd: Handle
  readonly handleChainError: Handle
  readonly handleToolStart: Handle
  readonly handleToolEnd: Handle
  readonly handleToolError: Handle
  readonly handleRetrieverStart: Handle
  readonly handleRetrieverEnd: Handle
  readonly handleRetrieverError: Handle
}

/** One for each client: handlers of one client are one, wherever they are added. */
const known = new WeakMap<Tracer, StepwellCallbacks>()

/**
 * Returns a callback handler that records what LangChain and LangGraph do as steps: chains, graphs, calls of models, tools
 * and retrievers. Always the same one for a client. It changes no result, and an error in it reaches nobody.
 *
 * @example
 * await chain.invoke({ question }, { callbacks: [stepwellCallbacks(stepwell)] })
 */
export const stepwellCallbacks = (stepwell: Tracer): StepwellCallbacks => {
  const made = known.get(stepwell) ?? callbacksOf(stepwell)
  known.set(stepwell, made)
  return made
}

const callbacksOf = (stepwell: Tracer): StepwellCallbacks => {
  const host = new Host(stepwell, 'LangChain')
  const runs = new LangChainRuns(host)
  keepContexts()
  host.find(() => runs.step(currentRunId()))
  const starts = startsOf(runs)
  /** LangChain calls these at once where they are announced, so that the steps are in the order of the work. */
  const handle =
    (work: (...values: never[]) => void): Handle =>
    async (...values) => {
      host.guarded(() => work(...(values as never[])))
    }
  /** LangChain calls these in the context of the work itself, outside of its own handling of errors. */
  const announce =
    (work: (...values: never[]) => void) =>
    (...values: unknown[]): void => {
      host.guarded(() => work(...(values as never[])))
    }
  const end = handle((output: unknown, id: string) => runs.end(id, output))
  const failed = handle((error: unknown, id: string) => runs.failed(id, error))
  const handler: StepwellCallbacks & Record<string, unknown> = {
    name: 'stepwell',
    awaitHandlers: true,
    raiseError: false,
    ignoreLLM: false,
    ignoreChain: false,
    ignoreAgent: false,
    ignoreRetriever: false,
    ignoreCustomEvent: true,
    copy: () => handler,
    handleLLMStart: handle(starts.llm),
    handleChatModelStart: handle(starts.chatModel),
    handleLLMNewToken: handle(
      (
        text: unknown,
        _index: unknown,
        id: string,
        _parent: unknown,
        _tags: unknown,
        fields: unknown,
      ) => runs.token(id, text, fields),
    ),
    handleLLMEnd: handle(
      (output: unknown, id: string, _parent: unknown, _tags: unknown, extra: unknown) =>
        runs.modelEnd(id, output, extra),
    ),
    handleLLMError: failed,
    handleChainStart: handle(starts.chain),
    handleChainEnd: end,
    handleChainError: failed,
    handleToolStart: handle(starts.tool),
    handleToolEnd: end,
    handleToolError: failed,
    handleRetrieverStart: handle(starts.retriever),
    handleRetrieverEnd: handle((documents: unknown, id: string) => runs.end(id, { documents })),
    handleRetrieverError: failed,
    // The mark of handlers that hear of a run where it is started, and the functions that they hear it by.
    _addRunToRunMap: () => {},
    _createRunForLLMStart: announce(starts.llm),
    _createRunForChatModelStart: announce(starts.chatModel),
    _createRunForChainStart: announce((chain, inputs, id, parentId, tags, metadata, type, name) =>
      starts.chain(chain, inputs, id, parentId, tags, metadata, type, name),
    ),
    _createRunForToolStart: announce(starts.tool),
    _createRunForRetrieverStart: announce(starts.retriever),
  }
  return handler
}

type Id = string
type Parent = string | undefined

/** The functions that take the start of a run, with the values in LangChain's order. */
const startsOf = (runs: LangChainRuns) => ({
  llm: (
    serialized: unknown,
    prompts: readonly unknown[],
    id: Id,
    parentId: Parent,
    extra: unknown,
    tags: unknown,
    metadata: unknown,
    name: unknown,
  ) =>
    runs.model(
      { id, parentId, serialized, tags, metadata, name },
      undefined,
      String(prompts[0] ?? ''),
      extra,
    ),
  chatModel: (
    serialized: unknown,
    messages: readonly (readonly unknown[])[],
    id: Id,
    parentId: Parent,
    extra: unknown,
    tags: unknown,
    metadata: unknown,
    name: unknown,
  ) =>
    runs.model(
      { id, parentId, serialized, tags, metadata, name },
      messages[0] ?? [],
      undefined,
      extra,
    ),
  chain: (
    serialized: unknown,
    inputs: unknown,
    id: Id,
    parentId: Parent,
    tags: unknown,
    metadata: unknown,
    type: unknown,
    name: unknown,
  ) => runs.chain({ id, parentId, serialized, tags, metadata, name }, inputs, type),
  tool: (
    serialized: unknown,
    input: unknown,
    id: Id,
    parentId: Parent,
    tags: unknown,
    metadata: unknown,
    name: unknown,
  ) => runs.tool({ id, parentId, serialized, tags, metadata, name }, input),
  retriever: (
    serialized: unknown,
    query: unknown,
    id: Id,
    parentId: Parent,
    tags: unknown,
    metadata: unknown,
    name: unknown,
  ) => runs.retriever({ id, parentId, serialized, tags, metadata, name }, query),
})
