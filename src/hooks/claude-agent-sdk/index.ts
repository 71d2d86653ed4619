// The entry point of the hook for the Claude Agent SDK.
export { type ClaudeOptions, type RecordedQuery, recordQuery } from './record.js'
