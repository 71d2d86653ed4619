/** Command-line programs, which accept any type and print it for people. */
const TERMINALS = /^(curl|wget|httpie|xh)\b/i

/** Returns true when the root answers with a text that people read in a terminal. */
export const wantsGuide = (headers: Headers): boolean => {
  const accept = headers.get('accept') ?? '*/*'
  if (/text\/html/.test(accept)) return false
  return (
    /text\/plain/.test(accept) ||
    (accept.includes('*/*') && TERMINALS.test(headers.get('user-agent') ?? ''))
  )
}

/** Returns where things are, for those who ask the root without a browser. */
export const guide = (origin: string, hasUi: boolean): string => `Stepwell is here.

  ${origin}/             ${hasUi ? 'web UI, in a browser; a link that signs in: npx stepwell sign-in' : 'no web UI, as it is not built: npm run build'}
${hasUi ? `  ${origin}/docs         documentation\n` : ''}  ${origin}/api/graphql  GraphQL: POST, with an API key as x-api-key
  ${origin}/v1/traces    OpenTelemetry: OTLP over HTTP, with an API key as x-api-key; its logs at /v1/logs
  ${origin}/healthz      200 while the process answers; /readyz, while it accepts requests
  ${origin}/metrics      figures for Prometheus, with an API key as x-api-key
`
