/** In the order of the schema's enum. */
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
