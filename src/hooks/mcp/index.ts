// The entry point of the hook for clients and servers of MCP.
export { type McpSide, recordMcp } from './record.js'
