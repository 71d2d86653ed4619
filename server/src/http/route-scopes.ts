import type { Scope } from '../kernel/scopes.js'

/** The scopes of which a key must have one for a call outside GraphQL; the schema has those of its fields. */
export const ROUTE_SCOPES = {
  '/api/my-project': ['ingest', 'read', 'write', 'admin'],
  '/api/export/dataset': ['read'],
  '/api/export/:name': ['read'],
  '/api/upload/file': ['ingest', 'write'],
  '/api/models/call': ['write'],
  '/mcp': ['read'],
  '/v1/traces': ['ingest', 'write'],
  '/v1/logs': ['ingest', 'write'],
} as const satisfies Record<string, readonly Scope[]>
