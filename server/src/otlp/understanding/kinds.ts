import type { StepType } from '../../../generated/resolvers.js'
import type { Span } from '../span.js'
import { firstText } from './attributes.js'
import { isCallOfAdk } from './dialects/adk.js'
import { ACTION_KIND } from './dialects/genkit.js'
import { RUN_TYPE } from './dialects/langsmith.js'

/** A map, as spans may contain any word: `constructor` is a member of every object. */
const OPERATIONS: ReadonlyMap<string, StepType> = new Map(
  Object.entries<StepType>({
    chat: 'llm',
    text_completion: 'llm',
    generate_content: 'llm',
    completion: 'llm',
    embeddings: 'embedding',
    retrieval: 'retrieval',
    search_memory: 'retrieval',
    execute_tool: 'tool',
    invoke_agent: 'run',
    create_agent: 'run',
    invoke_workflow: 'run',
    plan: 'run',
    // OpenInference, OpenLLMetry and Langfuse.
    generation: 'llm',
    llm: 'llm',
    embedding: 'embedding',
    tool: 'tool',
    retriever: 'retrieval',
    reranker: 'rerank',
    rerank: 'rerank',
    agent: 'run',
    workflow: 'run',
    // Genkit.
    model: 'llm',
    'background-model': 'llm',
    embedder: 'embedding',
    'tool.v2': 'tool',
    flow: 'run',
    // The AI SDK: a step of its agents, and the names of its operations up to version 6.
    agent_step: 'run',
    'ai.generatetext': 'run',
    'ai.streamtext': 'run',
    'ai.generateobject': 'run',
    'ai.streamobject': 'run',
    'ai.generatetext.dogenerate': 'llm',
    'ai.streamtext.dostream': 'llm',
    'ai.generateobject.dogenerate': 'llm',
    'ai.streamobject.dostream': 'llm',
    'ai.toolcall': 'tool',
    'ai.embed': 'run',
    'ai.embedmany': 'run',
    'ai.embed.doembed': 'embedding',
    'ai.embedmany.doembed': 'embedding',
    'ai.rerank': 'run',
    'ai.rerank.dorerank': 'rerank',
    'ai.generatespeech': 'llm',
    'ai.transcribe': 'llm',
    'ai.streamtranscribe': 'llm',
  }),
)

const KINDS = [
  RUN_TYPE,
  'gen_ai.operation.name',
  'openinference.span.kind',
  'traceloop.span.kind',
  'llm.request.type',
  'ai.operationId',
  'langfuse.observation.type',
  ACTION_KIND,
]

/** Returns the type of a span's step: by the first of its conventions that says one. */
export const typeOf = ({
  attributes,
  parentSpanId,
}: Pick<Span, 'attributes' | 'parentSpanId'>): StepType => {
  for (const name of KINDS) {
    const known = OPERATIONS.get(firstText(attributes, name)?.toLowerCase() ?? '')
    if (known !== undefined) return known
    if (name === RUN_TYPE && attributes.has(name)) break
  }
  if (isCallOfAdk(attributes)) return 'llm'
  return parentSpanId === '' ? 'run' : 'undefined'
}
