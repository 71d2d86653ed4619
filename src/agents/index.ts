// The entry point for agents that read traces: answers as text, within a number of tokens.
export type { Budgeted } from './budget.js'
export { type FindRequest, find } from './find.js'
export { type OutlineRequest, outline } from './outline/outline.js'
export { type ReadRequest, read } from './read.js'
export type { Source } from './source.js'
export { maxTokens } from './tokens.js'
