/** The types of steps. The order means nothing, and changes when a type is added. */
export const STEP_TYPES = [
  'assistant_message',
  'embedding',
  'llm',
  'rerank',
  'retrieval',
  'run',
  'system_message',
  'tool',
  'undefined',
  'user_message',
] as const
