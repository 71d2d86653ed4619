const ROUTES = new Set([
  '/api/graphql',
  '/api/my-project',
  '/api/export/dataset',
  '/api/upload/file',
  '/api/models/call',
  '/api/operator',
  '/api/sign-in',
  '/api/sign-in/oidc',
  '/api/sign-in/callback',
  '/api/sign-out',
  '/api/sessions',
  '/mcp',
  '/v1/traces',
  '/v1/logs',
  '/v1/metrics',
  '/healthz',
  '/readyz',
  '/metrics',
])

/** Returns the route under which an answer is counted: paths that clients make up share one. */
export const routeOf = (path: string): string =>
  ROUTES.has(path)
    ? path
    : (['/files', '/assets', '/api/export'].find((folder) => path.startsWith(`${folder}/`)) ??
      'other')
